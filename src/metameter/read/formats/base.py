"""The interface of formats of judgments and runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    import polars as pl

    from metameter.read.header_table import HeaderTable
    from metameter.read.trec.parse import Layout
    from metameter.types.run_rows import Rows


@dataclass(frozen=True, eq=False)
class Listing:
    """The rows that a format reads from a file."""

    #: Returns the table with the columns of the layout; for a run with a column of system names, also ``tag``.
    table: Callable[[], pl.DataFrame]
    #: From a row's number, from 0, to its location in messages.
    location: Callable[[int], str]
    #: The rows without a string for every name, if the format can read them without a table.
    rows: Rows | None = None


class Format(ABC):
    """A format of files; a module of this folder declares one as ``FORMAT``."""

    #: Formats are tried in this order.
    order: ClassVar[int] = 0

    @abstractmethod
    def recognises(self, head: bytes, known_names: Collection[str] | None = None) -> bool:
        """Whether a file that begins like this has this format; ``known_names`` are those of `format_of`."""

    @abstractmethod
    def read(self, data: bytes, layout: Layout, where: str) -> Listing:
        """The columns of the layout; a line that does not fit is refused with its number."""

    def system(self, head: bytes) -> str | None:
        """The name of the system, if the first bytes of the file contain it; otherwise None."""
        return None


class TableFormat(Format):
    """A format whose columns have names."""

    @abstractmethod
    def table(self, data: bytes, where: str, layout: Layout | None = None) -> HeaderTable:
        """All columns, or at least those of the layout, with the line of each row."""

    def read(self, data: bytes, layout: Layout, where: str) -> Listing:
        """The columns of the layout."""
        table = self.table(data, where, layout)
        return Listing(partial(table.select, layout), table.location)


class ObjectFormat(ABC):
    """A format of Python objects."""

    order: ClassVar[int] = 0

    @abstractmethod
    def recognises(self, obj: Any) -> bool:
        """Whether an object has this format."""

    @abstractmethod
    def table(self, obj: Any, value: str, fix: str) -> pl.DataFrame:
        """Its rows; ``value`` names numbers that have no name, ``fix`` is the hint of an error."""
