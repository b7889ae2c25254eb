"""What stands in a heat map: coloured squares, their values, and the marks of some of them."""

from __future__ import annotations

import json
from typing import Any

from metameter.view.charts.core.parts import number
from metameter.view.charts.core.theme import INK, LETTERS, PAPER
from metameter.view.charts.depth.axis import POOL

# What is neither good nor bad: from paper to ink, and with values of both signs from sand over paper to ink.
_NEUTRAL = ["#F2F4F6", "#AEBBC7", "#5C7186", "#27384A"]
_SIGNED = ["#7D5F32", "#C9AE82", "#F5F3EF", "#8497AA", "#27384A"]


def frames(outlined: str) -> dict[str, Any]:
    """Frames around the squares for which a column is true."""
    mark = {"type": "rect", "filled": False, "stroke": POOL, "strokeWidth": 3}
    return {"mark": mark, "transform": [{"filter": f"datum[{json.dumps(outlined)}]"}]}


def coloured(value: str, ends: tuple[float, float], middle: float, beside: dict[str, Any]) -> dict[str, Any]:
    """The squares and their legend; `beside` says where that stands, as Vega-Lite does."""
    low, high = ends
    steps = len(_NEUTRAL) - 1
    even = [low + (high - low) * i / steps for i in range(steps + 1)]
    # Mixed as paints are: the way from paper to ink that Vega takes by default leads through green.
    signed = {"domain": [low, middle * low, 0, middle * high, high], "range": _SIGNED, "interpolate": "rgb"}
    scale = signed if low < 0 else {"domain": even, "range": _NEUTRAL}
    # Vega would round the ends of a scale with several colours, to 1 what is 0.89.
    ends_told = {"values": [low, 0, high], "format": ".2~r"} if low < 0 else {}
    colour = number(value, scale=scale, title=value, legend={"gradientLength": 140, **ends_told, **beside})
    return {"mark": {"type": "rect", "stroke": PAPER}, "encoding": {"color": colour}}


def written_values(value: str, ends: tuple[float, float], form: str, middle: float) -> dict[str, Any]:
    """The values, in an ink that can be read on their squares."""
    text = {"text": number(value, format=form), "color": ink(value, ends, middle)}
    return {"mark": {"type": "text", "fontSize": LETTERS}, "encoding": text}


def dots(dotted: str, value: str, ends: tuple[float, float], middle: float) -> dict[str, Any]:
    """Dots in the squares for which a column is true."""
    mark = {"type": "point", "size": 14, "opacity": 1}
    which = [{"filter": f"datum[{json.dumps(dotted)}]"}]
    return {"mark": mark, "transform": which, "encoding": {"color": ink(value, ends, middle)}}


def ink(value: str, ends: tuple[float, float], middle: float) -> dict[str, Any]:
    """The channel of ink: dark, and white where a square is dark."""
    # White ink on the dark ends of the scale, of which a scale that spans 0 has two.
    low, high = ends
    datum = f"datum[{json.dumps(value)}]"
    dark = f"abs({datum}) > {(1 - 0.8 * (1 - middle)) * high}" if low < 0 else f"{datum} > {low + 0.55 * (high - low)}"
    return {"condition": {"test": dark, "value": "white"}, "value": INK}
