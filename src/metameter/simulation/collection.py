"""`simulate`: a synthetic test collection with known truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.arguments import checks_arguments
from metameter.simulation.collection_model import Listing, Model, Topics, draw_topics, family_of, quality_of, retrieve
from metameter.types import Qrels, Run

if TYPE_CHECKING:
    import polars as pl


NEVER = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class Collection:
    """A simulated test collection with its truth.

    Attributes
    ----------
    qrels : Qrels
        The judgments of the pooled documents.
    runs : list of Run
    truth : polars.DataFrame
        ``system``, ``quality`` (true effect, in units of the retrieval signal), ``family`` (null without families).
    topics : polars.DataFrame
        ``topic``, ``difficulty`` (0 is average, higher is harder), ``relevant`` (relevant documents, judged or not).
    full_qrels : Qrels
        All relevant documents with their grades: the judgments of a pool of unlimited depth.
    """

    qrels: Qrels
    runs: list[Run]
    truth: pl.DataFrame
    topics: pl.DataFrame
    full_qrels: Qrels

    def _repr_html_(self) -> str:
        from metameter.view.tables.html import html_table, paragraphs

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
    """Simulate a random test collection with known qualities of the systems.

    The score of a document is its relevance, scaled by the quality of the system, the ease of the topic and their
    interaction, plus an appeal shared by all systems, plus noise of the system. Equal arguments give equal bits. More
    systems or topics leave the earlier rankings unchanged; the pool, and with it the judgments, grows.

    Parameters
    ----------
    topics, systems, depth : int
        Number of topics, of systems, and of documents that each system returns for a topic.
    grades : int
        Number of grades, including 0: 4 means 0 to 3.
    pool_depth : int, optional
        Documents within the first ``pool_depth`` ranks of a contributing run are judged; by default 50, or `depth` if
        that is less.
    null : bool
        All systems are equally good: within a topic they are exchangeable.
    seed : int
    documents : int, optional
        Number of documents in the collection; by default 3000, or four times `depth` if that is more.
    families : int, optional
        Number of families of similar systems; by default the systems are independent.
    likeness : float
        The share of the variance of quality, interaction and noise that the systems of a family have in common.
    contributing : int, optional
        Number of systems, from the first on, that contribute to the pool; by default all.
    pool_sample : float, optional
        The share of pooled documents below rank `sample_below` that is judged; the others get the grade -1.
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


class Labels:
    """The names in a simulated collection; more topics or systems leave the earlier names unchanged."""

    def __init__(self, model: Model) -> None:
        import polars as pl

        self.model = model
        self.topic = pl.Series("topic", [str(number + 1) for number in range(model.topics)], dtype=pl.String)
        # Polars stores up to 12 characters inline, which takes a third of the memory.
        digits = len(str(model.documents - 1))
        self.doc = pl.Series("doc", [f"D{number:0{digits}}" for number in range(model.documents)], dtype=pl.String)
        self.system = [f"S{number + 1:03}" for number in range(model.systems)]
        # Shared by all runs.
        self.run_topic = self.topic.gather(np.repeat(np.arange(model.topics), model.depth))

    def run(self, system: int, listing: Listing) -> Run:
        """Return the documents that a system retrieved as a run."""
        import polars as pl

        doc = self.doc.gather(listing.docs.reshape(-1))
        score = pl.Series("score", listing.scores.reshape(-1))
        return Run(self.system[system], pl.DataFrame([self.run_topic, doc, score]), "simulated")

    def qrels(self, topic: Any, doc: Any, grade: Any) -> Qrels:
        """Return graded documents as judgments."""
        import polars as pl

        table = pl.DataFrame([self.topic.gather(topic), self.doc.gather(doc), pl.Series("grade", grade)])
        return Qrels(table, "simulated")

    def truth(self) -> pl.DataFrame:
        """Return the table of true qualities."""
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
        """Return the table of true difficulties."""
        import polars as pl

        relevant = (truth.grade > 0).sum(axis=1)
        return pl.DataFrame({"topic": self.topic, "difficulty": 0.0 - truth.ease, "relevant": relevant})


class Pool:
    """The best rank of every document over the contributing runs, and the judgments of the pool.

    Examples
    --------
    >>> pool = Pool(topics=1, documents=4)
    >>> pool.add(Listing(np.array([[2, 0]]), np.zeros((1, 2))))
    >>> pool.add(Listing(np.array([[0, 3]]), np.zeros((1, 2))))
    >>> pool.best < 3
    array([[ True, False,  True,  True]])
    """

    def __init__(self, topics: int, documents: int) -> None:
        self.best: NDArray[np.int32] = np.full((topics, documents), NEVER, dtype=np.int32)

    def add(self, listing: Listing) -> None:
        """Add a contributing run."""
        ranks = np.arange(1, listing.docs.shape[1] + 1, dtype=np.int32)
        known = np.take_along_axis(self.best, listing.docs, axis=1)
        np.put_along_axis(self.best, listing.docs, np.minimum(known, ranks), axis=1)

    def judge(self, model: Model, truth: Topics) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return topic index, document index and grade of every pooled document; -1 if it was not sampled."""
        topic, doc = np.nonzero(self.best <= model.pool_depth)
        grade = truth.grade[topic, doc].astype(np.float64)
        if model.pool_sample is not None:
            left_out = truth.lot[topic, doc] >= model.pool_sample
            grade[left_out & (self.best[topic, doc] > model.sample_below)] = -1
        return topic, doc, grade
