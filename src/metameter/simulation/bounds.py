"""Bounds of the options of simulations: whole numbers, and the memory that a simulation may take."""

from __future__ import annotations

from typing import Any

from metameter.arguments import whole_number
from metameter.errors import refuse

#: The upper limit of counts, and the largest seed, which must fit into 64-bit columns of tables.
MOST, SEEDS = 1_000_000, 2**63 - 1
# Bytes per cell of the largest array, and the gigabytes that a simulation may take.
_CELL, _MOST_MEMORY = 50, 16


def keep_whole(model: Any, name: str, least: int, most: int = MOST) -> None:
    """Convert a field of a frozen model to a Python integer, which manifests need; refuse anything else."""
    object.__setattr__(model, name, check_whole(name, getattr(model, name), least, most))


def check_whole(name: str, value: Any, least: int, most: int = MOST) -> int:
    """Return a whole number (also of NumPy) within these bounds, refusing anything else.

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
    """Refuse a simulation that would take too much memory.

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
