"""From the numbers of topics, systems and documents to labelled tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.simulation.model import Model
from metameter.simulation.systems import Listing, family_of, quality_of
from metameter.simulation.topics import Topics
from metameter.types import Qrels, Run

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Labels"]


class Labels:
    """The names in a simulated collection; more topics or systems leave the earlier names as they are."""

    def __init__(self, model: Model) -> None:
        import polars as pl

        self.model = model
        self.topic = pl.Series("topic", [str(number + 1) for number in range(model.topics)], dtype=pl.String)
        # At most 12 characters, which Polars stores in place: a third of the memory.
        digits = len(str(model.documents - 1))
        self.doc = pl.Series("doc", [f"D{number:0{digits}}" for number in range(model.documents)], dtype=pl.String)
        self.system = [f"S{number + 1:03}" for number in range(model.systems)]
        # One column shared by all the runs.
        self.run_topic = self.topic.gather(np.repeat(np.arange(model.topics), model.depth))

    def run(self, system: int, listing: Listing) -> Run:
        """What a system retrieved, as a run."""
        import polars as pl

        doc = self.doc.gather(listing.docs.reshape(-1))
        score = pl.Series("score", listing.scores.reshape(-1))
        return Run(self.system[system], pl.DataFrame([self.run_topic, doc, score]), "simulated")

    def qrels(self, topic: Any, doc: Any, grade: Any) -> Qrels:
        """Graded documents, as judgments."""
        import polars as pl

        table = pl.DataFrame([self.topic.gather(topic), self.doc.gather(doc), pl.Series("grade", grade)])
        return Qrels(table, "simulated")

    def truth(self) -> pl.DataFrame:
        """How good the systems really are."""
        import polars as pl

        systems = range(self.model.systems)
        family = [family_of(self.model, system) for system in systems]
        return pl.DataFrame(
            {
                "system": self.system,
                "quality": [quality_of(self.model, system) for system in systems],
                "family": pl.Series([None if kin is None else f"F{kin + 1:03}" for kin in family], dtype=pl.String),
            }
        )

    def topic_table(self, truth: Topics) -> pl.DataFrame:
        """How hard the topics really are."""
        import polars as pl

        relevant = (truth.grade > 0).sum(axis=1)
        return pl.DataFrame({"topic": self.topic, "difficulty": 0.0 - truth.ease, "relevant": relevant})
