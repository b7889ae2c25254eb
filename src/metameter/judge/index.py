"""The qrels, indexed once for all runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.lookup import Lookup
from metameter.judge.ranked import NEVER, Judgments
from metameter.notices import notice
from metameter.read.qrels import location_of_judgment

if TYPE_CHECKING:
    from metameter.judge.costs import Costs
    from metameter.types import Qrels


# How many rows are sorted at a time.
_ROWS = 1 << 19
# The most cells of ideal grades, topics x most judged: a larger array fits into no machine's memory.
_MOST_IDEAL = 1 << 30


@dataclass(frozen=True, eq=False)
class Index:
    """The judgments as metrics need them, and a lookup of documents.

    Attributes
    ----------
    judgments : Judgments
    lookup : Lookup
        Finds documents; gives their rows in the qrels.
    topic, grade : ndarray
        The topic's number and the grade of each document of the qrels.
    pool_rank : ndarray, optional
        The best rank of each over the contributing runs (`pool_ranks`).
    costs : Costs, optional
        The costs of reading documents.
    """

    judgments: Judgments
    lookup: Lookup
    topic: NDArray[np.int64]
    grade: NDArray[np.float64]
    pool_rank: NDArray[np.int64] | None = None
    costs: Costs | None = None

    @property
    def topics(self) -> tuple[str, ...]:
        """The judged topics, in reading order."""
        return self.judgments.topics

    @cached_property
    def number(self) -> dict[str, int]:
        """The row of each topic."""
        return {topic: row for row, topic in enumerate(self.topics)}


def index_judgments(qrels: Qrels, *, max_grade: float | None = None, warn: bool = False) -> Index:
    """Prepare the qrels for all runs: sorted topics, ideal grades, and an index of the judged documents.

    Parameters
    ----------
    qrels : Qrels
    max_grade : float, optional
        The top of the grade scale; by default the highest grade of the collection.
    warn : bool
        Give a notice when the top of the scale is taken from the data.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.types import Qrels
    >>> table = pl.DataFrame({"topic": ["2", "10", "2"], "doc": ["a", "a", "b"], "grade": [1.0, 0.0, 3.0]})
    >>> index = index_judgments(Qrels(table))
    >>> index.topics, index.judgments.ideal.tolist(), index.judgments.max_grade
    (('2', '10'), [[3.0, 1.0], [0.0, -1.0]], 3.0)
    """
    topics = qrels.topics
    if not topics:
        fix = "Give rows with topic, doc, grade."
        raise MetameterError("there are no judgments", where=qrels.source, fix=fix)
    number = {topic: row for row, topic in enumerate(topics)}
    rows = qrels.rows
    topic = np.repeat(np.array([number[each] for each in rows.topics], dtype=np.int64), rows.length)
    grade = rows.value
    if max_grade is None:
        max_grade = qrels.max_grade
        if warn:
            notice(f"the top of the grade scale is taken to be {max_grade:g}, the highest grade of {qrels.source}")
    elif not (math.isfinite(max_grade) and max_grade >= 0):
        fix = "Give the highest grade that the judgments may have."
        raise MetameterError("max_grade is not the top of a scale", given=max_grade, allowed="0 or more", fix=fix)
    elif (grade > max_grade).any():
        raise _above(qrels, int((grade > max_grade).argmax()), max_grade)
    judgments = Judgments(topics, _ideal_grades(topic, grade, len(topics)), max_grade)
    return Index(judgments, Lookup.of(topics, topic, rows.doc, rows.key_index), topic, grade)


def ideal_of(
    topic: NDArray[np.int64], grade: NDArray[np.float64], n_topics: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the judged grades of each topic in falling order, padded with -1; and the row of each, padded with -1.

    Examples
    --------
    >>> ideal_of(np.array([0, 0, 1]), np.array([0.0, 2.0, -1.0]), 2)
    (array([[ 2.,  0.], [-1., -1.]]), array([[ 1,  0], [-1, -1]]))
    """
    ideal = _no_grades(topic, grade, n_topics)
    which = np.full(ideal.shape, -1, dtype=np.int64)
    for rows, rank in _falling(topic, grade):
        ideal[topic[rows], rank], which[topic[rows], rank] = grade[rows], rows
    return ideal, which


def _ideal_grades(topic: NDArray[np.int64], grade: NDArray[np.float64], n_topics: int) -> NDArray[np.float64]:
    """Return the grades alone of `ideal_of`."""
    ideal = _no_grades(topic, grade, n_topics)
    for rows, rank in _falling(topic, grade):
        ideal[topic[rows], rank] = grade[rows]
    return ideal


def _no_grades(topic: NDArray[np.int64], grade: NDArray[np.float64], n_topics: int) -> NDArray[np.float64]:
    most = int(np.bincount(topic[grade >= 0], minlength=n_topics).max(initial=0))
    if n_topics * most > _MOST_IDEAL:
        raise _too_uneven(n_topics, most)
    return np.full((n_topics, most), -1.0)


def _falling(
    topic: NDArray[np.int64], grade: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the rows with a judgment by topic and falling grade, with the rank of each in its topic, from 0."""
    for start, stop in pairwise(_cuts(topic)):
        rows = np.flatnonzero(grade[start:stop] >= 0) + start
        rows = rows[np.lexsort((-grade[rows], topic[rows]))]
        group_rows = topic[rows]
        first = np.flatnonzero(np.append(True, group_rows[1:] != group_rows[:-1])[: rows.size])
        yield rows, np.arange(rows.size) - np.repeat(first, np.diff(np.append(first, rows.size)))


def _cuts(topic: NDArray[np.int64]) -> list[int]:
    """Return where blocks of whole topics begin and end, so that few rows are sorted at a time."""
    cuts = [0, topic.size]
    if topic.size > _ROWS:
        change = np.flatnonzero(topic[1:] != topic[:-1]) + 1
        if change.size < np.count_nonzero(np.bincount(topic)):  # else the rows of some topic are scattered
            at = np.searchsorted(change, np.arange(_ROWS, topic.size, _ROWS))
            cuts = sorted({*cuts, *change[at[at < change.size]].tolist()})
    return cuts


def ranks_of_ideal(which: NDArray[np.int64], ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the pool ranks of the documents in the order of `ideal_of`; `NEVER` for the padding.

    Examples
    --------
    >>> ranks_of_ideal(np.array([[1, 0]]), np.array([7, 2]))
    array([[2, 7]])
    """
    return np.where(which >= 0, ranks[which] if ranks.size else NEVER, NEVER)


def _too_uneven(topics: int, most: int) -> MetameterError:
    what = f"{topics:,} topics, one of them with {most:,} judged documents, take {16 * topics * most / 1e9:,.0f} GB"
    fix = "Put the topic with the most judged documents into qrels of its own, and score it apart."
    return MetameterError(what, allowed=f"{16 * _MOST_IDEAL / 1e9:,.0f} GB", fix=fix)


def _above(qrels: Qrels, row: int, max_grade: float) -> MetameterError:
    topic, doc, grade = qrels.table.row(row)
    return MetameterError(
        f"document {doc!r} of topic {topic!r} has a grade above the top of the scale",
        where=location_of_judgment(qrels, topic, doc),
        given=grade,
        allowed=f"at most {max_grade:g}",
        fix="Raise max_grade, or correct the grade.",
    )
