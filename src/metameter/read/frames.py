"""Tables that are in Python already: dictionaries as of pytrec_eval, and the data frames of any library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import narwhals as nw
import polars as pl

from metameter.errors import MetameterError

__all__ = ["is_frame", "place_in_frame", "table_of"]


def table_of(obj: Any, value: str, fix: str) -> pl.DataFrame:
    """A Polars table of any data frame, or of {topic: {doc: value}}.

    Examples
    --------
    >>> table_of({"401": {"d1": 1}}, "grade", "").rows()
    [('401', 'd1', 1.0)]
    """
    if isinstance(obj, Mapping):
        return _table_of_dict(obj, value, fix)
    frame = nw.from_native(obj, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        raise MetameterError("this cannot be read", given=type(obj).__name__, fix=fix)
    return frame.to_polars()


def is_frame(obj: Any) -> bool:
    """Whether this is a data frame of some library."""
    return isinstance(nw.from_native(obj, pass_through=True), nw.DataFrame | nw.LazyFrame)


def place_in_frame(name: str) -> Callable[[int], str]:
    """From a row's number, from 0, to where it stands, for messages."""
    return lambda row: f"{name}: row {row + 1}"


def _table_of_dict(obj: Mapping[Any, Any], value: str, fix: str) -> pl.DataFrame:
    if not all(isinstance(documents, Mapping) for documents in obj.values()):
        raise MetameterError("a topic's documents must be a dictionary", fix=fix)
    rows = [(str(topic), str(doc), number) for topic, docs in obj.items() for doc, number in docs.items()]
    try:
        return pl.DataFrame(rows, schema={"topic": pl.String, "doc": pl.String, value: pl.Float64}, orient="row")
    except (TypeError, pl.exceptions.PolarsError):
        raise MetameterError(f"a {value} is not a number", fix=fix) from None
