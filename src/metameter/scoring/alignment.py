"""Align runs with the judgments; large files are read block by block, so that memory stays bounded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError
from metameter.judge.align import Placed, place, ranked_blocks, ranked_whole
from metameter.judge.dictionaries import place_lists, plain_lists
from metameter.notices import notice
from metameter.parallel import Workers
from metameter.read.files.content import Content
from metameter.read.formats import format_of
from metameter.read.formats.base import TableFormat
from metameter.read.runs import RunFile, RunInMemory, run_of_text
from metameter.read.trec.topic_blocks import topic_blocks
from metameter.types import Fingerprint, Run

if TYPE_CHECKING:
    from metameter.judge.index import Index
    from metameter.judge.ranked import Ranked
    from metameter.read.runs import LazyRun, ReadOptions
    from metameter.scoring.policy import Policy


# What was measured of a file that is read as a whole.
_TIMES = 7
ALONE = Workers(1)


@dataclass(frozen=True, eq=False)
class Alignment:
    """A run aligned with the judgments.

    Attributes
    ----------
    system : str
    index : Index
        The judgments.
    placed : Placed
        The ranks of its documents.
    origin : Content or Run, optional
        What it was read from; None for lists in memory.
    """

    system: str
    index: Index
    placed: Placed
    origin: Content | Run | None = None

    @property
    def fingerprint(self) -> Fingerprint:
        """The fingerprint of the file; without a file it holds the system's name only."""
        known = None if self.origin is None else self.origin.fingerprint
        return known or Fingerprint(self.system)

    def ranked(self) -> Ranked:
        """Return what metrics see of the run."""
        return ranked_whole(self.system, self.placed, self.index)

    def ranked_blocks(self) -> Iterator[Ranked]:
        """Yield what metrics see of the run, in blocks of topics."""
        return (ranked for _, ranked in ranked_blocks(self.system, self.placed, self.index))


def align_source(
    source: LazyRun,
    content: Content | None,
    index: Index,
    policy: Policy,
    *,
    depth: int | None = None,
    workers: Workers = ALONE,
) -> Alignment:
    """Read a run, and align it with the judgments.

    Parameters
    ----------
    source : LazyRun
    content : Content, optional
        That of its file, if it has one.
    index : Index
    policy : Policy
    depth : int, optional
        How many ranks to keep; by default all.
    workers : Workers
        Who share the blocks of a large file.
    """
    order: dict[str, Any] = {"ties": policy.ties, "precision": policy.precision, "depth": depth}
    if isinstance(source, RunInMemory) and (lists := plain_lists(source.origin)) is not None:
        ranks = place_lists(lists, index, **order)
        if ranks is not None:
            return Alignment(source.name, index, ranks)
    scattered = None
    if content is not None and content.is_large:
        names: list[str] = []
        try:
            placed = Placed.joined(_placed_blocks(source, content, workers, names, index=index, order=order))
        except _ScatteredError as problem:
            scattered = problem.args[0]
        except (_WholeError, MetameterError, OSError):
            pass  # whoever reads all of it says what is wrong, and where
        else:
            if placed is not None:
                return Alignment(names[0], index, placed, content)
        content = Content(content.source, content.stored)
    run = source.read(content)
    placed = place(run, index, **order)
    if scattered is not None:
        notice(
            f"{run.source} lists topic {scattered!r} in several places: it was read as a whole, which takes about "
            f"{_TIMES} times its uncompressed size in memory; sort its lines by topic"
        )
    return Alignment(run.name, index, placed, run if content is None else content)


class _ScatteredError(Exception):
    """The lines of a topic are not consecutive."""


class _WholeError(Exception):
    """The file has to be read as a whole; the reader reports the reason."""


def _placed_blocks(
    source: LazyRun, content: Content, workers: Workers, names: list[str], **shared: Any
) -> Iterator[Placed]:
    """Yield the ranks of the documents of each block of topics; ``names`` collects the system's name of each block."""
    name = None if isinstance(source, RunFile) and source.by_tag else source.name
    closed: set[str] = set()
    shared |= {"where": content.source, "name": name, "options": source.options}
    for named, topics, placed in workers.map(_placed_block, _lines(content), **shared):
        again = next((topic for topic in topics if topic in closed), None)
        if again is not None:
            raise _ScatteredError(again)
        closed.update(topics)
        names.append(named)
        if names[0] != named:
            raise _WholeError
        if placed is not None:
            yield placed


def _lines(content: Content) -> Iterator[bytes]:
    """Yield the text in blocks of topics, if it is in TREC format."""
    for number, text in enumerate(topic_blocks(content.pieces())):
        if not number and isinstance(format_of(text), TableFormat):
            raise _WholeError
        yield text


def _placed_block(
    text: bytes, *, where: str, name: str | None, options: ReadOptions, index: Index, order: dict[str, Any]
) -> tuple[str, tuple[str, ...], Placed | None]:
    """Return the system's name, the topics of a block, and the ranks of its documents if some topic is judged."""
    run = run_of_text(text, where, options, name=name)
    topics = tuple(dict.fromkeys(run.rows.topics))
    judged = not index.number.keys().isdisjoint(topics)
    return run.name, topics, place(run, index, **order).of_index() if judged else None
