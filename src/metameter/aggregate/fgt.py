"""fgt: the forgetful user."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from metameter.aggregate.base import Aggregation, Coefficients
from metameter.browse.page import Page
from metameter.parameters import number
from metameter.registry import register


@register("aggregate", "fgt")
@dataclass(frozen=True, repr=False)
class Fgt(Aggregation):
    r"""A user who forgets: with each further item only a share delta of what they had remains.

    .. math:: A(1) = r_1, \quad A(i+1) = \delta A(i) + r_{i+1}

    Parameters
    ----------
    delta : float in [0, 1]
        The share that remains; 0 keeps the last item alone, 1 forgets nothing.

    References
    ----------
    moffat2022

    Examples
    --------
    >>> Fgt(delta=0.5).aggregate(Page([1, 0, 1]))
    array([1.  , 0.5 , 1.25])
    """

    delta: float = number(0.8, low=0, high=1)

    rises_with_gain = True
    rests_at_once = True
    colour = 7

    def aggregate(self, page: Page) -> NDArray[np.float64]:
        """The running sum, multiplied by delta at each step."""
        if self.delta in (0, 1):
            return page.gains if self.delta == 0 else page.cumulative_gain
        return _fading_sum(page.gains, self.delta)

    def beyond(self, page: Page, aggregated: NDArray[np.float64], gain: float = 0.0) -> Coefficients:
        """The sum fades towards the steady state of further items with that gain."""
        if self.delta == 1:
            return Coefficients(constant=aggregated[..., -1], growth=gain)
        steady = gain / (1 - self.delta)
        return Coefficients(constant=steady, forgotten=aggregated[..., -1] - steady, delta=self.delta)


def _fading_sum(gains: NDArray[np.float64], delta: float) -> NDArray[np.float64]:
    # A(i) = delta^i * sum of r_j delta^-j: all terms are positive, so nothing cancels; blocks keep delta^-j finite.
    block = max(1, int(300 / max(-math.log10(delta), 1e-6)))
    result = np.empty_like(gains)
    carried = np.zeros((*gains.shape[:-1], 1))
    for start in range(0, gains.shape[-1], block):
        part = gains[..., start : start + block]
        fade = delta ** np.arange(part.shape[-1])
        faded = (np.cumsum(part / fade, axis=-1) + carried * delta) * fade
        result[..., start : start + block] = faded
        carried = faded[..., -1:]
    return result
