"""The common look of all charts: colours, fonts, sizes."""

from __future__ import annotations

from typing import Any

INK, MUTED, GRID = "#222222", "#8C8C8C", "#E3E3E3"
# A dark page replaces this spelling of white by its own colour; white letters on dark squares are spelled "white".
PAPER = "#FFFFFF"
#: The colours of aggregations on white paper -> on a dark page, in the order of their positions
#: (`Aggregation.colour`).
PALETTE_ON_DARK = {
    "#430F67": "#E5D6F5",
    "#B3A5E9": "#B486F9",
    "#CFA5A5": "#DBDBBD",
    "#B8B80A": "#F2F20D",
    "#9F5673": "#B87A8D",
    "#9434F4": "#9B4FBF",
    "#552020": "#6B7440",
    "#6F6F06": "#819C16",
}
PALETTE = tuple(PALETTE_ON_DARK)
#: Series that have no colour of their own: ink and greys, which are told apart by the dashes of their lines.
SERIES = (INK, "#6B6B6B", "#A3A3A3")
#: The pool depth: a crimson that no verdict has, and that differs from their vermilion for all kinds of colour vision.
POOL = "#CC1155"
#: Lines that are many: systems, and systems behind them.
THIN, FAINT = "#A2A2A2", "#D2D2D2"
#: These colours on white paper -> on a dark page.
LINES_ON_DARK = {POOL: "#FF7FA3", THIN: "#727A82", FAINT: "#434A51"}
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


#: On white paper -> on a dark page, from the lowest level to the highest. They differ in lightness and in hue, so that
#: their order can be seen with any kind of colour vision; none is that of a verdict or of an aggregation.
LEVELS = {
    "#BD8C2F": "#8A6730",
    "#AA8C54": "#8F764E",
    "#968B78": "#94866B",
    "#7D8284": "#929492",
    "#64798F": "#8FA3B8",
    "#506880": "#A2B7CE",
    "#3D5772": "#B4CBE3",
    "#283D56": "#D2E0F0",
    "#12233A": "#F0F6FC",
}


def level_colours(levels: int) -> list[str]:
    """The colours of so many levels, the first and the last among them, evenly spaced between.

    Examples
    --------
    >>> level_colours(3)
    ['#BD8C2F', '#64798F', '#12233A']
    >>> level_colours(1)
    ['#12233A']
    """
    colours = list(LEVELS)
    last = len(colours) - 1
    if levels < 2:
        return colours[last:][:levels]
    return [colours[round(last * level / (levels - 1))] for level in range(levels)]
