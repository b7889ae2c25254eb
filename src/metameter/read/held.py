"""Names and numbers of Python as a table can hold them: it takes whole UTF-8 and 64 bits, Python far more."""

from __future__ import annotations

from numbers import Real
from typing import Any

from metameter.errors import MetameterError
from metameter.utf8 import in_utf8

__all__ = ["held", "name_of", "number_of"]

#: No column holds whole numbers that are larger.
_WIDEST = 2**127


def name_of(value: Any, what: str) -> str:
    r"""The name that stands for a topic or a document, in UTF-8.

    Examples
    --------
    >>> name_of(401, "topic"), name_of(401.0, "topic"), name_of("\ud800", "document")
    ('401', '401', '\\ud800')
    >>> name_of(None, "topic")
    Traceback (most recent call last):
    metameter.errors.MetameterError: a topic has no name (given 'None'). Name it, or leave it out.
    >>> name_of(10**5000, "topic")
    Traceback (most recent call last):
    metameter.errors.MetameterError: a topic has more digits than can be written (given a int that cannot be printed).
    Give each topic as a text.
    """
    if value is None or value != value:  # NaN is what pandas puts where nothing was
        raise MetameterError(f"a {what} has no name", given=str(value), fix="Name it, or leave it out.")
    try:
        whole = isinstance(value, float) and value.is_integer()
        return in_utf8(str(int(value) if whole else value))
    except ValueError:
        what_is_wrong = f"a {what} has more digits than can be written"
        raise MetameterError(what_is_wrong, given=value, fix=f"Give each {what} as a text.") from None


def number_of(value: Any, what: str) -> float | None:
    """A number as a float, None where it is missing; anything else is refused.

    Examples
    --------
    >>> number_of(10**30, "grade")
    1e+30
    >>> number_of("1", "grade")
    Traceback (most recent call last):
    metameter.errors.MetameterError: a grade is not a number (given '1'). Give grades as numbers.
    """
    if value is None:
        return None
    if not isinstance(value, Real):
        raise MetameterError(f"a {what} is not a number", given=value, fix=f"Give {what}s as numbers.")
    try:
        return float(value)
    except OverflowError:
        fix = f"Give {what}s that a float can hold, below 1e308."
        raise MetameterError(f"a {what} is too large a number", given=value, fix=fix) from None


def held(cell: Any, what: str) -> Any:
    """A cell of a data frame, or a list in one: a whole number that no column holds as its digits.

    Examples
    --------
    >>> held(3, "grade"), held([1, 2**128], "grades")
    (3, [1, '340282366920938463463374607431768211456'])
    """
    if isinstance(cell, list | tuple):
        return [held(each, what) for each in cell]
    if isinstance(cell, str):
        return in_utf8(cell)
    wide = isinstance(cell, int) and not -_WIDEST <= cell < _WIDEST
    return name_of(cell, what) if wide else cell
