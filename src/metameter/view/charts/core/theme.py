"""One look for all charts."""

from __future__ import annotations

from typing import Any

from metameter.view.charts.core.verdict_styles import AGGREGATIONS

INK, MUTED, GRID = "#222222", "#8C8C8C", "#E3E3E3"
# Spelled so that a page can tell paper, which turns dark with it, from white letters on dark squares ("white").
PAPER = "#FFFFFF"
#: The colours of aggregations, by position.
PALETTE = tuple(AGGREGATIONS)
#: Series that have no colour of their own: ink and greys, which are told apart by the dashes of their lines.
SERIES = (INK, "#6B6B6B", "#A3A3A3")
#: No text of a chart is smaller, in pixels.
LETTERS = 11
#: How wide all that stands side by side may be, in pixels: the page's column on a screen 1,280 pixels wide.
ACROSS = 900

# One weight of one font, and no transparency: the PDF writer lays out several in an order that changes from run
# to run, and the same results must give the same bytes.
_LETTERING = {"labelFontSize": LETTERS, "titleFontSize": 12, "titleFontWeight": "normal", "labelLimit": 260}
CONFIG: dict[str, Any] = {
    "background": PAPER,
    "font": "Liberation Sans, Arial, Helvetica, sans-serif",
    "view": {"stroke": None, "continuousWidth": 380, "continuousHeight": 260},
    "title": {
        "fontSize": 14,
        "fontWeight": "normal",
        "anchor": "start",
        "color": INK,
        "offset": 8,
        "subtitleFontSize": 12,
        "subtitleColor": INK,
    },
    "axis": {**_LETTERING, "labelColor": INK, "titleColor": INK, "gridColor": GRID, "domainColor": MUTED},
    "legend": {**_LETTERING, "labelColor": INK, "titleColor": INK, "symbolOpacity": 1, "symbolStrokeWidth": 2},
    "range": {"category": list(SERIES)},
    "point": {"filled": True},
}
