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
_LETTER = 0.5


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
    untitled = {key: value for key, value in spec.items() if key != "title"}
    if style.title is None:
        made = {"text": _lines(own, large, style.width), "subtitle": _lines(below, small, style.width)}
    elif style.title.strip() in ("", _NONE):
        # What stands below a title explains marks and numbers: a figure needs it also without one.
        made = {"text": _lines(below, small, style.width), "fontSize": small}
    else:
        lines = _lines([*own, *below], small, style.width)
        made = {"text": _lines([style.title], large, style.width), "subtitle": lines}
    told = {key: value for key, value in made.items() if value != []}
    return {**untitled, "title": told} if "text" in told else untitled


def _said(title: Any) -> tuple[list[str], list[str]]:
    """The lines of a title, and those below it."""
    parts = title if isinstance(title, dict) else {"text": title}
    text, below = (
        [each] if isinstance(each, str) else list(each or []) for each in map(parts.get, ("text", "subtitle"))
    )
    return text, below


def _lines(texts: list[str], size: int, width: int | None) -> list[str]:
    if width is None:
        return texts
    return [line for text in texts for line in wrap(text, max(20, int(width / (_LETTER * size))))]
