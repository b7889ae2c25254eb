"""Rows of labelled pages, reduced to counts of distinct combinations part by part, and what is odd about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import polars as pl

from metameter.errors import MetameterError
from metameter.notices import notice
from metameter.parallel import Progress, Workers
from metameter.read.serps_batches import Form
from metameter.read.serps_kept import KeptParts
from metameter.read.serps_labels import with_users
from metameter.read.serps_parts import PartFile, PartInMemory, parts_of
from metameter.read.serps_reading import Reading
from metameter.read.serps_reduced import ODD, Odd, Reduced, reduced
from metameter.types import Fingerprint, counted
from metameter.types.pages import Labelled
from metameter.types.tally import Tally, Tallying

__all__ = ["Counts", "counts_of"]

T = TypeVar("T", bound=Labelled)
_MEGABYTE = 1_000_000


@dataclass
class Counts:
    """What was read: the rows of all parts.

    Attributes
    ----------
    source : str
    tally : Tally
        Every distinct row once: lists of grades, label, ``user`` (null where unknown) and ``id`` if it is read.
    table : polars.DataFrame
        Where the form says that it matters where rows stand: the same columns, ``count``, and where a row was found
        first: ``part`` and ``row``.
    fingerprints : tuple of Fingerprint
    places : list of callable
        For each part, from a row to where it stands.
    made : tuple of str
        Columns that some parts do not have, and that were made of others.
    """

    source: str
    tally: Tally
    table: pl.DataFrame
    fingerprints: tuple[Fingerprint, ...] = ()
    places: list[Callable[[int], str]] = field(default_factory=list)
    made: tuple[str, ...] = ()

    def labelled(self, kind: type[T]) -> T:
        """The same for those who ask about people: a user in every row, or none at all."""
        about: dict[str, Any] = {"source": self.source, "fingerprints": self.fingerprints}
        if self.tally.values["user"].null_count():
            return kind.of(with_users(self.tally.table(), self.source), **about)
        return kind(self.tally.table(), **about)


def counts_of(source: Any, form: Form, kind: type[Labelled], how: Reading) -> Counts:
    """Read all parts, each in pieces; rows without a label or without grades are left out, with a notice.

    The same file twice is refused: it would count twice, and everything would look surer than it is.
    """
    name, parts = parts_of(source, form)
    tallies, tables, prints = Tallying(), [], []
    read: dict[str, str] = {}
    ignored: dict[str, None] = {}
    made: dict[str, None] = {}
    odd = {each: Odd() for each in ODD}
    large = sum(part.size for part in parts) >= how.least
    kept = KeptParts(how.keep, form, kind) if how.keep is not None and large else None
    results = _reduced(parts, form, kind, kept, Workers.of(how.jobs))
    for number, part in enumerate(_told(results, parts, how.progress)):
        prints += [part.fingerprint] if part.fingerprint else []
        if part.tally is None:
            continue
        _refuse_again(part, read)
        ignored |= dict.fromkeys(part.ignored)
        made |= dict.fromkeys(part.made)
        for each, some in part.odd.items():
            odd[each].add(some)
        tallies.add(part.tally)
        if part.rows is not None:
            tables.append(part.rows.with_columns(part=pl.lit(number, pl.Int64)))
    total = tallies.total()
    if total is None:
        raise MetameterError("there are no rows", where=name, fix=form.fix)
    if ignored:
        which = f"the column {' and the column '.join(ignored)}"
        notice(f"{name}: {which} is not looked at: a row counts once; repeat rows that stand for several")
    _tell(name, odd["unlabelled"], f"without a {kind.called}", "left out")
    _tell(name, odd["ungraded"], "without grades", "left out")
    _tell(name, odd["empty"], "with an empty list of grades", "kept: a page without results")
    if not total.count.size:
        what = f"no row has both grades and a {kind.called}"
        raise MetameterError(what, where=name, fix="Give rows that have both.")
    table = pl.concat(tables) if tables else pl.DataFrame()
    return Counts(name, total, table, tuple(prints), [part.place(form) for part in parts], tuple(made))


def _reduced(
    parts: Sequence[PartFile | PartInMemory],
    form: Form,
    kind: type[Labelled],
    kept: KeptParts | None,
    workers: Workers,
) -> Iterator[Reduced]:
    """The parts in order, those that were kept from there."""
    files = [part for part in parts if isinstance(part, PartFile)]
    if len(files) < len(parts):
        yield from (reduced(part, form=form, kind=kind) for part in parts)
        return
    there = {} if kept is None else {part: found for part in files if (found := kept.get(part)) is not None}
    results = workers.map(reduced, [part for part in files if part not in there], form=form, kind=kind)
    for part in files:
        if part in there:
            yield there[part].reduced()
            continue
        result = next(results)
        if kept is not None:
            kept.put(part, result)
        yield result


def _told(
    results: Iterator[Reduced], parts: Sequence[PartFile | PartInMemory], progress: Progress | None
) -> Iterator[Reduced]:
    """Pass the parts on; say how many megabytes are done, of how many: the time that is left grows with them."""
    of, done = sum(part.size for part in parts), 0
    for part, result in zip(parts, results, strict=True):
        done += part.size
        if progress is not None and len(parts) > 1:
            progress(-(-done // _MEGABYTE), -(-of // _MEGABYTE), "MB of pages")
        yield result


def _refuse_again(part: Reduced, read: dict[str, str]) -> None:
    """Refuse a part with rows that were read before; ``read`` has the names of parts by their SHA-256."""
    if part.fingerprint is None or part.fingerprint.sha256 is None:
        return
    before = read.get(part.fingerprint.sha256)
    if before is not None:
        what = f"the same rows are given twice: this file holds what {before} holds"
        raise MetameterError(what, where=part.source, fix="Give every file once: its rows would count twice.")
    read[part.fingerprint.sha256] = part.source


def _tell(name: str, odd: Odd, which: str, what: str) -> None:
    if odd.rows:
        verb = "is" if odd.rows == 1 else "are"
        notice(f"{name}: {counted(odd.rows, 'row')} {which} {verb} {what} (the first: {odd.first})")
