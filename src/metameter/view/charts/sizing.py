"""The title and the width of a chart, as the user sets them."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import Any

from metameter.view.chart_options import Style, current_style
from metameter.view.charts.export import spec_json
from metameter.view.charts.theme import CONFIG

_ATTEMPTS = 8
# No panel is narrower, in pixels, unless a chart says otherwise.
_LEAST = 90
# The share of a chart's width that names may take.
_NAMES = 0.45
_USUAL = CONFIG["view"]["continuousWidth"]

_NONE = "none"
# The mean width of a letter, as a share of its size.
_LETTER = 0.46


def styled(chart: Any, *, title: str | None = None, width: int | None = None) -> Any:
    """Return the chart under a title and of a width: those given here, else those of `chart_style`, else its own.

    Examples
    --------
    >>> styled({"mark": "point", "title": {"text": "Means", "subtitle": ["a: b"]}}, title="TREC-8")["title"]
    {'text': ['TREC-8'], 'subtitle': ['Means', 'a: b']}
    """
    outer = current_style()
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
    from metameter.view.charts.specification import as_altair

    return as_altair(spec)


def _titled(spec: dict[str, Any], style: Style) -> dict[str, Any]:
    own, below = _title_lines(spec.get("title"))
    large, small = CONFIG["title"]["fontSize"], CONFIG["title"]["subtitleFontSize"]
    explained = _lines(below, small, style.width)
    if style.title is None:
        new_title = {"text": _lines(own, large, style.width), "subtitle": explained}
    elif style.title.strip() in ("", _NONE):
        # The subtitle explains marks and numbers, which a figure needs even without a title.
        new_title = {"text": explained, "fontSize": small}
    else:
        beneath = [*_lines(own, small, style.width), *explained]
        new_title = {"text": _lines([style.title], large, style.width), "subtitle": beneath}
    untitled = {key: value for key, value in spec.items() if key != "title"}
    filled = {key: value for key, value in new_title.items() if value != []}
    return {**untitled, "title": filled} if "text" in filled else untitled


def _title_lines(title: Any) -> tuple[list[str], list[str]]:
    """The lines of a title, and those of its subtitle."""
    parts = title if isinstance(title, dict) else {"text": title}
    filled = (parts.get(name) or [] for name in ("text", "subtitle"))
    text, below = ([each] if isinstance(each, str) else list(each) for each in filled)
    return text, below


def _lines(lines: list[str], size: int, width: int | None) -> list[str]:
    """The text in lines that fit the width; unchanged if there is none."""
    return lines if width is None else wrap(" ".join(lines), int(width / (_LETTER * size)))


def fitted(spec: dict[str, Any], width: int) -> dict[str, Any]:
    """Return the chart of a width, axes and legends included, or as narrow as it can be.

    Reports do the same in the browser (``charts.js``), by the same numbers in ``usermeta``.

    Parameters
    ----------
    spec : dict
        Vega-Lite: a view, layers, or views side by side. Of other charts, such as a plug-in may draw, the width stays.
    width : int
        In pixels.
    """
    if {"hconcat", "vconcat", "facet", "repeat", "spec"} & set(spec):
        return spec
    # The title is wrapped to the chart, not the chart to the title.
    whole = _with_shorter_names({key: value for key, value in spec.items() if key != "title"}, width)
    for _ in range(_ATTEMPTS):
        room = width - _drawn_width(whole)
        if abs(room) <= 1:
            break
        tighter = _resized(whole, room)
        if tighter == whole:
            break
        whole = tighter
    return whole | ({"title": spec["title"]} if "title" in spec else {})


def _with_shorter_names(spec: dict[str, Any], width: int) -> dict[str, Any]:
    """Limit the share of the width that names take; longer names end in an ellipsis."""
    config = spec.get("config") or {}
    axis = config.get("axis") or {}
    limit = min(axis.get("labelLimit", _NAMES * width), round(_NAMES * width))
    return {**spec, "config": {**config, "axis": {**axis, "labelLimit": limit}}}


def _drawn_width(spec: dict[str, Any]) -> float:
    import vl_convert

    match = re.search(r'<svg[^>]* width="([\d.]+)', vl_convert.vegalite_to_svg(spec_json(spec), allowed_base_urls=[]))
    return float(match[1]) if match else 0.0


def _resized(spec: dict[str, Any], room: float) -> dict[str, Any]:
    """The chart wider by ``room`` pixels (or narrower), which the panels side by side share."""
    panels = spec.get("concat") or [spec]
    abreast = min(spec.get("columns", len(panels)), len(panels))
    meta = spec.get("usermeta") or {}
    least = meta.get("least", _LEAST)
    resized = []
    for panel in panels:
        narrowest = meta.get("written", least) if _has_text(panel) else least
        floor = narrowest * (_columns(panel) if meta.get("each") else 1)
        old = panel.get("width", _USUAL)
        width = round(old + room / abreast, 1)
        if width < floor and abreast > 1:
            return {**spec, "columns": abreast - 1}
        resized.append({**panel, "width": max(width, min(floor, old))})
    return {**spec, "concat": resized} if "concat" in spec else resized[0]


def _has_text(panel: dict[str, Any]) -> bool:
    """Whether values are written into a panel."""
    return any(isinstance(mark := each.get("mark"), dict) and mark["type"] == "text" for each in panel.get("layer", []))


def _columns(panel: dict[str, Any]) -> int:
    """How many named columns a panel has."""
    sorts = [part.get("encoding", {}).get("x", {}).get("sort") for part in (panel, *panel.get("layer", []))]
    return max([1, *(len(each) for each in sorts if isinstance(each, list))])
