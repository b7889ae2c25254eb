"""The targets: every file of fuzz/targets is one."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random

import fuzz.targets

__all__ = ["Target", "find", "targets"]


@dataclass(frozen=True)
class Target:
    """What is attacked, with what, and what must hold."""

    name: str
    make: Callable[[Random], bytes]  # draws an input
    hold: Callable[[bytes], bool]  # asserts what must hold; True if the input was accepted, False if refused
    group: str  # readers, notation, or whatever else
    share: float = 1.0  # of the time, relative to the others
    seconds: float = 2.0  # no input may take longer

    def input(self, seed: int, number: int) -> bytes:
        """Input ``number`` of this target: it depends on nothing but the seed, the target and the number."""
        return self.make(Random(f"{seed} {self.name} {number}"))


@cache
def find(name: str) -> Target:
    """The target of this name."""
    module = importlib.import_module(f"fuzz.targets.{name}")
    further = {key: getattr(module, key.upper()) for key in ("share", "seconds") if hasattr(module, key.upper())}
    return Target(name, module.make, module.hold, module.GROUP, **further)


def targets() -> list[Target]:
    """All of them, by name."""
    return [find(each.name) for each in pkgutil.iter_modules(fuzz.targets.__path__)]
