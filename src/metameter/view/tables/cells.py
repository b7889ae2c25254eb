"""The text of cells: plain values for programs, rounded numbers for people."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


#: The number of decimals in tables for people, unless `digits` says otherwise.
DECIMALS = 4


def plain(value: Any) -> Any:
    """A value that JSON and CSV can represent in full precision; None if it is missing or not finite.

    Examples
    --------
    >>> plain(0.1 + 0.2), plain(float("nan")), plain([1.0, None])
    (0.30000000000000004, None, [1.0, None])
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def rounded(value: Any, digits: int = DECIMALS) -> str:
    """A value for people: floats rounded, integers as they are, missing values empty.

    Examples
    --------
    >>> rounded(0.123456), rounded(-0.00001), rounded(3), rounded(None), rounded(True)
    ('0.1235', '0.0000', '3', '', 'true')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        text = f"{value:.{digits}f}"
        return text[1:] if text.startswith("-") and float(text) == 0 else text
    return json.dumps(plain(value)) if isinstance(value, list) else str(value)


def is_p(column: str) -> bool:
    """Whether a column of this name holds p-values, not their errors.

    Examples
    --------
    >>> [name for name in ("p", "p_table", "weighted_p", "p_table_se", "power", "prec") if is_p(name)]
    ['p', 'p_table', 'weighted_p']
    """
    return (column == "p" or column.startswith("p_") or column.endswith("_p")) and not column.endswith(
        ("_se", "_error")
    )


def rounded_p(value: float, digits: int = DECIMALS) -> str:
    """A p-value for people: one that rounds to zero is printed as below the last digit, never as 0.

    Examples
    --------
    >>> rounded_p(0.03), rounded_p(1e-30), rounded_p(0.0)
    ('0.0300', '<0.0001', '<0.0001')
    """
    text = f"{value:.{digits}f}"
    return text if float(text) else f"<{10.0**-digits:.{digits}f}"


def rounded_column(column: pl.Series, digits: int = DECIMALS) -> list[str]:
    """All cells of a column, rounded for people.

    Examples
    --------
    >>> import polars as pl
    >>> rounded_column(pl.Series([0.123456, None, -0.00001])), rounded_column(pl.Series("p", [1e-9]))
    (['0.1235', '', '0.0000'], ['<0.0001'])
    """
    values = column.to_list()
    if not column.dtype.is_float():
        return [value if type(value) is str else rounded(value, digits) for value in values]
    if is_p(column.name):
        return ["" if value is None or value != value else rounded_p(value, digits) for value in values]
    form, nothing = f"%.{digits}f", f"-{0:.{digits}f}"
    texts = ["" if value is None or value != value else form % value for value in values]
    return [text[1:] if text == nothing else text for text in texts]


def rounded_rows(frame: pl.DataFrame, digits: int = DECIMALS) -> list[list[str]]:
    """All cells of a table, row by row, rounded for people."""
    return [list(row) for row in zip(*(rounded_column(column, digits) for column in frame), strict=True)]


def is_number(frame: pl.DataFrame) -> list[bool]:
    """Which columns hold numbers, and so are right-aligned.

    Examples
    --------
    >>> import polars as pl
    >>> is_number(pl.DataFrame({"system": ["a"], "mean": [0.5]}))
    [False, True]
    """
    return [dtype.is_numeric() for dtype in frame.dtypes]


def figure(value: float, *, digits: int = 3, sign: bool = False, apart: Sequence[float] = (0.0,)) -> str:
    """A number as papers print shares: no zero before the point; never rounded to a value it must differ from.

    Examples
    --------
    >>> figure(0.1234), figure(0.1234, sign=True), figure(-0.00004), figure(0.0), figure(0.89996, apart=(0.9,))
    ('.123', '+.123', '-.00004', '0', '.89996')
    """
    if value == 0:
        return "0"
    while digits < 12 and any(round(value, digits) == limit != value for limit in apart):
        digits += 1
    text = f"{value:{'+' if sign else ''}.{digits}f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 and text.lstrip("+-").startswith("0.") else text


def share_text(share: float) -> str:
    """A share in percent; 0% and 100% are exact.

    Examples
    --------
    >>> share_text(0.46), share_text(0.998), share_text(1.0), share_text(0.0004)
    ('46%', 'over 99%', '100%', 'under 1%')
    """
    if 0 < share < 0.005:
        return "under 1%"
    return "over 99%" if 0.995 <= share < 1 else f"{share:.0%}"
