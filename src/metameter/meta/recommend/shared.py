"""Which findings hold in all collections of a study, and which in some."""

from __future__ import annotations

import polars as pl

__all__ = ["shared_findings"]

_FINDINGS = {
    "better than the canonical metric": ("better-and-similar", "better-but-different"),
    "worse than the canonical metric": ("worse",),
    "no evidence either way": ("no-evidence",),
}


def shared_findings(verdicts: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """A row for every metric and finding: where it holds.

    Parameters
    ----------
    verdicts : dict of polars.DataFrame
        By collection, the table ``recommendation``.

    Examples
    --------
    >>> table = {"metric": ["a"], "canonical": ["c"], "verdict": ["worse"]}
    >>> found = shared_findings({"one": pl.DataFrame(table), "two": pl.DataFrame(table)})
    >>> found.row(0)
    ('a', 'c', 'worse than the canonical metric', 'all', 'one; two')
    """
    labelled = [frame.with_columns(collection=pl.lit(name)) for name, frame in verdicts.items()]
    stacked = pl.concat([frame.select("metric", "canonical", "verdict", "collection") for frame in labelled])
    finding = {verdict: text for text, kinds in _FINDINGS.items() for verdict in kinds}
    found = (
        stacked.with_columns(finding=pl.col("verdict").replace_strict(finding))
        .group_by("metric", "canonical", "finding", maintain_order=True)
        .agg(where=pl.col("collection").str.join("; "), count=pl.len())
    )
    holds = pl.when(pl.col("count") == len(verdicts)).then(pl.lit("all")).otherwise(pl.lit("some"))
    return found.select("metric", "canonical", "finding", holds.alias("holds_in"), "where")
