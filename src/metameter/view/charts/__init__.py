"""Charts as the procedures need them: a builder takes a table and the names of its columns."""

from metameter.view.charts.bars.signed_bars import signed_bars
from metameter.view.charts.core.drawing import finished, specifications
from metameter.view.charts.core.style import styled
from metameter.view.charts.depth.bands import depth_bands
from metameter.view.charts.depth.curves import depth_curves
from metameter.view.charts.depth.intervals import depth_intervals
from metameter.view.charts.export.bundle import vega_bundle
from metameter.view.charts.export.page import save_figures, save_html, spec_json
from metameter.view.charts.heat.heat_map import heat_map
from metameter.view.charts.intervals.forest import forest
from metameter.view.charts.intervals.ordered import ordered_intervals
from metameter.view.charts.lines.convergence import convergence
from metameter.view.charts.lines.curves import curves
from metameter.view.charts.lines.scatter import scatter
from metameter.view.charts.ranks.bump import bump
from metameter.view.charts.ranks.intervals import rank_intervals

__all__ = [
    "bump",
    "convergence",
    "curves",
    "depth_bands",
    "depth_curves",
    "depth_intervals",
    "finished",
    "forest",
    "heat_map",
    "ordered_intervals",
    "rank_intervals",
    "save_figures",
    "save_html",
    "scatter",
    "signed_bars",
    "spec_json",
    "specifications",
    "styled",
    "vega_bundle",
]
