"""Ranks of judged documents in a run that is a Python dictionary, without a table of its documents.

A training loop scores lists in memory many times, and most of the time would go into tables of unjudged documents.
Here only the judged documents are looked up, and each list is sorted by its scores alone. The names of other documents
are read only in groups of ties that contain judged documents.
"""

from __future__ import annotations

import math
import struct
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metameter.errors import in_utf8
from metameter.judge.align import DocumentRanks
from metameter.judge.ranked import NEVER
from metameter.judge.ties import comparable
from metameter.types.byte_strings import Names, order_of_names

if TYPE_CHECKING:
    from metameter.judge.index import Index

#: Of judged documents that were retrieved: which list each is in, its position among all lists, and in the index.
Judged: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]"

#: Mappings whose ``get`` and ``values`` are those of `dict`.
_DICTIONARIES = (dict, defaultdict, OrderedDict)
# The rules for ties that give one order, from names or from the order in the list.
_TIES = ("docid-desc", "docid-asc", "input")
# The names of a list are all over memory: looking one up costs as much as looking up several judged documents.
_SEVERAL = 8


def plain_lists(run: Any) -> dict[str, dict[str, float]] | None:
    """Return the lists of a run {topic: {doc: score}} or {topic: [doc, ...]} by topic; None if it is anything else.

    Names of documents and scores are not checked here.

    Examples
    --------
    >>> plain_lists({401: ["b", "a"]})
    {'401': {'b': -1, 'a': -2}}
    >>> plain_lists({"401": {"a": "2"}}), plain_lists({"401": ["a", "a"]}) is None
    ({'401': {'a': '2'}}, True)
    """
    if type(run) not in _DICTIONARIES or not all(type(topic) in (str, int) for topic in run):
        return None
    values = list(run.values())
    if values and all(type(documents) in (list, tuple) for documents in values):  # a named tuple has another type
        try:
            lists = [dict(zip(docs, range(-1, -len(docs) - 1, -1), strict=True)) for docs in values]
        except TypeError:
            return None
        if any(len(distinct) < len(documents) for distinct, documents in zip(lists, values, strict=True)):
            return None
    elif all(type(documents) in _DICTIONARIES for documents in values):
        lists = values
    else:
        return None
    by_topic = {in_utf8(str(topic)): documents for topic, documents in zip(run, lists, strict=True)}
    return by_topic if len(by_topic) == len(lists) else None


def _check_names(documents: dict[str, float]) -> None:
    """Raise an error if a name is not a text, or not in UTF-8; at the speed of C."""
    names = "".join(documents)
    if not names.isascii():
        names.encode()  # refuses a lone surrogate


def _doubles(numbers: Iterable[float], count: int) -> NDArray[np.float64]:
    """Return ``count`` numbers as an array; raise an error if one is not a number. At the speed of C."""
    return np.frombuffer(struct.pack(f"{count}d", *numbers))


class _List(NamedTuple):
    """One list of a judged topic.

    Attributes
    ----------
    number : int
        The number of its topic.
    documents : dict
        The documents with their scores.
    scores : ndarray
        The scores alone.
    judged_scores, position : ndarray
        The score of each judged document, NaN if it was not retrieved; and its position in the index.
    """

    number: int
    documents: dict[str, float]
    scores: NDArray[np.float64]
    judged_scores: NDArray[np.float64]
    position: NDArray[np.int64]

    @classmethod
    def of(cls, number: int, documents: dict[str, float], index: Index) -> _List:
        """Check a list and look its judged documents up: all at once, while its names are in the processor's cache."""
        _check_names(documents)
        scores = _doubles(documents.values(), len(documents))
        judged, position = index.lookup.documents_of(number)
        if len(judged) > _SEVERAL * len(documents):
            judged = {name: judged[name] for name in documents if name in judged}
            position = np.array(list(judged.values()), dtype=np.int64)
        judged_scores = _doubles(map(documents.get, judged, repeat(math.nan)), len(judged))
        return cls(number, documents, scores, judged_scores, position)


@dataclass(frozen=True, eq=False)
class _Lists:
    """The lists of judged topics, one after the other.

    Attributes
    ----------
    documents : tuple of dict
        The documents of each list with their scores.
    number, begin, size : ndarray
        The number of each list's topic, where it begins among all, and how many documents it has.
    scores : ndarray
        The scores in the order of the dictionaries.
    precision : str
        How they are compared.
    falling : ndarray
        The scores as they are compared, with the sign changed, each list sorted: its best document first.
    retrieved : tuple of ndarray
        Of the judged documents that were retrieved: which list each is in, its score, and its position in the index.
    """

    documents: tuple[dict[str, float], ...]
    number: NDArray[np.int64]
    begin: NDArray[np.int64]
    size: NDArray[np.int64]
    scores: NDArray[np.float64]
    precision: str
    falling: NDArray[np.floating]
    retrieved: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]

    @classmethod
    def of(cls, lists: Sequence[_List], precision: str) -> _Lists:
        number, documents, scores, judged_scores, position = zip(*lists, strict=True)
        size, judged = (np.array([each.size for each in parts]) for parts in (scores, position))
        stop, every, score = np.cumsum(size), np.concatenate(scores), np.concatenate(judged_scores)
        falling = -comparable(every, precision)
        for first, last in zip((stop - size).tolist(), stop.tolist(), strict=True):
            falling[first:last].sort()
        there = np.flatnonzero(~np.isnan(score))
        retrieved = np.repeat(np.arange(len(lists)), judged)[there], score[there], np.concatenate(position)[there]
        return cls(documents, np.array(number), stop - size, size, every, precision, falling, retrieved)

    def judged(self) -> Judged:
        """Return the judged documents; documents with equal scores all get the position of the first of them."""
        which, score, position = self.retrieved
        return which, self._first_with(-comparable(score, self.precision), which), position

    def _first_with(self, negated: NDArray[np.floating], which: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the position of the first document with each score of its list."""
        at = np.empty(which.size, dtype=np.int64)
        ends = np.flatnonzero(np.append(True, which[1:] != which[:-1])).tolist()
        for first, last in pairwise([*ends, which.size] if which.size else []):
            start = self.begin[which[first]]
            stop = start + self.size[which[first]]
            at[first:last] = self.falling[start:stop].searchsorted(negated[first:last]) + start
        return at

    def which(self, at: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the list of each document."""
        return np.searchsorted(self.begin, at, side="right") - 1

    def alike_next(self, precision: str) -> NDArray[np.bool_]:
        """Return whether each document has the score of the next one in its list."""
        falling = comparable(self.falling, precision)
        alike = np.append(falling[1:] == falling[:-1], False)
        alike[self.begin[1:] - 1] = False
        return alike

    def names_at(self, at: NDArray[np.int64], index: Index) -> tuple[list[str], NDArray[np.int64]]:
        """Return the names of the documents at these positions, ties as in the dictionary; and where the index has
        them, -1 if it does not.
        """
        names: list[str] = []
        positions: list[int] = []
        ends = np.searchsorted(at, np.append(self.begin, self.falling.size)).tolist()
        for which, (first, last) in enumerate(pairwise(ends)):
            if first == last:
                continue
            start, stop = self.begin[which], self.begin[which] + self.size[which]
            order = np.argsort(-comparable(self.scores[start:stop], self.precision), kind="stable")
            listed = list(self.documents[which])
            some = [listed[row] for row in order[at[first:last] - start].tolist()]
            names += some
            positions += map(index.lookup.documents_of(int(self.number[which]))[0].get, some, repeat(-1))
        return names, np.array(positions)


def _lists_of(lists: dict[str, dict[str, float]], index: Index, precision: str) -> _Lists | None:
    """Return the lists of judged topics; None if there is none, or if a name or a score of any topic is irregular."""
    judged: list[_List] = []
    try:
        for topic, documents in lists.items():
            if documents and topic in index.number:
                judged.append(_List.of(index.number[topic], documents, index))
                continue
            _check_names(documents)
            if not np.isfinite(_doubles(documents.values(), len(documents))).all():
                return None
    except (TypeError, ValueError, OverflowError, struct.error):
        return None
    ranked = _Lists.of(judged, precision) if judged else None
    return ranked if ranked is None or np.isfinite(ranked.scores).all() else None


def ranks_of_lists(run: Any, index: Index, *, ties: str, precision: str, depth: int | None) -> DocumentRanks | None:
    """Return the ranks of the judged documents of a dictionary, as `document_ranks` returns them for it as a table.

    None where ranks are not all that is needed (costs, or several orders of ties), where no topic is judged, and where
    a run holds anything but texts as names of documents and finite numbers as scores: reading it as a table converts
    such cells or says what is wrong with them.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.judge.index import index_judgments
    >>> from metameter.types import Qrels
    >>> qrels = Qrels(pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "grade": [1.0, 0.0]}))
    >>> index, options = index_judgments(qrels), {"ties": "docid-desc", "precision": "double", "depth": None}
    >>> ranks = ranks_of_lists({"1": {"x": 1.5, "a": 1.0, "c": 1.0, "b": 0.5}}, index, **options)
    >>> ranks.position, ranks.rank, ranks.length
    (array([1, 0]), array([3, 2]), array([4]))
    >>> ranks_of_lists({"1": {"a": "1.5"}}, index, **options) is None
    True
    """
    lists = None if ties not in _TIES or index.costs is not None else plain_lists(run)
    ranked = None if lists is None else _lists_of(lists, index, precision)
    if ranked is None:
        return None
    tied = ranked.alike_next("double")
    # What single precision would change is known of lists in this order only.
    single = ties == "docid-desc" and precision == "double"
    (which, at, position), first_reordered = _ordered(ranked, index, tied, ties, single=single)
    length = np.zeros(len(index.topics), dtype=np.int64)
    length[ranked.number] = ranked.size
    rank = at - ranked.begin[which]
    if depth is not None and depth < ranked.size.max():
        within = np.flatnonzero(rank < depth)
        which, rank, position, length = which[within], rank[within], position[within], np.minimum(length, depth)
    return DocumentRanks(
        ranked.number[which],
        rank,
        np.arange(rank.size),
        position,
        length,
        tied_documents=int(np.count_nonzero(tied | np.append(False, tied)[:-1])),
        first_reordered=first_reordered,
    )


def _ordered(
    ranked: _Lists, index: Index, tied: NDArray[np.bool_], ties: str, *, single: bool
) -> tuple[Judged, NDArray[np.int64] | None]:
    """Return the judged documents with their ties in order, and ``first_reordered`` if ``single`` precision counts."""
    which, at, position = ranked.judged()
    close = ranked.alike_next("single") if single else tied
    crowded = close[at] | np.append(False, close)[at]
    if not crowded.any():
        return (which, at, position), None
    group: NDArray[np.int64] = np.cumsum(~close) - ~close
    has_judged = np.zeros(group[-1] + 1, dtype=np.bool_)
    has_judged[group[at[crowded]]] = True
    groups = _CloseGroups.of(ranked, np.flatnonzero(has_judged[group]), index, tied, ties)
    apart = which[~crowded], at[~crowded], position[~crowded]
    which, at, position = (np.concatenate(both) for both in zip(apart, groups.judged, strict=True))
    return (which, at, position), groups.first_reordered(group, index) if single else None


@dataclass(frozen=True, eq=False)
class _CloseGroups:
    """Groups of equal scores with judged documents, which are ordered by name.

    Attributes
    ----------
    ranked : _Lists
    at : ndarray
        Their positions among all lists, rising.
    doc : Names
        Their names, in the order of their scores.
    position : ndarray
        The position of each in the index, -1 if it is not there.
    order : ndarray
        Which of them is at each of these positions.
    """

    ranked: _Lists
    at: NDArray[np.int64]
    doc: Names
    position: NDArray[np.int64]
    order: NDArray[np.int64]

    @classmethod
    def of(
        cls, ranked: _Lists, at: NDArray[np.int64], index: Index, tied: NDArray[np.bool_], ties: str
    ) -> _CloseGroups:
        names, position = ranked.names_at(at, index)
        doc, order = Names.of_texts(names), np.arange(at.size)
        if ties != "input":
            order = order_of_names(doc, (np.cumsum(~tied) - ~tied)[at], falling=ties == "docid-desc")
        return cls(ranked, at, doc, position, order)

    @property
    def judged(self) -> Judged:
        """The judged documents among them, as `_Lists.judged` returns them."""
        position = self.position[self.order]
        there = position >= 0
        return self.ranked.which(self.at[there]), self.at[there], position[there]

    def first_reordered(self, group: NDArray[np.int64], index: Index) -> NDArray[np.int64]:
        """Return ``first_reordered`` of `Ranked`, if the groups are those of scores equal in single precision."""
        # A document counts by its grade; -1 is in the pool without a judgment, -2 absent from the qrels.
        counts = np.where(self.position < 0, -2.0, np.maximum(index.grade[self.position], -1.0))
        by_name = order_of_names(self.doc, group[self.at], falling=True)
        moved = self.at[counts[self.order] != counts[by_name]]
        which = self.ranked.which(moved)
        first = np.full(len(index.topics), NEVER)
        np.minimum.at(first, self.ranked.number[which], moved - self.ranked.begin[which])
        return first
