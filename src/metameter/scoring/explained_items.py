"""What stands at each rank of a list that is explained: which document, and whether it has a judgment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from metameter.judge.align import place
from metameter.judge.ranked import JUDGED, Ranked

if TYPE_CHECKING:
    from metameter.judge.index import Index
    from metameter.metric.base import Measure
    from metameter.scoring.policy import Policy
    from metameter.types import Run

__all__ = ["documents_in_order", "with_items"]


def documents_in_order(listed: Run, index: Index, policy: Policy) -> list[str]:
    """The documents of a run that has one topic only, the best first."""
    # With a depth, documents without judgment are put in order too: here they are shown.
    depth = listed.table.height
    placed = place(listed, index, ties=policy.ties, precision=policy.precision, depth=depth)
    documents = listed.table["doc"].to_list()
    return [documents[row] for row in np.argsort(placed.rank)]


def with_items(
    table: pl.DataFrame, measure: Measure, ranked: Ranked, row: int, documents: Sequence[str] | None = None
) -> pl.DataFrame:
    """Add the columns ``document``, after the rank, if these are known, and ``judgment``, at the end.

    An item without judgment has no grade, though most metrics count it as not relevant. What lies beyond the end of the
    list is neither judged nor unjudged.

    Examples
    --------
    >>> from metameter.metric.compose import parse_metric
    >>> ranked, table = Ranked.of_gains([1, None]), pl.DataFrame({"rank": [1, 2, 3], "grade": [1.0, 0.0, 0.0]})
    >>> with_items(table, parse_metric("P@3"), ranked, 0, ["a", "b"]).rows()
    [(1, 'a', 1.0, 'judged'), (2, 'b', None, 'unjudged'), (3, None, None, None)]
    """
    judged = ranked.status[row, : ranked.length[row]] == JUDGED
    items = np.flatnonzero(judged) if _removes_unjudged(measure) else np.arange(judged.size)
    items = items[: table.height]
    beyond = [None] * (table.height - items.size)
    judgment = pl.Series("judgment", [*("judged" if judged[item] else "unjudged" for item in items), *beyond])
    if documents is not None:
        names = pl.Series("document", [*(documents[item] for item in items), *beyond], dtype=pl.String)
        table = table.insert_column(1, names)
    graded = [pl.when(pl.col("judgment") == "judged").then("grade")] if "grade" in table.columns else []
    return table.with_columns(judgment.cast(pl.String)).with_columns(graded)


def _removes_unjudged(measure: Measure) -> bool:
    """Whether it scores condensed lists; of a product the browsing model says so."""
    return bool(getattr(getattr(measure, "model", measure), "judged_only", False))
