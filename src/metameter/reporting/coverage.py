"""Coverage of the systems by judgments: what a reader must know before their scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from metameter.meta.base import Telling
from metameter.reporting.figures import summary
from metameter.scoring.run_notices import lacking

if TYPE_CHECKING:
    import polars as pl


#: Column of the table of coverage -> what it means.
COLUMNS = {
    "judged_at_10": "share of the documents in the top 10 that were judged",
    "missing": "topics for which the system returned nothing",
    "tied": "documents that share their score with another of their list",
    "residual": "how far the score could rise if all unjudged documents were relevant",
}
LEAST_JUDGED, MOST_RESIDUAL = 0.5, 0.2
_MOST_NAMES = 8


def extremes(coverage: pl.DataFrame) -> list[str]:
    """A sentence on the highest and the lowest value of each column, except where all systems have 0."""
    columns = [name for name in COLUMNS if name in coverage.columns and (coverage[name] != 0).any()]
    return [summary(coverage, Telling(column)) for column in columns]


def hardly_judged(coverage: pl.DataFrame) -> dict[int, str]:
    """Map rows of the table of coverage to the reason why their scores are unreliable.

    Examples
    --------
    >>> import polars as pl
    >>> hardly_judged(pl.DataFrame({"system": ["a", "b"], "judged_at_10": [0.9, 0.4], "residual": [0.1, 0.3]}))
    {1: 'fewer than half of its top ten judged, residual above .2'}
    """
    reasons: dict[int, list[str]] = {}
    for row in _little_judged(coverage):
        reasons.setdefault(row, []).append("fewer than half of its top ten judged")
    for row in _large_residual(coverage):
        reasons.setdefault(row, []).append("residual above .2")
    return {row: ", ".join(texts) for row, texts in sorted(reasons.items())}


def incomplete(coverage: pl.DataFrame, topics: int) -> list[str]:
    """A sentence on the systems that lack topics, which count as 0; empty if no system does.

    Parameters
    ----------
    coverage : polars.DataFrame
        With the columns system, topics and missing.
    topics : int
        The number of topics scored: fewer than there are if only common topics are scored.

    Examples
    --------
    >>> import polars as pl
    >>> coverage = pl.DataFrame({"system": ["a", "b"], "topics": [200, 150], "missing": [0, 50]})
    >>> print(*incomplete(coverage, 200))
    b lacks 50 of 200 topics, which count as 0: this changes the consistency and the power of every metric, and may \
turn a verdict. Set topics to common (--topics common) to leave these topics out.
    >>> incomplete(coverage, 150)
    []
    """
    if "missing" not in coverage.columns:
        return []
    rows = coverage.select("system", "topics", "missing").rows()
    lacks = {system: missing for system, has, missing in rows if missing and has + missing == topics}
    if not lacks:
        return []
    effect = "this changes the consistency and the power of every metric, and may turn a verdict"
    fix = "Set topics to common (--topics common) to leave these topics out."
    return [f"{lacking(lacks, topics, coverage.height)}, which count as 0: {effect}. {fix}"]


def warnings(coverage: pl.DataFrame) -> list[str]:
    """Sentences on the systems whose scores are unreliable; empty if all were judged well.

    Examples
    --------
    >>> import polars as pl
    >>> few = pl.DataFrame({"system": ["a", "b", "c"], "judged_at_10": [0.9, 0.4, 0.2], "residual": [0.1, 0.1, 0.3]})
    >>> for sentence in warnings(few):
    ...     print(sentence)
    2 of 3 systems have fewer than half of their top ten judged: c, b. Their scores are lower bounds: what was not \
judged counts as not relevant.
    1 of 3 systems has a residual above .2: c. If all that was not judged were relevant, its score would be higher by \
so much, which may change its rank.
    """
    below, above = _little_judged(coverage), _large_residual(coverage)
    sentences = []
    if below:
        owners = "their" if len(below) > 1 else "its"
        sentences.append(
            f"{_count(below, coverage)} fewer than half of {owners} top ten judged: {_names(below, coverage)}. "
            f"{owners.capitalize()} scores are lower bounds: what was not judged counts as not relevant."
        )
    if above:
        score, rank = ("their scores", "their ranks") if len(above) > 1 else ("its score", "its rank")
        sentences.append(
            f"{_count(above, coverage)} a residual above .2: {_names(above, coverage)}. If all that was not judged "
            f"were relevant, {score} would be higher by so much, which may change {rank}."
        )
    return sentences


def _little_judged(coverage: pl.DataFrame) -> list[int]:
    """The rows with too few judged documents, the worst first."""
    return _rows_where(coverage, "judged_at_10", lambda share: share < LEAST_JUDGED, descending=False)


def _large_residual(coverage: pl.DataFrame) -> list[int]:
    return _rows_where(coverage, "residual", lambda residual: residual > MOST_RESIDUAL, descending=True)


def _rows_where(
    coverage: pl.DataFrame, column: str, applies: Callable[[float], bool], *, descending: bool
) -> list[int]:
    if column not in coverage.columns:
        return []
    known = [(value, row) for row, value in enumerate(coverage[column].to_list()) if value is not None]
    return [row for value, row in sorted(known, reverse=descending) if applies(value)]


def _count(rows: Sequence[int], coverage: pl.DataFrame) -> str:
    return f"{len(rows)} of {coverage.height} systems {'have' if len(rows) > 1 else 'has'}"


def _names(rows: Sequence[int], coverage: pl.DataFrame) -> str:
    names = [str(coverage["system"][row]) for row in rows[:_MOST_NAMES]]
    left = len(rows) - len(names)
    return ", ".join(names) + (f" and {left} more" if left else "")
