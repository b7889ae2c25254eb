"""What `volatility` says in sentences: the answer, and the notes below its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from metameter.judge.contributed import WELL_JUDGED
from metameter.meta.caveats import FEWEST_SYSTEMS, few_systems, few_units
from metameter.meta.volatility.differences import COMMON_DEPTH, difference_sentences
from metameter.meta.volatility.plan import KEPT, SURE
from metameter.view.charts.meanings import CLOSE_CALL

if TYPE_CHECKING:
    import polars as pl

    from metameter.judge.contributed import JudgingDepth
    from metameter.meta.volatility.asked import Asked
    from metameter.meta.volatility.pooling import Pooling
    from metameter.meta.volatility.summary import Evidence

__all__ = ["answer_of", "notes_of", "reach_of", "share_text"]

_MOST_NAMES = 5


def answer_of(
    tables: Mapping[str, pl.DataFrame], threshold: float, reach: str = "", judging_depth: int | None = None
) -> list[str]:
    """How deep the judgments reach, how deep to evaluate, and, with a grid, how deep to judge.

    Fewer systems than `FEWEST_SYSTEMS` have no ordering to speak of: then the order and the differences along depth are
    what can be said.

    Parameters
    ----------
    tables : mapping
    threshold : float
        What tau to the final ordering must not fall below for the ordering to be settled.
    reach : str
        The sentence of `reach_of`.
    judging_depth : int or None
        The depth that judgments reach; what settles beyond it is not told.
    """
    first = [reach] if reach else []
    count = _systems(tables["volatility"])
    if "volatility_difference" in tables:
        rows = _of_one_kind(tables["volatility_difference"].unique(["metric", "condensed"], maintain_order=True))
        return [*first, *few_systems(count), *difference_sentences(rows, tables, judging_depth)]
    rows = _of_one_kind(tables["volatility_settled"]) if "volatility_settled" in tables else []
    compared = _compared(tables["volatility_summary"])
    some = [row for row in rows if (row["metric"], row["condensed"]) in compared]
    if not some:
        nothing = "There are no orderings to compare: that takes two depths, and two systems that score differently."
        return [*first, nothing]
    planned = _of_one_kind(tables["volatility_planning"]) if "volatility_planning" in tables else []
    by_final = {row["final"]: [each for each in some if each["final"] == row["final"]] for row in some}
    evaluated = [sentence for group in by_final.values() for sentence in _evaluated(group, threshold)]
    return [*first, *few_systems(count), *evaluated, *_judged(planned)]


def _systems(curves: pl.DataFrame) -> int:
    """How many systems are compared."""
    mine = curves.filter(curves["contributing"]) if "contributing" in curves.columns else curves
    return int(mine["system"].n_unique())


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


def reach_of(judging: JudgingDepth, final: int) -> str:
    """How deep the judgments reach, and what share of the documents is judged.

    Examples
    --------
    >>> import numpy as np
    >>> from metameter.judge.contributed import JudgingDepth
    >>> shares = np.linspace(1.0, 0.5, 100)
    >>> print(reach_of(JudgingDepth(10, shares), 100))
    The judgments reach depth 10: of the systems' first 10 documents 95% are judged, of their first 100 50%.
    >>> print(reach_of(JudgingDepth(None, 0.8 * shares), 100))
    The judgments reach no depth throughout: of the systems' first 10 documents 76% are judged, of their first 100 40%.
    >>> print(reach_of(JudgingDepth(10, shares), 5))
    The judgments reach all depths that are evaluated: of the systems' first 5 documents 98% are judged.
    """
    depth = judging.depth
    if depth is not None and depth >= final:
        where, depths = "all depths that are evaluated", [final]
    else:
        where = "no depth throughout" if depth is None else f"depth {depth:,}"
        depths = sorted({min(COMMON_DEPTH, final) if depth is None else depth, final})
    if depth is not None and judging.share(depth) < WELL_JUDGED:
        where += " in the runs that were pooled"
    first, *more = [f"first {each:,}" for each in depths]
    shares = [share_text(judging.share(each)) for each in depths]
    rest = "".join(f", of their {name} {share}" for name, share in zip(more, shares[1:], strict=True))
    return f"The judgments reach {where}: of the systems' {first} documents {shares[0]} are judged{rest}."


def share_text(share: float) -> str:
    """A share in percent; never 0% or 100% of what is not.

    Examples
    --------
    >>> share_text(0.46), share_text(0.998), share_text(1.0), share_text(0.0004)
    ('46%', 'over 99%', '100%', 'under 1%')
    """
    if 0 < share < 0.005:
        return "under 1%"
    return "over 99%" if 0.995 <= share < 1 else f"{share:.0%}"


def _evaluated(rows: Sequence[Mapping[str, Any]], threshold: float) -> list[str]:
    """From which depths on orderings are settled, of metrics with one final depth; only where documents are judged."""
    final, judged_to, share = (rows[0][name] for name in ("final", "judging_depth", "judged_share"))
    last = final if judged_to is None else min(judged_to, final)
    told = [row for row in rows if row["depth"] is not None and row["depth"] <= last]
    settled = sorted(told, key=lambda row: row["depth"])
    never = [row["name"] for row in rows if row not in told]
    open_end = judged_to is None or judged_to < final
    where = f", where {share_text(1 - share)} of the documents are unjudged," if open_end and share < 1 else ""
    there = f"that at depth {final:,}{where}"
    tau = f"tau between the ordering of systems at a depth and {there} stays at least {threshold:g}"
    sentences = []
    if settled:
        ends = any(row["low"] is not None for row in settled)
        bracket = " (in brackets: 95% intervals over topics, for all these metrics together)" if ends else ""
        told_each = "; ".join(_settled(row, last) for row in settled)
        sentences.append(f"How deep to evaluate: {tau} from these depths on{bracket}: {told_each}.")
    if never:
        end = "not before the end" if last == final else f"only beyond the judged depths, 1 to {last:,}"
        cannot = f"How deep to evaluate cannot be said: {tau} {end}"
        sentences.append(f"{f'{end[0].upper()}{end[1:]}' if settled else cannot}: {', '.join(never)}.")
    return sentences


def _settled(row: Mapping[str, Any], last: int) -> str:
    text = f"{row['name']} {row['depth']:,}"
    if row["low"] is None:
        return text
    if last < row["final"] and (row["high"] is None or row["high"] > last):
        end = f"beyond {last:,}"
    else:
        end = "the end" if row["high"] is None else f"{row['high']:,}"
    return f"{text} ({row['low']:,} to {end})"


def _judged(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What a plan must be: the one that holds for nearly all resampled topic sets, not the luckiest."""
    tried = [row for row in rows if row["verdicts"] and row["sure_share"] is not None]
    cheaper = [f"{row['name']} {_plan(row)}" for row in tried if row["sure_share"] < 1]
    dear = [f"{row['name']}{_close(row)}" for row in tried if row["sure_share"] >= 1]
    nothing = [row["name"] for row in rows if not row["verdicts"]]
    goal = (
        f"to keep {KEPT:.0%} of the final significant differences and reverse none, for {SURE:.0%} of resampled topic "
        "sets"
    )
    sentences = []
    if cheaper:
        sentences.append(f"How deep to judge and evaluate, {goal}: {'; '.join(cheaper)}.")
    if dear:
        sentences.append(
            f"No cheaper plan than all judgments is sure{'' if cheaper else f' {goal}'}: {', '.join(dear)}."
        )
    if nothing:
        sentences.append(f"No significant difference to keep: {', '.join(nothing)}.")
    return sentences


def _plan(row: Mapping[str, Any]) -> str:
    share = row["sure_share"]
    digits = 0 if share >= 0.01 else 1
    pool = f"pool {row['sure_pool_depth']:,} ({share:.{digits}%} of the judgments)"
    return f"{pool}, depth {row['sure_depth']:,}{_close(row)}"


def _close(row: Mapping[str, Any]) -> str:
    return f" ({CLOSE_CALL})" if row["close_call"] else ""


def notes_of(pooling: Pooling, asked: Asked, found: Evidence, topics: int) -> tuple[str, ...]:
    """Which pool, which final ordering, what the intervals are for, and what is not told."""
    depths, kept, grid = found.depths, found.kept, found.grid
    notes = [_pool(pooling), _final(pooling, depths), *_short(pooling, depths[-1])]
    if found.bounds is not None and len(found.bounds.tau_to_final.drawn):
        at = "" if len(kept) == len(depths) else f", at {len(kept)} of {len(depths):,} depths"
        notes.append(
            f"low, high: 95% intervals of tau for {topics} topics like these{at}, from {asked.resamples:,} resamples, "
            "each for itself. The intervals of settled depths hold for all rows of their table together."
        )
    if len(pooling.systems) > 1 and (asked.resamples or len(pooling.systems) < FEWEST_SYSTEMS):
        notes += few_units(topics)
    if grid is not None:
        pairs = f"{grid.pairs:,} pairs" if grid.pairs > 1 else "1 pair"
        notes.append(
            f"Grid: randomised Tukey HSD in each of {grid.verdicts[..., 0].size:,} cells, alpha = {asked.alpha:g}, "
            f"{asked.trials:,} trials, {pairs}, one error rate for all pairs of a cell. lost, reversed: "
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
    if f" in the first {pooling.depth:,} (" in pooling.how:  # the rule that chose them said so
        return f"the pool depth is {pooling.depth:,}"
    return f"none of these has an unjudged document in the first {pooling.depth:,}, the pool depth"


def _final(pooling: Pooling, depths: Sequence[int]) -> str:
    final = f"The final ordering is that at depth {depths[-1]:,}"
    if (pooling.inferred or 0) >= depths[-1]:
        return f"{final}."
    where = f"beyond depth {pooling.inferred:,}" if pooling.inferred else "at any depth"
    return f"{final}; {where} some documents are not judged, so it is not the truth."


def _short(pooling: Pooling, final: int) -> list[str]:
    """Which systems stop before the final depth: their scores move no more, while those of others do."""
    short = [run for run in pooling.systems if run.width < final]
    if not short or len(short) == len(pooling.systems):
        return []
    names, left = ", ".join(run.system for run in short[:_MOST_NAMES]), len(short) - _MOST_NAMES
    names += f" and {left:,} more" if left > 0 else ""
    count, least = f"{len(short):,} of {len(pooling.systems):,} systems", min(run.width for run in short)
    return [f"Lists shorter than {final:,} for every topic: {count} ({names}); the shortest have {least:,} documents."]
