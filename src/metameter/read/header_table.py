"""Tables whose columns have names, from files or data frames, with the line of each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite

import polars as pl

from metameter.errors import MetameterError, in_utf8
from metameter.read.columns import column_key, find_column, repeated_name, spellings
from metameter.read.trec.parse import Layout, content_lines, parse

_MISSING = ["", "na", "nan", "null", "none"]
_SYSTEMS_SHOWN = 3
# No scale has more grades; the scores of a run soon do.
_MOST_GRADES = 100


@dataclass(frozen=True, eq=False)
class HeaderTable:
    """A table with a header; columns without a name are left out.

    Cells are texts or, from Parquet, JSON and data frames, as they are. In messages a row is located by ``source`` and
    its line, or ``unit`` and its number; a function in ``lines`` is called only if a message needs it.
    """

    source: str
    cells: pl.DataFrame
    lines: Sequence[int] | Callable[[], Sequence[int]] | None = None
    unit: str = ""

    @classmethod
    def by_row(cls, source: str, cells: pl.DataFrame) -> HeaderTable:
        """A table whose rows are numbered from 1, such as a data frame."""
        return cls.named(source, cells.columns, cells, range(1, cells.height + 1), " row ")

    @classmethod
    def named(
        cls,
        source: str,
        names: Sequence[str],
        cells: pl.DataFrame,
        lines: Sequence[int] | Callable[[], Sequence[int]],
        unit: str = "",
    ) -> HeaderTable:
        """The table with these names of its columns; a repeated name is refused."""
        header = [in_utf8(name.strip()) for name in names]
        # A column without a name holds row numbers of another program.
        if (twice := repeated_name([name for name in header if name])) is not None:
            raise MetameterError(f"the header names {twice!r} twice", where=source, fix="Rename one of the columns.")
        columns = [column.alias(name) for name, column in zip(header, cells, strict=True) if name]
        return cls(source, pl.DataFrame(columns), lines, unit)

    @classmethod
    def of_lines(cls, data: bytes, layout: Layout, source: str) -> HeaderTable:
        """The wanted columns of lines without a header."""
        return cls(source, parse(data, layout, source), lambda: [line for line, _ in content_lines(data)])

    @property
    def header(self) -> list[str]:
        """The names of the columns."""
        return self.cells.columns

    def location(self, row: int) -> str:
        """The location of a row, from its number from 0."""
        return self.source if self.lines is None else f"{self.source}:{self.unit}{self.numbered[row]}"

    def refusal(self, row: int, what: str, *, fix: str, given: object = None, allowed: str = "") -> MetameterError:
        """The error for a row, from its number from 0."""
        return MetameterError(what, where=self.location(row), given=given, allowed=allowed or None, fix=fix)

    @cached_property
    def numbered(self) -> Sequence[int]:
        """The line of each row."""
        return self.lines() if callable(self.lines) else self.lines or ()

    def nonempty(self) -> HeaderTable:
        """The table itself; an error if it has no rows or no names."""
        if not self.cells.height and (self.header or not self.numbered):
            raise MetameterError("the table is empty", where=self.source, fix="Give a header and at least one row.")
        if not self.header:
            fix = "Give a header in the first line."
            raise MetameterError("the header names no column", where=self.source, fix=fix)
        return self

    def find(self, name: str) -> str | None:
        """The column that has one of the spellings of a name."""
        return find_column(name, self.header, self.source)

    def first_of(self, *names: str) -> str | None:
        """The column with the first of these names that exists, ignoring case."""
        return find_column(names, self.header, self.source)

    def needs(self, *names: str, allowed: str) -> str:
        """The first column with one of these names, which the table must have."""
        name = self.first_of(*names)
        if name is None:
            raise self._missing(names[0], allowed)
        return name

    def _missing(self, name: str, allowed: str, fix: str = "Give the columns these names.") -> MetameterError:
        given = ", ".join(self.header) or "no columns"
        return MetameterError(f"the column {name} is missing", where=self.source, given=given, allowed=allowed, fix=fix)

    def select(self, layout: Layout) -> pl.DataFrame:
        """The columns of a layout as String and Float64, whatever `columns.SPELLINGS` they have.

        A missing cell, or one that is not a finite number, is refused. A name that is a whole number is its digits,
        also where pandas made it a float. A run without scores is ordered by its ranks. Where the rows of a run name
        their system, it is the column ``tag``.

        Examples
        --------
        >>> cells = pl.DataFrame({"qid": [401.0, 402.0], "docid": ["d1", "d1"], "rank": [1, 2]})
        >>> HeaderTable.by_row("run", cells).select(Layout((), ("topic", "doc"), ("score",))).rows()
        [('401', 'd1', -1.0), ('402', 'd1', -2.0)]
        """
        texts = tuple(name for name in layout.texts if name != "tag")
        columns, numbers = texts + layout.numbers, layout.numbers
        tag = self._system() if "score" in columns else None
        ranked = "score" in numbers and self.find("score") is None and self.find("rank") is not None
        if ranked:
            numbers = tuple(dict.fromkeys("rank" if name == "score" else name for name in numbers))
        table = self._with_our_names(texts + numbers)
        if not table.height:
            fix = f"Give rows with {', '.join(columns)}."
            raise MetameterError("the table is empty", where=self.source, fix=fix)
        result = pl.DataFrame([self._whole(table[name], is_text=name in texts) for name in texts + numbers])
        if ranked:
            result = result.with_columns(score=0 - pl.col("rank")).select(columns)
        return result if tag is None else result.with_columns(tag=pl.lit(tag))

    def _with_our_names(self, names: Sequence[str]) -> pl.DataFrame:
        """The columns of these names; a run in place of judgments is refused, since it would be scored silently."""
        columns = {name: self.find(name) for name in names}
        graded = columns.get("grade")
        is_run = graded is not None and column_key(graded) == "score" and not self._may_be_grades(graded)
        missing = next((name for name, column in columns.items() if column is None or (is_run and name == "grade")), "")
        if not missing:
            return pl.DataFrame([self.cells[str(column)].alias(name) for name, column in columns.items()])
        more = f"; scores that are not whole, or have more than {_MOST_GRADES} values, make a run"
        seems = "; with a column rank this is a run" if self._has_rank() else more
        fix = f"Give the columns these names{seems if is_run else ''}."
        raise self._missing(missing, ", ".join(map(_with_spellings, names)), fix)

    def _may_be_grades(self, name: str) -> bool:
        """Whether a column ``score`` may hold grades, as in judgments of BEIR: few whole numbers without ranks."""
        if self._has_rank():
            return False
        # A column that cannot become numbers is refused later, for its type.
        column = self.cells[name]
        if column.dtype.is_nested():
            return True
        try:
            numbers = column.cast(pl.Float64, strict=False)
        except pl.exceptions.PolarsError:
            return True
        return bool((numbers.fill_null(0) % 1 == 0).all()) and numbers.n_unique() <= _MOST_GRADES

    def _has_rank(self) -> bool:
        return "rank" in map(column_key, self.header)

    def texts(self, name: str) -> pl.Series:
        """A column of names, without white space around them; an empty one is refused."""
        texts = names_of(self.cells[name], self.source).str.strip_chars().fill_null("")
        empty = texts == ""
        if empty.any():
            fix = f"Give the {name}, or leave the row out."
            raise self.refusal(empty.arg_max() or 0, f"the {name} is empty", fix=fix)
        return texts

    def numbers(self, name: str, *, missing: bool = False) -> pl.Series:
        """A column of finite numbers; anything else is refused. Missing ones (empty, NA, NaN) may be allowed: null."""
        column = self.cells[name]
        if not holds_numbers(column.dtype):
            if missing:
                raise self._no_number(name, column.is_not_null().arg_max() or 0, missing=True)
            raise _wrong_type(column, "numbers", self.source)
        if column.dtype == pl.Float64 or column.dtype.is_integer():
            values = column.cast(pl.Float64)
            absent = values.is_null() | values.is_nan()
        else:
            texts = column.cast(pl.String, strict=False).str.strip_chars()
            values = texts.cast(pl.Float64, strict=False)
            absent = texts.is_null() | texts.str.to_lowercase().is_in(_MISSING)
        bad = ~values.is_finite().fill_null(False) & ~(absent & missing)
        if bad.any():
            raise self._no_number(name, bad.arg_max() or 0, missing=missing)
        return values.set(absent, None) if missing else values

    def _no_number(self, name: str, row: int, *, missing: bool) -> MetameterError:
        what = f"{'' if missing else 'the '}{name} is not a number"
        fix = f"Correct the {name}, or leave the {'cell empty' if missing else 'row out'}."
        return self.refusal(row, what, given=self.cells[name][row], allowed="a finite number", fix=fix)

    def _whole(self, column: pl.Series, *, is_text: bool) -> pl.Series:
        """The column as texts or numbers; nothing may be missing, and every number is finite."""
        if not (is_text or holds_numbers(column.dtype)):
            raise _wrong_type(column, "numbers", self.source)
        name, cast = column.name, names_of(column, self.source) if is_text else column.cast(pl.Float64, strict=False)
        # One sum is a quick test: it is not finite if a term is not, and else only if large numbers add up to infinity.
        if not cast.null_count() and (is_text or isfinite(cast.sum())):
            return cast
        bad = cast.is_null() if is_text else ~(cast.is_finite().fill_null(False))
        if bad.any():
            row, what = bad.arg_max() or 0, f"the {name} is missing or not a {'name' if is_text else 'finite number'}"
            raise self.refusal(row, what, given=column[row], fix=f"Correct the {name}, or leave the row out.")
        return cast

    def _system(self) -> str | None:
        """The one system that the rows of a run name; None if no column does."""
        column = self.find("system")
        # Lists and durations are no names.
        if column is None or not _is_text(self.cells[column].dtype):
            return None
        named = _distinct(self.cells[column])
        if len(named) <= 1:
            return named[0] or None if named else None
        raise MetameterError(
            f"{len(named)} systems are in the column {column}",
            where=self.source,
            given=", ".join(named[:_SYSTEMS_SHOWN]) + (", ..." if len(named) > _SYSTEMS_SHOWN else ""),
            allowed="one system",
            fix="Give each system a file of its own; in Python, the data frame itself is split by that column.",
        )


def _with_spellings(name: str) -> str:
    others = [word for word in spellings(name)[1:] if (name, word) != ("grade", "score")]
    return f"{name} (or {', '.join(others)})" if others else name


def _distinct(column: pl.Series) -> list[str]:
    # Comparing all with the first is far faster than finding the distinct ones.
    if column.dtype == pl.String and column.len() and not column.null_count() and (column == column[0]).all():
        return [column[0]]
    return column.unique(maintain_order=True).cast(pl.String, strict=False).fill_null("").to_list()


def names_of(column: pl.Series, where: str) -> pl.Series:
    """The cells as texts: a whole number is its digits, also where it is a float; NaN is missing.

    A column that holds no names (lists, durations) is refused.
    """
    try:
        if not _is_text(column.dtype):
            raise _wrong_type(column, "text", where)
        if column.dtype.is_decimal():
            return column.cast(pl.String).str.replace(r"\.0+$", "")
        if not column.dtype.is_float():
            return column.cast(pl.String, strict=False)
        # Whole numbers beside missing ones are floats in pandas; NaN is a missing one.
        whole = column.cast(pl.Int64, strict=False)
        whole = whole.set(whole.cast(column.dtype) != column, None)
        return whole.cast(pl.String).fill_null(column.fill_nan(None).cast(pl.String))
    except pl.exceptions.PolarsError:
        raise _wrong_type(column, "text", where) from None


def holds_numbers(dtype: pl.DataType) -> bool:
    """Whether a column may hold numbers; dates are not."""
    return dtype.is_numeric() or isinstance(dtype, pl.Boolean | pl.String | pl.Null)


def _is_text(dtype: pl.DataType) -> bool:
    return not (dtype.is_nested() or isinstance(dtype, pl.Object | pl.Duration))


def _wrong_type(column: pl.Series, kind: str, where: str) -> MetameterError:
    what, fix = f"the column {column.name} has the wrong type", f"Give {kind} in that column."
    return MetameterError(what, where=where, given=str(column.dtype), fix=fix)
