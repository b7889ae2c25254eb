"""Simulate a test collection with known truth: topics and systems are drawn from a model, and the runs are pooled."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.arguments import checks_arguments
from metameter.errors import refuse
from metameter.parameters import Bounds
from metameter.simulation.bounds import MOST, SEEDS, check_size, keep_whole
from metameter.simulation.streams import Part, stream
from metameter.types import Qrels, Run

if TYPE_CHECKING:
    import polars as pl


#: The rank of a document that no contributing run retrieved.
NEVER = np.iinfo(np.int32).max
#: Scores are rounded to this many parts of one, so that all machines order documents alike.
PRECISION = 1_000_000
_SHARE = Bounds(0, 1)
# Chosen so that the default size resembles WWW3 in chen2023: about 150 judged relevant documents per topic, mean AP of
# the systems between .1 and .6, Kendall's tau between halves of the topics .7 to .8.
SIGNAL, QUALITY, EASE, INTERACTION = 2.7, 0.7, 0.8, 1.0
SHARED, OWN = 1.0, 0.7
RELEVANT, SKEW = 290, 0.6


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
    model = Model(
        topics=topics,
        systems=systems,
        depth=depth,
        grades=grades,
        pool_depth=pool_depth,
        null=null,
        seed=seed,
        documents=documents,
        families=families,
        likeness=likeness,
        contributing=contributing,
        pool_sample=pool_sample,
        sample_below=sample_below,
    )
    return _collect(model)


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


@dataclass(frozen=True)
class Model:
    """The checked parameters of `simulate`."""

    topics: int
    systems: int
    depth: int
    grades: int
    pool_depth: int
    null: bool
    seed: int
    documents: int
    families: int | None
    likeness: float
    contributing: int
    pool_sample: float | None
    sample_below: int

    def __post_init__(self) -> None:
        for name in ("topics", "systems", "depth", "contributing"):
            keep_whole(self, name, 1)
        keep_whole(self, "grades", 2, 100)
        keep_whole(self, "documents", 8, 4 * MOST)
        keep_whole(self, "seed", 0, SEEDS)
        keep_whole(self, "pool_depth", 1, self.depth)
        keep_whole(self, "depth", 1, self.documents)
        keep_whole(self, "contributing", 1, self.systems)
        keep_whole(self, "sample_below", 0)
        self._check_shares()
        self._check_null()
        check_size("topics x documents", self.topics * self.documents)
        check_size("systems x topics x depth", self.systems * self.topics * self.depth)

    def _check_shares(self) -> None:
        if self.families is not None:
            keep_whole(self, "families", 1)
        for name, value in (("likeness", self.likeness), ("pool_sample", self.pool_sample)):
            if value is not None and not _SHARE.contain(value):
                refuse(f"{name} is not a share", given=value, allowed="from 0 to 1", fix=f"Give {name} as a number.")

    def _check_null(self) -> None:
        # Systems of a family are similar, and runs outside the pool are judged less: neither is exchangeable.
        if self.null and (self.families is not None or self.contributing < self.systems):
            refuse("null systems must be exchangeable", fix="Leave out families and contributing, or null.")


@dataclass(frozen=True, eq=False)
class Topics:
    """The true properties of the topics and their documents.

    Attributes
    ----------
    ease : ndarray, topics
        Added to every system's signal; difficulty is its negative.
    grade : ndarray of int8, topics x documents
        The true grade of every document.
    appeal : ndarray, topics x documents
        The score of a document beside its relevance, shared by all systems: why systems retrieve the same irrelevant
        documents.
    lot : ndarray, topics x documents
        Uniform in [0, 1); a sampled pool of share s judges the documents with a lot below s.
    """

    ease: NDArray[np.float64]
    grade: NDArray[np.int8]
    appeal: NDArray[np.float64]
    lot: NDArray[np.float64]

    def signal(self, grades: int) -> NDArray[np.float64]:
        """Return the strength of relevance of each document, 0 to 1; grade 1 of 3 has half the strength."""
        return np.where(self.grade > 0, (self.grade + 1.0) / grades, 0.0)


def draw_topics(model: Model) -> Topics:
    """Draw every topic from its own stream."""
    topics = [_draw_topic(model, stream(model.seed, Part.TOPIC, topic)) for topic in range(model.topics)]
    ease, grade, appeal, lot = zip(*topics, strict=True)
    return Topics(np.array(ease), np.array(grade), np.array(appeal), np.array(lot))


def _draw_topic(
    model: Model, random: np.random.Generator
) -> tuple[float, NDArray[np.int8], NDArray[np.float64], NDArray[np.float64]]:
    ease = EASE * random.standard_normal()
    most = model.documents // 4
    relevant = min(max(2, int(RELEVANT * math.exp(SKEW * random.standard_normal()))), most)
    grade = np.zeros(model.documents, dtype=np.int8)
    grade[random.permutation(model.documents)[:relevant]] = _draw_grades(model.grades, relevant, random)
    return ease, grade, random.standard_normal(model.documents), random.random(model.documents)


def _draw_grades(grades: int, relevant: int, random: np.random.Generator) -> NDArray[np.int8]:
    # Each grade is half as frequent as the next lower one: 4/7, 2/7 and 1/7 for three grades.
    share = 0.5 ** np.arange(grades - 1)
    cumulated = np.cumsum(share / share.sum())[:-1]
    return (1 + np.searchsorted(cumulated, random.random(relevant), side="right")).astype(np.int8)


@dataclass(frozen=True, eq=False)
class Listing:
    """The documents that a system retrieves: indices and scores, (topics, depth) each, best first."""

    docs: NDArray[np.int64]
    scores: NDArray[np.float64]


def family_of(model: Model, system: int) -> int | None:
    """Return the family of a system; assigned in turn, so that more systems do not change it."""
    return None if model.families is None else system % model.families


def quality_of(model: Model, system: int) -> float:
    """Return the true effect of a system in units of the retrieval signal; 0 in null mode."""
    return 0.0 if model.null else float(QUALITY * _effects(model, system)[0])


def retrieve(model: Model, topics: Topics, signal: NDArray[np.float64], system: int) -> Listing:
    """Return the documents that a system retrieves for every topic.

    Score = (signal + quality + ease of the topic + interaction) x relevance + appeal + noise of the system.
    """
    interaction = INTERACTION * _effects(model, system)[1:]
    strength = np.maximum(0.0, SIGNAL + quality_of(model, system) + topics.ease + interaction)
    score = strength[:, None] * signal + SHARED * topics.appeal + OWN * _noise(model, system)
    return _best(score, model.depth)


def _effects(model: Model, system: int) -> NDArray[np.float64]:
    # One normal variate for the quality, then one per topic: more topics leave the earlier ones unchanged.
    return _mixed(model, system, Part.SYSTEM_EFFECT, Part.FAMILY_EFFECT, (1 + model.topics,))


def _noise(model: Model, system: int) -> NDArray[np.float64]:
    return _mixed(model, system, Part.SYSTEM_NOISE, Part.FAMILY_NOISE, (model.topics, model.documents))


def _mixed(model: Model, system: int, own: Part, family: Part, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Standard normal variates of a system; its family shares the part ``likeness`` of their variance."""
    alone = stream(model.seed, own, system).standard_normal(shape)
    kin = family_of(model, system)
    if kin is None:
        return alone
    shared = stream(model.seed, family, kin).standard_normal(shape)
    return math.sqrt(model.likeness) * shared + math.sqrt(1 - model.likeness) * alone


def _best(score: NDArray[np.float64], depth: int) -> Listing:
    # Rounded score and document index in one integer: all are distinct, so the order is the same on every machine, and
    # equal scores are ordered by descending document id, as in trec_eval.
    documents = score.shape[1]
    keys = np.rint(score * PRECISION).astype(np.int64) * documents + np.arange(documents)
    top = np.sort(np.partition(keys, documents - depth, axis=1)[:, documents - depth :], axis=1)[:, ::-1]
    return Listing(top % documents, (top // documents) / PRECISION)


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
