"""The options of `volatility`, checked before anything is read; and lists of evaluation depths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from metameter.errors import MetameterError
from metameter.meta.framework.sampling import groups_given
from metameter.meta.volatility.families import Condensed
from metameter.meta.volatility.grid import GRID_POOLS
from metameter.meta.volatility.pooling import FROM_DATA, whole_depth
from metameter.scoring.number_lists import number_list
from metameter.stats.checks import check_count, check_level, check_seed

if TYPE_CHECKING:
    from metameter.parallel import Workers


#: The depth that most people evaluate to.
COMMON_DEPTH = 10
#: About ten depths per decade from 1 to 1000, for intervals; about seven, for a study.
MANY, FEW = 28, 20
_DEEPEST, _ANY_DEPTH = 1000, 1_000_000


@dataclass(frozen=True, eq=False)
class VolatilityOptions:
    """The options of `volatility`, whose docstring describes them.

    Attributes
    ----------
    brief : bool
        As a stage of a study: all systems at about twenty depths, without residuals, with intervals of tau to the final
        ordering only.
    """

    depths: Any = None
    condensed: Condensed = "both"
    judged_to: Any = None
    include_others: bool = False
    grid: bool = False
    pools: Any = None
    groups: Any = None
    settled: float = 0.9
    resamples: int = 200
    trials: int = 2000
    alpha: float = 0.05
    seed: int = 0
    jobs: int | Workers | None = None
    progress: Callable[..., None] | None = None
    brief: bool = False

    def validated(self) -> VolatilityOptions:
        """Return the options, numbers normalised and ``groups`` read; refuse values out of range.

        Examples
        --------
        >>> VolatilityOptions(depths="5,10").validated().condensed
        'both'
        >>> VolatilityOptions(settled=1.5).validated()
        Traceback (most recent call last):
        metameter.errors.MetameterError: settled is not a probability between 0 and 1 (given 1.5, allowed: 0 < value
        < 1). Give settled as a share, such as 0.05 or 0.95.
        """
        groups = groups_given(self.groups)
        if self.judged_to is not None and not (isinstance(self.judged_to, str) and self.judged_to == FROM_DATA):
            whole_depth(self.judged_to)
        if self.condensed not in get_args(Condensed):
            allowed = ", ".join(get_args(Condensed))
            fix = "Choose one of these."
            raise MetameterError("there is no such condensed", given=self.condensed, allowed=allowed, fix=fix)
        check_level(self.settled, "settled")
        check_level(self.alpha)
        # The checks return Python numbers: the manifest holds them.
        seed, trials = check_seed(self.seed), check_count(self.trials, "trials", 2)
        resamples = check_count(self.resamples, "resamples", 2, zero="for no intervals")
        depth_list(self.depths, _ANY_DEPTH)
        if self.pools is not None:
            depth_list(self.pools, _ANY_DEPTH, "pools")
            if not self.grid:
                raise MetameterError("pools are those of the grid", given=self.pools, fix="Add grid, or leave it out.")
        return replace(self, groups=groups, seed=seed, trials=trials, resamples=resamples)

    @property
    def pool_depths(self) -> tuple[int, ...]:
        """The pool depths of the grid, also those that turn out deeper than the judgments."""
        return GRID_POOLS if self.pools is None else depth_list(self.pools, _ANY_DEPTH, "pools")

    @property
    def manifest(self) -> dict[str, Any]:
        """The options that reproduce the result."""
        names = ("condensed", "include_others", "grid", "settled", "resamples", "trials", "alpha", "seed")
        groups: Mapping[str, str] | None = self.groups
        return {
            **{name: getattr(self, name) for name in names},
            "judged_to": None if self.judged_to is None else str(self.judged_to),
            "groups": dict(groups) if groups else None,
        }


def depth_list(depths: Any, longest: int, name: str = "depths") -> tuple[int, ...]:
    """Return the depths in ascending order, each once; by default 1 to 1000, or to the end of the longest list.

    Parameters
    ----------
    depths : str, int, iterable of int, or None
        Text holds single depths and ranges, separated by commas.
    longest : int
        The length of the longest list.
    name : str
        The name of the option, for messages.

    Examples
    --------
    >>> depth_list("1-3, 10,5", 1000), depth_list([20, 10], 1000), depth_list(None, 4)
    ((1, 2, 3, 5, 10), (10, 20), (1, 2, 3, 4))
    >>> depth_list("0-5", 1000)
    Traceback (most recent call last):
    metameter.errors.MetameterError: depths is out of range (given 0, allowed: 1 or more).
    Write depths as 1-10, or as 1,3,10, or as 1-3,10.
    """
    if depths is None:
        return tuple(range(1, min(_DEEPEST, max(longest, 1)) + 1))
    return number_list(depths, name, "depth")


def spread_depths(depths: Sequence[int], most: int = MANY) -> tuple[int, ...]:
    """Return at most this many of the depths, at about equal ratios, always with the first and the last.

    Examples
    --------
    >>> spread_depths(range(1, 1001), 7)
    (1, 3, 10, 32, 100, 316, 1000)
    >>> spread_depths([5, 10], 7)
    (5, 10)
    """
    if len(depths) <= most:
        return tuple(depths)
    listed = np.asarray(depths)
    targets = np.geomspace(listed[0], listed[-1], most)
    nearest = np.abs(np.log(listed)[:, None] - np.log(targets)).argmin(axis=0)
    return tuple(int(depth) for depth in np.unique(listed[nearest]))
