"""The likelihood of the ranks that users viewed last under a browsing model, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from metameter.browse.page import Page
from metameter.judge.gain import gain_map, total_gain
from metameter.meta.label_agreement.question import counts_of_labels
from metameter.scoring.pages import ranked_pages
from metameter.types.labelled_pages import GradeLists

if TYPE_CHECKING:
    from metameter.browse.base import Browsing
    from metameter.stats.checks import Floats
    from metameter.types.labelled_pages import Views


#: If a model rules out an observed rank, its lapse rate is at least this; lapse rates are computed to this precision.
_LEAST = 1e-9

#: The cached probabilities of entries take at most this many bytes: with millions of distinct pages, a few models.
_MOST_CACHED = 1 << 25
#: Models are evaluated on this many pages at a time: the arrays fit the cache of a core, and memory stays bounded.
_BLOCK = 1 << 12


@dataclass(frozen=True, eq=False)
class LastRanks:
    """Distinct pages, the ranks viewed last on them, and how often each combination occurred.

    Attributes
    ----------
    views : Views
    max_grade : float
    item, last, count : ndarray of int, (entries,)
        The distinct page, the rank from 1, and how often that rank was viewed last on that page; sorted by page.
    """

    views: Views
    max_grade: float
    item: NDArray[np.int64]
    last: NDArray[np.int64]
    count: NDArray[np.int64]
    _cache: dict[str, Floats] = field(default_factory=dict, repr=False)
    _total_gains: dict[str, Floats] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, views: Views, max_grade: float) -> LastRanks:
        """The entries of all rows, all users together."""
        counts = counts_of_labels(views)
        item, level = counts.cells.T
        return cls(views, max_grade, item, views.levels[level].astype(np.int64), counts.by_cell)

    @property
    def length(self) -> NDArray[np.int64]:
        """The number of results on each distinct page."""
        return self.views.lists[0].length

    @property
    def longest(self) -> int:
        """The number of results on the longest page."""
        return int(self.length.max(initial=1))

    @cached_property
    def entry_length(self) -> NDArray[np.int64]:
        """The number of results on the page of each entry."""
        return np.asarray(self.length[self.item])

    def probabilities(self, model: Browsing, *, cache: bool = True) -> Floats:
        """The probability of each entry under the model.

        Parameters
        ----------
        model : Browsing
        cache : bool
            Whether to keep the result: every fold evaluates the same candidates.
        """
        name = str(model)
        if name in self._cache:
            return self._cache[name]
        probabilities = np.empty(len(self.item))
        for block, view in self._viewing(model):
            entries = slice(*np.searchsorted(self.item, (block.start, block.stop)))
            row, last = self.item[entries] - block.start, self.last[entries]
            here = view[row, last - 1]
            # A user who would read on past the end of a page viewed its last result last.
            leaving = np.where(last < self.entry_length[entries], here - view[row, last], here)
            np.maximum(leaving, 0.0, out=probabilities[entries])
        if cache:
            if len(self._cache) * self.item.nbytes > _MOST_CACHED:
                self._cache.clear()
            self._cache[name] = probabilities
        return probabilities

    def log_probabilities(self, probabilities: Floats, lapse: float = 0.0) -> Floats:
        """The logarithms of the probabilities of all entries under a model with this lapse rate."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log((1.0 - lapse) * probabilities + lapse / self.entry_length))

    def log_likelihood(self, model: Browsing, lapse: float = 0.0, weights: NDArray[np.int64] | None = None) -> float:
        """The log-likelihood of all observations, or of entries with these weights instead of their counts.

        With probability ``lapse`` the last rank is uniform over the page.
        """
        count, own, length = self.count if weights is None else weights, self.probabilities(model), self.entry_length
        positive = count > 0
        if not positive.all():
            count, own, length = count[positive], own[positive], length[positive]
        with np.errstate(divide="ignore"):
            return float((count * np.log((1.0 - lapse) * own + lapse / length if lapse else own)).sum())

    @property
    def occurs(self) -> Floats:
        """How often each distinct page occurs."""
        return np.bincount(self.item, weights=self.count, minlength=len(self.length)).astype(np.float64)

    def uniform(self, pages: slice) -> Floats:
        """The uniform probability of each rank of some of the distinct pages, (pages, longest)."""
        length = self.length[pages, None]
        return np.where(np.arange(1, self.longest + 1) <= length, 1.0 / length, 0.0)

    def chances(self, model: Browsing, lapse: float = 0.0) -> Iterator[tuple[slice, Floats]]:
        """Blocks of the distinct pages, and the probability that each rank is viewed last on them, (pages, longest)."""
        ranks = np.arange(1, self.longest + 1)
        for block, view in self._viewing(model):
            length = self.length[block, None]
            leaving = view[:, :-1] - view[:, 1:]
            np.copyto(leaving, np.where(ranks == length, view[:, :-1], 0.0), where=ranks >= length)
            np.maximum(leaving, 0.0, out=leaving)
            yield block, (1.0 - lapse) * leaving + lapse * self.uniform(block) if lapse else leaving

    def expected(self, model: Browsing, lapse: float = 0.0) -> Floats:
        """The expected number of pages on which each rank is viewed last, (longest,)."""
        occurs, parts = self.occurs, self.chances(model, lapse)
        return np.asarray(sum(occurs[block] @ chances for block, chances in parts))

    @property
    def observed(self) -> Floats:
        """The number of pages on which each rank was viewed last, (longest,)."""
        return np.bincount(self.last - 1, weights=self.count, minlength=self.longest).astype(np.float64)

    def _viewing(self, model: Browsing) -> Iterator[tuple[slice, Floats]]:
        """The probability that ranks 1 to longest + 1 are viewed, block by block of distinct pages."""
        grades, depth = self.views.lists[0].grades, self.longest + 1
        gain, total = gain_map(model.gain), self._total_gain(model)
        for start in range(0, len(grades), _BLOCK):
            block = slice(start, min(start + _BLOCK, len(grades)))
            # A grade below 0 is no judgment, and NaN is none: both have no gain.
            judged = np.where(grades[block] >= 0, grades[block], 0.0)
            page = Page.trusted(gain.gains(judged, self.max_grade), total_gain=total[block])
            view, _ = model.reading(page if model.k is None else page.resized(model.k))
            if view.shape[-1] >= depth:
                yield block, np.broadcast_to(view[..., :depth], (len(judged), depth))
            else:
                padded = np.zeros((len(judged), depth))
                padded[:, : view.shape[-1]] = view
                yield block, padded

    def _total_gain(self, model: Browsing) -> Floats:
        """The gain of all results of each distinct page: its recall base."""
        spec = str(gain_map(model.gain))
        if spec not in self._total_gains:
            lists, parts = self.views.lists[0], []
            for start in range(0, len(lists.length), _BLOCK):
                block = GradeLists(lists.grades[start : start + _BLOCK], lists.length[start : start + _BLOCK])
                parts.append(total_gain(ranked_pages(block, self.max_grade).judgments, model.gain))
            self._total_gains[spec] = np.concatenate(parts)
        return self._total_gains[spec]


def likeliest_lapse(ranks: LastRanks, model: Browsing, weights: NDArray[np.int64]) -> float:
    """The lapse rate, between 0 and 1, that maximises the likelihood.

    Every model may have lapses, not only one that rules out an observed rank: otherwise a single impossible row would
    favour a model over one under which all rows are merely very unlikely.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.browse.prec import Prec
    >>> from metameter.browse.rbp import RBP
    >>> from metameter.types import Views
    >>> views = Views.of(pl.DataFrame({"grades": [[1, 0]] * 10, "last": [2] * 9 + [1]}))
    >>> ranks = LastRanks.of(views, 1)
    >>> round(likeliest_lapse(ranks, Prec(k=2), ranks.count), 3)  # 9 of 10 go to the end, as half of the lapses do
    0.2
    >>> likeliest_lapse(ranks, RBP(p=0.8), ranks.count)  # a negative rate would be likelier still
    0.0
    """
    from scipy.optimize import brentq

    positive = weights > 0
    arrays = [ranks.probabilities(model)[positive], 1.0 / ranks.entry_length[positive], weights[positive]]

    def slope(lapse: float) -> float:
        # The log-likelihood is concave in the lapse rate, so its slope decreases.
        own, uniform, often = arrays
        return float((often * ((uniform - own) / ((1.0 - lapse) * own + lapse * uniform))).sum())

    low = _LEAST if (arrays[0] <= 0).any() else 0.0
    if slope(low) <= 0:
        return 0.0
    lapse = 1.0 if slope(1.0) >= 0 else float(brentq(slope, low, 1.0, xtol=_LEAST))
    arrays.clear()  # SciPy's wrapper of `slope` is a reference cycle, which would hold them until it is collected
    return lapse
