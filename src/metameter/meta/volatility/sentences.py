"""What `volatility` says in sentences: the answer, and the notes below its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metameter.meta.caveats import few_units
from metameter.meta.volatility.plan import KEPT, SURE
from metameter.view.charts.meanings import CLOSE_CALL

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.volatility.asked import Asked
    from metameter.meta.volatility.pooling import Pooling
    from metameter.meta.volatility.summary import Evidence

__all__ = ["answer_of", "notes_of"]


def answer_of(tables: Mapping[str, pl.DataFrame], threshold: float) -> list[str]:
    """From which depth on orderings are settled; and, with a grid, how deep one must judge and evaluate."""
    rows = _of_one_kind(tables["volatility_settled"])
    compared = _compared(tables["volatility_summary"])
    some = [row for row in rows if (row["metric"], row["condensed"]) in compared]
    if not some:
        return ["There are no orderings to compare: that takes two depths, and two systems that score differently."]
    planned = _of_one_kind(tables["volatility_planning"]) if "volatility_planning" in tables else []
    return [*_evaluated(some, threshold), *_judged(planned)]


def _of_one_kind(table: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of plain lists; of metrics that have none, those of condensed ones, which say so."""
    plain = set(table.filter(~table["condensed"])["metric"])
    rows = [row for row in table.iter_rows(named=True) if not row["condensed"] or row["metric"] not in plain]
    return [{**row, "name": f"{row['metric']} (condensed)" if row["condensed"] else row["metric"]} for row in rows]


def _compared(summary: pl.DataFrame) -> set[tuple[str, bool]]:
    """The metrics that order the systems at some depth before the last."""
    import polars as pl

    before = summary.filter(pl.col("depth") < pl.col("depth").max(), pl.col("tau_to_final").is_not_null())
    return set(before.select("metric", "condensed").iter_rows())


def _evaluated(rows: Sequence[Mapping[str, Any]], threshold: float) -> list[str]:
    settled = sorted((row for row in rows if row["depth"] is not None), key=lambda row: row["depth"])
    never = [row["name"] for row in rows if row["depth"] is None]
    lead = (
        "How deep to evaluate: tau between the ordering of systems at a depth and that at depth "
        f"{rows[0]['final']:,} stays at least {threshold:g}"
    )
    sentences = []
    if settled:
        ends = any(row["low"] is not None for row in settled)
        bracket = " (in brackets: 95% intervals over topics, for all these metrics together)" if ends else ""
        sentences.append(f"{lead} from these depths on{bracket}: {'; '.join(map(_settled, settled))}.")
    if never:
        start = "Not before the end" if settled else f"{lead} for no metric before the end"
        sentences.append(f"{start}: {', '.join(never)}.")
    return sentences


def _settled(row: Mapping[str, Any]) -> str:
    text = f"{row['name']} {row['depth']:,}"
    if row["low"] is None:
        return text
    end = "the end" if row["high"] is None else f"{row['high']:,}"
    return f"{text} ({row['low']:,} to {end})"


def _judged(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a plan must be: the one that holds for nearly all resampled topic sets, not the luckiest."""
    told = [f"{row['name']} {_plan(row)}" for row in rows if row["verdicts"] and row["sure_share"] is not None]
    nothing = [row["name"] for row in rows if not row["verdicts"]]
    sentences = []
    if told:
        lead = (
            f"How deep to judge and evaluate, to keep {KEPT:.0%} of the final significant differences and reverse none"
        )
        sentences.append(f"{lead}, for {SURE:.0%} of resampled topic sets: {'; '.join(told)}.")
    if nothing:
        sentences.append(f"No significant difference to keep: {', '.join(nothing)}.")
    return sentences


def _plan(row: Mapping[str, Any]) -> str:
    depth, share = row["sure_pool_depth"], row["sure_share"]
    pool = "all judgments" if depth is None else f"pool {depth:,}"
    digits = 0 if share >= 0.01 else 1
    part = "" if share == 1 else f" ({share:.{digits}%} of the judgments)"
    close = f" ({CLOSE_CALL})" if row["close_call"] else ""
    return f"{pool}{part}, depth {row['sure_depth']:,}{close}"


def notes_of(pooling: Pooling, asked: Asked, found: Evidence, topics: int) -> tuple[str, ...]:
    """Which pool, which final ordering, what the intervals are for, and what is not told."""
    depths, kept, grid = found.depths, found.kept, found.grid
    notes = [_pool(pooling), _final(pooling, depths)]
    if found.bounds is not None and len(found.bounds.tau_to_final.drawn):
        at = "" if len(kept) == len(depths) else f", at {len(kept)} of {len(depths):,} depths"
        notes.append(
            f"low, high: 95% intervals of tau for {topics} topics like these{at}, from {asked.resamples:,} resamples, "
            "each for itself. The intervals of settled depths hold for all rows of their table together."
        )
    if asked.resamples and len(pooling.systems) > 1:
        notes += few_units(topics)
    if grid is not None:
        notes.append(
            f"Grid: randomised Tukey HSD in each of {grid.verdicts[..., 0].size:,} cells, alpha = {asked.alpha:g}, "
            f"{asked.trials:,} trials, {grid.pairs:,} pairs, one error rate for all pairs of a cell. lost, reversed: "
            "of the differences significant in a cell, those that are not in the last one, or are so the other way. "
            "holds: the share of resampled topic sets, of those with a final difference, for which a plan does as well."
        )
    return tuple(notes)


def _pool(pooling: Pooling) -> str:
    compared = len(pooling.systems)
    count = f"{compared:,} systems are compared" if compared > 1 else "1 system is followed"
    return f"Pool: {pooling.how}; {_depth(pooling)}. {count}."


def _depth(pooling: Pooling) -> str:
    if pooling.given:
        gap = (pooling.inferred or 0) + 1
        some = f", though some have unjudged documents from depth {gap:,} on" if gap <= (pooling.depth or 0) else ""
        return f"judgments are those of their first {pooling.depth:,}, as asked{some}"
    if pooling.depth is None:
        return "some of them have an unjudged document at the first rank, so that the pool depth is not known"
    return f"none of these has an unjudged document in the first {pooling.depth:,}, the pool depth"


def _final(pooling: Pooling, depths: Sequence[int]) -> str:
    final = f"The final ordering is that at depth {depths[-1]:,}"
    if (pooling.inferred or 0) >= depths[-1]:
        return f"{final}."
    return f"{final}; beyond depth {pooling.inferred or 0:,} some documents are not judged, so it is not the truth."
