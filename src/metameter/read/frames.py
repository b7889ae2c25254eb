"""Tables that are in Python already: dictionaries, rows, the data frames of any library."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError
from metameter.read.formats import object_format
from metameter.read.formats.dictionaries import is_of_ranx
from metameter.read.formats.frames import is_frame

if TYPE_CHECKING:
    import polars as pl

__all__ = ["is_frame", "is_of_ranx", "place_in_frame", "table_of"]


def table_of(obj: Any, value: str, fix: str) -> pl.DataFrame:
    """A Polars table of any data frame, of rows, of {topic: {doc: value}}, or of what ranx makes of that.

    Where a ``value`` is wanted, that of judgments or runs, the index of a pandas frame is a column if it has a name.
    """
    found = object_format(obj)
    if found is None:
        raise MetameterError("this cannot be read", given=type(obj).__name__, fix=fix)
    return found.table(obj, value, fix)


def place_in_frame(name: str) -> Callable[[int], str]:
    """From a row's number, from 0, to where it stands, for messages."""
    return lambda row: f"{name}: row {row + 1}"
