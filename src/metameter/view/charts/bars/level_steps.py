"""Cumulative shares of ordered levels: one step line per level, a pane for each of a few things compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from metameter.view.charts.bars.level_colours import LEVELS, level_colours
from metameter.view.charts.core.columns import spaced
from metameter.view.charts.core.drawing import finished
from metameter.view.charts.core.parts import data_of, number, panels, span, tooltips
from metameter.view.charts.core.robust_axes import padded

if TYPE_CHECKING:
    import polars as pl


_WIDE, _HIGH = 340, 270


def level_steps(
    frame: pl.DataFrame,
    x: str,
    share: str,
    level: str,
    facet: str,
    tooltip: Sequence[str] = (),
    *,
    title: str = "",
    below: Sequence[str] = (),
    titles: tuple[str, str, str] = ("", "", ""),
) -> Any:
    """One step line per level, which rises from 0 to 1; the order of the levels is that of their colours.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per step: from `x` on the share holds, until the next step.
    x, share, level, facet : str
        Its columns; a pane per value of `facet`, each with a horizontal scale of its own.
    tooltip : sequence of str
        Further columns to show when pointing at a line.
    title : str
    below : sequence of str
        What stands below the title.
    titles : three of str
        What is said at the axes and above the legend.

    Returns
    -------
    altair.ConcatChart
    """
    levels = sorted(frame[level].unique().to_list())
    drawn = spaced(levels, len(LEVELS))
    kept = frame.filter(frame[level].is_in(drawn)).sort(facet, level, x, maintain_order=True)
    # Panes stand in the order in which the frame names them.
    order = {name: place for place, name in enumerate(frame[facet].unique(maintain_order=True).to_list())}
    kept = kept.sort(kept[facet].replace_strict(order), maintain_order=True)
    names = [_name(each) for each in drawn]
    scale = {"domain": names, "range": level_colours(len(names))}
    legend = {"symbolType": "stroke", "symbolSize": 300, "orient": "top", "direction": "horizontal", "columns": 9}
    colour = {"field": "level shown", "type": "nominal", "sort": names, "scale": scale, "title": titles[2]}
    upright = number(share, title=titles[1], scale={"domain": [0, 1]}, axis={"format": "%", "tickCount": 5})

    def panel(part: pl.DataFrame) -> dict[str, Any]:
        ends = padded(span(part, x), 0.04)
        steps = _whole(part, x, share, level, ends)
        place = {
            "x": number(x, title=titles[0], scale={"domain": list(ends), "nice": False, "zero": False}),
            "y": upright,
            "color": {**colour, "legend": legend},
            "tooltip": tooltips(steps, (level, x, share, *tooltip)),
        }
        mark = {"type": "line", "interpolate": "step-after", "strokeWidth": 2.2}
        return {"data": data_of(steps.drop(facet)), "mark": mark, "encoding": place, "width": _WIDE, "height": _HIGH}

    chart = panels(kept, facet, panel, wide=_WIDE + 70)
    said = [*below, *([f"Drawn: {len(drawn)} of {len(levels)} levels."] if len(drawn) < len(levels) else [])]
    return finished({**chart, "usermeta": {"legend": 3, "least": 180}}, title, [" ".join(said)] if said else [])


def _whole(part: pl.DataFrame, x: str, share: str, level: str, ends: tuple[float, float]) -> pl.DataFrame:
    """The steps with where each line enters, at 0, and where it leaves: every line is as wide as the pane."""
    import polars as pl

    made = []
    for one in part.partition_by(level, maintain_order=True):
        first = one.head(1).with_columns(pl.lit(ends[0]).alias(x), pl.lit(0.0).alias(share))
        last = one.tail(1).with_columns(pl.lit(ends[1]).alias(x))
        made += [
            first,
            one.with_columns(pl.col(x, share).cast(pl.Float64)),
            last.with_columns(pl.col(share).cast(pl.Float64)),
        ]
    # More digits than can be seen would only make pages larger.
    shown = pl.concat(made).with_columns(pl.col(x, share).round(5))
    return shown.with_columns(
        pl.Series("level shown", [_name(each) for each in shown[level].to_list()], dtype=pl.String)
    )


def _name(level: Any) -> str:
    return f"{level:g}" if isinstance(level, float) else str(level)
