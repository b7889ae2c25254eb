"""What can be said of fewer systems than orderings take: their order and their differences along depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.meta.volatility.tables import frame_of_rows
from metameter.stats.checks import Floats, system_pairs
from metameter.stats.intervals.rows import FEWEST_UNITS
from metameter.stats.significance.pairwise import critical_t, standard_errors
from metameter.stats.ties import tied_codes
from metameter.view.tables.cells import rounded

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.volatility.families import Family


#: The depth that most people evaluate to.
COMMON_DEPTH = 10

_ALPHA = 0.05
_MOST_METRICS = 6


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
            known = family.averaged and topics >= FEWEST_UNITS
            half = critical_t(_ALPHA, topics) * standard_errors(scores)[:, pair] if known else np.nan
            # Scores between 0 and 1 differ by no more than 1.
            most = 1.0 if scores.min() >= 0 and scores.max() <= 1 else np.inf
            columns["difference"][row] = difference
            columns["low"][row], columns["high"][row] = (
                np.clip(difference + side * half, -most, most) for side in (-1.0, 1.0)
            )
        frame = frame_of_rows(families, {"depth": np.asarray(depths, dtype=np.int64), **columns}, len(depths))
        parts.append(frame.with_columns(pl.lit(systems[a]).alias("system_a"), pl.lit(systems[b]).alias("system_b")))
    order = {family.label: at for at, family in enumerate(families)}
    label = pl.col("metric") + pl.when("condensed").then(pl.lit(" (condensed)")).otherwise(pl.lit(""))
    table = pl.concat(parts).sort(label.replace_strict(order, return_dtype=pl.Int64), maintain_order=True)
    return table.select("metric", "condensed", "depth", "system_a", "system_b", "difference", "low", "high")


def difference_sentences(
    rows: Sequence[Mapping[str, Any]], tables: Mapping[str, pl.DataFrame], judging_depth: int | None
) -> list[str]:
    """How the systems are ordered along depth by each metric, and, of two systems, how far they differ.

    Depths that judgments do not reach are left out.

    Parameters
    ----------
    rows : sequence of mapping
        For each metric ``metric``, ``condensed`` and ``name``.
    tables : mapping
        ``volatility`` and ``volatility_difference``.
    judging_depth : int or None
    """
    said = [_along_depth(row, tables, judging_depth) for row in rows[:_MOST_METRICS]]
    left = len(rows) - len(said)
    known = tables["volatility_difference"]["low"].is_not_null().any()
    two = tables["volatility_difference"].select("system_a", "system_b").n_unique() == 1
    brackets = " (in brackets: 95% intervals over topics, each for itself)" if two and known else ""
    others = f" {left:,} more metric{'s' * (left > 1)}" if left else ""
    every = "the difference of every two systems along depth"
    has = " and".join(filter(None, ["" if two else f" {every}", others]))
    more = [f"volatility_difference has{has}."] if has else []
    return [f"On these topics{brackets}: {'; '.join(said)}.", *more]


def _along_depth(row: Mapping[str, Any], tables: Mapping[str, pl.DataFrame], judging_depth: int | None) -> str:
    import polars as pl

    kind = {name: row[name] for name in ("metric", "condensed")}
    pairs = tables["volatility_difference"].filter(**kind)
    systems = list(dict.fromkeys([*pairs["system_a"], *pairs["system_b"]]))
    curves = tables["volatility"].filter(pl.col("system").is_in(systems), **kind)
    reached = pl.col("depth") <= (judging_depth or curves["depth"].max())
    # Where no depth is judged there is nothing else to look at.
    curves = curves.filter(reached) if curves.filter(reached).height else curves
    wide = curves.pivot("system", index="depth", values="score", maintain_order=True)
    depths, codes = wide["depth"].to_list(), tied_codes(wide.select(systems).to_numpy())
    order = sorted(range(len(systems)), key=lambda at: -codes[-1, at])
    text = systems[order[0]]
    for above, below in pairwise(order):
        text += f" {'above' if codes[-1, above] > codes[-1, below] else 'level with'} {systems[below]}"
    start = len(depths) - int(np.logical_and.accumulate((codes == codes[-1]).all(axis=1)[::-1]).sum())
    name = f"{row['name']}: {text} {_span(depths, start)}"
    return name + _by_how_much(pairs, [systems[at] for at in order], depths[-1]) if len(systems) == 2 else name


def _span(depths: Sequence[int], start: int) -> str:
    """From which depth on the order is that of the last depth.

    Examples
    --------
    >>> _span([1, 5, 10], 0), _span([1, 5, 10], 1), _span([1, 5, 10], 2), _span([10], 0)
    ('at every depth from 1 to 10', 'from depth 5 to 10', 'at depth 10, but not just before', 'at depth 10')
    """
    if len(depths) == 1:
        return f"at depth {depths[-1]:,}"
    if start == len(depths) - 1:
        return f"at depth {depths[-1]:,}, but not just before"
    every = "at every depth from" if start == 0 else "from depth"
    return f"{every} {depths[start]:,} to {depths[-1]:,}"


def _by_how_much(pairs: pl.DataFrame, systems: Sequence[str], deepest: int) -> str:
    """The difference of two systems at a depth of common use and at the deepest, with its interval."""
    upper, lower = systems
    known = {row["depth"]: row for row in pairs.iter_rows(named=True) if row["depth"] <= deepest}
    if not known:
        return ""
    chosen = sorted({max([depth for depth in known if depth <= COMMON_DEPTH], default=min(known)), max(known)})
    said = []
    for depth in chosen:
        row = known[depth]
        turn = 1.0 if row["system_a"] == upper else -1.0
        ends = sorted(turn * row[end] for end in ("low", "high") if row[end] is not None)
        interval = f" ({rounded(ends[0])} to {rounded(ends[1])})" if ends else ""
        said.append(f"{rounded(turn * row['difference'])}{interval} at depth {depth:,}")
    return f", {upper} minus {lower} is {' and '.join(said)}"
