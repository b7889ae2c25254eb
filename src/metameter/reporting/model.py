"""What a report is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from metameter.view.result import Result

__all__ = ["CollectionPart", "Report"]


@dataclass(frozen=True, eq=False)
class CollectionPart:
    """One collection of a study.

    Attributes
    ----------
    name : str
    facts : dict
        What the collection is: ``topics``, ``systems``, ``judgments``, ``grades`` and the like, ready to be printed.
    coverage : polars.DataFrame
        A row a system: topics, missing, judged_at_10, tied.
    results : dict of Result
        By procedure (``similarity``, ``consistency``, ``power``, ``recommendation``, ...), in the order of the report.
    """

    name: str
    facts: dict[str, Any]
    coverage: pl.DataFrame
    results: dict[str, Result]


@dataclass(frozen=True, eq=False)
class Report:
    """Everything that stands in a report.

    Attributes
    ----------
    title : str
    answer : tuple of str
        The answer first: sentences that say only what the numbers say.
    collections : tuple of CollectionPart
    shared : polars.DataFrame or None
        With several collections: which findings hold in all of them, which in some.
    manifest : dict
    """

    title: str
    answer: tuple[str, ...]
    collections: tuple[CollectionPart, ...]
    shared: pl.DataFrame | None = None
    manifest: dict[str, Any] = field(default_factory=dict)
