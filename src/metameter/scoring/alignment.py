"""Runs from files, aligned with the judgments: large files block by block, so that memory does not follow the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError
from metameter.judge.align import Placed, place, ranked_blocks, ranked_whole
from metameter.notices import notice
from metameter.read.archives import Content
from metameter.read.sources import RunFile
from metameter.read.topic_blocks import BLOCK, topic_blocks
from metameter.read.trec import is_headed, run_of_text
from metameter.types import Fingerprint, Run

if TYPE_CHECKING:
    from metameter.judge.index import Index
    from metameter.judge.ranked import Ranked
    from metameter.read.runs import LazyRun
    from metameter.scoring.policy import Policy

__all__ = ["Alignment", "align_source"]

# What was measured of a file that is read as a whole.
_TIMES = 7


@dataclass(frozen=True, eq=False)
class Alignment:
    """A run as the judgments see it.

    Attributes
    ----------
    system : str
    index : Index
        The judgments.
    placed : Placed
        The ranks of its documents.
    origin : Content or Run
        What it was read from.
    """

    system: str
    index: Index
    placed: Placed
    origin: Content | Run

    @property
    def fingerprint(self) -> Fingerprint:
        """That of what it was read from."""
        return self.origin.fingerprint or Fingerprint(self.system)

    def ranked(self) -> Ranked:
        """What metrics see of it."""
        return ranked_whole(self.system, self.placed, self.index)

    def ranked_blocks(self) -> Iterator[Ranked]:
        """The same in blocks of topics."""
        return (ranked for _, ranked in ranked_blocks(self.system, self.placed, self.index))


def align_source(
    source: LazyRun, content: Content | None, index: Index, policy: Policy, depth: int | None = None
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
    """
    options: dict[str, Any] = {"ties": policy.ties, "precision": policy.precision, "depth": depth}
    scattered = None
    if content is not None and content.is_large:
        names: list[str] = []
        try:
            placed = Placed.joined(_placed_blocks(source, content, index, options, names))
        except _ScatteredError as problem:
            scattered = problem.args[0]
        except (_WholeError, MetameterError, OSError):
            pass  # whoever reads all of it says what is wrong, and where
        else:
            if placed is not None:
                return Alignment(names[0], index, placed, content)
        content = Content(content.source, content.stored)
    run = source.read(content)
    placed = place(run, index, **options)
    if scattered is not None:
        notice(
            f"{run.source} lists topic {scattered!r} in several places: it was read as a whole, which takes about "
            f"{_TIMES} times its uncompressed size in memory; sort its lines by topic"
        )
    return Alignment(run.name, index, placed, run if content is None else content)


class _ScatteredError(Exception):
    """The lines of a topic do not follow each other."""


class _WholeError(Exception):
    """The file has to be read as a whole; why is said when it is."""


def _placed_blocks(
    source: LazyRun, content: Content, index: Index, options: dict[str, Any], names: list[str]
) -> Iterator[Placed]:
    """The ranks of the documents of each block of topics; the system's name is put into ``names``, for every block."""
    name = None if isinstance(source, RunFile) and source.by_tag else source.name
    closed: set[str] = set()
    for text in topic_blocks(content.pieces(BLOCK)):
        if not names and is_headed(text):
            raise _WholeError
        run = run_of_text(text, content.source, name=name, **source.options)
        topics = set(run.rows.topics)
        if not closed.isdisjoint(topics):
            raise _ScatteredError(next(topic for topic in run.rows.topics if topic in closed))
        closed |= topics
        names.append(run.name)
        if names[0] != run.name:
            raise _WholeError
        if not topics.isdisjoint(index.number):
            yield place(run, index, **options)
