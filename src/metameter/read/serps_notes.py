"""What the manifest of reduced parts says of one of them: a line of JSON, believed only if all of it is as written."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from metameter.read.serps_reduced import ODD, Odd, Reduced
from metameter.types import Fingerprint
from metameter.types.tally import Tally

__all__ = ["Note"]

_DIGITS = set("0123456789abcdef")


@dataclass(frozen=True)
class Note:
    """A part that was reduced.

    Attributes
    ----------
    key : str
        What it was, and how it was read; the name of the file with its counts.
    counts : str or None
        The SHA-256 of that file; None where the part has not a single row.
    source : str
    fingerprint : Fingerprint or None
    odd : dict
    ignored, made : tuple of str
        As of `Reduced`.
    """

    key: str
    counts: str | None
    source: str
    fingerprint: Fingerprint | None
    odd: dict[str, Odd]
    ignored: tuple[str, ...]
    made: tuple[str, ...]

    @classmethod
    def of(cls, key: str, counts: str | None, result: Reduced) -> Note:
        """What is to be noted of a result."""
        return cls(key, counts, result.source, result.fingerprint, result.odd, result.ignored, result.made)

    @classmethod
    def read(cls, line: str) -> Note | None:
        """What a line says; None if it was cut short, or is damaged in any other way.

        Examples
        --------
        >>> odd = {name: Odd(2, "log.jsonl:3") for name in ODD}
        >>> noted = Note("5c" * 16, None, "log.jsonl", None, odd, ("count",), ())
        >>> Note.read(noted.line()) == noted
        True
        >>> Note.read(noted.line()[:-9]), Note.read(noted.line().replace('["count"]', "null"))
        (None, None)
        """
        try:
            said = json.loads(line)
            return cls(
                _digits(said["key"], 32),  # it becomes the name of a file
                None if said["counts"] is None else _digits(said["counts"], 64),
                _kind(said["source"], str),
                None if said["fingerprint"] is None else _fingerprint(**said["fingerprint"]),
                {name: _odd(**said["odd"][name]) for name in ODD},
                _names(said["ignored"]),
                _names(said["made"]),
            )
        except (ValueError, TypeError, LookupError, RecursionError):
            return None

    def line(self) -> str:
        """The line that says it."""
        return json.dumps(asdict(self))

    def reduced(self, tally: Tally | None) -> Reduced:
        """The part as it was reduced, with its counts."""
        return Reduced(self.source, self.fingerprint, tally, None, self.odd, self.ignored, self.made)


def _kind(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise TypeError(value)
    return value


def _digits(value: Any, many: int) -> str:
    if len(_kind(value, str)) != many or not _DIGITS.issuperset(value):
        raise ValueError(value)
    return str(value)


def _names(values: Any) -> tuple[str, ...]:
    return tuple(_kind(each, str) for each in _kind(values, list))


def _fingerprint(name: Any, size: Any, sha256: Any) -> Fingerprint:
    return Fingerprint(_kind(name, str), _known(size, int), _known(sha256, str))


def _odd(rows: Any, first: Any) -> Odd:
    return Odd(_kind(rows, int), _kind(first, str))


def _known(value: Any, kind: type) -> Any:
    return None if value is None else _kind(value, kind)
