"""What labels and users of labelled pages must be like."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.notices import notice
from metameter.types import counted

__all__ = ["check_labels", "with_users"]

_MOST = 1000


def check_labels(levels: Sequence[float] | NDArray[np.float64], label: str, source: str) -> None:
    """Refuse distinct labels that are one alone, or so many that they are measurements.

    Examples
    --------
    >>> check_labels([4.0], "satisfaction", "log.csv")
    Traceback (most recent call last):
    metameter.errors.MetameterError: log.csv: every satisfaction is the same (given 4.0). Give rows with different
    labels: with one there is nothing to correlate.
    """
    if len(levels) == 1:
        fix = "Give rows with different labels: with one there is nothing to correlate."
        raise MetameterError(f"every {label} is the same", where=source, given=float(levels[0]), fix=fix)
    if len(levels) > _MOST:
        what, fix = f"there are too many distinct labels in {label}", "Labels are ordinal, not continuous: round them."
        raise MetameterError(what, where=source, given=len(levels), allowed=f"at most {_MOST:,}", fix=fix)


def with_users(table: pl.DataFrame, source: str) -> pl.DataFrame:
    """The table with a user in every row, or without the column where nobody is known.

    A row whose user is missing is a user of its own: of people who are not known it is not known either that they are
    the same. Such rows are counted apart again, under names that no user has.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     with_users(pl.DataFrame({"user": ["u1", None], "count": [3, 2]}), "log.csv").rows()
    [('u1', 3), ('unknown 1', 1), ('unknown 2', 1)]
    """
    unknown = table.filter(pl.col("user").is_null())
    if unknown.height == table.height:
        return table.drop("user")
    if not unknown.height:
        return table
    known = table.filter(pl.col("user").is_not_null())
    prefix = "unknown"
    while known["user"].str.starts_with(prefix).any():
        prefix = f"({prefix})"
    rows = int(unknown["count"].sum())
    notice(f"{source}: {counted(rows, 'row')} without a user: each counts as a user of its own")
    apart = unknown.sort(pl.exclude("count", "user")).select(pl.all().repeat_by("count").explode())
    names = pl.format(f"{prefix} {{}}", pl.int_range(1, rows + 1)).alias("user")
    one = pl.lit(1, table["count"].dtype).alias("count")
    return pl.concat([known, apart.with_columns(names, one).select(known.columns)])
