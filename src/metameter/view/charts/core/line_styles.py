"""How lines are told apart: by the colours of their aggregations, or else by greys and dashes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metameter.view.charts.core.parts import field_name
from metameter.view.charts.core.theme import SERIES

DASHES: tuple[list[int], ...] = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [1, 4], [4, 2, 1, 2])


def line_styles(
    series: str, names: Sequence[Any], colours: Sequence[str] | None, *, legend: bool = True, **further: Any
) -> dict[str, Any]:
    """The channels of colour and dash, with one legend for both.

    Parameters
    ----------
    series : str
        The column.
    names : sequence
        Its values.
    colours : sequence of str or None
        Their colours; without any, ink and greys.
    legend : bool
        Whether there is one.
    further
        Where the legend stands, as Vega-Lite says it.

    Examples
    --------
    >>> styles = line_styles("metric", ["AP", "RR", "P@5", "P@10"], None)
    >>> styles["color"]["scale"]["range"], styles["strokeDash"]["scale"]["range"][3]
    (['#222222', '#6B6B6B', '#A3A3A3', '#222222'], [6, 3])
    """
    shades = list(colours) if colours else [SERIES[i % len(SERIES)] for i in range(len(names))]
    # A line with the colour of an earlier one gets another dash.
    rounds = [shades[:i].count(shade) for i, shade in enumerate(shades)]
    dashes = [DASHES[turn % len(DASHES)] for turn in rounds]
    key = {"symbolType": "stroke", "symbolSize": 300, "symbolLimit": 0, "labelLimit": 190, **further}
    shared = {"field": field_name(series), "type": "nominal", "title": None, "sort": list(names)}
    shown = {**shared, "legend": key if legend else None}
    return {
        "color": {**shown, "scale": {"domain": list(names), "range": shades}},
        "strokeDash": {**shown, "scale": {"domain": list(names), "range": dashes}},
    }
