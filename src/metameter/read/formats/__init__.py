"""The formats of judgments and runs: a module each, which this folder finds; to add one is to add a file."""

from __future__ import annotations

import pkgutil
from collections.abc import Collection
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from metameter.read.formats.base import Format, ObjectFormat, TableFormat

if TYPE_CHECKING:
    from metameter.read.header_table import HeaderTable

__all__ = ["format_of", "named_columns", "object_format"]

_HEAD = 10_000


@cache
def _declared() -> tuple[Any, ...]:
    modules = (import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__))
    found = [module.FORMAT for module in modules if hasattr(module, "FORMAT")]
    return tuple(sorted(found, key=lambda each: int(each.order)))


def format_of(data: bytes, name: str = "", words: Collection[str] | None = None) -> Format:
    r"""The format of a file, from how it begins; what no other format recognises is lines of TREC.

    Two of the ``words`` make a first line a header, by default two names of columns of judgments or runs.

    Examples
    --------
    >>> [type(format_of(data)).__name__ for data in (b"PAR1...", b'{"1": {"d1": 2}}', b"qid,docid\n", b"1 0 d1 2\n")]
    ['Parquet', 'Json', 'Delimited', 'Trec']
    """
    text = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    head = data[:_HEAD] if len(text) == len(data) else b"\n" + text[:_HEAD]
    return next(each for each in _declared() if isinstance(each, Format) and each.recognises(head, name, words))


def named_columns(data: bytes, where: str, words: Collection[str] | None = None) -> HeaderTable | None:
    """The table in a file whose columns have names; None if it is lines of TREC."""
    found = format_of(data, where, words)
    return found.table(data, where) if isinstance(found, TableFormat) else None


def object_format(obj: Any) -> ObjectFormat | None:
    """The format of what is in memory already, if there is one."""
    return next((each for each in _declared() if isinstance(each, ObjectFormat) and each.recognises(obj)), None)
