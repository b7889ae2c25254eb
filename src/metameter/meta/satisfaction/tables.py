"""How pages of different satisfaction spread over a metric's scores: Figure 1 of Moffat et al. (2022)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from metameter.meta.label_question import LabelQuestion

__all__ = ["level_rows"]

#: Of a metric with more distinct scores, those are listed that part the pages into as many equal portions.
_MOST_SCORES = 41


def level_rows(question: LabelQuestion) -> pl.DataFrame:
    """For every metric and level, the share of its pages with at most a score."""
    import polars as pl

    parts = [_of_metric(question, place) for place in range(len(question.asked)) if question.classes[place] != "X"]
    schema = {"metric": pl.String, "satisfaction": pl.Float64, "score": pl.Float64, "share": pl.Float64}
    empty = pl.DataFrame(schema={**schema, "pages": pl.Int64})
    return pl.concat([empty, *parts])


def _of_metric(question: LabelQuestion, place: int) -> pl.DataFrame:
    import polars as pl

    counts, codes = question.counts, question.codes[place]
    _, own = np.unique(codes, return_inverse=True)
    table = np.zeros((int(own.max()) + 1, counts.levels), dtype=np.int64)
    np.add.at(table, (own.reshape(-1)[counts.item], counts.level), counts.count)
    scores = np.full(len(table), np.inf)
    np.minimum.at(scores, own.reshape(-1), question.scores[place])
    kept = _spaced(table.sum(axis=1))
    share = (np.cumsum(table, axis=0) / table.sum(axis=0))[kept]
    levels = question.labelled.levels
    return pl.DataFrame(
        {
            "metric": [question.asked[place]] * share.size,
            "satisfaction": np.repeat(levels, len(kept)),
            "score": np.tile(scores[kept], len(levels)),
            "share": share.T.reshape(-1),
            "pages": np.repeat(table.sum(axis=0), len(kept)),
        }
    )


def _spaced(pages: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions of at most so many scores, the last included, with about as many pages between any two.

    Examples
    --------
    >>> _spaced(np.ones(3)), len(_spaced(np.ones(1000)))
    (array([0, 1, 2]), 41)
    """
    if len(pages) <= _MOST_SCORES:
        return np.arange(len(pages))
    up_to = np.cumsum(pages) / pages.sum()
    wanted = np.linspace(up_to[0], 1.0, _MOST_SCORES)
    return np.unique(np.minimum(np.searchsorted(up_to, wanted - 1e-12), len(pages) - 1))
