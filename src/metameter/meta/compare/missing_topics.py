"""How topics that a run lacks, which count as 0, affect its comparisons."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.scoring.run_notices import lacking
from metameter.types.scores import of_topics
from metameter.view.tables.cells import rounded

if TYPE_CHECKING:
    import polars as pl

    from metameter.types import Scores


_FEWEST_TOPICS = 2
_MOST_METRICS = 3


def missing_topic_sentences(
    scores: Scores, tables: Mapping[str, pl.DataFrame], compare: Callable[[Scores], Any], alpha: float
) -> tuple[str, ...]:
    """Return a sentence on the systems that lack topics: how they compare on the topics that all systems have.

    Parameters
    ----------
    scores : Scores
    tables : mapping of polars.DataFrame
        The tables of the comparison; ``compare_baseline`` is used, or else ``compare_pairs``.
    compare : callable
        Compares other scores with the same options: here those on the topics that all systems have.
    alpha : float
    """
    lacks = scores.missing_topics
    if not lacks:
        return ()
    counts = {system: len(topics) for system, topics in lacks.items()}
    who = f"{lacking(counts, len(scores.topics), len(scores.systems))}, which count as 0"
    lacked = {topic for topics in lacks.values() for topic in topics}
    common = [topic for topic in scores.topics if topic not in lacked]
    if len(common) < _FEWEST_TOPICS:
        few = "only one topic is" if common else "no topic is"
        return (f"{who}, and {few} in all runs: compare systems that have the same topics.",)
    on_common = compare(of_topics(scores, common)).tables
    name, pair = ("compare_pairs", ("system_a", "system_b"))
    if "compare_baseline" in tables:
        name, pair = "compare_baseline", ("system", "baseline")
    rows = _on_both(tables[name], on_common[name], pair, lacks)
    if len(scores.systems) == 2:
        where = f"on the {len(common):,} topics that both have"
        clauses = [_one(row, where, alpha) for row in rows[:_MOST_METRICS].iter_rows(named=True)]
        more = rows.height - len(clauses)
        return (f"{who}: {'; '.join(clauses)}{f'; and so on for {more} more metrics' if more else ''}.",)
    return (f"{who}. On the {len(common):,} topics that all systems have, {_several(rows, alpha)}",)


def _on_both(whole: pl.DataFrame, common: pl.DataFrame, pair: tuple[str, str], lacks: Collection[str]) -> pl.DataFrame:
    """The comparisons with a system that lacks topics: on all topics, and (``then``, ``then_p``) on the common ones."""
    import polars as pl

    with_them = pl.any_horizontal(pl.col(name).is_in(list(lacks)) for name in pair)
    keys = ["metric", *pair]
    then = common.select(*keys, then="difference", then_p="p")
    rows = whole.filter(with_them).select(*keys, "difference", "p").join(then, on=keys, maintain_order="left")
    return rows.rename(dict(zip(pair, ("a", "b"), strict=True)))


def _one(row: dict[str, Any], where: str, alpha: float) -> str:
    a, b, then = row["a"], row["b"], row["then"]
    before, verdict = (
        int(np.sign(difference)) * (p < alpha)
        for difference, p in ((row["difference"], row["p"]), (then, row["then_p"]))
    )
    finding = "no difference is shown" if not verdict else f"{a} beats {b}" if verdict > 0 else f"{b} beats {a}"
    too = " too" if verdict == before else ""
    change = f"{a} minus {b} is {rounded(row['difference'])}, but {rounded(then)} {where}"
    return f"by {row['metric']} {change}, where {finding}{too}"


def _several(rows: pl.DataFrame, alpha: float) -> str:
    import polars as pl

    verdicts = [pl.col(d).sign() * (pl.col(p) < alpha) for d, p in (("difference", "p"), ("then", "then_p"))]
    changed = int(rows.select((verdicts[0] != verdicts[1]).sum()).item())
    most = rows.sort((pl.col("difference") - pl.col("then")).abs(), descending=True).row(0, named=True)
    change = (
        f"The largest change: {most['a']} minus {most['b']} by {most['metric']} is {rounded(most['difference'])}, but "
        f"{rounded(most['then'])} there."
    )
    if not changed:
        return f"no verdict on a pair with such a system changes ({rows.height:,} pairs). {change}"
    fewer = "fewer topics also show fewer differences"
    return f"{changed:,} of {rows.height:,} verdicts on pairs with such a system change ({fewer}). {change}"
