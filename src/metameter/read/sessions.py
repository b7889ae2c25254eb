"""From documents that were shown, one row each, to sessions: lists in order, numbered from 1, without gaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from metameter.errors import MetameterError
from metameter.notices import notice
from metameter.types import Fingerprint, SessionRun, counted

__all__ = ["Shown", "sessions_of"]

_SESSION = ("system", "topic")
# So many iterations are filled at most: a number that is far off would otherwise fill the memory.
_GAPS = 1_000_000
# By the rules of TREC Dynamic Domain an iteration shows five documents.
_PAGE = 5


@dataclass(frozen=True, eq=False)
class Shown:
    """The documents that systems have shown, as a file or an object lists them.

    Attributes
    ----------
    source : str
        Where they come from, for messages.
    rows : polars.DataFrame
        Columns ``system``, ``topic``, ``doc`` (String), ``iteration`` and
        ``order`` (Float64): a list goes from small to large ``order``, then as the rows do. An iteration without
        documents is a row in which ``doc`` and ``order`` are null.
    place : callable
        From a row's number, from 0, to where it stands.
    official : bool
        Whether this is a run of TREC Dynamic Domain: iterations are counted from 0, and of two rows with one document
        of a topic the later in the file is the repetition. Otherwise they are counted from 0 only where one is 0, and
        what the user sees later is the repetition.
    number : str
        What iterations are called.
    """

    source: str
    rows: pl.DataFrame
    place: Callable[[int], str]
    official: bool = False
    number: str = "iteration"


def sessions_of(shown: Shown, fingerprint: Fingerprint | None = None) -> list[SessionRun]:
    """The sessions of each system; one notice says what was filled, and what was shown before.

    Examples
    --------
    >>> rows = {"system": "a", "topic": "1", "doc": ["d2", "d1"], "iteration": [1.0, 1.0], "order": [2.0, 1.0]}
    >>> sessions_of(Shown("log", pl.DataFrame(rows), str))[0].table.rows()
    [('1', 1, 'd1'), ('1', 1, 'd2')]
    """
    first = _first(shown)
    rows = shown.rows.with_row_index("row").with_columns(at=pl.col("row").first().over(_SESSION))
    rows = rows.with_columns((pl.col("iteration") - (first - 1)).cast(pl.Int64))
    rows = _ordered(_marked(rows)) if shown.official else _marked(_ordered(rows))
    rows = _filled(rows)
    _tell(shown, first, rows)
    page = _PAGE if shown.official else None
    return [
        SessionRun(part["system"][0], part.select("topic", "iteration", "doc"), shown.source, fingerprint, page)
        for part in rows.partition_by("system", maintain_order=True)
    ]


def _first(shown: Shown) -> int:
    """The number of the first iteration, 0 or 1; numbers that cannot be are refused."""
    numbers, name = shown.rows["iteration"], shown.number
    bad = ((numbers < 0) | (numbers != numbers.floor())).arg_true()
    if bad.len():
        raise MetameterError(
            f"the {name} is not a whole number from 0 on",
            where=shown.place(int(bad[0])),
            given=numbers[int(bad[0])],
            fix=f"Number the {name}s of a session one after another.",
        )
    spans = shown.rows.group_by(_SESSION).agg(last=pl.col("iteration").max(), seen=pl.col("iteration").n_unique())
    if (spans["last"] - spans["seen"]).sum() > _GAPS:
        raise MetameterError(
            f"the {name}s leave out too many numbers",
            where=shown.place(numbers.arg_max() or 0),
            given=numbers.max(),
            allowed=f"{_GAPS:,} gaps at most",
            fix=f"Number the {name}s of a session one after another.",
        )
    return 0 if shown.official or (numbers == 0).any() else 1


def _ordered(rows: pl.DataFrame) -> pl.DataFrame:
    """In the order in which users see them; topics as they come in the file."""
    return rows.sort("at", "iteration", "order", "row")


def _marked(rows: pl.DataFrame) -> pl.DataFrame:
    """Without the names of documents that stand in an earlier row of their session."""
    new = pl.struct(*_SESSION, "doc").is_first_distinct()
    return rows.with_columns(pl.when(new).then("doc"))


def _filled(rows: pl.DataFrame) -> pl.DataFrame:
    """With one nameless document in every iteration that is left out before the last of its session."""
    spans = rows.group_by(*_SESSION, "at").agg(last=pl.col("iteration").max(), seen=pl.col("iteration").n_unique())
    spans = spans.filter(pl.col("last") > pl.col("seen"))
    if not spans.height:
        return rows
    every = spans.select(*_SESSION, "at", iteration=pl.int_ranges(1, pl.col("last") + 1)).explode("iteration")
    missing = every.join(rows, on=["at", "iteration"], how="anti")
    return _ordered(pl.concat([rows, missing], how="diagonal_relaxed"))


def _tell(shown: Shown, first: int, rows: pl.DataFrame) -> None:
    nameless = rows.filter(pl.col("doc").is_null())
    gaps = nameless.filter(pl.col("order").is_null())
    repeated, told = nameless.height - gaps.height, []
    if not shown.official and not first:
        told.append(f"a {shown.number} is 0, so they are counted from 0")
    if gaps.height:
        missing = f"{counted(gaps.height, shown.number)} of {counted(gaps['topic'].n_unique(), 'topic')}"
        told.append(f"without documents: {missing}, filled with one that is not relevant")
    if shown.official and (shown.rows["iteration"] > 0).all():
        told.append("TREC counts iterations from 0, but none is 0")
    if repeated:
        told.append(f"shown before in the session: {counted(repeated, 'document')}, taken as not relevant")
    if told:
        notice(f"{shown.source}: {'; '.join(told)}")
