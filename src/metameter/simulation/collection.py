"""`simulate`: a synthetic test collection whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metameter.arguments import checks_arguments
from metameter.simulation.labels import Labels
from metameter.simulation.model import Model
from metameter.simulation.pool import Pool
from metameter.simulation.systems import retrieve
from metameter.simulation.topics import draw_topics
from metameter.types import Qrels, Run

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Collection", "simulate"]


@dataclass(frozen=True, eq=False)
class Collection:
    """A simulated test collection and the truth about it.

    Attributes
    ----------
    qrels : Qrels
        The judgments: the pool, and nothing else.
    runs : list of Run
    truth : polars.DataFrame
        ``system``, ``quality`` (the true effect, in units of the retrieval signal), ``family`` (null without families).
    topics : polars.DataFrame
        ``topic``, ``difficulty`` (0 is average, more is harder), ``relevant`` (the true number, judged or not).
    full_qrels : Qrels
        Every truly relevant document with its grade: what a pool of unlimited depth would hold.
    """

    qrels: Qrels
    runs: list[Run]
    truth: pl.DataFrame
    topics: pl.DataFrame
    full_qrels: Qrels

    def _repr_html_(self) -> str:
        from metameter.view.html import html_table, paragraphs

        sizes = f"{len(self.runs):,} systems, {self.topics.height:,} topics, {self.qrels.table.height:,} judgments"
        return paragraphs([f"Simulated: {sizes}. How good the systems truly are:"]) + html_table(self.truth)


@checks_arguments
def simulate(
    *,
    topics: int = 80,
    systems: int = 39,
    depth: int = 100,
    grades: int = 4,
    pool_depth: int | None = None,
    null: bool = False,
    seed: int = 0,
    documents: int | None = None,
    families: int | None = None,
    likeness: float = 0.8,
    contributing: int | None = None,
    pool_sample: float | None = None,
    sample_below: int = 10,
) -> Collection:
    """Draw a random test collection in which it is known how good every system is.

    A document's score is its relevance, scaled by the system's quality, the topic's ease and their interaction,
    plus an appeal that all systems see alike, plus the system's own noise. The same arguments give the same bits;
    more systems or topics leave the earlier rankings as they are (the pool, and with it the judgments, grows).

    Parameters
    ----------
    topics, systems, depth : int
        How many topics and systems, and how many documents each system returns for a topic.
    grades : int
        How many grades there are, 0 included: 4 means 0 to 3.
    pool_depth : int, optional
        The documents that some contributing run ranks within its first ``pool_depth`` are judged; by default 50, or
        `depth` if that is less.
    null : bool
        All systems equally good: within a topic every permutation of them is equally likely.
    seed : int
    documents : int, optional
        The size of the collection; by default 3000, or four times `depth` if that is more.
    families : int, optional
        The number of families of which the systems are variants; by default each system stands alone.
    likeness : float
        The part of quality, interaction and noise that the variants of a family share.
    contributing : int, optional
        How many systems, from the first on, contribute to the pool; by default all of them.
    pool_sample : float, optional
        The share of pooled documents below rank `sample_below` that is judged; the others have the grade -1.
    sample_below : int

    Returns
    -------
    Collection

    Examples
    --------
    >>> small = simulate(topics=2, systems=3, depth=5, documents=40, seed=1)
    >>> len(small.runs), small.runs[0].table.height, small.qrels.topics
    (3, 10, ('1', '2'))
    >>> sorted(simulate(topics=2, systems=3, depth=5, documents=40, null=True).truth["quality"])
    [0.0, 0.0, 0.0]
    """
    pool_depth = min(50, depth) if pool_depth is None else pool_depth
    documents = max(3000, 4 * depth) if documents is None else documents
    contributing = systems if contributing is None else contributing
    return _collect(
        Model(
            topics,
            systems,
            depth,
            grades,
            pool_depth,
            null,
            seed,
            documents,
            families,
            likeness,
            contributing,
            pool_sample,
            sample_below,
        )
    )


def _collect(model: Model) -> Collection:
    truth = draw_topics(model)
    labels = Labels(model)
    pool = Pool(model.topics, model.documents)
    signal = truth.signal(model.grades)
    runs = []
    for system in range(model.systems):
        listing = retrieve(model, truth, signal, system)
        if system < model.contributing:
            pool.add(listing)
        runs.append(labels.run(system, listing))
    relevant = (*np.nonzero(truth.grade), truth.grade[truth.grade > 0].astype(np.float64))
    judged, full = labels.qrels(*pool.judge(model, truth)), labels.qrels(*relevant)
    return Collection(judged, runs, labels.truth(), labels.topic_table(truth), full)
