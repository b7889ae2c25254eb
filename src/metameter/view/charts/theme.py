"""One look for all charts."""

from __future__ import annotations

from typing import Any

__all__ = ["ACCENT", "INK", "MUTED", "PALETTE", "themed"]

# Okabe and Ito (2008): eight colours that people with any kind of colour vision can tell apart. Yellow stands
# last, since on white it is the weakest.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#F0E442")
ACCENT, MUTED, INK = "#D55E00", "#8C8C8C", "#222222"

# One weight of one font, and no transparency: the PDF writer lays out several in an order that changes from run
# to run, and the same results must give the same bytes.
_LETTERING = {"labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal", "labelLimit": 260}
_CONFIG: dict[str, Any] = {
    "background": "#FFFFFF",
    "font": "Liberation Sans, Arial, Helvetica, sans-serif",
    "view": {"stroke": None, "continuousWidth": 380, "continuousHeight": 260},
    "title": {"fontSize": 14, "fontWeight": "normal", "anchor": "start", "color": INK, "offset": 8},
    "axis": {**_LETTERING, "labelColor": INK, "titleColor": INK, "gridColor": "#E3E3E3", "domainColor": MUTED},
    "legend": {**_LETTERING, "labelColor": INK, "titleColor": INK, "symbolOpacity": 1, "symbolStrokeWidth": 2},
    "range": {"category": list(PALETTE)},
    "point": {"filled": True},
}


def themed(chart: Any) -> Any:
    """The chart in the look that all charts of metameter share; applied last, to the outermost chart."""
    return chart.configure(**_CONFIG)
