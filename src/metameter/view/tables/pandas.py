"""Tables for people who work with pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError

if TYPE_CHECKING:
    import polars as pl


def to_pandas(frame: pl.DataFrame) -> Any:
    """The table as a pandas data frame; it needs pandas and nothing else.

    Examples
    --------
    >>> import polars as pl
    >>> to_pandas(pl.DataFrame({"system": ["a", "b"], "mean": [0.5, None]}))["mean"].tolist()
    [0.5, nan]
    """
    try:
        import pandas as pd
    except ImportError:
        raise MetameterError("pandas is not installed", fix="Install it with: pip install pandas.") from None
    # Polars' own conversion needs pyarrow, which not everybody has.
    columns = {column.name: column.to_numpy() if column.dtype.is_numeric() else column.to_list() for column in frame}
    return pd.DataFrame(columns)
