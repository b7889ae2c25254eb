"""The prose of `volatility`: its declaration, answer and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.judge.contributed import WELL_JUDGED
from metameter.meta.base import Words
from metameter.meta.framework.caveats import FEWEST_SYSTEMS, few_systems, few_units
from metameter.meta.framework.verdicts import CLOSE_CALL
from metameter.meta.volatility.grid import KEPT, SURE
from metameter.meta.volatility.options import COMMON_DEPTH
from metameter.stats.ties import tied_codes
from metameter.view.tables.cells import rounded, share_text

if TYPE_CHECKING:
    import polars as pl

    from metameter.judge.contributed import JudgingDepth
    from metameter.meta.volatility.options import VolatilityOptions
    from metameter.meta.volatility.pooling import Pooling
    from metameter.meta.volatility.summary import Evaluation


_MOST_NAMES, _MOST_METRICS = 5, 6

WORDS = Words(
    "Volatility: how deep to judge and to evaluate",
    "How do scores and orderings change as lists are evaluated and judged deeper, and from which depth on are they "
    "settled?",
    "Every metric is scored at every evaluation depth. The ordering of the systems at each depth is compared with the "
    "final one, at the greatest depth. The ordering is settled from the first depth on from which tau to the final one "
    "stays above a threshold; resampled topics show how that depth could differ for as many other topics. With a grid "
    "of pool and evaluation depths, all pairs of systems are tested in every cell: which differences would have been "
    "significant with fewer judgments, and which of these are lost or reversed with more judgments.",
    "One thin line per system, over a logarithmic depth; where lines cross, the order of systems changes. Bold: the "
    "best, the worst and the quartile systems by their final score. Right of the dashed line not all documents are "
    "judged. The final ordering is not the true one, but the one with the most evidence here.",
    columns={
        "metric": "the metric, without its depth",
        "condensed": "whether documents without judgment were removed first",
        "system": "the system",
        "depth": "the evaluation depth k; in volatility_settled and volatility_planning the depth determined there. A "
        "settled depth beyond judging_depth rests on documents that are partly unjudged: tables for people only say "
        "that it is beyond, CSV and JSON keep the number",
        "score": "mean score of the system at that depth",
        "contributing": "whether the system contributed to the pool",
        "pool_depth": "the depth of the pool, down to which all documents are judged; empty if unknown, in a plan: all "
        "judgments",
        "tau_to_final": "Kendall's tau_b between the ordering of systems at this depth and the final one",
        "low": "lower end of the 95% interval of tau_to_final, in volatility_settled of the depth, of a difference",
        "high": "upper end of the 95% interval of tau_to_final, in volatility_settled of the depth, of a difference",
        "tau_to_previous": "Kendall's tau_b between this ordering and the one at the previous depth of the list",
        "tau_ap_to_final": "tau_AP between this ordering and the final one: the top counts more",
        "crossings": "pairs of systems whose order was reversed since the previous depth",
        "falls": "systems whose mean score fell since the previous depth",
        "range": "highest minus lowest mean score of a system",
        "drift": "mean absolute change of the systems' means since the pool depth",
        "residual": "how much mean scores could change if unjudged documents were judged; rough for recall-based "
        "metrics",
        "discriminated": "pairs of systems that differ significantly",
        "lost": "of these, those that do not differ significantly with the final evidence",
        "reversed": "of these, those that differ significantly in the opposite direction with the final evidence",
        "kept": "of the differences significant with the final evidence, the share significant here in the same "
        "direction",
        "pairs": "how many pairs of systems there are",
        "power": "share of the pairs that differ significantly",
        "tau_ap_low": "lower end of the 95% interval of tau_ap_to_final",
        "tau_ap_high": "upper end of the 95% interval of tau_ap_to_final",
        "previous_low": "lower end of the 95% interval of tau_to_previous",
        "previous_high": "upper end of the 95% interval of tau_to_previous",
        "mark": "best, worst or quartile of the final ordering",
        "threshold": "the least tau to the final ordering with which an ordering counts as settled",
        "final": "the depth of the final ordering, at most the last rank that the metric looks at",
        "judging_depth": "how deep the judgments reach, as estimated; empty: no depth is judged throughout",
        "judged_share": "share of the documents down to this depth, in volatility_settled to final, that are judged",
        "system_a": "the first system of a pair",
        "system_b": "the second system of a pair",
        "difference": "mean score of system_a minus that of system_b",
        "tau_at_pool_depth": "tau between the ordering at the pool depth and the final one",
        "topic": "the topic; all: over all topics",
        "judged": "how many documents are judged; for a group, those that only it contributed to the pool",
        "relevant": "how many of them are relevant",
        "judgments": "how many judgments such a pool needs",
        "share": "these as a share of all judgments",
        "verdicts": "significant differences with the final evidence",
        "holds": "share of resampled topic sets for which this plan also keeps as much and reverses none",
        "sure_pool_depth": "the shallowest pool that does so for 95% of resampled topic sets; empty: all judgments",
        "sure_depth": "with it, the shallowest evaluation depth",
        "sure_judgments": "how many judgments that pool needs",
        "sure_share": "these as a share of all judgments; 1: no cheaper plan is sure",
        "close_call": "whether another seed could change the sure plan",
        "group": "the group whose own judgments are left out; all: each system without those of its own group",
        "systems": "how many systems the group has",
        "change": "mean change of its systems' scores",
        "largest": "the change of the system whose score changes most",
        "places": "the largest number of ranks that one of its systems falls",
        "tau": "Kendall's tau_b between the ordering without own judgments and the one by all judgments",
    },
)


def answer_of(
    tables: Mapping[str, pl.DataFrame], threshold: float, reach: str = "", judging_depth: int | None = None
) -> list[str]:
    """Say how deep the judgments reach, how deep to evaluate, and, with a grid, how deep to judge.

    With fewer systems than `FEWEST_SYSTEMS`, orderings are not compared: the answer gives their order and differences
    by depth.

    Parameters
    ----------
    tables : mapping
    threshold : float
        The ordering is settled where tau to the final ordering is at least this.
    reach : str
        The sentence of `reach_of`.
    judging_depth : int or None
        The depth that the judgments reach; settled depths beyond it are not given.
    """
    first = [reach] if reach else []
    count = _systems(tables["volatility"])
    if "volatility_difference" in tables:
        rows = _of_one_kind(tables["volatility_difference"].unique(["metric", "condensed"], maintain_order=True))
        return [*first, *few_systems(count), *difference_sentences(rows, tables, judging_depth)]
    rows = _of_one_kind(tables["volatility_settled"]) if "volatility_settled" in tables else []
    compared = _ordered_metrics(tables["volatility_summary"])
    some = [row for row in rows if (row["metric"], row["condensed"]) in compared]
    if not some:
        nothing = "There are no orderings to compare: that takes two depths, and two systems with different scores."
        return [*first, nothing]
    planned = _of_one_kind(tables["volatility_planning"]) if "volatility_planning" in tables else []
    by_final = {row["final"]: [each for each in some if each["final"] == row["final"]] for row in some}
    evaluated = [sentence for group in by_final.values() for sentence in _evaluation_sentences(group, threshold)]
    return [*first, *few_systems(count), *evaluated, *_judging_sentences(planned)]


def _systems(curves: pl.DataFrame) -> int:
    """How many systems are compared."""
    mine = curves.filter(curves["contributing"]) if "contributing" in curves.columns else curves
    return int(mine["system"].n_unique())


def _of_one_kind(table: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of plain lists; of metrics without them the rows of condensed lists, with names that state this."""
    plain = set(table.filter(~table["condensed"])["metric"])
    rows = [row for row in table.iter_rows(named=True) if not row["condensed"] or row["metric"] not in plain]
    return [{**row, "name": f"{row['metric']} (condensed)" if row["condensed"] else row["metric"]} for row in rows]


def _ordered_metrics(summary: pl.DataFrame) -> set[tuple[str, bool]]:
    """The metrics with an ordering of the systems at some depth before the last."""
    import polars as pl

    before = summary.filter(pl.col("depth") < pl.col("depth").max(), pl.col("tau_to_final").is_not_null())
    return set(before.select("metric", "condensed").iter_rows())


def reach_of(judging: JudgingDepth, final: int) -> str:
    """Say how deep the judgments reach, and what share of the documents is judged.

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
    >>> print(reach_of(JudgingDepth(10, shares, by_share=True), 100))
    The judgments reach depth 10 by the share judged: of the systems' first 10 documents 95% are judged, of their first
    100 50%.
    """
    depth = judging.depth
    if depth is not None and depth >= final:
        where, depths = "all depths that are evaluated", [final]
    else:
        by_share = judging.by_share and depth is not None and judging.share(depth) < 1
        where = "no depth throughout" if depth is None else f"depth {depth:,}{' by the share judged' * by_share}"
        depths = sorted({min(COMMON_DEPTH, final) if depth is None else depth, final})
    if depth is not None and judging.share(depth) < WELL_JUDGED:
        where += " in the runs that were pooled"
    first, *more = [f"first {each:,}" for each in depths]
    shares = [share_text(judging.share(each)) for each in depths]
    rest = "".join(f", of their {name} {share}" for name, share in zip(more, shares[1:], strict=True))
    return f"The judgments reach {where}: of the systems' {first} documents {shares[0]} are judged{rest}."


def _evaluation_sentences(rows: Sequence[Mapping[str, Any]], threshold: float) -> list[str]:
    """Say from which depths on orderings are settled, for metrics with one final depth; only at judged depths."""
    final, judged_to, share = (rows[0][name] for name in ("final", "judging_depth", "judged_share"))
    last = final if judged_to is None else min(judged_to, final)
    settled = [row for row in rows if row["depth"] is not None and row["depth"] <= last]
    never = [row["name"] for row in rows if row not in settled]
    settled.sort(key=lambda row: row["depth"])
    open_end = judged_to is None or judged_to < final
    where = f", where {share_text(1 - share)} of the documents are unjudged," if open_end and share < 1 else ""
    there = f"that at depth {final:,}{where}"
    tau = f"tau between the ordering of systems at a depth and {there} stays at least {threshold:g}"
    sentences = []
    if settled:
        ends = any(row["low"] is not None for row in settled)
        bracket = " (in brackets: 95% intervals over topics, for all these metrics together)" if ends else ""
        depths = "; ".join(_settled_depth_text(row, last) for row in settled)
        sentences.append(f"How deep to evaluate: {tau} from these depths on{bracket}: {depths}.")
    if never and settled:
        end = "before the end" if last == final else f"within the judged depths, 1 to {last:,}"
        names = " and ".join(filter(None, [", ".join(never[:-1]), never[-1]]))
        sentences.append(f"{names} {'does' if len(never) == 1 else 'do'} not settle {end}.")
    elif never:
        end = "not before the end" if last == final else f"only beyond the judged depths, 1 to {last:,}"
        sentences.append(f"How deep to evaluate cannot be said: {tau} {end}: {', '.join(never)}.")
    return sentences


def _settled_depth_text(row: Mapping[str, Any], last: int) -> str:
    text = f"{row['name']} {row['depth']:,}"
    if row["low"] is None:
        return text
    if last < row["final"] and (row["high"] is None or row["high"] > last):
        end = f"beyond {last:,}"
    else:
        end = "the end" if row["high"] is None else f"{row['high']:,}"
    return f"{text} ({row['low']:,} to {end})"


def _judging_sentences(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Give the plans that hold for nearly all resampled topic sets, not those that hold by chance."""
    tried = [row for row in rows if row["verdicts"] and row["sure_share"] is not None]
    cheaper = [f"{row['name']} {_plan(row)}" for row in tried if row["sure_share"] < 1]
    costly = [f"{row['name']}{_close(row)}" for row in tried if row["sure_share"] >= 1]
    nothing = [row["name"] for row in rows if not row["verdicts"]]
    goal = (
        f"to keep {KEPT:.0%} of the final significant differences and reverse none, for {SURE:.0%} of resampled topic "
        "sets"
    )
    sentences = []
    if cheaper:
        sentences.append(f"How deep to judge and evaluate, {goal}: {'; '.join(cheaper)}.")
    if costly:
        sentences.append(
            f"No cheaper plan than all judgments is sure{'' if cheaper else f' {goal}'}: {', '.join(costly)}."
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


def difference_sentences(
    rows: Sequence[Mapping[str, Any]], tables: Mapping[str, pl.DataFrame], judging_depth: int | None
) -> list[str]:
    """Say how each metric orders the systems by depth and, for two systems, how far they differ.

    Depths that the judgments do not reach are left out.

    Parameters
    ----------
    rows : sequence of mapping
        For each metric ``metric``, ``condensed`` and ``name``.
    tables : mapping
        ``volatility`` and ``volatility_difference``.
    judging_depth : int or None
    """
    clauses = [_along_depth(row, tables, judging_depth) for row in rows[:_MOST_METRICS]]
    left = len(rows) - len(clauses)
    known = tables["volatility_difference"]["low"].is_not_null().any()
    two = tables["volatility_difference"].select("system_a", "system_b").n_unique() == 1
    brackets = " (in brackets: 95% intervals over topics, each alone)" if two and known else ""
    others = f" {left:,} more metric{'s' * (left > 1)}" if left else ""
    every = "the difference of every two systems by depth"
    has = " and".join(filter(None, ["" if two else f" {every}", others]))
    more = [f"volatility_difference has{has}."] if has else []
    return [f"On these topics{brackets}: {'; '.join(clauses)}.", *more]


def _along_depth(row: Mapping[str, Any], tables: Mapping[str, pl.DataFrame], judging_depth: int | None) -> str:
    import polars as pl

    kind = {name: row[name] for name in ("metric", "condensed")}
    pairs = tables["volatility_difference"].filter(**kind)
    systems = list(dict.fromkeys([*pairs["system_a"], *pairs["system_b"]]))
    curves = tables["volatility"].filter(pl.col("system").is_in(systems), **kind)
    reached = pl.col("depth") <= (judging_depth or curves["depth"].max())
    # If no depth is judged, use all depths.
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
    """The depths from which on the order is that of the last depth.

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
    """The difference of two systems at the common depth and at the deepest one, with intervals."""
    upper, lower = systems
    known = {row["depth"]: row for row in pairs.iter_rows(named=True) if row["depth"] <= deepest}
    if not known:
        return ""
    chosen = sorted({max([depth for depth in known if depth <= COMMON_DEPTH], default=min(known)), max(known)})
    clauses = []
    for depth in chosen:
        row = known[depth]
        sign = 1.0 if row["system_a"] == upper else -1.0
        ends = sorted(sign * row[end] for end in ("low", "high") if row[end] is not None)
        interval = f" ({rounded(ends[0])} to {rounded(ends[1])})" if ends else ""
        clauses.append(f"{rounded(sign * row['difference'])}{interval} at depth {depth:,}")
    return f", {upper} minus {lower} is {' and '.join(clauses)}"


def notes_of(evaluation: Evaluation, options: VolatilityOptions) -> tuple[str, ...]:
    """The notes on the pool, the final ordering, the intervals, the grid and short lists."""
    pooling, plan, grid = evaluation.pooling, evaluation.plan, evaluation.grid
    depths, topics = plan.listed, int(plan.topics.sum())
    notes = [_pool(pooling), _final(pooling, depths), *_short(pooling, depths[-1])]
    if evaluation.has_intervals:
        some = len(plan.topic_depths)
        at = "" if some == len(depths) else f", at {some} of {len(depths):,} depths"
        notes.append(
            f"low, high: 95% intervals of tau for {topics} topics like these{at}, from {options.resamples:,} "
            "resamples, each alone. The intervals of settled depths hold for all rows of their table together."
        )
    if len(pooling.systems) > 1 and (options.resamples or len(pooling.systems) < FEWEST_SYSTEMS):
        notes += few_units(topics)
    if grid is not None:
        pairs = f"{grid.pairs:,} pairs" if grid.pairs > 1 else "1 pair"
        notes.append(
            f"Grid: randomised Tukey HSD in each of {grid.verdicts[..., 0].size:,} cells, alpha = {options.alpha:g}, "
            f"{options.trials:,} trials, {pairs}, one error rate for all pairs of a cell. lost, reversed: "
            "of the differences significant in a cell, those not significant in the last cell, or significant in the "
            "opposite direction. holds: the share of resampled topic sets, of those with a final difference, for which "
            "a plan does as well."
        )
    return tuple(notes)


def _pool(pooling: Pooling) -> str:
    compared = len(pooling.systems)
    count = f"{compared:,} systems are compared" if compared > 1 else "1 system is followed"
    return f"Pool: {pooling.rule}; {_depth(pooling)}. {count}."


def _depth(pooling: Pooling) -> str:
    if pooling.requested:
        gap = (pooling.inferred or 0) + 1
        some = f", though some have unjudged documents from depth {gap:,} on" if gap <= (pooling.depth or 0) else ""
        return f"judgments are those of their first {pooling.depth:,}, as requested{some}"
    if pooling.depth is None:
        return "some of them have an unjudged document at the first rank, so the pool depth is unknown"
    if f" in the first {pooling.depth:,} (" in pooling.rule:  # the rule that chose the runs has said so
        return f"the pool depth is {pooling.depth:,}"
    return f"none of these has an unjudged document in the first {pooling.depth:,}, the pool depth"


def _final(pooling: Pooling, depths: Sequence[int]) -> str:
    final = f"The final ordering is that at depth {depths[-1]:,}"
    if (pooling.inferred or 0) >= depths[-1]:
        return f"{final}."
    where = f"beyond depth {pooling.inferred:,}" if pooling.inferred else "at any depth"
    return f"{final}; {where} some documents are not judged, so it is not the true one."


def _short(pooling: Pooling, final: int) -> list[str]:
    """Name the systems whose lists end before the final depth, and whose scores stay the same beyond."""
    short = [run for run in pooling.systems if run.width < final]
    if not short or len(short) == len(pooling.systems):
        return []
    names, left = ", ".join(run.system for run in short[:_MOST_NAMES]), len(short) - _MOST_NAMES
    names += f" and {left:,} more" if left > 0 else ""
    count, least = f"{len(short):,} of {len(pooling.systems):,} systems", min(run.width for run in short)
    return [f"Lists shorter than {final:,} for every topic: {count} ({names}); the shortest have {least:,} documents."]
