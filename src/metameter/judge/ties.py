"""The order of a ranked list: score falling, and a rule for equal scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.types.byte_strings import order_of_names

if TYPE_CHECKING:
    from metameter.types.run_rows import Rows


TIES = ("docid-desc", "docid-asc", "input", "rank", "mean")
PRECISIONS = ("double", "single")


def comparable(score: NDArray[np.floating], precision: str) -> NDArray[np.floating]:
    """Return scores as they are compared: ``single`` as in trec_eval 9, ``double`` as in trec_eval 10.

    Examples
    --------
    >>> (np.diff(comparable(np.array([0.1, 0.1 + 1e-12]), "single")) == 0).item()
    True
    """
    if precision not in PRECISIONS:
        allowed = ", ".join(PRECISIONS)
        raise MetameterError("there is no such precision", given=precision, allowed=allowed, fix="Choose one of these.")
    with np.errstate(over="ignore"):
        return score.astype(np.float32) if precision == "single" else score


def ranking(
    topic: NDArray[np.int64],
    score: NDArray[np.floating],
    rows: Rows,
    ties: str,
    distinct_rows: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.int64] | None, int]:
    """Return the rows in ranked order, topic after topic (None if sorted already), and the number of tied rows.

    Parameters
    ----------
    topic, score : ndarray
        The topic's number and the score of each row, in file order.
    rows : Rows
        The documents and, for ``ties="rank"``, their rank column.
    ties : {"docid-desc", "docid-asc", "input", "rank", "mean"}
        Equal scores: by document name, compared byte by byte, falling or rising; as in the file; by the rank column.
        ``mean``, for the mean over all orders, orders by document name, falling.
    distinct_rows : ndarray, optional
        The rows that differ from all others; the order of the rest among themselves is left as it is.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.types.run_rows import Rows
    >>> rows = Rows.of(pl.DataFrame({"topic": ["1"] * 3, "doc": ["d1", "d2", "d3"], "score": [1.0] * 3}))
    >>> ranking(np.zeros(3, int), rows.value, rows, "docid-desc")
    (array([2, 1, 0]), 3)
    """
    if ties not in TIES:
        allowed = ", ".join(TIES)
        raise MetameterError("there is no such rule for ties", given=ties, allowed=allowed, fix="Choose one of these.")
    if ties == "rank" and rows.rank is None:
        raise MetameterError("the run was read without its rank column", fix="Read it with need_rank=True.")
    order = _by_score(topic, score, rows)
    if order is not None:
        topic, score = topic[order], score[order]
    tied = (topic[1:] == topic[:-1]) & (score[1:] == score[:-1])
    count = int(np.count_nonzero(np.append(False, tied) | np.append(tied, False)))
    if ties == "input" or not count:
        return order, count
    order = np.arange(topic.size) if order is None else order
    return _ordered_ties(order, tied, rows, ties, distinct_rows), count


def single_precision_ties(
    topic: NDArray[np.int64], score: NDArray[np.float64], order: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return the documents that tie in single precision with one of another score in double precision; None if none do.

    Rounding never reverses an order. So single precision can only merge neighbours of the list into groups of ties,
    and only within such a group can it order documents differently.

    Parameters
    ----------
    topic, score : ndarray
        The topic's number and the score of each row, in file order.
    order : ndarray, optional
        The rows in the order of the lists, as `ranking` gives it.

    Returns
    -------
    positions, group : ndarray
        The positions of these documents in the order of the lists, rising, and the number of the group of each.

    Examples
    --------
    >>> score = np.array([2.0, 1 + 1e-9, 1.0, 0.5])
    >>> single_precision_ties(np.zeros(4, int), score, None)
    (array([1, 2]), array([1, 1]))
    >>> single_precision_ties(np.zeros(4, int), np.float64([4, 3, 2, 2]), None) is None
    True
    """
    if order is not None:
        topic, score = topic[order], score[order]
    rounded = comparable(score, "single")
    tied = (rounded[1:] == rounded[:-1]) & (topic[1:] == topic[:-1])
    merged = tied & (score[1:] != score[:-1])
    if not merged.any():
        return None
    group = np.cumsum(np.append(False, ~tied))
    has_merged = np.zeros(group[-1] + 1, dtype=np.bool_)
    has_merged[group[1:][merged]] = True
    positions = np.flatnonzero(has_merged[group])
    return positions, group[positions]


def starts_of_ties(topic: NDArray[np.int64], score: NDArray[np.floating], rank: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return, for each row, the rank (from 0) of the first document of its topic with the same score.

    Examples
    --------
    >>> starts_of_ties(np.array([0, 0, 0]), np.array([1.0, 2.0, 1.0]), np.array([1, 0, 2]))
    array([1, 0, 1])
    """
    order = np.lexsort((rank, topic))
    topic, score = topic[order], score[order]
    begins = np.append(True, (topic[1:] != topic[:-1]) | (score[1:] != score[:-1]))
    starts = np.empty_like(rank)
    starts[order] = rank[order][np.flatnonzero(begins)][np.cumsum(begins) - 1]
    return starts


def _by_score(topic: NDArray[np.int64], score: NDArray[np.floating], rows: Rows) -> NDArray[np.int64] | None:
    # Most runs come sorted and grouped by topic; then there is nothing to do.
    if len(set(rows.topics)) == len(rows.topics):
        falls = score[1:] <= score[:-1]
        falls[rows.begin[1:] - 1] = True
        if falls.all():
            return None
    return np.lexsort((-score, topic))


def _ordered_ties(
    order: NDArray[np.int64],
    tied: NDArray[np.bool_],
    rows: Rows,
    ties: str,
    distinct_rows: NDArray[np.int64] | None,
) -> NDArray[np.int64]:
    """Reorder the rows within each group of equal scores, and no others."""
    after, before = np.append(False, tied), np.append(tied, False)
    positions = np.flatnonzero(after | before)
    group = np.cumsum(~after[positions])
    some = order[positions]
    if distinct_rows is not None:
        # Most groups hold only documents without judgment, whose order makes no difference.
        differs = np.zeros(order.size, dtype=np.bool_)
        differs[distinct_rows] = True
        matters = np.zeros(group[-1] + 1, dtype=np.bool_)
        matters[group[differs[some]]] = True
        positions, group, some = (part[matters[group]] for part in (positions, group, some))
        if not positions.size:
            return order
    if ties == "rank" and rows.rank is not None:
        sorted_some = np.lexsort((rows.rank[some], group))
    else:
        sorted_some = order_of_names(rows.doc.take(some), group, falling=ties in ("docid-desc", "mean"))
    order[positions] = some[sorted_some]
    return order
