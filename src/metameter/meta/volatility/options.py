"""What `volatility` is asked to do, checked before anything is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

from metameter.errors import MetameterError
from metameter.meta.framework.sampling import groups_given
from metameter.meta.volatility.depths import depth_list
from metameter.meta.volatility.families import Condensed
from metameter.meta.volatility.grid import GRID_POOLS
from metameter.meta.volatility.pooling import FROM_DATA, whole_depth
from metameter.stats.checks import check_count, check_level, check_seed

if TYPE_CHECKING:
    from metameter.parallel import Workers


_ANY_DEPTH = 1_000_000


@dataclass(frozen=True, eq=False)
class Asked:
    """The options of `volatility`; its docstring says what they mean.

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
    groups: Mapping[str, str] | None = None
    settled: float = 0.9
    resamples: int = 200
    trials: int = 2000
    alpha: float = 0.05
    seed: int = 0
    jobs: int | Workers | None = None
    progress: Callable[..., None] | None = None
    brief: bool = False

    @classmethod
    def of(cls, **given: Any) -> Asked:
        """The options, or a refusal of what they cannot be.

        Examples
        --------
        >>> Asked.of(depths="5,10").condensed
        'both'
        >>> Asked.of(settled=1.5)
        Traceback (most recent call last):
        metameter.errors.MetameterError: settled is not a probability between 0 and 1 (given 1.5, allowed: 0 < value
        < 1). Give settled as a share, such as 0.05 or 0.95.
        """
        asked = cls(**{**given, "groups": groups_given(given.get("groups"))})
        if asked.judged_to is not None and not (isinstance(asked.judged_to, str) and asked.judged_to == FROM_DATA):
            whole_depth(asked.judged_to)
        if asked.condensed not in get_args(Condensed):
            allowed = ", ".join(get_args(Condensed))
            fix = "Choose one of these."
            raise MetameterError("there is no such condensed", given=asked.condensed, allowed=allowed, fix=fix)
        check_level(asked.settled, "settled")
        check_level(asked.alpha)
        # Of Python, whatever they were: a manifest names them.
        seed, trials = check_seed(asked.seed), check_count(asked.trials, "trials", 2)
        resamples = check_count(asked.resamples, "resamples", 2, zero="for no intervals")
        depth_list(asked.depths, _ANY_DEPTH)
        if asked.pools is not None:
            depth_list(asked.pools, _ANY_DEPTH, "pools")
            if not asked.grid:
                raise MetameterError("pools are those of the grid", given=asked.pools, fix="Add grid, or leave it out.")
        return replace(asked, seed=seed, trials=trials, resamples=resamples)

    @property
    def pool_depths(self) -> tuple[int, ...]:
        """The pools of the grid, as far as they are shallower than the judgments' own."""
        return GRID_POOLS if self.pools is None else depth_list(self.pools, _ANY_DEPTH, "pools")

    @property
    def manifest(self) -> dict[str, Any]:
        """What it takes to compute the same again."""
        names = ("condensed", "include_others", "grid", "settled", "resamples", "trials", "alpha", "seed")
        return {
            **{name: getattr(self, name) for name in names},
            "judged_to": None if self.judged_to is None else str(self.judged_to),
            "groups": dict(self.groups) if self.groups else None,
        }
