"""nDCG: discounted cumulated gain against the best possible list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.ranked import Ranked
from metameter.judge.sums import Places, at_each
from metameter.metric.classic.base import Summed, above
from metameter.metric.classic.relevance import Graded
from metameter.parameters import option
from metameter.registry import register


@register("metric", "nDCG")
@dataclass(frozen=True, repr=False)
class NDCG(Graded, Summed):
    r"""A user reads down the list with falling attention; what they gain, against the best list of all.

    .. math:: nDCG@k = \frac{\sum_{i \le k} gain(g_i) / disc(i)}{\sum_{i \le k} gain(g^*_i) / disc(i)}

    where g* are the judged grades of the topic, falling.

    Parameters
    ----------
    k : int, optional
        The list, and the best list, are cut after k documents.
    b : number above 1
        The base of ``discount=jk``: the first b ranks are not discounted.
    discount : log2 or jk
        disc(i) = log2(i + 1); or, by Järvelin and Kekäläinen, 1 for i < b and log_b(i) from rank b on.
    gain : linear, exp or a table
        A document of grade g is worth g (as in trec_eval), or 2^g - 1 (as in gdeval), or what the table
        ``{grade: gain}`` says.

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
            raise MetameterError("nDCG: b is the base of discount=jk", given=self.discount, fix="Add discount=jk.")

    def parts(self, ranked: Ranked) -> tuple[Any, Any]:
        """The gain and what is left of it at each rank."""
        return self.gains(ranked), self.attention(ranked.depth)

    def counted(self, ranked: Ranked) -> Places | None:
        """The documents of worth."""
        return self.where_worth(ranked)

    def divisor(self, ranked: Ranked) -> Any:
        """The same of the best list."""
        return self.ideal(ranked)

    def divisors(self, ranked: Ranked, depths: NDArray[np.int64]) -> Any:
        """The same at each of several depths."""
        return at_each(self._ideals(ranked), depths)

    def attention(self, depth: int) -> NDArray[np.float64]:
        """One over the discount of ranks 1 to ``depth``."""
        rank = np.arange(1.0, depth + 1)
        if self.discount == "log2":
            return np.asarray(1.0 / np.log2(rank + 1.0))
        return np.asarray(1.0 / np.where(rank < self.b, 1.0, np.log(np.maximum(rank, self.b)) / np.log(self.b)))

    def dcg(self, ranked: Ranked) -> NDArray[np.float64]:
        """The discounted cumulated gain of each topic's list."""
        return self.summed(ranked.cut(self.k))

    def ideal(self, ranked: Ranked) -> NDArray[np.float64]:
        """The discounted cumulated gain of each topic's best list."""
        ideals = self._ideals(ranked)
        return ideals[:, (ideals.shape[1] if self.k is None else min(self.k, ideals.shape[1])) - 1]

    def _ideals(self, ranked: Ranked) -> NDArray[np.float64]:
        """The same down to each rank, as far as there is anything of worth."""

        def make() -> NDArray[np.float64]:
            gains = self.best_of_worth(ranked)
            return np.cumsum(gains * self.attention(gains.shape[1]), axis=1)

        return ranked.judgments.once(("nDCG", self.gain, self.discount, self.b), make)
