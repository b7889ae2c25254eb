"""JSON lines that are plain, read without Python's patience: flat objects of numbers, texts without escapes and lists.

What is not plain in this sense is read by `sheet_of_json`, several times slower; both give the same cells.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

__all__ = ["plain_cells"]

_NUMBER = r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,17})?"
_TEXT = r'"[^"\\\x00-\x1f]*"'
_ITEM = rf"(?:{_NUMBER}|null)"
_LIST = rf"\[ ?(?:{_ITEM}(?: ?, ?{_ITEM})*)? ?\]"
_VALUE = rf"(?:{_TEXT}|{_NUMBER}|null|{_LIST})"
_FIELD = rf'"[A-Za-z0-9_]+" ?: ?{_VALUE}'
_LINE = rf"^\{{ ?{_FIELD}(?: ?, ?{_FIELD})* ?\}}$"
# Texts that JSON's reader would write otherwise: lists where there should be none, 4.0 and -0 where a name should be.
_REWRITTEN = r"^(?:\[|-?[0-9]+\.|-0)"
_TIMES = ("count", "weight")


def plain_cells(data: bytes, lists: Sequence[str], others: Sequence[str]) -> pl.DataFrame | None:
    r"""The cells of lines that are plain, as text; None if any line is not, or if one of the lists is nowhere.

    Examples
    --------
    >>> plain_cells(b'{"grades": [1, null], "user": "u1", "id": 7}\n', ["grades"], ["satisfaction", "user"]).rows()
    [('[1, null]', 'u1')]
    >>> plain_cells(b'{"grades": [1, null], "user": {"id": 1}}\n', ["grades"], ["user"]) is None
    True
    """
    lines = _lines(data)
    if lines is None or not lines.str.contains(_LINE).all():
        return None
    wanted = [*lists, *others]
    found = {name: lines.str.extract(rf'"{name}" ?: ?({_VALUE})') for name in wanted}
    if any(found[name].null_count() == len(lines) for name in lists):
        return None  # there is something to be said about the columns
    # A name that is there twice, or in capitals, wants more care.
    named = lines.str.count_matches(rf'(?i)"(?:{"|".join(wanted)})" ?:')
    if not (named == sum(each.is_not_null().cast(pl.UInt32) for each in found.values())).all():
        return None
    if any(found[name].str.contains(_REWRITTEN).any() for name in others):
        return None
    cells = {name: _cells(each) for name, each in found.items() if each.null_count() < len(lines)}
    times = [name for name in _TIMES if lines.str.contains(rf'(?i)"{name}" ?:').any()]
    return pl.DataFrame(cells).with_columns(pl.lit(None, pl.String).alias(name) for name in times)


def _lines(data: bytes) -> pl.Series | None:
    """The lines; None where one is empty, or where they cannot be told apart so easily."""
    if b"\r" in data or b"\1" in data or not data.strip():
        return None
    count = data.count(b"\n") + (not data.endswith(b"\n"))
    try:
        table = pl.read_csv(data, has_header=False, separator="\1", quote_char=None, schema={"line": pl.String})
    except pl.exceptions.PolarsError:  # not UTF-8, say
        return None
    lines = table["line"]
    return lines if len(lines) == count and not lines.null_count() else None


def _cells(texts: pl.Series) -> pl.Series:
    """Texts of JSON as they would stand in a cell."""
    text = pl.col(texts.name)
    quoted = pl.when(text.str.starts_with('"')).then(text.str.slice(1, text.str.len_chars() - 2)).otherwise(text)
    return texts.to_frame().select(pl.when(text != "null").then(quoted).alias(texts.name)).to_series()
