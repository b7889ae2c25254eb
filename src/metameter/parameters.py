"""Parameters of models and metrics: declared once, then checked, spelled and documented from there.

``number`` is a number of the user model and always printed; ``option`` is printed only where it differs from
its default; ``depth`` is the ``@k``.
"""

from __future__ import annotations

import math
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from typing import Any

from metameter.errors import MetameterError
from metameter.notation import DEEPEST, Term, spell_value

__all__ = ["Spelled", "Table", "depth", "number", "option"]


def number(
    default: Any = MISSING,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    low_open: bool = False,
    high_open: bool = False,
    integer: bool = False,
) -> Any:
    """Declare a number of the user model with its range.

    Examples
    --------
    >>> number(0.8, low=0, high=1, high_open=True).metadata["range"]
    '[0, 1)'
    """
    opening = "(" if low_open or low == -math.inf else "["
    closing = ")" if high_open or high == math.inf else "]"
    text = f"{opening}{spell_value(low)}, {spell_value(high)}{closing}"
    metadata = {
        "role": "number",
        "range": ("integer in " if integer else "") + text,
        "integer": integer,
        "check": lambda x: (x > low if low_open else x >= low) and (x < high if high_open else x <= high),
    }
    return field(default=default, metadata=metadata)


def option(default: Any, *, choices: tuple[Any, ...] | None = None, range: str | None = None) -> Any:  # noqa: A002
    """Declare an option; ``choices`` are all it may be."""
    text = range or (", ".join(map(spell_value, choices)) if choices else "any")
    check = (lambda x: any(x == c and type(x) is type(c) for c in choices)) if choices else (lambda x: True)
    return field(default=default, kw_only=True, metadata={"role": "option", "range": text, "check": check})


def depth(*, required: bool = False) -> Any:
    """Declare the ``@k`` of a model or metric: a positive integer, or None for no limit."""
    metadata = {
        "role": "depth",
        "range": f"integer in [1, {DEEPEST}]",
        "required": required,
        "check": lambda k: (
            (k is None and not required) or (isinstance(k, int) and not isinstance(k, bool) and 1 <= k <= DEEPEST)
        ),
    }
    return field(default=None, kw_only=True, metadata=metadata)


class Table(dict[float, float]):
    """A dictionary as the value of a parameter: hashable, because it is never changed."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.items()))

    def __repr__(self) -> str:
        return spell_value(dict(self))

    __str__ = __repr__


@dataclass(frozen=True, repr=False)
class Spelled:
    """Something with a name and parameters whose printed form is its identity.

    Subclasses are frozen dataclasses made with ``repr=False``; their fields are declared with `number`,
    `option` and `depth`, and are checked when an instance is made.
    """

    registered_name = ""

    @classmethod
    def parameters(cls) -> list[str]:
        """The parameters that may be written in parentheses."""
        return [each.name for each in fields(cls) if each.metadata["role"] != "depth"]

    def __post_init__(self) -> None:
        for each in fields(self):
            value = self._normalised(each)
            object.__setattr__(self, each.name, value)
            if not each.metadata["check"](value):
                self._refuse(each, value)

    def _normalised(self, each: Field[Any]) -> Any:
        value = getattr(self, each.name)
        if each.metadata["role"] != "number":
            return Table(value) if isinstance(value, dict) else value
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            self._refuse(each, value)
        if each.metadata["integer"]:
            return int(value) if value == int(value) else self._refuse(each, value)
        return float(value)

    def _refuse(self, each: Field[Any], value: Any) -> Any:
        name = self.registered_name or type(self).__name__
        if each.metadata["role"] == "depth" and value is None:
            raise MetameterError(f"{name} needs a last rank", fix=f"Write {replace(self.term(), k=10)}, say.")
        label = "@k" if each.metadata["role"] == "depth" else each.name
        raise MetameterError(f"{name}: {label} is out of range", given=value, allowed=each.metadata["range"])

    def term(self) -> Term:
        """The parsed form of this object's name: what is printed, in the order it is printed."""
        shown: dict[str, Any] = {}
        last_rank = None
        declared = fields(self)
        for each in declared:
            if each.metadata["role"] == "number":
                shown[each.name] = getattr(self, each.name)
        for each in sorted(declared, key=lambda f: f.name):
            value = getattr(self, each.name)
            if each.metadata["role"] == "option" and value != each.default:
                shown[each.name] = value
            elif each.metadata["role"] == "depth":
                last_rank = value
        return Term(self.registered_name or type(self).__name__, shown, last_rank)

    def __repr__(self) -> str:
        # Scoring looks arrays up by name, again and again; a frozen object's name never changes.
        known: str | None = self.__dict__.get("_name")
        if known is None:
            known = str(self.term())
            object.__setattr__(self, "_name", known)
        return known
