"""The data-driven browsing model: the share that goes on from each rank, as observed, or drawn to that of all ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from metameter.browse.empirical import Empirical
from metameter.browse.rbp import RBP
from metameter.stats.last_viewed import smoothed_continuation, viewers_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.meta.fit.last_ranks import LastRanks

__all__ = ["MOST_RANKS", "DataDriven", "data_driven"]

#: Ranks of a data-driven model; all further ones are taken together.
MOST_RANKS = 100
_DIGITS = 4


class DataDriven(NamedTuple):
    """The model, how many viewers at each rank smoothing is worth, and how many parameters its rates amount to."""

    model: Empirical
    worth: float
    parameters: float

    @property
    def one_rate(self) -> RBP | None:
        """The model by its better known name, where all ranks have one rate: its users are those of RBP."""
        return RBP(p=self.model.observed[0]) if np.isinf(self.worth) else None


def data_driven(ranks: LastRanks, weights: NDArray[np.int64], smoothing: float | None = None) -> DataDriven:
    """The smoothed share that goes on from each rank, in as many digits as are printed.

    Examples
    --------
    >>> import polars as pl
    >>> from metameter.meta.fit.last_ranks import LastRanks
    >>> from metameter.types import Views
    >>> views = Views.of(pl.DataFrame({"grades": [[1, 0, 0]] * 10, "last": [1] * 5 + [2] * 3 + [3] * 2}))
    >>> ranks = LastRanks.of(views, 1)
    >>> data_driven(ranks, ranks.count, smoothing=0).model
    Empirical(continuation=[0.5,0.4])
    >>> alike = data_driven(ranks, ranks.count)  # five of ten and two of five: no more different than by chance
    >>> alike.model, alike.one_rate
    (Empirical(continuation=[0.4667],tail=repeat), RBP(p=0.4667))
    """
    seen = viewers_of(ranks.last, ranks.length[ranks.item], weights)
    deep = seen.reached > MOST_RANKS
    seen = seen.together_from(MOST_RANKS) if deep else seen
    rates, worth, parameters = smoothed_continuation(seen, smoothing)
    written = np.round(rates[: seen.reached], _DIGITS).tolist() or [0.0]
    if np.isinf(worth):
        return DataDriven(_for_ever(written[:1]), worth, parameters)
    # Smoothing takes ranks for alike: it has something to say of those that nobody reached, too.
    unreached = worth > 0 and len(written) < len(rates) and seen.reached > 0
    model = _for_ever(written) if deep or unreached else Empirical(continuation=written)
    return DataDriven(model, worth, parameters)


def _for_ever(rates: list[float]) -> Empirical:
    end = min(rates[-1], 1 - 10.0**-_DIGITS)
    return Empirical(continuation=[*rates[:-1], end], tail="repeat")
