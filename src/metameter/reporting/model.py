"""What a report is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.declarations import declarations

if TYPE_CHECKING:
    import polars as pl

    from metameter.view.result import Result


@dataclass(frozen=True, eq=False)
class CollectionPart:
    """One collection of a study.

    Attributes
    ----------
    name : str
    facts : dict
        Facts about the collection: ``topics``, ``systems``, ``judgments``, ``grades`` and so on, as printed.
    coverage : polars.DataFrame
        One row per system: topics, missing, judged_at_10, tied.
    results : dict of Result
        By the key of the procedure, in the order of the report.
    """

    name: str
    facts: dict[str, Any]
    coverage: pl.DataFrame
    results: Mapping[str, Result]

    @property
    def shown(self) -> dict[str, Result]:
        """The results that have sections: not those that say nothing with so few systems."""
        known, systems = declarations(), self.facts.get("systems")
        few = {key for key, each in known.items() if systems is not None and systems < each.fewest_systems}
        return {key: result for key, result in self.results.items() if key not in few}


@dataclass(frozen=True, eq=False)
class Report:
    """Everything that stands in a report.

    Attributes
    ----------
    title : str
    answer : tuple of str
        The sentences that the report begins with; they say only what the numbers say.
    collections : tuple of CollectionPart
    across : dict of dict of polars.DataFrame
        With several collections: for each procedure (by key) the tables, by name, of what they have in common.
    manifest : dict
    charts : dict of dict of charts
        With several collections: for each procedure (by key) the charts, by name, that show them together.
    """

    title: str
    answer: tuple[str, ...]
    collections: tuple[CollectionPart, ...]
    across: Mapping[str, Mapping[str, pl.DataFrame]] = field(default_factory=dict)
    manifest: dict[str, Any] = field(default_factory=dict)
    charts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
