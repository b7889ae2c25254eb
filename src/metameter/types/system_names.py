"""What all systems' names begin and end with, and their names without it: `acsys8al` for `input.acsys8al.txt`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from typing import Any

from metameter.types.scores import Scores

#: Where a manifest says what was taken off.
STRIPPED = "stripped"
#: Where a name may be cut: at a run of these, but not within a number such as 0.5.
_SEPARATORS = re.compile(r"(?:(?<!\d)\.|\.(?!\d)|[\s_-])+")


@dataclass(frozen=True)
class SharedEnds:
    """A beginning and an end that all names share; each is cut where words end: at ``.``, ``_``, ``-`` or a space.

    What is left of a name is never empty, and names that differ go on to differ. One name alone shares nothing.

    Examples
    --------
    >>> ends = SharedEnds.of(["input.acsys8al.txt", "input.acsys8amn.txt"])
    >>> ends, ends.short("input.acsys8al.txt")
    (SharedEnds(prefix='input.', suffix='.txt'), 'acsys8al')
    >>> SharedEnds.of(["run10", "run11"]), SharedEnds.of(["input.bm25.txt"])
    (SharedEnds(prefix='', suffix=''), SharedEnds(prefix='', suffix=''))
    """

    prefix: str = ""
    suffix: str = ""

    @classmethod
    def of(cls, names: Iterable[str]) -> SharedEnds:
        """What these names share."""
        every = list(dict.fromkeys(names))
        if len(every) < 2:
            return cls()
        # The end first: it is most often that of the files, and without meaning.
        suffix = _shared_suffix(every)
        return cls(_shared_prefix([name.removesuffix(suffix) for name in every]), suffix)

    @classmethod
    def noted(cls, manifest: Mapping[str, Any]) -> SharedEnds:
        """What was taken off the names that this manifest is about; of most, nothing.

        Examples
        --------
        >>> SharedEnds.noted({"stripped": {"prefix": "input.", "suffix": ""}}).prefix
        'input.'
        """
        noted = manifest.get(STRIPPED)
        return cls(str(noted["prefix"]), str(noted["suffix"])) if noted else cls()

    def entry(self) -> dict[str, Any]:
        """What a manifest says of it: nothing where nothing is shared."""
        return {STRIPPED: asdict(self)} if self.prefix or self.suffix else {}

    def short(self, name: str) -> str:
        """A name without what all share; one that lacks it stays as it is."""
        least = len(self.prefix) + len(self.suffix)
        if len(name) <= least or not (name.startswith(self.prefix) and name.endswith(self.suffix)):
            return name
        return name.removeprefix(self.prefix).removesuffix(self.suffix)

    def known(self, name: str, systems: Collection[str]) -> str:
        """The system that a user means, who may write the whole name or the short one.

        Examples
        --------
        >>> ends = SharedEnds("input.", ".txt")
        >>> ends.known("input.bm25.txt", ["bm25", "ql"]), ends.known("ql", ["bm25", "ql"])
        ('bm25', 'ql')
        """
        return name if name in systems or self.short(name) not in systems else self.short(name)


def with_short_names(scores: Scores) -> Scores:
    """The scores with systems named by what tells them apart; the manifest says what was left out.

    Examples
    --------
    >>> import numpy as np
    >>> with_short_names(Scores(("AP",), ("input.a", "input.b"), ("1",), np.zeros((1, 2, 1)))).systems
    ('a', 'b')
    """
    ends = SharedEnds.of(scores.systems)
    manifest = {**scores.manifest, **ends.entry()}
    if scores.missing_topics:
        manifest["missing_topics"] = {ends.short(name): topics for name, topics in scores.missing_topics.items()}
    return replace(scores, systems=tuple(map(ends.short, scores.systems)), manifest=manifest)


def _shared_prefix(names: list[str]) -> str:
    """The longest beginning that ends with separators in every name, with something after them."""
    ends = [{found.end() for found in _SEPARATORS.finditer(name) if found.end() < len(name)} for name in names]
    shared = _beginning(names)
    return shared[: max((end for end in set.intersection(*ends) if end <= len(shared)), default=0)]


def _shared_suffix(names: list[str]) -> str:
    """The longest end that begins with separators in every name, with something before them."""
    starts = [{len(name) - found.start() for found in _SEPARATORS.finditer(name) if found.start()} for name in names]
    shared = _beginning([name[::-1] for name in names])
    return shared[: max((start for start in set.intersection(*starts) if start <= len(shared)), default=0)][::-1]


def _beginning(names: list[str]) -> str:
    """The letters that all begin with."""
    return "".join(same for same, *_ in takewhile(lambda each: len(set(each)) == 1, zip(*names, strict=False)))
