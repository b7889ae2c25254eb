"""Several collections in one folder: joint tables, and a file name of its own for each collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import polars as pl

from metameter.errors import MetameterError

if TYPE_CHECKING:
    from metameter.reporting.model import Report
    from metameter.studies.finished import Finished

__all__ = ["file_suffixes", "merged_tables", "stacked"]


def merged_tables(parts: Mapping[str, Finished], report: Report) -> dict[str, pl.DataFrame]:
    """Name -> the table of all collections, in the order of the report; coverage and tables across collections last."""
    merged: dict[str, pl.DataFrame] = {}
    keys = dict.fromkeys(key for part in parts.values() for key in part.results)
    for key in keys:
        results = {name: part.results[key] for name, part in parts.items() if key in part.results}
        for table in dict.fromkeys(table for result in results.values() for table in result.tables):
            frames = {name: result.tables[table] for name, result in results.items() if table in result.tables}
            _add(merged, table, stacked(frames))
    _add(merged, "coverage", stacked({name: part.coverage for name, part in parts.items()}))
    for tables in report.across.values():
        for table, frame in tables.items():
            _add(merged, table, frame)
    return merged


def _add(tables: dict[str, pl.DataFrame], name: str, frame: pl.DataFrame) -> None:
    if name in tables:
        fix = "Uninstall the plug-in of one of them."
        raise MetameterError("two procedures have a table of the same name", given=name, fix=fix)
    tables[name] = frame


def stacked(frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """The tables of several collections as one, with a column that says which.

    Examples
    --------
    >>> stacked({"a": pl.DataFrame({"x": [1]}), "b": pl.DataFrame({"x": [2]})}).rows()
    [('a', 1), ('b', 2)]
    """
    labelled = [frame.select(pl.lit(name).alias("collection"), pl.all()) for name, frame in frames.items()]
    return pl.concat(labelled, how="diagonal_relaxed")


def file_suffixes(collections: list[str]) -> dict[str, str]:
    """Collection -> the suffix of its file names; empty if there is only one collection.

    Examples
    --------
    >>> file_suffixes(["TREC 8"]), file_suffixes(["a b", "a/b"])
    ({'TREC 8': ''}, {'a b': '-a-b', 'a/b': '-a-b-2'})
    """
    if len(collections) == 1:
        return {collections[0]: ""}
    suffixes: dict[str, str] = {}
    for name in collections:
        # A collection's name is the user's; characters that do not belong into a file name become hyphens.
        plain = "-" + "".join(c if c.isalnum() or c in "-_." else "-" for c in name)
        taken = sum(other == plain or other.startswith(f"{plain}-") for other in suffixes.values())
        suffixes[name] = f"{plain}-{taken + 1}" if plain in suffixes.values() else plain
    return suffixes
