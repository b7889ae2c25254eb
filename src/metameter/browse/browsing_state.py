"""The state of users on a page: view, continuation and last follow from each other; beyond the page there is a tail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.sums import FEW, by_rank, sum_down

Sums: TypeAlias = "NDArray[np.float64]"


class Tail:
    """Sums over all ranks i > n beyond the end of a list, for each list.

    Parameters
    ----------
    view : ndarray, or function that returns one
        The sum of the probabilities that rank i is viewed (infinite where they never fade).
    last : ndarray
        The sum of the probabilities that rank i is the last one viewed.
    last_per_rank : ndarray, or function that returns one
        The sum of the same probabilities, each divided by i.
    discounted_last : function
        From delta to the sum of the same probabilities, each times delta^(i-n).
    error : ndarray or float
        A bound on the error of a numerical sum; 0 for closed forms. `explain` shows it.
    """

    def __init__(
        self,
        view: Sums | Callable[[], Sums],
        last: Sums,
        last_per_rank: Sums | Callable[[], Sums],
        discounted_last: Callable[[float], Sums],
        error: Sums | float = 0.0,
    ) -> None:
        self.last = last
        self.discounted_last = discounted_last
        self.error = error
        self._view = view
        self._last_per_rank = last_per_rank

    @classmethod
    def later(
        cls,
        last: Sums,
        *,
        view: Callable[[], Sums],
        last_per_rank: Callable[[], Sums],
        discounted_last: Callable[[float], Sums],
        error: Sums | float = 0.0,
    ) -> Tail:
        """Make a tail whose sums are computed on first use, since few aggregations need all of them.

        Examples
        --------
        >>> tail = Tail.later(np.array(1.0), view=lambda: 1 / 0, last_per_rank=lambda: 1 / 0, discounted_last=abs)
        >>> float(tail.last)
        1.0
        """
        return cls(view, last, last_per_rank, discounted_last, error)

    @cached_property
    def view(self) -> Sums:
        """The sum of the probabilities that rank i is viewed."""
        return self._view() if callable(self._view) else self._view

    @cached_property
    def last_per_rank(self) -> Sums:
        """The sum of the probabilities that rank i is the last one viewed, each divided by i."""
        return self._last_per_rank() if callable(self._last_per_rank) else self._last_per_rank

    @classmethod
    def none(cls, like: Sums) -> Tail:
        """The tail where no user gets beyond the end."""
        zero = np.zeros_like(like)
        return cls(zero, zero, zero, lambda delta: zero)

    @classmethod
    def endless(cls, beyond: Sums) -> Tail:
        """The tail where users who get beyond the end never leave."""
        zero = np.zeros_like(beyond)
        return cls(lambda: np.where(beyond > 0, np.inf, 0.0), zero, zero, lambda delta: zero)


@dataclass(frozen=True, eq=False)
class BrowsingState:
    """The probabilities of viewing, continuing and leaving at each rank of a page.

    Attributes
    ----------
    continuation, view, last : ndarray, ... x ranks
    beyond : ndarray
        The share of users who go on past the last rank.
    tail : Tail
        Their sums beyond the last rank.
    viewed_always : float, optional
        The expected number of items viewed, where it is known without a sum.
    """

    continuation: NDArray[np.float64]
    view: NDArray[np.float64]
    last: NDArray[np.float64]
    beyond: NDArray[np.float64]
    tail: Tail
    viewed_always: float | None = None

    @cached_property
    def last_by_rank(self) -> NDArray[np.float64]:
        """``last`` in a memory layout that is fast to multiply with many aggregations."""
        return by_rank(self.last)

    @cached_property
    def viewed(self) -> NDArray[np.float64]:
        """The expected number of items viewed."""
        if self.viewed_always is not None:
            return np.full(self.view.shape[:-1], self.viewed_always)
        return np.asarray(per_list(sum_down, self.view) + self.tail.view)

    @property
    def weight(self) -> NDArray[np.float64]:
        """The share of attention that each rank gets."""
        return np.asarray(self.view / self.viewed[..., None])


def per_list(work: Callable[..., NDArray[np.float64]], *arrays: NDArray[np.float64]) -> NDArray[np.float64]:
    """Apply ``work`` to arrays, ... x ranks; to a single row where all lists have the same one.

    Examples
    --------
    >>> per_list(lambda view: view.sum(axis=-1), np.broadcast_to([1.0, 0.5], (2, 2)))
    array([1.5, 1.5])
    """
    if arrays[0].size < FEW or any(any(each.strides[:-1]) for each in arrays):
        return work(*arrays)
    result = work(*map(one_for_all, arrays))
    return np.broadcast_to(result, arrays[0].shape[:-1] + result.shape)


def one_for_all(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The single row of an array, ... x ranks, that repeats one row for all lists; else the array itself.

    Examples
    --------
    >>> one_for_all(np.broadcast_to([1.0, 0.5], (2, 2))), one_for_all(np.ones((1, 2)))
    (array([1. , 0.5]), array([[1., 1.]]))
    """
    if any(values.strides[:-1]) or not values.size:
        return values
    return np.asarray(values[(0,) * (values.ndim - 1)])


def view_of_continuation(continuation: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probability of viewing ranks 1 to n+1, given that of going on from each rank.

    Examples
    --------
    >>> view_of_continuation(np.array([0.8, 0.5]))
    array([1. , 0.8, 0.4])
    """
    view = np.empty((*continuation.shape[:-1], continuation.shape[-1] + 1))
    view[..., 0] = 1.0
    np.cumprod(continuation, axis=-1, out=view[..., 1:])
    return view


def view_of_last(last: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probability of viewing ranks 1 to n+1, given that of leaving after each rank.

    Examples
    --------
    >>> view_of_last(np.array([0.5, 0.25]))
    array([1.  , 0.5 , 0.25])
    """
    view = np.ones((*last.shape[:-1], last.shape[-1] + 1))
    view[..., 1:] -= np.cumsum(last, axis=-1)
    # What remains of 1 after subtracting parts that sum to 1 is rounding error, not users who read on for ever.
    view[view < 1e-15] = 0.0
    return view


def continuation_of_view(view: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probability of going on from ranks 1 to n, given the view of ranks 1 to n+1; 0/0 is 0.

    Examples
    --------
    >>> continuation_of_view(np.array([1, 0.8, 0.4, 0, 0]))
    array([0.8, 0.5, 0. , 0. ])
    """
    here, there = view[..., :-1], view[..., 1:]
    return np.asarray(np.divide(there, here, out=np.zeros(here.shape), where=here > 0))


def check_probabilities(continuation: NDArray[np.float64], model: object) -> None:
    """Refuse a model whose users go on with a probability outside [0, 1].

    Examples
    --------
    >>> check_probabilities(np.array([0.5, 1.5]), "Mine")
    Traceback (most recent call last):
    metameter.errors.MetameterError: Mine: the probability of going on from rank 2 is outside [0, 1] (given 1.5).
    Correct what the model defines: continuation, weight or last.
    """
    wrong = np.argwhere(~((continuation >= 0) & (continuation <= 1 + 1e-12)))
    if wrong.size:
        first = tuple(wrong[wrong[:, -1].argmin()])
        what = f"{model}: the probability of going on from rank {first[-1] + 1} is outside [0, 1]"
        fix = "Correct what the model defines: continuation, weight or last."
        raise MetameterError(what, given=float(continuation[first]), fix=fix)
