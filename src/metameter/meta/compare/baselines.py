"""The baselines that systems are compared with: those asked for, and of two systems the one given first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from metameter.errors import MetameterError, did_you_mean
from metameter.notation import spell_value

__all__ = ["baseline_names", "baselines_among"]


def baseline_names(baseline: Any) -> tuple[str, ...]:
    """The baselines asked for, each once.

    Examples
    --------
    >>> baseline_names("a"), baseline_names(["b", "a", "b"]), baseline_names(7)
    (('a',), ('b', 'a'), ('7',))
    """
    several = isinstance(baseline, Iterable) and not isinstance(baseline, str)
    return tuple(dict.fromkeys(map(spell_value, baseline if several else [baseline])))


def baselines_among(systems: tuple[str, ...], names: tuple[str, ...]) -> tuple[str, ...]:
    """The baselines: those asked for, or of two systems the first, since there is only one question to ask of them.

    Examples
    --------
    >>> baselines_among(("a", "b", "c"), ("b",)), baselines_among(("a", "b", "c"), ()), baselines_among(("a", "b"), ())
    (('b',), (), ('a',))
    """
    for name in names:
        if name not in systems:
            raise MetameterError("no system has this name", given=name, fix=did_you_mean(name, list(systems)))
    return names or (systems[:1] if len(systems) == 2 else ())
