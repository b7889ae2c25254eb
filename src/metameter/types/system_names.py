"""Short system names, without the prefix and suffix common to all: `acsys8al` for `input.acsys8al.txt`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from typing import Any

from metameter.types.scores import Scores

#: The manifest entry for the affixes that were removed.
STRIPPED = "stripped"
#: Where a name may be cut: at a run of these, but not within a number such as 0.5.
_SEPARATORS = re.compile(r"(?:(?<!\d)\.|\.(?!\d)|[\s_-])+")


@dataclass(frozen=True)
class CommonAffixes:
    """The longest prefix and suffix common to all names, cut at ``.``, ``_``, ``-`` or a space.

    Short names are never empty, and different names stay different. A single name has no common affixes.

    Examples
    --------
    >>> affixes = CommonAffixes.of(["input.acsys8al.txt", "input.acsys8amn.txt"])
    >>> affixes, affixes.short("input.acsys8al.txt")
    (CommonAffixes(prefix='input.', suffix='.txt'), 'acsys8al')
    >>> CommonAffixes.of(["run10", "run11"]), CommonAffixes.of(["input.bm25.txt"])
    (CommonAffixes(prefix='', suffix=''), CommonAffixes(prefix='', suffix=''))
    """

    prefix: str = ""
    suffix: str = ""

    @classmethod
    def of(cls, names: Iterable[str]) -> CommonAffixes:
        """The common affixes of these names."""
        every = list(dict.fromkeys(names))
        if len(every) < 2:
            return cls()
        # The suffix first: it is mostly a file extension, without meaning.
        suffix = _common_suffix(every)
        return cls(_common_prefix([name.removesuffix(suffix) for name in every]), suffix)

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> CommonAffixes:
        """The affixes that were removed according to a manifest; empty ones if it names none.

        Examples
        --------
        >>> CommonAffixes.of_manifest({"stripped": {"prefix": "input.", "suffix": ""}}).prefix
        'input.'
        """
        entry = manifest.get(STRIPPED)
        return cls(str(entry["prefix"]), str(entry["suffix"])) if entry else cls()

    def entry(self) -> dict[str, Any]:
        """The manifest entry; empty without common affixes."""
        return {STRIPPED: asdict(self)} if self.prefix or self.suffix else {}

    def short(self, name: str) -> str:
        """A name without the affixes; a name that lacks them is returned as it is."""
        least = len(self.prefix) + len(self.suffix)
        if len(name) <= least or not (name.startswith(self.prefix) and name.endswith(self.suffix)):
            return name
        return name.removeprefix(self.prefix).removesuffix(self.suffix)

    def known(self, name: str, systems: Collection[str]) -> str:
        """The system with this name, which may be the full name or the short one.

        Examples
        --------
        >>> affixes = CommonAffixes("input.", ".txt")
        >>> affixes.known("input.bm25.txt", ["bm25", "ql"]), affixes.known("ql", ["bm25", "ql"])
        ('bm25', 'ql')
        """
        return name if name in systems or self.short(name) not in systems else self.short(name)


def with_short_names(scores: Scores) -> Scores:
    """The scores with short system names; the manifest records the affixes that were removed.

    Examples
    --------
    >>> import numpy as np
    >>> with_short_names(Scores(("AP",), ("input.a", "input.b"), ("1",), np.zeros((1, 2, 1)))).systems
    ('a', 'b')
    """
    affixes = CommonAffixes.of(scores.systems)
    manifest = {**scores.manifest, **affixes.entry()}
    if scores.missing_topics:
        manifest["missing_topics"] = {affixes.short(name): topics for name, topics in scores.missing_topics.items()}
    return replace(scores, systems=tuple(map(affixes.short, scores.systems)), manifest=manifest)


def _common_prefix(names: list[str]) -> str:
    """The longest common prefix that ends with separators in every name and leaves something after them."""
    ends = [{match.end() for match in _SEPARATORS.finditer(name) if match.end() < len(name)} for name in names]
    common = _common_beginning(names)
    return common[: max((end for end in set.intersection(*ends) if end <= len(common)), default=0)]


def _common_suffix(names: list[str]) -> str:
    """The longest common suffix that begins with separators in every name and leaves something before them."""
    lengths = [{len(name) - match.start() for match in _SEPARATORS.finditer(name) if match.start()} for name in names]
    common = _common_beginning([name[::-1] for name in names])
    return common[: max((length for length in set.intersection(*lengths) if length <= len(common)), default=0)][::-1]


def _common_beginning(names: list[str]) -> str:
    """The characters with which all names begin."""
    return "".join(same for same, *_ in takewhile(lambda each: len(set(each)) == 1, zip(*names, strict=False)))
