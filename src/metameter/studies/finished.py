"""One collection with all its stages finished: computed now, or read back from its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metameter.meta.framework.declarations import declarations
from metameter.notices import notice
from metameter.studies.collection import scores_of_table
from metameter.view.result import Result

if TYPE_CHECKING:
    import polars as pl

    from metameter.studies.store import Store
    from metameter.types import Scores


@dataclass(frozen=True, eq=False)
class Finished:
    """One collection with all its stages finished.

    Attributes
    ----------
    scores : Scores
    coverage : polars.DataFrame
        One row per system.
    facts : dict
        Figures about the collection, for people.
    results : dict of Result
        By the key of the procedure, in the order of the report.
    digests : dict of str
        Stage -> the digest under which it is stored.
    """

    scores: Scores
    coverage: pl.DataFrame
    facts: dict[str, Any]
    results: dict[str, Result]
    digests: dict[str, str]

    @classmethod
    def restored(cls, store: Store, digests: Mapping[str, str]) -> Finished:
        """Read a collection back from the store; a result without its procedure is left out, with a notice."""
        about = store.read("collection", digests["collection"])
        known = declarations()
        for stage in digests:
            if stage != "collection" and stage not in known:
                notice(f"the procedure of the stage {stage} is not installed, so its results are left out")
        results = {key: store.read(key, digests[key], each.result) for key, each in known.items() if key in digests}
        scores = scores_of_table(about.tables["scores"])
        return cls(scores, about.tables["coverage"], about.manifest, results, dict(digests))
