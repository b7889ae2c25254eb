"""How preferences go with the difference of scores: shares along the difference (Figure 3 of Moffat et al.)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl

    from metameter.meta.label_question import LabelQuestion

__all__ = ["share_rows"]

_BINS = 21  # odd: one of them is about a difference of nothing


def share_rows(question: LabelQuestion) -> pl.DataFrame:
    """For every metric and bin of the difference of scores, who is preferred how often; empty bins are left out."""
    import polars as pl

    shown = [place for place in range(len(question.asked)) if question.classes[place] == "metric"]
    schema = {"metric": pl.String, **dict.fromkeys(("low", "high", "difference"), pl.Float64), "pairs": pl.Int64}
    empty = pl.DataFrame(schema={**schema, **dict.fromkeys(("prefer_a", "neither", "prefer_b"), pl.Float64)})
    return pl.concat([empty, *(_of_metric(question, place) for place in shown)])


def _of_metric(question: LabelQuestion, place: int) -> pl.DataFrame:
    import polars as pl

    counts, scores = question.counts, np.where(question.signs[place] == 0, 0.0, question.scores[place])
    furthest = float(np.abs(scores).max(initial=0.0)) or 1.0
    edges = np.linspace(-furthest, furthest, _BINS + 1)
    # Differences that are on an edge but for rounding belong above it, all of them.
    within = np.floor((scores / furthest + 1) / 2 * _BINS + 1e-6).clip(0, _BINS - 1).astype(np.int64)
    sign = np.sign(question.labelled.levels[counts.level]).astype(np.int64) + 1
    table = np.zeros((_BINS, 3), dtype=np.int64)
    np.add.at(table, (within[counts.item], sign), counts.count)
    used = np.flatnonzero(table.sum(axis=1))
    shares = table[used] / table[used].sum(axis=1, keepdims=True)
    columns = {"low": edges[used], "high": edges[used + 1], "difference": (edges[used] + edges[used + 1]) / 2}
    return pl.DataFrame(
        {
            "metric": [question.asked[place]] * len(used),
            **columns,
            "pairs": table[used].sum(axis=1),
            **dict(zip(("prefer_a", "neither", "prefer_b"), shares.T, strict=True)),
        }
    )
