"""Arrays that are computed from a run besides its scores, while it is in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from metameter.judge.ranked import Ranked
    from metameter.scoring.cache import Arrays


def by_topic(blocks: Sequence[Arrays]) -> Arrays:
    """Concatenate the arrays of blocks of topics along the topics, their last axis.

    Examples
    --------
    >>> by_topic([{"low": np.zeros((1, 2))}, {"low": np.ones((1, 1))}])
    {'low': array([[0., 0., 1.]])}
    """
    if len(blocks) == 1:
        return blocks[0]
    return {name: np.concatenate([block[name] for block in blocks], axis=-1) for name in blocks[0]}


@dataclass(frozen=True)
class Observation:
    """Named arrays that a function computes from a run and its judgments.

    Attributes
    ----------
    names : tuple of str
        The names of the arrays; none may have the name of a metric.
    function : callable, optional
        ``function(ranked, **given)`` gives the arrays by name; defined at the top of a module.
    given : mapping
        What else the function is called with: plain data with an exact repr.
    reaches : tuple of int or None
        The deepest ranks that the function looks at; None for all ranks.
    joined : callable
        From the arrays of all blocks of topics, in their order, to those of the run.
    """

    names: tuple[str, ...] = ()
    function: Callable[..., Arrays] | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    reaches: tuple[int | None, ...] = ()
    joined: Callable[[Sequence[Arrays]], Arrays] = by_topic

    def of(self, ranked: Ranked) -> Arrays:
        """Return the arrays of one run, or of a block of its topics."""
        return {} if self.function is None else self.function(ranked, **self.given)

    @property
    def keys(self) -> dict[str, str]:
        """Name -> a key for how the array is made."""
        from metameter.scoring.cache import digest, source_of

        return {name: digest(name, source_of(self.function), self.given) for name in self.names}


@dataclass(frozen=True)
class Observations:
    """Several observations, computed together.

    Examples
    --------
    >>> Observations((Observation(("tied",), reaches=(10,)), Observation(("length",), reaches=(None,)))).names
    ('tied', 'length')
    """

    parts: tuple[Observation, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all arrays."""
        return tuple(name for part in self.parts for name in part.names)

    @property
    def reaches(self) -> tuple[int | None, ...]:
        """The deepest ranks that any of them looks at."""
        return tuple(reach for part in self.parts for reach in part.reaches)

    def of(self, ranked: Ranked) -> Arrays:
        """Return the arrays of one run, or of a block of its topics."""
        return {name: array for part in self.parts for name, array in part.of(ranked).items()}

    def joined(self, blocks: Sequence[Arrays]) -> Arrays:
        """Join the arrays of all blocks of topics."""
        if len(blocks) == 1:
            return blocks[0]
        mine = [[{name: block[name] for name in part.names} for block in blocks] for part in self.parts]
        return {k: v for part, own in zip(self.parts, mine, strict=True) for k, v in part.joined(own).items()}

    @property
    def keys(self) -> dict[str, str]:
        """Name -> a key for how the array is made."""
        return {name: key for part in self.parts for name, key in part.keys.items()}


#: Nothing but the scores.
NOTHING = Observation()


def deepest(reaches: Iterable[int | None]) -> int | None:
    """Return the deepest rank that is needed, None if all ranks are: documents below it are not looked up.

    Examples
    --------
    >>> deepest([10, 5]), deepest([10, None])
    (10, None)
    """
    depths = list(reaches)
    return None if None in depths else max(depth for depth in depths if depth is not None)
