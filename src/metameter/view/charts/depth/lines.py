"""The lines of scores along depths: one row a line, so that a page with many of them stays small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


SYSTEMS, OTHERS = "other systems", "not contributing"
# With few systems one of them may hold several marks: it keeps the first of these.
_MARKS = {"best": "best", "worst": "worst", "median": "median", "quartile1": "quartile 1", "quartile3": "quartile 3"}
_DIGITS = 4
_PANE = ["metric", "condensed"]


@dataclass(frozen=True)
class Pane:
    """What stands in a pane: its title, the depths, a row per line, and the ends of the scores of its metric."""

    title: str
    depths: list[int]
    rows: list[dict[str, Any]]
    low: float
    high: float


def pane_name(metric: str, condensed: bool) -> str:
    """The title of a pane.

    Examples
    --------
    >>> pane_name("nDCG", False), pane_name("nDCG", True)
    ('nDCG', 'nDCG, condensed')
    """
    return f"{metric}, condensed" if condensed else metric


def in_panes(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows by metric, plain before condensed, so that two panes abreast are those of one metric.

    Metrics come in the order in which they occur; those with one kind of scores only, after the others.
    """
    import polars as pl

    both = pl.col("condensed").n_unique().over("metric") > 1
    first = pl.col("_place").min().over("metric")
    placed = frame.with_row_index("_place").with_columns((~both).alias("_single"), first.alias("_first"))
    return placed.sort("_single", "_first", "condensed", "_place").drop("_single", "_first", "_place")


def lines_of(frame: pl.DataFrame, marked: pl.DataFrame | None, depths: Sequence[int]) -> pl.DataFrame:
    """One row per line: its pane, system, mark, and its depths and scores as lists; the dark lines last, on top.

    Parameters
    ----------
    frame : polars.DataFrame
        One row per point.
    marked : polars.DataFrame or None
    depths : sequence of int
        Those that are drawn.
    """
    import polars as pl

    score = pl.col("score").cast(pl.Float64)
    finite = pl.when(score.is_finite()).then(score.round(_DIGITS) + 0.0)
    shown = (
        frame.filter(pl.col("depth").is_in(depths))
        .with_columns(finite.alias("score"))
        .sort("depth", maintain_order=True)
    )
    contributing = pl.col("contributing").first() if "contributing" in frame.columns else pl.lit(True)
    lines = shown.group_by(*_PANE, "system", maintain_order=True).agg("depth", "score", contributing.alias("within"))
    lines = _with_marks(lines, marked)
    # Vega draws lines in the order of their rows.
    layer = pl.when(pl.col("mark") == OTHERS).then(0).when(pl.col("mark") == SYSTEMS).then(1).otherwise(2)
    return in_panes(lines.sort(layer, maintain_order=True))


def _with_marks(lines: pl.DataFrame, marked: pl.DataFrame | None) -> pl.DataFrame:
    import polars as pl

    plain = pl.when("within").then(pl.lit(SYSTEMS)).otherwise(pl.lit(OTHERS)).alias("mark")
    if marked is None or not marked.height:
        return lines.with_columns(plain)
    rank = {name: place for place, name in enumerate(_MARKS)}
    first = marked.filter(pl.col("mark").is_in(list(_MARKS))).sort(
        pl.col("mark").replace_strict(rank, default=None, return_dtype=pl.Int64), maintain_order=True
    )
    first = first.unique([*_PANE, "system"], keep="first", maintain_order=True)
    names = first.select(*_PANE, "system", pl.col("mark").cast(pl.String).replace(_MARKS))
    joined = lines.join(names, on=[*_PANE, "system"], how="left", maintain_order="left")
    return joined.with_columns(pl.col("mark").fill_null(joined.select(plain)["mark"]))


def panes_of(lines: pl.DataFrame) -> list[Pane]:
    """The panes, in the order of `in_panes`."""
    ends = {
        metric: (low, high)
        for metric, low, high in lines.group_by("metric").agg(*_ends()).select("metric", "low", "high").iter_rows()
    }
    parts = lines.partition_by(*_PANE, maintain_order=True)
    panes = []
    for part in parts:
        metric, condensed = part["metric"][0], bool(part["condensed"][0])
        depths = sorted(set().union(*part["depth"].to_list()))
        low, high = ends[metric]
        panes.append(Pane(pane_name(metric, condensed), depths, _rows(part, depths), low or 0.0, high or 0.0))
    return panes


def _ends() -> list[pl.Expr]:
    import polars as pl

    return [pl.col("score").list.min().min().alias("low"), pl.col("score").list.max().max().alias("high")]


def _rows(part: pl.DataFrame, depths: list[int]) -> list[dict[str, Any]]:
    rows = []
    for system, mark, at, scores in part.select("system", "mark", "depth", "score").iter_rows():
        if len(at) != len(depths):
            # A line that lacks depths has gaps there.
            known = dict(zip(at, scores, strict=True))
            scores = [known.get(depth) for depth in depths]
        rows.append({"system": system, "mark": mark, "scores": scores})
    return rows
