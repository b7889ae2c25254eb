"""Chart builders: each takes a table and the names of its columns, and returns an Altair chart."""

from metameter.view.charts.bars import signed_bars
from metameter.view.charts.depth_curves import depth_curves
from metameter.view.charts.depth_intervals import depth_bands, depth_intervals
from metameter.view.charts.export import save_figures, save_html, spec_json, vega_bundle
from metameter.view.charts.heat_maps import heat_map
from metameter.view.charts.intervals import forest, ordered_intervals
from metameter.view.charts.lines import convergence, curves, scatter
from metameter.view.charts.ranks import bump, rank_intervals
from metameter.view.charts.sizing import styled
from metameter.view.charts.specification import finished, specifications

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
