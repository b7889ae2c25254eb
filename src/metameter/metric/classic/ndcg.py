"""nDCG, RnDCG and nDCGRel: discounted cumulated gain relative to the best list, at one depth or at several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.ranked import Ranked
from metameter.judge.sums import Cells, at_each
from metameter.metric.classic.base import Summed, above, divide
from metameter.metric.classic.relevance import Graded, pad_to_depth
from metameter.parameters import option
from metameter.registry import register


@register("metric", "nDCG")
@dataclass(frozen=True, repr=False)
class NDCG(Graded, Summed):
    r"""A user reads down the list with falling attention: the gain they collect, relative to the best possible list.

    .. math:: nDCG@k = \frac{\sum_{i \le k} gain(g_i) / disc(i)}{\sum_{i \le k} gain(g^*_i) / disc(i)}

    where g* are the judged grades of the topic in descending order.

    Parameters
    ----------
    k : int, optional
        The list, and the best list, are cut after k documents.
    b : number above 1
        The base of ``discount=jk``: the first b ranks are not discounted.
    discount : log2 or jk
        disc(i) = log2(i + 1); or, by Järvelin and Kekäläinen, 1 for i < b and log_b(i) from rank b on.
    gain : linear, exp or a table
        The gain of a document of grade g: g (as in trec_eval), 2^g - 1 (as in gdeval), or an entry of the table
        ``{grade: gain}``.

    References
    ----------
    jarvelin2002, burges2005

    Examples
    --------
    The two documents are in the wrong order: (1/1 + 2/1.585) / (2/1 + 1/1.585).

    >>> round(NDCG()([0.5, 1]), 4)
    0.8597
    >>> NDCG(gain={1: 2, 2: 5}, k=10), NDCG(discount="jk")
    (nDCG(gain={1:2,2:5})@10, nDCG(discount=jk))
    """

    discount: str = option("log2", choices=("log2", "jk"))
    b: float = above(1, default=2)
    linear = True
    distinguishes = "grade"
    reference = "jarvelin2002"
    aliases = {
        "ndcg_cut_{k}": "nDCG@{k}",
        "ndcg_burges": "nDCG(gain=exp)",
        "ndcg_burges@{k}": "nDCG(gain=exp)@{k}",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.b != 2 and self.discount != "jk":
            raise MetameterError("nDCG: b needs discount=jk", given=self.discount, fix="Add discount=jk.")

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """The gain and the discount factor of each rank."""
        return self.gains(ranked), self.attention(ranked.depth)

    def nonzero_cells(self, ranked: Ranked) -> Cells | None:
        """The documents with gain above 0."""
        return self.where_gain(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """The same sum for the best list."""
        return self.ideal(ranked)

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The divisors at each of several depths."""
        return at_each(self._ideals(ranked), depths)

    def attention(self, depth: int) -> NDArray[np.float64]:
        """One over the discount of ranks 1 to ``depth``."""
        rank = np.arange(1.0, depth + 1)
        if self.discount == "log2":
            return np.asarray(1.0 / np.log2(rank + 1.0))
        return np.asarray(1.0 / np.where(rank < self.b, 1.0, np.log(np.maximum(rank, self.b)) / np.log(self.b)))

    def dcg(self, ranked: Ranked) -> NDArray[np.float64]:
        """The discounted cumulated gain of each topic's list."""
        return self.sum_over_ranks(ranked.cut(self.k))

    def ideal(self, ranked: Ranked) -> NDArray[np.float64]:
        """The discounted cumulated gain of each topic's best list."""
        ideals = self._ideals(ranked)
        return ideals[:, (ideals.shape[1] if self.k is None else min(self.k, ideals.shape[1])) - 1]

    def _ideals(self, ranked: Ranked) -> NDArray[np.float64]:
        """The DCG of the best list down to each rank, as far as its gains are above 0."""

        def make() -> NDArray[np.float64]:
            gains = self.best_gains_above_zero(ranked)
            return np.cumsum(gains * self.attention(gains.shape[1]), axis=1)

        return ranked.judgments.once(("nDCG", self.gain, self.discount, self.b), make)


def _attention(depth: int) -> NDArray[np.float64]:
    return np.asarray(1.0 / np.log2(np.arange(2.0, depth + 2)))


@register("metric", "RnDCG")
@dataclass(frozen=True, repr=False)
class RNDCG(Graded, Summed):
    r"""The mean nDCG over the depths where the gain of the best list steps down, and at the end of the list.

    .. math:: RnDCG = \frac{1}{|S|} \sum_{s \in S} nDCG@s

    With five documents of grade 2 and three of grade 1 in the qrels, S is 5, 8 and the end of the list.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    gain : linear, exp or a table
        The gain of a document of grade g: g, 2^g - 1, or an entry of the table ``{grade: gain}``.

    References
    ----------
    trec_eval

    Examples
    --------
    The mean of nDCG@1 = 0.5 and nDCG@2 = 0.8597.

    >>> round(RNDCG()([0.5, 1]), 4)
    0.6799
    """

    cumulative = False
    linear = True
    distinguishes = "grade"
    reference = "trec_eval"

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """A gain counts once for each stop at or below it, divided by the DCG of the best list there."""
        to_come = np.cumsum(self._stops(ranked)[:, ::-1], axis=1)[:, ::-1]
        return self.gains(ranked), _attention(ranked.depth) * to_come[:, : ranked.depth]

    def divisor(self, ranked: Ranked) -> Any:
        """The number of stops, |S|."""
        return (self._stops(ranked.cut(self.k)) > 0).sum(axis=1)

    def _stops(self, ranked: Ranked) -> NDArray[np.float64]:
        # One over the DCG of the best list at stops, else 0: topics x ranks of the longer of the two lists.
        best, dcg = self._best(ranked)
        steps = (best > 0) & (best != pad_to_depth(best[:, 1:], best.shape[1]))
        ends = self._ends(ranked)[:, None] & (np.arange(1, best.shape[1] + 1) == ranked.length[:, None])
        return divide(steps * 1.0 + ends, dcg)

    def _best(self, ranked: Ranked) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        best = self.ideal_gains(ranked)
        best = pad_to_depth(best, max(best.shape[1], ranked.depth))
        return best, np.cumsum(best * _attention(best.shape[1]), axis=1)

    def _ends(self, ranked: Ranked) -> NDArray[np.bool_]:
        # As in trec_eval, the end is a further stop only if at least two ranks follow the last step.
        return np.asarray(ranked.length > (self.ideal_gains(ranked) > 0).sum(axis=1) + 1)


@register("metric", "nDCGRel")
@dataclass(frozen=True, repr=False)
class NDCGRel(Graded):
    r"""The mean nDCG at the ranks of the relevant documents; for one that is not in the list, nDCG of the whole list.

    .. math:: \frac{1}{R} \Big( \sum_{i: gain_i > 0} nDCG@i + (R - C) \, nDCG \Big)

    where R documents of the qrels have a gain above 0, C of them in the list.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    gain : linear, exp or a table
        The gain of a document of grade g: g, 2^g - 1, or an entry of the table ``{grade: gain}``.

    References
    ----------
    trec_eval

    Examples
    --------
    >>> round(NDCGRel()([0.5, 1]), 4)
    0.6799
    """

    distinguishes = "grade"
    reference = "trec_eval"
    aliases = {"ndcg_rel": "nDCGRel"}

    def values(self, ranked: Ranked) -> NDArray[np.float64]:
        """One score per topic."""
        ranked = ranked.cut(self.k)
        gains, best = self.gains(ranked), self.ideal_gains(ranked)
        dcg = np.cumsum(gains * _attention(ranked.depth), axis=1)
        best_dcg = best * _attention(best.shape[1])
        at_rank = divide(dcg, np.cumsum(pad_to_depth(best_dcg, ranked.depth), axis=1))
        missed = (best > 0).sum(axis=1) - (gains > 0).sum(axis=1)
        whole = divide((gains * _attention(ranked.depth)).sum(axis=1), best_dcg.sum(axis=1))
        return divide((at_rank * (gains > 0)).sum(axis=1) + missed * whole, (best > 0).sum(axis=1))
