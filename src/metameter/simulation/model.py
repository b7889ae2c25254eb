"""The numbers of the simulation's model, and what a user may choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from metameter.arguments import whole_number
from metameter.errors import refuse
from metameter.parameters import Bounds

#: The most of anything that is counted; and the largest seed, which must fit into the tables that name it.
MOST, SEEDS = 1_000_000, 2**63 - 1
# Bytes for each of what there is most of, and gigabytes that a simulation may take.
_CELL, _MOST_MEMORY = 50, 16

_SHARE = Bounds(0, 1)
# Chosen by trial so that the default size looks like WWW3 in chen2023: about 150 judged relevant documents
# per topic, mean AP of the systems between .1 and .6, Kendall's tau between halves of the topics .7 to .8.
SIGNAL, QUALITY, EASE, INTERACTION = 2.7, 0.7, 0.8, 1.0
SHARED, OWN = 1.0, 0.7
RELEVANT, SKEW = 290, 0.6


@dataclass(frozen=True)
class Model:
    """The parameters of `simulate`, checked."""

    topics: int
    systems: int
    depth: int
    grades: int
    pool_depth: int
    null: bool
    seed: int
    documents: int
    families: int | None
    likeness: float
    contributing: int
    pool_sample: float | None
    sample_below: int

    def __post_init__(self) -> None:
        for name in ("topics", "systems", "depth", "contributing"):
            keep_whole(self, name, 1)
        keep_whole(self, "grades", 2, 100)
        keep_whole(self, "documents", 8, 4 * MOST)
        keep_whole(self, "seed", 0, SEEDS)
        keep_whole(self, "pool_depth", 1, self.depth)
        keep_whole(self, "depth", 1, self.documents)
        keep_whole(self, "contributing", 1, self.systems)
        keep_whole(self, "sample_below", 0)
        self._check_shares()
        self._check_null()
        check_size("topics x documents", self.topics * self.documents)
        check_size("systems x topics x depth", self.systems * self.topics * self.depth)

    def _check_shares(self) -> None:
        if self.families is not None:
            keep_whole(self, "families", 1)
        for name, value in (("likeness", self.likeness), ("pool_sample", self.pool_sample)):
            if value is not None and not _SHARE.contain(value):
                refuse(f"{name} is not a share", given=value, allowed="from 0 to 1", fix=f"Give {name} as a number.")

    def _check_null(self) -> None:
        # Variants resemble each other, and a run outside the pool is judged less: neither is exchangeable.
        if self.null and (self.families is not None or self.contributing < self.systems):
            refuse("null systems must be exchangeable", fix="Leave out families and contributing, or null.")


def keep_whole(model: Any, name: str, least: int, most: int = MOST) -> None:
    """Keep a field of a frozen model as a whole number of Python, which a manifest can name; refuse anything else."""
    object.__setattr__(model, name, check_whole(name, getattr(model, name), least, most))


def check_whole(name: str, value: Any, least: int, most: int = MOST) -> int:
    """Return a whole number within these bounds, NumPy's too, refusing anything else.

    Examples
    --------
    >>> check_whole("topics", 5, 1)
    5
    >>> check_whole("topics", 2.5, 1)
    Traceback (most recent call last):
    metameter.errors.MetameterError: topics is out of range (given 2.5, allowed: a whole number from 1 to 1,000,000).
    Give topics within these bounds.
    """
    number = whole_number(value)
    if number is None or not least <= number <= most:
        allowed = f"a whole number from {least} to {most:,}"
        refuse(f"{name} is out of range", given=value, allowed=allowed, fix=f"Give {name} within these bounds.")
    return number


def check_size(what: str, cells: int) -> None:
    """Refuse what would take more memory than simulations are for, with the size it would take.

    Examples
    --------
    >>> check_size("topics x documents", 10**11)
    Traceback (most recent call last):
    metameter.errors.MetameterError: the simulation is too large: topics x documents would take about 5,000 GB (allowed:
    16 GB). Simulate less at a time.
    """
    needed = cells * _CELL / 1e9
    if needed > _MOST_MEMORY:
        what = f"the simulation is too large: {what} would take about {needed:,.0f} GB"
        refuse(what, allowed=f"{_MOST_MEMORY} GB", fix="Simulate less at a time.")
