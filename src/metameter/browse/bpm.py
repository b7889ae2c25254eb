"""BPM, the Bejeweled player model: a user with a goal and a budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.browse.base import Browsing
from metameter.browse.page import Page
from metameter.errors import MetameterError
from metameter.notation import Term
from metameter.parameters import number, option
from metameter.registry import register


@register("browse")
@dataclass(frozen=True, repr=False)
class BPM(Browsing):
    r"""A user who reads on until they have gathered the gain T or spent the cost K, whichever comes first.

    .. math:: C(i) = 1 \text{ while } \sum_{j \le i} r_j < T_i \text{ and } \sum_{j \le i} c_j < K_i,
        \text{ then } 0

    T and K are fixed or, if ``dynamic``, change with every item seen:
    :math:`T_{i+1} = T_i + h_b (r_i - med)` and :math:`K_{i+1} = K_i + h_c (r_i - med)`.
    Without costs, and beyond the list, an item costs 1.

    Parameters
    ----------
    T : float > 0
        The gain the user wants.
    K : float > 0
        The cost the user is willing to spend; without costs, the largest number of items read.
    dynamic : bool
        Whether good items raise T and K, and bad ones lower them.
    hb, hc : float >= 0
        How strongly an item changes T and K.
    med : float in [0, 1]
        The gain of an item that is neither good nor bad.
    bug_compatible : bool
        Reproduce cwl-eval, where only T changes and K stays fixed.

    References
    ----------
    zhang2017

    Examples
    --------
    >>> BPM(T=1, K=3).continuation(Page([0.5, 0.5, 0])), BPM(T=1, K=3).continuation(Page([0, 0, 0, 0]))
    (array([1., 0., 0.]), array([1., 1., 0., 0.]))
    >>> BPM(T=1, K=10), BPM(T=1, K=10, dynamic=True)
    (BPM(T=1,K=10), BPM(T=1,K=10,dynamic=True,hb=1,hc=1,med=0.5))
    """

    T: float = number(1, low=0, low_open=True)
    K: float = number(10, low=0, low_open=True)
    dynamic: bool = option(False, choices=(False, True))
    hb: float = number(1, low=0)
    hc: float = number(1, low=0)
    med: float = number(0.5, low=0, high=1)
    bug_compatible: bool = option(True, choices=(False, True))

    reference = "zhang2017"

    def __post_init__(self) -> None:
        super().__post_init__()
        moving = (self.hb, self.hc, self.med, self.bug_compatible)
        if not self.dynamic and moving != (1, 1, 0.5, True):
            raise MetameterError("BPM: hb, hc, med and bug_compatible need dynamic=True", fix="Add dynamic=True.")

    def term(self) -> Term:
        """The parsed name, with the parameters of the dynamic user for that user only, in the order of options."""
        plain = super().term()
        moving = {name: plain.arguments.pop(name) for name in ("hb", "hc", "med")}
        fixed = {name: plain.arguments.pop(name) for name in ("T", "K")}
        options: dict[str, Any] = plain.arguments | (moving if self.dynamic else {})
        return Term(plain.name, fixed | dict(sorted(options.items())), plain.k)

    def continuation(self, page: Page) -> NDArray[np.float64]:
        """1 while neither the goal is reached nor the budget spent, then 0."""
        goal = self._moved(self.T, self.hb if self.dynamic else 0.0, page)
        budget = self._moved(self.K, self.hc if self.dynamic and not self.bug_compatible else 0.0, page)
        wanting = (page.cumulative_gain < goal) & (page.cumulative_cost < budget)
        return np.logical_and.accumulate(wanting, axis=-1).astype(np.float64)

    def _moved(self, start: float, by: float, page: Page) -> NDArray[np.float64]:
        """The goal or the budget at each rank, changed by the items above it."""
        steps = np.empty_like(page.gains)
        steps[..., :1] = start
        steps[..., 1:] = by * (page.gains[..., :-1] - self.med)
        return np.cumsum(steps, axis=-1)
