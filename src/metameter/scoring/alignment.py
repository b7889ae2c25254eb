"""Align runs with the judgments; large files are read block by block, so that memory stays bounded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from metameter.errors import MetameterError
from metameter.judge.align import DocumentRanks, document_ranks, ranked_blocks, ranked_whole
from metameter.judge.dictionaries import ranks_of_lists
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
    from metameter.read.runs import LazyRun
    from metameter.scoring.policy import Policy


#: The memory for reading a file as a whole, in multiples of its uncompressed size, as measured.
_TIMES = 7
#: One thread: the caller's.
ALONE = Workers(1)


@dataclass(frozen=True, eq=False)
class Alignment:
    """A run aligned with the judgments.

    Attributes
    ----------
    system : str
    index : Index
        The judgments.
    ranks : DocumentRanks
        The ranks of its documents.
    origin : Content or Run, optional
        What it was read from; None for lists in memory.
    """

    system: str
    index: Index
    ranks: DocumentRanks
    origin: Content | Run | None = None

    @property
    def fingerprint(self) -> Fingerprint:
        """The fingerprint of the file; without a file it holds the system's name only."""
        known = None if self.origin is None else self.origin.fingerprint
        return known or Fingerprint(self.system)

    def ranked(self) -> Ranked:
        """Return the run as `Ranked`."""
        return ranked_whole(self.system, self.ranks, self.index)

    def ranked_blocks(self) -> Iterator[Ranked]:
        """Yield the run as `Ranked`, in blocks of topics."""
        return (ranked for _, ranked in ranked_blocks(self.system, self.ranks, self.index))


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
        Without inputs.
    depth : int, optional
        How many ranks to keep; by default all.
    workers : Workers
        The threads among which the blocks of a large file are divided.
    """
    if isinstance(source, RunInMemory):
        ranks = ranks_of_lists(source.origin, index, ties=policy.ties, precision=policy.precision, depth=depth)
        if ranks is not None:
            return Alignment(source.name, index, ranks)
    scattered = None
    if content is not None and content.is_large:
        try:
            aligned = _aligned_in_blocks(source, content, index, policy, depth, workers)
        except _ScatteredError as problem:
            scattered = problem.args[0]
        except (_WholeError, MetameterError, OSError):
            pass  # reading the whole file reports what is wrong, and where
        else:
            if aligned is not None:
                return aligned
        content = Content(content.source, content.stored)
    run = source.read(content)
    ranks = document_ranks(run, index, ties=policy.ties, precision=policy.precision, depth=depth)
    if scattered is not None:
        notice(
            f"{run.source} lists topic {scattered!r} in several places: it was read as a whole, which takes about "
            f"{_TIMES} times its uncompressed size in memory; sort its lines by topic"
        )
    return Alignment(run.name, index, ranks, run if content is None else content)


class _ScatteredError(Exception):
    """The lines of a topic are not consecutive."""


class _WholeError(Exception):
    """The file has to be read as a whole; the reader reports the reason."""


@dataclass(frozen=True, eq=False)
class _Block:
    """The system's name in a block of topics, its topics, and the ranks of its documents if a topic is judged."""

    system: str
    topics: tuple[str, ...]
    ranks: DocumentRanks | None


def _aligned_in_blocks(
    source: LazyRun, content: Content, index: Index, policy: Policy, depth: int | None, workers: Workers
) -> Alignment | None:
    """Align a large file block by block; None if it has no judged topic."""
    systems: set[str] = set()
    closed: set[str] = set()

    def ranks() -> Iterator[DocumentRanks]:
        name = None if isinstance(source, RunFile) and source.by_tag else source.name
        read = partial(run_of_text, where=content.source, options=source.options, name=name)
        for block in workers.map(_block, _texts(content), read=read, index=index, policy=policy, depth=depth):
            for topic in block.topics:
                if topic in closed:
                    raise _ScatteredError(topic)
            closed.update(block.topics)
            systems.add(block.system)
            if len(systems) > 1:
                raise _WholeError
            if block.ranks is not None:
                yield block.ranks

    joined = DocumentRanks.concatenate(ranks())
    return None if joined is None else Alignment(systems.pop(), index, joined, content)


def _texts(content: Content) -> Iterator[bytes]:
    """Yield the text in blocks of topics, if it is in TREC format."""
    for number, text in enumerate(topic_blocks(content.pieces())):
        if not number and isinstance(format_of(text), TableFormat):
            raise _WholeError
        yield text


def _block(text: bytes, *, read: Callable[..., Run], index: Index, policy: Policy, depth: int | None) -> _Block:
    run = read(text)
    topics = tuple(dict.fromkeys(run.rows.topics))
    if index.number.keys().isdisjoint(topics):
        return _Block(run.name, topics, None)
    ranks = document_ranks(run, index, ties=policy.ties, precision=policy.precision, depth=depth)
    return _Block(run.name, topics, ranks.of_index())
