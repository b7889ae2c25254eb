"""Tables of `volatility`: curves, marked systems, pools, differences of few systems; and their form on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.volatility.families import frame_of_rows, in_family_order, names_of_codes
from metameter.meta.volatility.options import spread_depths
from metameter.stats.checks import Floats, system_pairs
from metameter.stats.intervals.rows import FEWEST_UNITS
from metameter.stats.significance.pairwise import critical_t, standard_errors
from metameter.view.tables.cells import rounded

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.volatility.families import Family
    from metameter.meta.volatility.pooling import Pooling


_ALPHA = 0.05  # of the intervals of differences
#: The most depths that a terminal shows, and the most omitted depths that are listed.
_DEPTHS, _MOST_LISTED = 8, 5
#: The columns of the summary that a terminal shows.
_SUMMARY = (
    *("metric", "condensed", "pool_depth", "depth", "tau_to_final", "low", "high", "crossings", "falls", "range"),
    *("drift", "residual", "discriminated", "lost", "reversed"),
)
#: Mark -> the rank of the marked system in the final order, best first, as a share of the systems.
MARKS = {"best": 0.0, "quartile1": 0.25, "median": 0.5, "quartile3": 0.75, "worst": 1.0}


def curve_table(
    families: Sequence[Family],
    systems: Sequence[str],
    depths: Sequence[int],
    means: Floats,
    contributing: Sequence[bool] | None = None,
) -> pl.DataFrame:
    """One row for each metric, kind of list, system and depth.

    Parameters
    ----------
    families, systems, depths : sequence
    means : ndarray, (families, depths, systems)
    contributing : sequence of bool, optional
        Which systems contributed to the pool, where there are others as well.
    """
    import polars as pl

    each, within = len(systems) * len(depths), len(depths)
    of_family = np.repeat(np.arange(len(families)), each)
    of_system = np.tile(np.repeat(np.arange(len(systems)), within), len(families))
    columns: dict[str, Any] = {
        "metric": names_of_codes([family.name for family in families], of_family),
        "condensed": np.array([family.condensed for family in families])[of_family],
        "system": names_of_codes(systems, of_system),
        "depth": np.tile(np.asarray(depths, dtype=np.int64), len(families) * len(systems)),
        "score": np.swapaxes(means, 1, 2).reshape(-1),
    }
    if contributing is not None:
        columns["contributing"] = np.asarray(contributing)[of_system]
    return pl.DataFrame(columns)


def marked_table(families: Sequence[Family], systems: Sequence[str], final: Floats) -> pl.DataFrame:
    """The best and the worst system of the final order, and those at its quartiles, at rank round((m-1) q) from 0.

    Parameters
    ----------
    families, systems : sequence
    final : ndarray, (families, systems)
        The final means; systems with equal means stay in the order given.

    Examples
    --------
    >>> from metameter.meta.volatility.families import families
    >>> from metameter.scoring.measures import measures_of
    >>> row = families(measures_of("AP"), "no")
    >>> marked_table(row, ["a", "b", "c"], np.array([[0.1, 0.3, 0.2]]))["system"].to_list()
    ['b', 'b', 'c', 'a', 'a']
    """
    import polars as pl

    rows = []
    for family, means in zip(families, final, strict=True):
        order = np.argsort(-means, kind="stable")
        for mark, share in MARKS.items():
            rank = round((len(systems) - 1) * share)
            rows.append((family.name, family.condensed, systems[order[rank]], mark))
    kinds = {"metric": pl.String, "condensed": pl.Boolean, "system": pl.String, "mark": pl.String}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def pool_table(pooling: Pooling, topics: np.ndarray) -> pl.DataFrame:
    """Each topic's pool: its depth, and how many documents are judged and relevant; all topics in the last row.

    The pool depth is that down to which all documents are judged, and no more than the depth that was given. It is
    empty if a document at the first rank is not judged.
    """
    import polars as pl

    judgments = pooling.pool.judgments
    counts = [each[topics] for each in (judgments.judged(), judgments.relevant())]
    depths = [int(depth) or None for depth in pooling.by_topic[topics]]
    known = [name for name, counted in zip(judgments.topics, topics, strict=True) if counted]
    overall = None if None in depths else min(depth for depth in depths if depth is not None)
    judged, relevant = ([*each.tolist(), int(each.sum())] for each in counts)
    return pl.DataFrame(
        {
            "topic": [*known, "all"],
            "pool_depth": pl.Series([*depths, overall], dtype=pl.Int64),
            "judged": judged,
            "relevant": relevant,
        }
    )


def difference_table(
    families: Sequence[Family], systems: Sequence[str], depths: Sequence[int], topical: Floats
) -> pl.DataFrame:
    """The difference of every two systems at every depth, the first minus the second, with its t interval.

    Parameters
    ----------
    families, systems, depths : sequence
    topical : ndarray, (families, depths, topics, systems)
        The scores of every topic.

    Examples
    --------
    >>> from metameter.meta.volatility.families import families
    >>> from metameter.scoring.measures import measures_of
    >>> topical = np.zeros((1, 1, 5, 2))
    >>> topical[0, 0, :, 0] = [0.1, 0.2, 0.3, 0.4, 0.5]
    >>> table = difference_table(families(measures_of("AP"), "no"), ["a", "b"], [10], topical)
    >>> [round(end, 2) for end in table.row(0)[5:]]  # 0.3 plus and minus 2.776 times 0.158 / sqrt(5)
    [0.3, 0.1, 0.5]
    """
    import polars as pl

    topics = topical.shape[2]
    parts = []
    for pair, (a, b) in enumerate(zip(*system_pairs(len(systems)), strict=True)):
        columns = {name: np.empty(topical.shape[:2]) for name in ("difference", "low", "high")}
        for row, (family, scores) in enumerate(zip(families, topical, strict=True)):
            means = family.measure.summarise(np.ascontiguousarray(np.moveaxis(scores, -1, 0)))
            difference = means[a] - means[b]
            known = family.is_mean and topics >= FEWEST_UNITS
            half = critical_t(_ALPHA, topics) * standard_errors(scores)[:, pair] if known else np.nan
            # Scores between 0 and 1 differ by no more than 1.
            most = 1.0 if scores.min() >= 0 and scores.max() <= 1 else np.inf
            columns["difference"][row] = difference
            columns["low"][row], columns["high"][row] = (
                np.clip(difference + side * half, -most, most) for side in (-1.0, 1.0)
            )
        frame = frame_of_rows(families, {"depth": np.asarray(depths, dtype=np.int64), **columns}, len(depths))
        parts.append(frame.with_columns(pl.lit(systems[a]).alias("system_a"), pl.lit(systems[b]).alias("system_b")))
    table = in_family_order(pl.concat(parts), families)
    return table.select("metric", "condensed", "depth", "system_a", "system_b", "difference", "low", "high")


def displayed_rows(tables: Mapping[str, pl.DataFrame], name: str) -> pl.DataFrame:
    """The rows that a terminal shows: marked systems at a few depths of the curves, and a few depths of the summary.

    The column of tau at the pool depth is left out where no metric has a value.
    """
    import polars as pl

    table = tables[name]
    if name == "volatility_settled":
        table = within_judgments(table)
        return table.select(each for each in table if each.name != "tau_at_pool_depth" or each.is_not_null().any())
    if name not in ("volatility", "volatility_summary"):
        return table
    few = spread_depths(_depths(table), _DEPTHS)
    table = table.filter(pl.col("depth").is_in(few))
    if name == "volatility_summary":
        return table.select(each for each in _SUMMARY if table[each].is_not_null().any())
    # Among few systems one can have two marks, such as best and first quartile.
    marks = tables["marked"].group_by("metric", "condensed", "system", maintain_order=True).agg(pl.col("mark").first())
    marked = marks.join(table, on=["metric", "condensed", "system"], how="inner", maintain_order="left")
    wide = marked.pivot("depth", index=["metric", "condensed", "mark", "system"], values="score", maintain_order=True)
    return wide.rename({str(depth): f"@{depth}" for depth in few})


def within_judgments(settled: pl.DataFrame) -> pl.DataFrame:
    """The table of settled depths as people read it: a depth that the judgments do not reach is only said to be beyond.

    Examples
    --------
    >>> import polars as pl
    >>> ends = {"depth": [78, 5, 3], "low": [4, 2, 2], "high": [90, None, 6]}
    >>> within_judgments(pl.DataFrame({**ends, "final": [100] * 3, "judging_depth": [10] * 3})).rows()
    [('beyond 10', None, None, 100, 10), ('5', '2', 'beyond 10', 100, 10), ('3', '2', '6', 100, 10)]
    """
    import polars as pl

    ends = ("depth", "low", "high")
    shown = [_within_judgments(row) for row in settled.iter_rows(named=True)]
    if shown == [tuple(row[end] for end in ends) for row in settled.iter_rows(named=True)]:
        return settled
    texts = [[None if value is None else rounded(value) for value in row] for row in shown]
    columns = (
        pl.Series(name, each, dtype=pl.String) for name, each in zip(ends, zip(*texts, strict=True), strict=True)
    )
    return settled.with_columns(columns)


def _within_judgments(row: Mapping[str, Any]) -> tuple[int | str | None, ...]:
    """The settled depth and its interval, for people."""
    depth, low, high, last = (row[name] for name in ("depth", "low", "high", "judging_depth"))
    if last is None or last >= row["final"]:
        return depth, low, high
    beyond = f"beyond {last:,}"
    if depth is None or depth > last:
        return beyond, None, None
    return depth, low, beyond if low is not None and (high is None or high > last) else high


def omitted_depths(tables: Mapping[str, pl.DataFrame], name: str) -> str:
    """The number of depths that the table for a terminal leaves out; a few are listed.

    Examples
    --------
    >>> import polars as pl
    >>> curves = pl.DataFrame({"depth": [1, 2, 3, 5, 10, 20, 30, 40, 50]})
    >>> omitted_depths({"volatility": curves}, "volatility")
    '1 more depth (40)'
    """
    if name not in ("volatility", "volatility_summary"):
        return ""
    every = _depths(tables[name])
    few = spread_depths(every, _DEPTHS)
    left = [str(depth) for depth in every if depth not in few]
    listed = f" ({', '.join(left)})" if len(left) <= _MOST_LISTED else ""
    return f"{len(left):,} more depth{'s' * (len(left) > 1)}{listed}" if left else ""


def final_depth(tables: Mapping[str, pl.DataFrame]) -> str:
    """The column of the final depth, which the marks refer to."""
    return f"@{_depths(tables['volatility'])[-1]}"


def _depths(table: pl.DataFrame) -> list[int]:
    depths: list[int] = table["depth"].unique().sort().to_list()
    return depths
