"""The numbers of the simulation's model, and what a user may choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from metameter.errors import refuse

__all__ = ["Model", "check_whole"]

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
            check_whole(name, getattr(self, name), 1)
        check_whole("grades", self.grades, 2, 100)
        check_whole("documents", self.documents, 8)
        check_whole("seed", self.seed, 0)
        check_whole("pool_depth", self.pool_depth, 1, self.depth)
        check_whole("depth", self.depth, 1, self.documents)
        check_whole("contributing", self.contributing, 1, self.systems)
        check_whole("sample_below", self.sample_below, 0)
        self._check_shares()
        self._check_null()

    def _check_shares(self) -> None:
        if self.families is not None:
            check_whole("families", self.families, 1)
        for name, value in (("likeness", self.likeness), ("pool_sample", self.pool_sample)):
            if value is not None and not 0 <= value <= 1:
                refuse(f"{name} is not a share", given=value, allowed="from 0 to 1", fix=f"Give {name} as a number.")

    def _check_null(self) -> None:
        # Variants resemble each other, and a run outside the pool is judged less: neither is exchangeable.
        if self.null and (self.families is not None or self.contributing < self.systems):
            refuse("null systems must be exchangeable", fix="Leave out families and contributing, or null.")


def check_whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Refuse what is not a whole number within these bounds."""
    allowed = f"a whole number of at least {least}" if most is None else f"a whole number from {least} to {most}"
    if not isinstance(value, int) or isinstance(value, bool) or value < least or (most is not None and value > most):
        refuse(f"{name} is out of range", given=value, allowed=allowed, fix=f"Give {name} within these bounds.")
