"""Charts under the title, and of the width, that a user asks for."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from metameter.view.chart_options import Style, asked_style
from metameter.view.charts.fitting import fitted
from metameter.view.charts.theme import CONFIG

__all__ = ["styled"]

_NONE = "none"
# The mean width of a letter, as a share of its size.
_LETTER = 0.46


def styled(chart: Any, *, title: str | None = None, width: int | None = None) -> Any:
    """The chart as is asked here, or else by `chart_style`; as it is where nothing is asked.

    Examples
    --------
    >>> styled({"mark": "point", "title": {"text": "Means", "subtitle": ["a: b"]}}, title="TREC-8")["title"]
    {'text': ['TREC-8'], 'subtitle': ['Means', 'a: b']}
    """
    outer = asked_style()
    style = Style(outer.title if title is None else title, outer.width if width is None else width)
    if style == Style():
        return chart
    plain = isinstance(chart, dict)
    spec: dict[str, Any] = dict(chart) if plain else chart.to_dict(validate=False)
    spec = _titled(spec, style)
    if style.width is not None:
        spec = fitted(spec, style.width)
    if plain:
        return spec
    from metameter.view.charts.as_altair import as_altair

    return as_altair(spec)


def _titled(spec: dict[str, Any], style: Style) -> dict[str, Any]:
    own, below = _said(spec.get("title"))
    large, small = CONFIG["title"]["fontSize"], CONFIG["title"]["subtitleFontSize"]
    explained = _lines(below, small, style.width)
    if style.title is None:
        made = {"text": _lines(own, large, style.width), "subtitle": explained}
    elif style.title.strip() in ("", _NONE):
        # What stands below a title explains marks and numbers: a figure needs it also without one.
        made = {"text": explained, "fontSize": small}
    else:
        beneath = [*_lines(own, small, style.width), *explained]
        made = {"text": _lines([style.title], large, style.width), "subtitle": beneath}
    untitled = {key: value for key, value in spec.items() if key != "title"}
    told = {key: value for key, value in made.items() if value != []}
    return {**untitled, "title": told} if "text" in told else untitled


def _said(title: Any) -> tuple[list[str], list[str]]:
    """The lines of a title, and those below it."""
    parts = title if isinstance(title, dict) else {"text": title}
    told = (parts.get(name) or [] for name in ("text", "subtitle"))
    text, below = ([each] if isinstance(each, str) else list(each) for each in told)
    return text, below


def _lines(lines: list[str], size: int, width: int | None) -> list[str]:
    """The text in lines that fit the width; where none is asked, in the lines that it has."""
    return lines if width is None else wrap(" ".join(lines), int(width / (_LETTER * size)))
