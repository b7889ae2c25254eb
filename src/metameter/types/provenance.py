"""Fingerprints of inputs, the order of topics, and counts with their nouns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


def counted(count: int, what: str) -> str:
    """A count with its noun.

    Examples
    --------
    >>> counted(1, "topic"), counted(2000, "document")
    ('1 topic', '2,000 documents')
    """
    return f"{count:,} {what}{'s' * (count != 1)}"


def topic_order(topics: Any) -> tuple[str, ...]:
    """Sort topic ids: as numbers if all are integers, otherwise as text.

    Examples
    --------
    >>> topic_order(["10", "9", "001", "1"])
    ('001', '1', '9', '10')
    >>> topic_order(["10", "9", "q1"])
    ('10', '9', 'q1')
    """
    ids = sorted(set(topics))
    if all(topic.isascii() and topic.isdigit() for topic in ids):
        # By length, then by digits, which is the order of the numbers for any number of digits.
        ids.sort(key=lambda topic: (len(topic.lstrip("0")), topic.lstrip("0"), topic))
    return tuple(ids)


@dataclass(frozen=True)
class Fingerprint:
    """The name of an input and, if it came as bytes, its size and SHA-256, for the manifest.

    Examples
    --------
    >>> Fingerprint("qrels.txt", 12, "ab01").entry(), Fingerprint("qrels").entry()
    ({'name': 'qrels.txt', 'bytes': 12, 'sha256': 'ab01'}, {'name': 'qrels'})
    """

    name: str
    size: int | None = None
    sha256: str | None = None

    def entry(self) -> dict[str, Any]:
        """The manifest entry; only the name for an object in memory."""
        known = {"name": self.name, "bytes": self.size, "sha256": self.sha256}
        return {key: value for key, value in known.items() if value is not None}
