"""Gain maps: from a grade on the collection's scale to a gain in [0, 1]."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.ranked import JUDGED
from metameter.parameters import LARGEST, Bounds

if TYPE_CHECKING:
    from metameter.judge.ranked import Judgments, Ranked


#: The highest grade with an exponential gain: a million times 2^1000 is still finite.
MOST_EXPONENTIAL = 1000
_KNOWN = "linear, exp, binary(LEVEL), or a table {grade: gain}"


@dataclass(frozen=True)
class GainMap:
    r"""A map from the grade of a document to a user's gain.

    .. math:: linear: x / x_{max} \qquad exp: (2^x - 1) / 2^{x_{max}} \qquad binary(l): [x \ge l]

    Attributes
    ----------
    kind : {"linear", "exp", "binary", "table"}
    level : float
        The lowest relevant grade, for ``binary``.
    table : tuple of (grade, gain)
        For ``table``.

    Examples
    --------
    >>> gain_map("exp").gains(np.array([0, 1, 3]), 3)
    array([0.   , 0.125, 0.875])
    """

    kind: str
    level: float = 1
    table: tuple[tuple[float, float], ...] = ()

    def __str__(self) -> str:
        if self.kind == "binary":
            level = int(self.level) if self.level == int(self.level) else self.level
            return f"binary({level!r})"
        return str(dict(self.table)) if self.kind == "table" else self.kind

    def gains(self, grade: NDArray[np.float64], max_grade: float) -> NDArray[np.float64]:
        """The gains of an array of grades, none of which is negative."""
        if self.kind == "binary":
            return np.asarray(grade >= self.level, dtype=np.float64)
        if self.kind == "table":
            return self._look_up(grade)
        if max_grade <= 0:
            return np.zeros(np.shape(grade))
        return np.asarray(grade / max_grade if self.kind == "linear" else (np.exp2(grade) - 1) / np.exp2(max_grade))

    def knows(self, grade: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which of these grades have a gain.

        Examples
        --------
        >>> gain_map({0: 0, 2: 1}).knows(np.array([0.0, 1.0, 2.0]))
        array([ True, False,  True])
        """
        if self.kind == "table":
            return np.isin(grade, [known for known, _ in self.table])
        return np.asarray(grade <= highest_grade(exponential=self.kind == "exp"))

    @property
    def allowed(self) -> str:
        """The grades that have a gain, as text."""
        if self.kind == "table":
            return ", ".join(repr(known).removesuffix(".0") for known, _ in self.table)
        return allowed_grades(exponential=self.kind == "exp")

    def _look_up(self, grade: NDArray[np.float64]) -> NDArray[np.float64]:
        grades, gains = np.array(self.table).T
        at = np.minimum(np.searchsorted(grades, grade), grades.size - 1)
        lacking = grades[at] != grade
        if lacking.any():
            raise MetameterError(
                "the gain table lacks a grade",
                given=float(np.asarray(grade)[lacking][0]),
                allowed=self.allowed,
                fix="Add the grade to the table.",
            )
        return np.asarray(gains[at])


def highest_grade(*, exponential: bool) -> float:
    """Return the highest grade whose gains can be summed without overflow.

    Examples
    --------
    >>> highest_grade(exponential=True), highest_grade(exponential=False)
    (1000, 1e+100)
    """
    return MOST_EXPONENTIAL if exponential else LARGEST


def allowed_grades(*, exponential: bool) -> str:
    """Return the grades that have a gain, as text."""
    return f"grades up to {highest_grade(exponential=exponential)}{' with exponential gain' if exponential else ''}"


GainSpec: TypeAlias = str | Mapping[float, float] | GainMap


def gain_map(spec: GainSpec) -> GainMap:
    """Return the gain map named ``linear``, ``exp`` or ``binary(2)``, or given as a table.

    Examples
    --------
    >>> gain_map("binary(2)").gains(np.array([1, 2]), 2)
    array([0., 1.])
    >>> gain_map({0: 0, 1: 0.2, 2: 1}).gains(np.array([1, 2]), 2)
    array([0.2, 1. ])
    """
    if isinstance(spec, GainMap):
        return spec
    if isinstance(spec, Mapping):
        return _table(spec)
    if spec in ("linear", "exp"):
        return GainMap(spec)
    # The value comes from a metric's name or from Python, and may be anything.
    binary = re.fullmatch(r"binary(?:\((\d+(?:\.\d+)?)\))?", spec) if isinstance(spec, str) else None
    level = float(binary[1] or 1) if binary else 0.0
    if level <= 0:  # with level 0 every unjudged document would be relevant
        raise MetameterError("there is no such gain map", given=spec, allowed=_KNOWN, fix="Choose one of these.")
    return GainMap("binary", level)


def _table(spec: Mapping[float, float]) -> GainMap:
    numbers = all(_is_number(each) for pair in spec.items() for each in pair)
    if not spec or not numbers or not all(0 <= gain <= 1 for gain in spec.values()):
        fix = "Give a gain from 0 to 1 for each grade."
        raise MetameterError(
            "a gain table must map grades to gains", given=dict(spec), allowed="gains in [0, 1]", fix=fix
        )
    return GainMap("table", table=tuple(sorted((float(grade), float(gain)) for grade, gain in spec.items())))


def _is_number(value: object) -> bool:
    return Bounds().contain(value)


def gains_of(ranked: Ranked, spec: GainSpec = "linear") -> NDArray[np.float64]:
    """Return the gain at each rank: 0 without a judgment; values that are gains already stay the same.

    Examples
    --------
    >>> from metameter.judge.ranked import Ranked
    >>> gains_of(Ranked.of_gains([1, None, 0.5]), "exp")
    array([[1. , 0. , 0.5]])
    """
    judgments = ranked.judgments
    if judgments.mapped:
        return ranked.grade
    mapping = gain_map(spec)

    def compute() -> NDArray[np.float64]:
        if mapping.kind in ("linear", "binary"):
            # Grades are 0 wherever there is no judgment, and so are these gains.
            return mapping.gains(ranked.grade, judgments.max_grade)
        gains = np.zeros(ranked.grade.shape)
        judged = ranked.status == JUDGED
        gains[judged] = mapping.gains(ranked.grade[judged], judgments.max_grade)
        return gains

    return ranked.once(("gain", mapping), compute)


def total_gain(judgments: Judgments, spec: GainSpec = "linear") -> NDArray[np.float64]:
    """Return the total gain of the judged documents of each topic: the recall base.

    Examples
    --------
    >>> from metameter.judge.ranked import Judgments
    >>> total_gain(Judgments(("1",), np.array([[2.0, 1.0, -1.0]]), 2))
    array([1.5])
    """
    key = "gains" if judgments.mapped else gain_map(spec)
    return judgments.once(("total gain", key), lambda: ideal_gains(judgments, spec).sum(axis=1))


def ideal_gains(judgments: Judgments, spec: GainSpec = "linear") -> NDArray[np.float64]:
    """Return the gains of all judged documents of each topic in falling order, padded with 0.

    Examples
    --------
    >>> from metameter.judge.ranked import Judgments
    >>> ideal_gains(Judgments(("1",), np.array([[2.0, 1.0, -1.0]]), 2))
    array([[1. , 0.5, 0. ]])
    """
    judged = judgments.ideal >= 0
    if judgments.mapped:
        return np.where(judged, judgments.ideal, 0.0)
    mapping = gain_map(spec)

    def compute() -> NDArray[np.float64]:
        gains = np.zeros(judgments.ideal.shape)
        gains[judged] = mapping.gains(judgments.ideal[judged], judgments.max_grade)
        # A table need not rise with the grade.
        return -np.sort(-gains, axis=1)

    return judgments.once(("gain", mapping), compute)
