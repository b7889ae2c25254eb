"""Parameters of models and metrics: one declaration serves validation, names and documentation.

``number`` is a number of the user model, which is always printed; ``option`` is printed only where it differs from
its default; ``depth`` is the ``@k``. The bounds of numbers are available as numbers (`Parametrised.bounds`), for
programs that fit parameters.
"""

from __future__ import annotations

import sys
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from typing import Any, ClassVar

from metameter.errors import MetameterError
from metameter.notation import DEEPEST, Term, plain, spell_value

__all__ = ["DEPTHS", "LARGEST", "Bounds", "Parametrised", "Table", "depth", "number", "option"]

#: The largest number allowed; its square, multiplied and summed over any list, does not overflow.
LARGEST = 1e100


@dataclass(frozen=True)
class Bounds:
    """The range of a number, as text and as numbers.

    Examples
    --------
    >>> bounds = Bounds(0, 1, high_open=True)
    >>> str(bounds), bounds.contain(0), bounds.contain(1)
    ('[0, 1)', True, False)
    """

    low: float = -LARGEST
    high: float = LARGEST
    low_open: bool = False
    high_open: bool = False
    integer: bool = False

    def contain(self, value: Any) -> bool:
        """Whether a value is a finite number within the bounds."""
        value = plain(value)
        if not _is_finite(value):
            return False
        above = value > self.low if self.low_open else value >= self.low
        below = value < self.high if self.high_open else value <= self.high
        return above and below and (not self.integer or value == int(value))

    def __str__(self) -> str:
        opening = "(" if self.low_open else "["
        closing = ")" if self.high_open else "]"
        interval = f"{opening}{spell_value(self.low)}, {spell_value(self.high)}{closing}"
        return f"integer in {interval}" if self.integer else interval


def _is_finite(value: Any) -> bool:
    # Compared, not converted, since an integer may be too large for a float.
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


# Integers up to here are exact as floats.
_EXACT = 2**53
#: The depths allowed after ``@``.
DEPTHS = Bounds(1, DEEPEST, integer=True)


def number(
    default: Any = MISSING,
    *,
    low: float = -LARGEST,
    high: float = LARGEST,
    low_open: bool = False,
    high_open: bool = False,
    integer: bool = False,
) -> Any:
    """Declare a number of the user model with its bounds.

    Examples
    --------
    >>> number(0.8, low=0, high=1, high_open=True).metadata["bounds"]
    Bounds(low=0, high=1, low_open=False, high_open=True, integer=False)
    """
    bounds = Bounds(low, high, low_open, high_open, integer)
    return field(
        default=default, metadata={"role": "number", "range": str(bounds), "bounds": bounds, "check": bounds.contain}
    )


def option(
    default: Any,
    *,
    choices: tuple[Any, ...] | None = None,
    range: str | None = None,  # noqa: A002
    bounds: Bounds | None = None,
) -> Any:
    """Declare an option: one of ``choices``, or a number within ``bounds``.

    Examples
    --------
    >>> option(1, bounds=Bounds(0, low_open=True)).metadata["range"]
    'number in (0, 1e+100]'
    """
    metadata: dict[str, Any] = {"role": "option", "range": range or "any", "check": lambda value: True}
    if choices:
        metadata["range"] = range or ", ".join(map(spell_value, choices))
        metadata["check"] = lambda value: any(value == each and type(value) is type(each) for each in choices)
    elif bounds:
        metadata |= {"range": f"number in {bounds}", "bounds": bounds, "check": bounds.contain}
    return field(default=default, kw_only=True, metadata=metadata)


def depth(*, required: bool = False) -> Any:
    """Declare the ``@k`` of a model or metric: a positive integer, or None for no limit."""
    metadata = {
        "role": "depth",
        "range": str(DEPTHS),
        "bounds": DEPTHS,
        "required": required,
        "check": lambda k: not required if k is None else isinstance(k, int) and DEPTHS.contain(k),
    }
    return field(default=None, kw_only=True, metadata=metadata)


class Table(dict[float, float]):
    """A dictionary as the value of a parameter, which is hashable since it is never changed."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.items()))

    def __repr__(self) -> str:
        return spell_value(dict(self))

    __str__ = __repr__


@dataclass(frozen=True, repr=False)
class Parametrised:
    """The base of models, aggregations and metrics: the printed name with its parameters is the identity.

    Subclasses are frozen dataclasses made with ``repr=False``; their fields are declared with `number`,
    `option` and `depth`, and are checked when an instance is made.
    """

    registered_name = ""
    #: Example values for parameters without a default, for documentation and checks.
    example: ClassVar[dict[str, Any]] = {}
    #: The key of the paper that introduced it.
    reference: ClassVar[str] = ""
    #: The name in other tools -> the name in our notation, if scores are the same. ``{k}`` is a depth and ``{x}`` a
    #: number, on both sides. A caveat for users of that name may follow after ``; ``.
    aliases: ClassVar[dict[str, str]] = {}

    @classmethod
    def parameters(cls) -> list[str]:
        """The names of the parameters that may be written in parentheses."""
        return [each.name for each in fields(cls) if each.metadata["role"] != "depth"]

    @classmethod
    def bounds(cls) -> dict[str, Bounds]:
        """The parameters that are numbers, including ``k``, and their ranges.

        Examples
        --------
        >>> from metameter.browse.rbp import RBP
        >>> RBP.bounds()["p"]
        Bounds(low=0, high=1, low_open=False, high_open=True, integer=False)
        """
        return {each.name: each.metadata["bounds"] for each in fields(cls) if "bounds" in each.metadata}

    @classmethod
    def needs_depth(cls) -> bool:
        """Whether ``@k`` is required."""
        return any(each.metadata.get("required") for each in fields(cls))

    def __post_init__(self) -> None:
        for each in fields(self):
            value = self._normalised(each)
            object.__setattr__(self, each.name, value)
            if not each.metadata["check"](value):
                self._refuse(each, value)

    def _normalised(self, each: Field[Any]) -> Any:
        value = plain(getattr(self, each.name))
        if isinstance(value, dict):
            return Table({plain(key): plain(entry) for key, entry in value.items()})
        if each.metadata["role"] != "number":
            # NumPy integers have at most 64 bits.
            wide = isinstance(value, int) and "bounds" in each.metadata and abs(value) > _EXACT and _is_finite(value)
            return float(value) if wide else value
        if not _is_finite(value):
            self._refuse(each, value)
        if each.metadata["bounds"].integer:
            return int(value) if value == int(value) else self._refuse(each, value)
        return float(value)

    def _refuse(self, each: Field[Any], value: Any) -> Any:
        name = self.registered_name or type(self).__name__
        if each.metadata["role"] == "depth" and value is None:
            raise MetameterError(f"{name} needs a last rank", fix=f"Write {replace(self.term(), k=10)}, say.")
        label = "@k" if each.metadata["role"] == "depth" else each.name
        allowed = each.metadata["range"]
        fix = f"Choose an allowed value of {label}."
        raise MetameterError(f"{name}: {label} is out of range", given=value, allowed=allowed, fix=fix)

    def term(self) -> Term:
        """The parsed form of the name, with parameters in the order in which they are printed."""
        printed: dict[str, Any] = {}
        last_rank = None
        declared = fields(self)
        for each in declared:
            if each.metadata["role"] == "number":
                printed[each.name] = getattr(self, each.name)
        for each in sorted(declared, key=lambda f: f.name):
            value = getattr(self, each.name)
            if each.metadata["role"] == "option" and value != each.default:
                printed[each.name] = value
            elif each.metadata["role"] == "depth":
                last_rank = value
        return Term(self.registered_name or type(self).__name__, printed, last_rank)

    def __repr__(self) -> str:
        # Cached, since scoring looks arrays up by name and the name of a frozen object never changes.
        name: str | None = self.__dict__.get("_name")
        if name is None:
            name = str(self.term())
            object.__setattr__(self, "_name", name)
        return name
