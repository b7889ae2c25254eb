"""Charts as the procedures need them: a builder takes a table and the names of its columns."""

from metameter.view.charts.bump import bump
from metameter.view.charts.bundle import vega_bundle
from metameter.view.charts.convergence import convergence
from metameter.view.charts.curves import curves
from metameter.view.charts.depth_bands import depth_bands
from metameter.view.charts.depth_curves import depth_curves
from metameter.view.charts.depth_intervals import depth_intervals
from metameter.view.charts.drawing import finished, specifications
from metameter.view.charts.forest import forest
from metameter.view.charts.heat_map import heat_map
from metameter.view.charts.ordered_intervals import ordered_intervals
from metameter.view.charts.page import save_figures, save_html, spec_json
from metameter.view.charts.rank_intervals import rank_intervals
from metameter.view.charts.scatter import scatter
from metameter.view.charts.signed_bars import signed_bars
from metameter.view.charts.style import styled

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
