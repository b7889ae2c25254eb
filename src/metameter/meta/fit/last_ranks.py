"""How likely a browsing model makes the ranks that users viewed last, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.meta.label_agreement.question import counts_of_labels
from metameter.metric.product import Product
from metameter.registry import get
from metameter.scoring.pages import ranked_pages
from metameter.types.labelled_pages import GradeLists

if TYPE_CHECKING:
    from metameter.browse.base import Browsing
    from metameter.judge.ranked import Ranked
    from metameter.stats.checks import Floats
    from metameter.types.labelled_pages import Views


#: Where a model says never, its lapses are at least this share; and to this a share is found.
_LEAST = 1e-9

# So many bytes of probabilities are kept: with millions of distinct pages that is a few models, and others are asked
# again.
_MOST_KEPT = 1 << 26
#: So many pages are asked at a time.
_BLOCK = 1 << 14


@dataclass(frozen=True, eq=False)
class LastRanks:
    """Pages and the ranks viewed last on them.

    Attributes
    ----------
    views : Views
    max_grade : float
    item, last, count : ndarray of int, (entries,)
        Which distinct page, which rank from 1, how often.
    """

    views: Views
    max_grade: float
    item: NDArray[np.int64]
    last: NDArray[np.int64]
    count: NDArray[np.int64]
    _known: dict[str, Floats] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, views: Views, max_grade: float) -> LastRanks:
        """Those of all rows, all users together: an entry a distinct page and rank."""
        counts = counts_of_labels(views)
        item, level = counts.cells.T
        return cls(views, max_grade, item, views.levels[level].astype(np.int64), counts.by_cell)

    @property
    def length(self) -> NDArray[np.int64]:
        """How many results each distinct page has."""
        return self.views.lists[0].length

    @property
    def longest(self) -> int:
        """How many results the longest page has."""
        return int(self.length.max(initial=1))

    @cached_property
    def _blocks(self) -> list[Ranked]:
        """The distinct pages, so many at a time: what a model computes of them takes many times the memory of both."""
        lists = self.views.lists[0]
        starts = range(0, len(lists.length), _BLOCK)
        blocks = [GradeLists(lists.grades[at : at + _BLOCK], lists.length[at : at + _BLOCK]) for at in starts]
        return [ranked_pages(block, self.max_grade) for block in blocks]

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """Where the entries of each block end: they are in the order of their pages."""
        return np.searchsorted(self.item, np.arange(1, len(self._blocks) + 1) * _BLOCK)

    def _by_block(self, model: Browsing) -> Iterator[Floats]:
        product, ranks = Product(model, get("aggregate", "max")()), np.arange(1, self.longest + 1)
        return (_leaving(product, each, ranks) for each in self._blocks)

    def pages(self, model: Browsing) -> Floats:
        """The probability that each rank is viewed last on each distinct page, (items, longest)."""
        return np.concatenate(list(self._by_block(model)))

    def own(self, model: Browsing) -> Floats:
        """The probability that the model gives to each entry."""
        name = str(model)
        if name not in self._known:  # every fold asks for the same models
            if len(self._known) * self.item.nbytes > _MOST_KEPT:
                self._known.clear()
            self._known[name] = self.asked_once(model)
        return self._known[name]

    def asked_once(self, model: Browsing) -> Floats:
        """The same of a model that nobody will ask for again."""
        found, start = np.empty(len(self.item)), 0
        for number, (end, block) in enumerate(zip(self._ends, self._by_block(model), strict=True)):
            found[start:end] = block[self.item[start:end] - number * _BLOCK, self.last[start:end] - 1]
            start = end
        return found

    def logarithms(self, own: Floats, lapse: float = 0.0) -> Floats:
        """The logarithms of the probabilities of all entries, from those of a model, and a share of lapses."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log((1.0 - lapse) * own + lapse / self.length[self.item]))

    @property
    def occurs(self) -> Floats:
        """How often each distinct page occurs."""
        return np.bincount(self.item, weights=self.count, minlength=len(self.length)).astype(np.float64)

    @property
    def any_rank(self) -> Floats:
        """The probability of each rank of each distinct page where all are as likely, (items, longest)."""
        length = self.length[:, None]
        return np.where(np.arange(1, self.longest + 1) <= length, 1.0 / length, 0.0)

    def chances(self, model: Browsing, lapse: float = 0.0) -> Floats:
        """The probability that each rank is viewed last on each distinct page, lapses included, (items, longest)."""
        return np.asarray((1.0 - lapse) * self.pages(model) + lapse * self.any_rank)

    def log_likelihood(self, model: Browsing, lapse: float = 0.0, weights: NDArray[np.int64] | None = None) -> float:
        """The logarithm of the probability of all that was observed, or of entries that occur so often.

        In a share of cases, ``lapse``, any rank of the page is as likely.
        """
        count = self.count if weights is None else weights
        seen = count > 0
        chances = (1.0 - lapse) * self.own(model)[seen] + lapse / self.length[self.item[seen]]
        with np.errstate(divide="ignore"):
            return float((count[seen] * np.log(chances)).sum())

    def expected(self, model: Browsing, lapse: float = 0.0) -> Floats:
        """On how many of the pages each rank would be viewed last, (longest,)."""
        return np.asarray(self.occurs @ self.chances(model, lapse))

    @property
    def observed(self) -> Floats:
        """On how many pages each rank was viewed last, (longest,)."""
        return np.bincount(self.last - 1, weights=self.count, minlength=self.longest).astype(np.float64)


def _leaving(product: Product, ranked: Ranked, ranks: NDArray[np.int64]) -> Floats:
    """The probability that each rank is viewed last on each page."""
    page = product.page(ranked)
    view, _ = product.model.reading(page)
    view = np.broadcast_to(view, (*page.gains.shape[:-1], view.shape[-1]))
    ranked.memo.clear()  # what models know of all pages takes many times the memory of the result
    depth, length = len(ranks) + 1, ranked.length[:, None]
    viewed = np.zeros((len(view), depth))
    viewed[:, : min(depth, view.shape[1])] = view[:, :depth]
    # Whoever would read on past the end of a page has viewed its last result last.
    leaving = viewed[:, :-1] - viewed[:, 1:]
    found = np.where(ranks < length, leaving, np.where(ranks == length, viewed[:, :-1], 0.0))
    return np.asarray(np.maximum(found, 0.0))


def likeliest(ranks: LastRanks, model: Browsing, weights: NDArray[np.int64]) -> float:
    """The share of lapses that makes the ranks likeliest, between 0 and 1.

    Every model may have lapses, not only one that says never of what was observed: else a single row that is
    impossible would make a model likelier than one for which all rows are merely very unlikely.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.browse.prec import Prec
    >>> from metameter.browse.rbp import RBP
    >>> from metameter.types import Views
    >>> views = Views.of(pl.DataFrame({"grades": [[1, 0]] * 10, "last": [2] * 9 + [1]}))
    >>> ranks = LastRanks.of(views, 1)
    >>> round(likeliest(ranks, Prec(k=2), ranks.count), 3)  # 9 of 10 go to the end, half of the lapses do, too
    0.2
    >>> likeliest(ranks, RBP(p=0.8), ranks.count)  # fewer lapses than none are needed
    0.0
    """
    from scipy.optimize import brentq

    seen = weights > 0
    own, even, often = ranks.own(model)[seen], 1.0 / ranks.length[ranks.item[seen]], weights[seen]

    def slope(lapse: float) -> float:
        # The likelihood is concave in the lapse: its slope only falls.
        return float((often * ((even - own) / ((1.0 - lapse) * own + lapse * even))).sum())

    low = _LEAST if (own <= 0).any() else 0.0
    if slope(low) <= 0:
        return 0.0
    return 1.0 if slope(1.0) >= 0 else float(brentq(slope, low, 1.0, xtol=_LEAST))
