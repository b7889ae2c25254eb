"""Several collections: which findings hold in all of them, and which in some."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from metameter.meta.base import Across
from metameter.meta.recommend.forest_chart import forest_chart
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
    sentence = across_sentence(list(tables.values()))
    chart = forest_chart(tables)
    charts = {} if chart is None else {"findings": chart}
    return Across((sentence,) if sentence else (), {"findings": shared_findings(tables)}, charts)


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
