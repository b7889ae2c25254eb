"""Systems tied on few topics are seldom tied over all: how much closer two orders may be than their ties let show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metameter.stats.kendall import tau_b_of_codes
from metameter.stats.ties import tied_codes
from metameter.stats.top_weighted import tau_ap_of_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from metameter.stats.checks import Floats

__all__ = ["most_tau", "most_tau_ap"]


def most_tau(codes: NDArray[np.int64], others: NDArray[np.int64]) -> Floats:
    """tau_b of codes (..., systems) if the systems tied in one vector were in the order of the other.

    Systems tied in both stay so.

    Examples
    --------
    >>> most_tau(np.array([[0, 0, 1], [1, 1, 0]]), np.array([[0, 1, 2], [0, 1, 2]])).round(4)  # 3 : 0, 1 : 2
    array([ 1.    , -0.3333])
    """
    return tau_b_of_codes(*_broken(codes, others)).reshape(codes.shape[:-1])


def most_tau_ap(truth: NDArray[np.int64], estimate: NDArray[np.int64]) -> Floats:
    """tau_AP of codes (..., systems) if the systems tied in one vector were in the order of the other.

    Examples
    --------
    >>> most_tau_ap(np.array([[4, 3, 2, 1, 0]]), np.array([[2, 2, 1, 1, 0]]))
    array([1.])
    """
    return tau_ap_of_codes(*_broken(truth, estimate)).reshape(truth.shape[:-1])


def _broken(first: NDArray[np.int64], second: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    systems = first.shape[-1]
    one, two = first.reshape(-1, systems), second.reshape(-1, systems)
    return tied_codes(one * systems + two), tied_codes(two * systems + one)
