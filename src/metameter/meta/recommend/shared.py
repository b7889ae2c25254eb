"""Several collections: which findings hold in all of them, and which in some."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from metameter.meta.base import Across
from metameter.meta.recommend.answer import candidates, how_sure
from metameter.meta.recommend.forest_chart import forest_chart
from metameter.meta.recommend.leaders import leaders
from metameter.meta.recommend.references import across_sentence
from metameter.meta.recommend.verdict import (
    BETTER_DIFFERENT,
    BETTER_SIMILAR,
    IDENTICAL,
    MIXED,
    NO_EVIDENCE,
    SAME,
    WORSE,
)
from metameter.view.result import Result

__all__ = ["across", "shared_findings"]

_FINDINGS = {
    "better than the reference": (BETTER_SIMILAR, BETTER_DIFFERENT),
    "identical to the reference": (IDENTICAL,),
    "the same within the margin": (SAME,),
    "better in one, worse in the other": (MIXED,),
    "worse than the reference": (WORSE,),
    "no evidence either way": (NO_EVIDENCE,),
}


def across(results: Mapping[str, Result]) -> Across:
    """What holds in all collections, in one sentence; a table of which finding holds where; and all in one chart.

    Parameters
    ----------
    results : mapping of Result
        By collection, the recommendation.
    """
    tables = {name: result.table for name, result in results.items()}
    options = next(iter(results.values())).manifest["options"]
    sentences = [
        _unbeaten(results),
        how_sure(list(tables.values()), options),
        across_sentence(list(tables.values())),
    ]
    chart = forest_chart(tables)
    charts = {} if chart is None else {"findings": chart}
    return Across(tuple(filter(None, sentences)), {"findings": shared_findings(tables)}, charts)


def _unbeaten(results: Mapping[str, Result]) -> str:
    """The metric to use in all collections: one that nothing is shown to exceed in any of them."""
    found = [leaders(_named(candidates_of(result))) for result in results.values()]
    known = [each for each in found if each is not None]
    where = "both" if len(results) == 2 else f"all {len(results)}"
    if len(known) < len(found):
        return ""
    shared = [name for name in known[0].both if all(name in each.both for each in known)]
    if not shared:
        return f"No one metric can be recommended for {where} collections: see each of them."
    best, *level = shared
    if not any(each.exceeded.get(name) for each in known for name in shared):
        return f"Keep the metric you use: in {where} collections none is shown to be better than another."
    rest = f"; so {'are' if len(level) > 1 else 'is'} {', '.join(level[:8])}" if level else ""
    return f"Use {best}: it is unbeaten in {where} collections{rest}."


def candidates_of(result: Result) -> pl.DataFrame:
    """The table ``metrics`` without those that measure one dimension only."""
    return candidates(result.tables["metrics"], result.manifest["options"].get("simple", []))[0]


def _named(metrics: pl.DataFrame) -> pl.DataFrame:
    return metrics.filter("named") if metrics["named"].sum() > 1 else metrics


def shared_findings(verdicts: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """One row per metric and finding: in which collections it holds.

    Parameters
    ----------
    verdicts : dict of polars.DataFrame
        By collection, the table ``recommendation``.

    Examples
    --------
    >>> table = {"metric": ["a"], "canonical": ["c"], "verdict": ["worse"]}
    >>> shared_findings({"one": pl.DataFrame(table), "two": pl.DataFrame(table)}).row(0)
    ('a', 'c', 'worse than the reference', 'all', 'one; two')
    """
    labelled = [frame.with_columns(collection=pl.lit(name)) for name, frame in verdicts.items()]
    stacked = pl.concat([frame.select("metric", "canonical", "verdict", "collection") for frame in labelled])
    finding = {verdict: text for text, kinds in _FINDINGS.items() for verdict in kinds}
    held = (
        stacked.with_columns(finding=pl.col("verdict").replace_strict(finding))
        .group_by("metric", "canonical", "finding", maintain_order=True)
        .agg(where=pl.col("collection").str.join("; "), count=pl.len())
    )
    holds = pl.when(pl.col("count") == len(verdicts)).then(pl.lit("all")).otherwise(pl.lit("some"))
    return held.select("metric", "canonical", "finding", holds.alias("holds_in"), "where")
