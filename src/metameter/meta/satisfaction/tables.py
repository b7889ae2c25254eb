"""How pages of different satisfaction are ordered, and spread over a metric's scores (Figure 1 of the paper)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from metameter.meta.label_question import LabelQuestion
    from metameter.stats.checks import Floats

__all__ = ["level_rows", "ordered_pairs"]

#: Of a metric with more distinct scores, those are listed that part the pages into as many equal portions.
_MOST_SCORES = 41


def ordered_pairs(question: LabelQuestion, tau: Floats) -> dict[str, Floats]:
    """Of all pairs of pages with different labels: the share that each metric orders likewise, and that it ties.

    tau_b counts the pairs that a metric ties neither for nor against it, and makes up for part of them: of two metrics,
    the one with more ties may have the higher tau_b and still order fewer pairs. So both shares stand beside it.
    """
    counts = question.counts
    pairs = counts.total * (counts.total - 1) // 2
    same_label = _tied(counts.level, counts.count)
    agreement, ties = np.zeros((2, len(question.asked)))
    for place, codes in enumerate(question.codes[: len(question.asked)]):
        score = codes[counts.item]
        same_score, same_both = (
            _tied(each, counts.count) for each in (score, score * (counts.levels + 1) + counts.level)
        )
        untied = float(pairs - same_score) * float(pairs - same_label)
        balance = 0.0 if np.isnan(tau[place]) else float(np.rint(tau[place] * np.sqrt(untied)))
        apart = pairs - same_score - same_label + same_both
        agreement[place] = (apart + balance) / 2 / (pairs - same_label)
        ties[place] = (same_score - same_both) / (pairs - same_label)
    return {"agreement": agreement, "ties": ties}


def _tied(group: NDArray[np.int64], count: NDArray[np.int64]) -> int:
    sizes = np.bincount(np.unique(group, return_inverse=True)[1].reshape(-1), weights=count).astype(np.int64)
    return int((sizes * (sizes - 1) // 2).sum())


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
