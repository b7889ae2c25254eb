"""How the systems' means and their order move along depth: agreement with the final order, crossings, falls, range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from metameter.errors import MetameterError
from metameter.stats.checks import Floats, as_finite, tolerance
from metameter.stats.rank_correlation.concordance import count_pairs
from metameter.stats.rank_correlation.kendall import tau_b_of_codes
from metameter.stats.rank_correlation.tau_ap import tau_ap_of_codes
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Orderings:
    """The order of the systems at every depth; all arrays (..., depths).

    Where all systems are tied at a depth, nothing is ordered there: taus that need that depth are NaN.

    Attributes
    ----------
    tau_to_final, tau_ap_to_final : ndarray
        tau_b, and tau_AP with the final order as the truth, between the order at a depth and the final one. Systems
        that are tied at a depth lower tau_AP even where they are tied in the final order too.
    tau_to_previous : ndarray
        tau_b between the order at a depth and at the one before; NaN at the first.
    crossings : ndarray of int
        Pairs of systems in strict order at a depth and at the one before, in opposite orders; 0 at the first.
    falls : ndarray of int
        Systems whose mean is lower than at the depth before; 0 at the first.
    range : ndarray
        The highest mean less the lowest.
    """

    tau_to_final: Floats
    tau_ap_to_final: Floats
    tau_to_previous: Floats
    crossings: NDArray[np.int64]
    falls: NDArray[np.int64]
    range: Floats


def orderings(means: ArrayLike, final: ArrayLike | None = None) -> Orderings:
    """Compare the order of the systems at every depth with the final one and with that at the depth before.

    Means are compared with a tolerance of 1e-12 of the largest, see `tied_codes`: what differs by rounding is tied,
    and a fall by rounding is none.

    Parameters
    ----------
    means : array-like, (..., depths, systems)
        At rising depths.
    final : array-like, (..., systems), optional
        The final means; by default those at the last depth.

    Examples
    --------
    >>> found = orderings([[0.5, 0.4, 0.1], [0.5, 0.6, 0.2], [0.7, 0.6, 0.3]])  # three depths, three systems
    >>> found.tau_to_final.round(2), found.crossings, found.falls
    (array([1.  , 0.33, 1.  ]), array([0, 1, 1]), array([0, 0, 0]))
    """
    values = as_finite(means, "means", ndim=2)
    codes = tied_codes(values)
    last = codes[..., -1, :] if final is None else tied_codes(_fitting(final, values))
    falls = np.zeros(codes.shape[:-1], dtype=np.int64)
    crossings = np.zeros_like(falls)
    before, after = _neighbours(codes)
    crossings[..., 1:] = count_pairs(before, after).discordant.reshape(crossings[..., 1:].shape)
    zero = tolerance(values)
    fallen = values[..., :-1, :] - values[..., 1:, :] > np.maximum(zero[..., :-1, :], zero[..., 1:, :])
    falls[..., 1:] = fallen.sum(axis=-1)
    return Orderings(
        tau_to_last(codes, last),
        tau_ap_to_last(codes, last),
        tau_to_previous(codes),
        crossings,
        falls,
        values.max(axis=-1) - values.min(axis=-1),
    )


def tau_to_last(codes: Codes, last: Codes) -> Floats:
    """tau_b between codes (..., depths, systems) and those of the final means, (..., systems).

    Examples
    --------
    >>> tau_to_last(np.array([[0, 0, 0], [2, 1, 0], [0, 1, 2]]), np.array([0, 1, 2]))
    array([nan, -1.,  1.])
    """
    return tau_b_of_codes(*_against(codes, last)).reshape(codes.shape[:-1])


def tau_ap_to_last(codes: Codes, last: Codes) -> Floats:
    """tau_AP of codes (..., depths, systems), with those of the final means (..., systems) as the truth.

    Examples
    --------
    >>> tau_ap_to_last(np.array([[0, 0, 0], [2, 1, 0], [0, 2, 1]]), np.array([0, 1, 2]))
    array([nan, -1.,  0.])
    """
    here, truth = _against(codes, last)
    ordered = (here.max(axis=-1) > 0) & (truth.max(axis=-1) > 0)
    return np.where(ordered, tau_ap_of_codes(truth, here), np.nan).reshape(codes.shape[:-1])


def tau_to_previous(codes: Codes) -> Floats:
    """tau_b between the codes at each depth (..., depths, systems) and at the one before; NaN at the first.

    Examples
    --------
    >>> tau_to_previous(np.array([[0, 1, 2], [0, 1, 2], [2, 1, 0]]))
    array([nan,  1., -1.])
    """
    taus = np.full(codes.shape[:-1], np.nan)
    taus[..., 1:] = tau_b_of_codes(*_neighbours(codes)).reshape(taus[..., 1:].shape)
    return taus


def _neighbours(codes: Codes) -> tuple[Codes, Codes]:
    systems = codes.shape[-1]
    return codes[..., :-1, :].reshape(-1, systems), codes[..., 1:, :].reshape(-1, systems)


def _against(codes: Codes, last: Codes) -> tuple[Codes, Codes]:
    systems = codes.shape[-1]
    return codes.reshape(-1, systems), np.broadcast_to(last[..., None, :], codes.shape).reshape(-1, systems)


def _fitting(final: ArrayLike, means: Floats) -> Floats:
    given = as_finite(final, "final means")
    allowed = (*means.shape[:-2], means.shape[-1])
    if given.shape != allowed:
        fix = "Give one final mean for each system, and row if there are any."
        raise MetameterError("final means do not fit the means", given=given.shape, allowed=str(allowed), fix=fix)
    return given
