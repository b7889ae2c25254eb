"""Heat maps: one value per pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.core.drawing import finished
from metameter.view.charts.core.parts import data_of, field_name, in_order, panels, span, tooltips
from metameter.view.charts.heat.layers import coloured, dots, frames, written_values

if TYPE_CHECKING:
    import polars as pl


# How wide a square is in pixels, how wide at the least where its value is written into it, without a value, and where
# not all columns need names.
ROOMY, LEAST, TIGHT, THIN = 46, 30, 16, 3
#: With more rows or columns, squares are tight and no values are written.
MOST_WRITTEN = 12


def heat_map(
    frame: pl.DataFrame,
    x: str,
    y: str,
    value: str,
    tooltip: Sequence[str] = (),
    facet: str | None = None,
    *,
    domain: tuple[float, float] | None = None,
    title: str = "",
    below: Sequence[str] = (),
    titles: tuple[str, str] | None = None,
    outlined: str | None = None,
    dotted: str | None = None,
    square: int = ROOMY,
    abreast: int | None = None,
    form: str | None = None,
    middle: float = 0.5,
    thin: bool = False,
) -> Any:
    """One square per pair, coloured by a value; where there is room, the value is written into it.

    Rows and columns stand in the order in which they occur. A pair without a value has no square. No colour is that of
    a verdict.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per square.
    x, y, value : str
        Its columns.
    tooltip : sequence of str
        Further columns to show when hovering over a square.
    facet : str, optional
        One panel per value of this column; the colours mean the same in all of them.
    domain : pair of float, optional
        The ends of the colour scale; by default those of the values, symmetric about 0 if one is negative.
    title : str
    below : sequence of str
        What stands below the title.
    titles : pair of str, optional
        What the columns and the rows are, said at the axes.
    outlined : str, optional
        The column that is true for squares with a frame.
    dotted : str, optional
        The column that is true for squares with a dot: where squares are small and many, frames would hide them.
    square : int
        How wide a square is in which its value is written, in pixels.
    abreast : int, optional
        How many panels stand side by side; by default as many as fit the page.
    form : str, optional
        How values are written, as d3 says it; by default with two decimals, or none if they are whole.
    middle : float in (0, 1)
        Where on the way from 0 to the end of a scale with both signs its middle colours stand: below 0.5, small values
        are told apart better than large ones.
    thin : bool
        Columns without values in them may become so narrow that not all of their names are shown.

    Returns
    -------
    altair.LayerChart or altair.ConcatChart
    """
    ends = domain or _ends(frame, value)
    most = max((len(in_order(part, x)) for part in _parts(frame, facet)), default=1)

    import polars as pl

    known = pl.col(value).cast(pl.Float64).is_finite()
    # Panels that are to stand side by side have no room for a legend beside them.
    beside = {"orient": "top", "direction": "horizontal"} if abreast else {}
    written = form or (".2f" if frame.schema[value].is_float() else ",d")

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        across, down = in_order(part, x), in_order(part, y)
        roomy = max(len(across), len(down)) <= MOST_WRITTEN
        size = square if roomy else TIGHT
        layers = [
            coloured(value, ends, middle, beside),
            *([written_values(value, ends, written, middle)] if roomy else []),
        ]
        if outlined is not None:
            layers.insert(1, frames(outlined))
        if dotted is not None:
            layers.append(dots(dotted, value, ends, middle))
        grid = _grid(part, x, y, tooltips(part, (x, y, value, *tooltip)), titles)
        if thin and not roomy:
            grid["x"]["axis"] = {"labelAngle": -90, "labelOverlap": True}
        sized = {"width": size * len(across), "height": min(size, 32) * len(down)}
        # What is the same in all rows of a panel is its title.
        rows = part.filter(known).drop(facet or [])
        return {"data": data_of(rows), "encoding": grid, "layer": layers, **sized}

    chart = panels(frame, facet, panel, wide=ROOMY * most + 110)
    if facet is not None:
        chart["resolve"] = {"scale": {"color": "shared"}}
        chart["columns"] = abreast or chart["columns"]
    # Where values are written, squares below this width would let the numbers run into each other; those written
    # another way may be longer.
    written_least = LEAST if form is None else LEAST + 8
    least = {"least": THIN if thin else TIGHT, "written": written_least, "each": True}
    return finished({**chart, "usermeta": least}, title, below)


def _parts(frame: pl.DataFrame, facet: str | None) -> list[pl.DataFrame]:
    return [frame] if facet is None else frame.partition_by(facet)


def _ends(frame: pl.DataFrame, value: str) -> tuple[float, float]:
    low, high = span(frame, value)
    furthest = max(abs(low), abs(high))
    return (low, high) if low >= 0 else (-furthest, furthest)


def _grid(part: pl.DataFrame, x: str, y: str, tooltip: list[Any], titles: tuple[str, str] | None) -> dict[str, Any]:
    # With the domain said, a row or a column without any value keeps its place.
    sides = {
        name: {"field": field_name(c), "sort": order, "scale": {"domain": order}, "title": title, "type": "nominal"}
        for name, c, title in zip("xy", (x, y), titles or (None, None), strict=True)
        for order in [in_order(part, c)]
    }
    return {"x": {**sides["x"], "axis": {"labelAngle": 0 if titles else -45}}, "y": sides["y"], "tooltip": tooltip}
