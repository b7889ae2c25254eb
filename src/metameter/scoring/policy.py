"""How runs meet judgments: every choice that changes numbers, checked before anything is read."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from metameter.errors import MetameterError, did_you_mean
from metameter.judge.ties import PRECISIONS, TIES

__all__ = ["Policy", "whole"]

_CHOICES: dict[str, tuple[str, ...]] = {
    "ties": TIES,
    "precision": PRECISIONS,
    "unjudged": ("zero", "condense"),
    "topics": ("qrels", "common"),
    "name_by": ("file", "tag"),
    "on_duplicate": ("error", "first"),
    "qrels_duplicates": ("error", "first", "last", "max"),
}


@dataclass(frozen=True)
class Policy:
    """How runs are read and meet judgments, as in `score`.

    Examples
    --------
    >>> Policy(unjudged="condens")
    Traceback (most recent call last):
    metameter.errors.MetameterError: unjudged has no such value (given 'condens'). Did you mean condense?
    Known: condense, zero.
    """

    ties: str = "docid-desc"
    precision: str = "double"
    unjudged: str = "zero"
    pool_depth: int | None = None
    topics: str = "qrels"
    max_grade: float | None = None
    name_by: str = "file"
    on_duplicate: str = "error"
    qrels_duplicates: str = "error"

    def __post_init__(self) -> None:
        for name, known in _CHOICES.items():
            given = getattr(self, name)
            if given not in known:
                fix = did_you_mean(str(given), list(known))
                raise MetameterError(f"{name} has no such value", given=given, fix=fix)
        whole("pool_depth", self.pool_depth)
        if self.max_grade is not None and (isinstance(self.max_grade, bool) or not isinstance(self.max_grade, Real)):
            raise MetameterError("max_grade is not a number", given=self.max_grade, allowed="a number above 0")


def whole(name: str, value: Any) -> None:
    """Refuse what is neither None nor a whole number above 0.

    Examples
    --------
    >>> whole("jobs", 0.5)
    Traceback (most recent call last):
    metameter.errors.MetameterError: jobs is out of range (given 0.5, allowed: 1 or more). Give what is allowed.
    """
    if value is None or (isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1):
        return
    raise MetameterError(f"{name} is out of range", given=value, allowed="1 or more")
