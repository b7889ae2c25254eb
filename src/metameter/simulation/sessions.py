"""Simulate sessions of several iterations, by systems of known qualities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.arguments import checks_arguments
from metameter.errors import refuse
from metameter.parameters import Bounds
from metameter.simulation.bounds import SEEDS, check_size, keep_whole
from metameter.simulation.streams import Part, stream
from metameter.types import SessionRun, Truth

if TYPE_CHECKING:
    import polars as pl


#: The qualities of systems; higher is better, also for effort (shorter documents, fewer iterations).
DIMENSIONS = ("relevance", "diversity", "effort")
# Chosen so that mean scores are about those of TREC Dynamic Domain 2016. After the first and the tenth
# iteration its runs have, on average, a precision of .35 and .30, a subtopic recall of .42 and .55, a total time of
# -119 and -555 seconds.
SIGNAL, EASE, NOVELTY, BREVITY = 0.8, 0.8, 0.3, 0.3
QUALITY = {"relevance": 0.6, "diversity": 3.0, "effort": 0.6}
INTERACTION = 0.5
SHARED, OWN = 0.7, 0.7
# The log-odds of ending the session after an iteration.
ENDING = -2.2
# The standard deviation of the log number of relevant documents of a topic: TREC's topics have 2 to 3,327 documents,
# half of them 56 or fewer.
SKEW = 1.0
# The shares of nuggets that are marginal, relevant, highly relevant and key; about as in TREC Dynamic Domain 2016.
_RATINGS = (0.22, 0.34, 0.28, 0.16)
# The share of subtopics without relevant documents; the number of nuggets of a subtopic; the probabilities that a
# document covers another subtopic, and has another passage on the same one; the number of documents per subtopic that
# are judged not relevant.
_EMPTY, _NUGGETS, _FURTHER, _AGAIN, _IN_VAIN = 0.1, 8, 0.3, 0.35, 2
# The median length of documents in words, and the standard deviation of its logarithm.
_LENGTH, _SPREAD = 500, 0.8
# Scores are rounded to this many parts of one, so that all machines order documents alike.
PRECISION = 1_000_000
#: Topic, subtopic, document, nugget and rating of a judgment.
_Row = tuple[str, str, str, str, float]


@dataclass(frozen=True, eq=False)
class SimulatedSessions:
    """Simulated sessions, with the truth about topics and systems.

    Attributes
    ----------
    truth : Truth
        Judgments by subtopic; some subtopics have no relevant document.
    runs : list of SessionRun
    lengths : polars.DataFrame
        ``doc``, ``length`` (in words), of all documents.
    qualities : polars.DataFrame
        ``system``, ``relevance``, ``diversity``, ``effort``: the qualities of each system; 0 is average, higher is
        better (for effort: shorter documents, fewer iterations).
    """

    truth: Truth
    runs: list[SessionRun]
    lengths: pl.DataFrame
    qualities: pl.DataFrame

    def _repr_html_(self) -> str:
        from metameter.view.tables.html import html_table, paragraphs

        sizes = f"{len(self.runs):,} systems, {len(self.truth.topics):,} topics, {self.truth.table.height:,} judgments"
        return paragraphs([f"Simulated sessions: {sizes}. What the systems are good at:"]) + html_table(self.qualities)


@checks_arguments
def simulate_sessions(
    *,
    topics: int = 50,
    systems: int = 20,
    iterations: int = 10,
    page: int = 5,
    null: bool = False,
    seed: int = 0,
    subtopics: int = 5,
    relevant: int = 40,
    documents: int = 300,
    truth: Truth | None = None,
    lengths: Mapping[str, float] | None = None,
    qualities: Mapping[str, Sequence[float]] | None = None,
) -> SimulatedSessions:
    """Simulate sessions with known qualities of every system in each dimension.

    The number and ranks of relevant documents that a system shows depend on its relevance, the ease of the topic, the
    appeal shared by all systems, and noise. Which relevant documents it shows depends on its diversity: documents on
    subtopics covered before count less. A system with high effort quality prefers short documents and ends its sessions
    earlier. So each quality affects its own dimension only. Equal arguments give equal bits. More systems or topics
    leave the earlier sessions unchanged.

    Parameters
    ----------
    topics, systems : int
        Number of topics and of systems.
    iterations, page : int
        Largest number of iterations of a session, and number of documents shown in each.
    null : bool
        All systems are equally good in every dimension: within a topic they are exchangeable.
    seed : int
    subtopics, relevant : int
        Mean number of subtopics of a topic, and median number of relevant documents.
    documents : int
        Number of candidate documents for each topic.
    truth : Truth, optional
        Given judgments instead of simulated ones. For each topic, unjudged documents are added up to ``documents``, and
        at least as many as are judged.
    lengths : dict, optional
        Known lengths of documents in words; the others are drawn.
    qualities : dict, optional
        Given qualities {name: (relevance, diversity, effort)} instead of drawn ones.

    Returns
    -------
    SimulatedSessions

    Examples
    --------
    >>> small = simulate_sessions(topics=2, systems=3, iterations=2, page=3, relevant=5, documents=20, seed=1)
    >>> [run.name for run in small.runs], small.truth.topics, small.lengths.height
    (['S001', 'S002', 'S003'], ('1', '2'), 40)
    >>> sorted({row for row in simulate_sessions(topics=1, systems=3, null=True).qualities.drop("system").rows()})
    [(0.0, 0.0, 0.0)]
    """
    _check_inputs(truth, lengths, qualities)
    count = systems if qualities is None else len(qualities)
    model = SessionModel(topics, count, iterations, page, null, seed, subtopics, relevant, documents)
    known = _qualities(model, qualities)
    truth, names = draw_truth(model) if truth is None else (truth, documents_of(model, truth))
    table = lengths_of(model, names, lengths or {})
    candidates = candidates_of(model, truth, names, table)
    runs = []
    for system, (name, quality) in enumerate(known.items()):
        runs.append(_run(name, truth, candidates, pages_of(model, candidates, quality, system)))
    return SimulatedSessions(truth, runs, table, _quality_table(known))


def _check_inputs(truth: Any, lengths: Any, qualities: Any) -> None:
    if truth is not None and not isinstance(truth, Truth):
        refuse("truth is not a Truth", given=truth, fix="Read it with read_truth.")
    for name, value in (("lengths", lengths), ("qualities", qualities)):
        if value is not None and not isinstance(value, Mapping):
            refuse(f"{name} is not a dictionary", given=value, fix=f"Give {name} as a dictionary from names.")
    for doc, length in (lengths or {}).items():
        if not Bounds(0).contain(length):
            refuse(f"the length of {doc!r} is not a number of words", given=length, fix="Give 0 or more.")


def _qualities(model: SessionModel, qualities: Mapping[str, Sequence[float]] | None) -> dict[str, NDArray[np.float64]]:
    if qualities is None:
        return {f"S{system + 1:03}": qualities_of(model, system) for system in range(model.systems)}
    for name, quality in qualities.items():
        numbers = list(quality) if isinstance(quality, Sequence | np.ndarray) else []
        if len(numbers) != len(DIMENSIONS) or not all(Bounds().contain(each) for each in numbers):
            what, allowed = f"the qualities of {name!r} are invalid", f"three numbers: {', '.join(DIMENSIONS)}"
            refuse(what, given=quality, allowed=allowed, fix="Give three numbers.")
    known = {str(name): np.asarray(quality, dtype=np.float64) for name, quality in qualities.items()}
    if model.null and any(quality.any() for quality in known.values()):
        refuse("null systems must be equally good", fix="Leave out qualities, or null.")
    return known


def _quality_table(known: dict[str, NDArray[np.float64]]) -> pl.DataFrame:
    import polars as pl

    values = np.array(list(known.values())).T
    return pl.DataFrame({"system": list(known), **dict(zip(DIMENSIONS, values, strict=True))})


def _run(name: str, truth: Truth, candidates: list[Candidates], pages: list[list[NDArray[np.int64]]]) -> SessionRun:
    import polars as pl

    rows = [
        (topic, iteration, these.names[document])
        for topic, these, own in zip(truth.topics, candidates, pages, strict=True)
        for iteration, documents in enumerate(own, start=1)
        for document in documents.tolist()
    ]
    schema = {"topic": pl.String, "iteration": pl.Int64, "doc": pl.String}
    return SessionRun(name, pl.DataFrame(rows, schema=schema, orient="row"), "simulated")


@dataclass(frozen=True)
class SessionModel:
    """The checked parameters of `simulate_sessions`."""

    topics: int
    systems: int
    iterations: int
    page: int
    null: bool
    seed: int
    subtopics: int
    relevant: int
    documents: int

    def __post_init__(self) -> None:
        for name in ("topics", "systems", "iterations", "page", "relevant"):
            keep_whole(self, name, 1)
        keep_whole(self, "subtopics", 1, 1000)
        keep_whole(self, "seed", 0, SEEDS)
        keep_whole(self, "documents", 1)
        needed = max(2 * self.relevant, self.page * self.iterations)
        if self.documents < needed:
            refuse(
                "documents are too few",
                given=self.documents,
                allowed=f"{needed} or more: twice as many as are relevant, and enough for all iterations",
                fix="Give more documents, or fewer iterations, a smaller page, or fewer relevant documents.",
            )
        check_size("topics x documents", 4 * self.topics * self.documents)
        check_size("systems x topics x iterations x page", self.systems * self.topics * self.iterations * self.page)


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidate documents of a topic.

    Attributes
    ----------
    names : list of str
    covers : ndarray of bool, documents x subtopics
        Whether a document has a relevant passage on a subtopic.
    signal : ndarray
        Strength of relevance of each document: 0 if not relevant, 1 for the highest rating.
    brevity : ndarray
        Standardised negative log length of each document: higher is shorter.
    appeal : ndarray
        Score of each document shared by all systems; for relevant documents it includes the ease of the topic.
    """

    names: list[str]
    covers: NDArray[np.bool_]
    signal: NDArray[np.float64]
    brevity: NDArray[np.float64]
    appeal: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        names: list[str],
        rating: NDArray[np.float64],
        lengths: NDArray[np.float64],
        highest: float,
        random: np.random.Generator,
    ) -> Candidates:
        """Return the candidates of a topic; ``rating`` is the best rating, (documents, subtopics), 0 for none."""
        best = rating.max(axis=1, initial=0.0)
        signal = np.where(best > 0, 0.5 + 0.5 * best / highest, 0.0)
        ease = EASE * random.standard_normal()
        appeal = SHARED * random.standard_normal(len(names)) + np.where(best > 0, ease, 0.0)
        log = np.log(np.maximum(lengths, 1.0))
        return cls(names, rating > 0, signal, (log.mean() - log) / max(float(log.std()), 1e-9), appeal)


def documents_of(model: SessionModel, truth: Truth) -> list[list[str]]:
    """Return the judged documents of each topic of a truth, filled up with unjudged ones."""
    judged = truth.table.group_by("topic").agg(docs="doc").rows_by_key("topic", unique=True)
    taken = set(truth.table["doc"])
    names = []
    for topic in truth.topics:
        mine = list(dict.fromkeys(judged.get(topic, ([],))[0]))
        count = max(model.documents, 2 * len(mine)) - len(mine)
        others = (f"{topic}-{number:05}" for number in range(count + len(taken)))
        fresh = (name for name in others if name not in taken)
        names.append(mine + [next(fresh) for _ in range(count)])
    return names


def lengths_of(model: SessionModel, names: list[list[str]], known: Mapping[str, float]) -> pl.DataFrame:
    """Return the lengths of the documents, drawn where unknown; a document of several topics keeps its first length."""
    import polars as pl

    lengths = {str(doc): float(length) for doc, length in known.items()}
    for topic, docs in enumerate(names):
        ratio = np.exp(_SPREAD * stream(model.seed, Part.SESSION_WORDS, topic).standard_normal(len(docs)))
        for doc, length in zip(docs, np.rint(_LENGTH * ratio).tolist(), strict=True):
            lengths.setdefault(doc, length)
    columns = {"doc": list(lengths), "length": list(lengths.values())}
    return pl.DataFrame(columns, schema_overrides={"length": pl.Float64})


def candidates_of(model: SessionModel, truth: Truth, names: list[list[str]], lengths: pl.DataFrame) -> list[Candidates]:
    """Return the candidate documents of each topic."""
    import polars as pl

    rating = pl.col("rating").clip(lower_bound=1.0) if truth.every_rating_counts else pl.col("rating")
    table = truth.table.select("topic", "subtopic", "doc", rating).filter(pl.col("rating") > 0)
    best = table.group_by("topic", "subtopic", "doc", maintain_order=True).agg(pl.col("rating").max())
    highest = float(best["rating"].max() or 1.0)  # type: ignore[arg-type]
    by_topic: dict[str, list[Any]] = best.rows_by_key("topic")
    length_of = dict(lengths.iter_rows())
    candidates = []
    for number, (topic, docs) in enumerate(zip(truth.topics, names, strict=True)):
        random = stream(model.seed, Part.SESSION_TOPIC, number)
        length = np.array([length_of[doc] for doc in docs])
        candidates.append(Candidates.of(docs, _rating_matrix(docs, by_topic.get(topic, [])), length, highest, random))
    return candidates


def _rating_matrix(docs: list[str], rows: list[tuple[str, str, float]]) -> NDArray[np.float64]:
    """The best rating of each document on each subtopic."""
    row = {doc: number for number, doc in enumerate(docs)}
    column = {name: number for number, name in enumerate(dict.fromkeys(subtopic for subtopic, _, _ in rows))}
    rating = np.zeros((len(docs), max(len(column), 1)))
    for subtopic, doc, value in rows:
        rating[row[doc], column[subtopic]] = value
    return rating


def draw_truth(model: SessionModel) -> tuple[Truth, list[list[str]]]:
    """Draw the judgments of every topic from its own stream; return them and the document names of each topic.

    Examples
    --------
    >>> truth, documents = draw_truth(SessionModel(2, 1, 2, 3, False, 0, subtopics=2, relevant=5, documents=20))
    >>> truth.topics, [len(names) for names in documents], documents[1][0]
    (('1', '2'), [20, 20], '2-00')
    """
    import polars as pl

    topics = [str(number + 1) for number in range(model.topics)]
    digits = len(str(model.documents - 1))
    documents = [[f"{topic}-{number:0{digits}}" for number in range(model.documents)] for topic in topics]
    rows: list[_Row] = []
    for number, topic in enumerate(topics):
        rows += _draw_topic(model, topic, documents[number], stream(model.seed, Part.SESSION_TRUTH, number))
    schema = dict.fromkeys(("topic", "subtopic", "doc", "nugget"), pl.String) | {"rating": pl.Float64}
    return Truth(pl.DataFrame(rows, schema=schema, orient="row"), source="simulated"), documents


def _draw_topic(model: SessionModel, topic: str, documents: list[str], random: np.random.Generator) -> list[_Row]:
    likely = _likely(model, random)
    order = random.permutation(model.documents)
    relevant = min(max(2, int(model.relevant * math.exp(SKEW * random.standard_normal()))), model.documents // 2)
    rating = 1 + np.searchsorted(np.cumsum(_RATINGS)[:-1], random.random((likely.size, _NUGGETS)), side="right")
    relevant_rows = [
        (topic, f"{topic}.{subtopic + 1}", documents[document], f"{topic}.{subtopic + 1}.{nugget + 1}", worth)
        for document in np.sort(order[:relevant]).tolist()
        for subtopic in _subtopics(likely, random)
        for nugget in _nuggets(random)
        for worth in [float(rating[subtopic, nugget])]
    ]
    # Documents judged not relevant: with them, subtopics without relevant documents are listed, too.
    other_rows = [
        (topic, f"{topic}.{subtopic + 1}", documents[document], f"{topic}.{subtopic + 1}.0.{document}", 0.0)
        for subtopic in range(likely.size)
        for document in order[relevant + random.permutation(model.documents - relevant)[:_IN_VAIN]].tolist()
    ]
    return relevant_rows + other_rows


def _likely(model: SessionModel, random: np.random.Generator) -> NDArray[np.float64]:
    """The probability of each subtopic for a document; some are 0."""
    count = 1 + int(random.poisson(model.subtopics - 1))
    share = np.exp(random.standard_normal(count))
    share[1:][random.random(count - 1) < _EMPTY] = 0.0
    return np.asarray(share / share.sum())


def _subtopics(likely: NDArray[np.float64], random: np.random.Generator) -> list[int]:
    """The subtopics of a document, at least one."""
    count = int(random.geometric(1 - _FURTHER))
    there = np.flatnonzero(likely)
    # Weighted sampling without replacement by the smallest exponential times.
    times = random.exponential(size=likely.size)[there] / likely[there]
    return sorted(there[np.argsort(times)[:count]].tolist())


def _nuggets(random: np.random.Generator) -> list[int]:
    """The nuggets of a document on a subtopic, at least one."""
    count = int(random.geometric(1 - _AGAIN))
    return sorted(random.permutation(_NUGGETS)[:count].tolist())


def qualities_of(model: SessionModel, system: int) -> NDArray[np.float64]:
    """Return the qualities of a system in the order of `DIMENSIONS`: standard normal, or 0 in null mode."""
    qualities = stream(model.seed, Part.SESSION_QUALITY, system).standard_normal(len(DIMENSIONS))
    return np.zeros(len(DIMENSIONS)) if model.null else qualities


def pages_of(
    model: SessionModel, candidates: list[Candidates], quality: NDArray[np.float64], system: int
) -> list[list[NDArray[np.int64]]]:
    """Return, for each topic, the indices of the documents that a system shows in each iteration."""
    random = stream(model.seed, Part.SESSION_SYSTEM, system)
    return [_session(model, topic, quality, random) for topic in candidates]


def _session(
    model: SessionModel, topic: Candidates, quality: NDArray[np.float64], random: np.random.Generator
) -> list[NDArray[np.int64]]:
    scale = np.array([QUALITY[dimension] for dimension in DIMENSIONS])
    relevance, diversity, effort = scale * (quality + INTERACTION * random.standard_normal(len(DIMENSIONS)))
    # Drawn for all iterations, so that the next topic does not depend on where this session ends.
    ends = random.random(model.iterations) < 1 / (1 + math.exp(-(ENDING + effort)))
    used = int(np.argmax(ends)) + 1 if ends.any() else model.iterations
    plain = max(0.0, SIGNAL + relevance) * topic.signal + topic.appeal + OWN * random.standard_normal(len(topic.names))
    taste = plain + (BREVITY + effort) * topic.brevity
    documents = _chosen(topic, plain, taste, NOVELTY + diversity, used * model.page)
    return [documents[first : first + model.page] for first in range(0, documents.size, model.page)]


def _chosen(
    topic: Candidates, plain: NDArray[np.float64], taste: NDArray[np.float64], novelty: float, count: int
) -> NDArray[np.int64]:
    """The documents shown: relevance decides the ranks of relevant documents, diversity and effort which ones they are.

    So each quality affects its own dimension: a system with higher diversity shows as many relevant documents.
    """
    is_relevant = np.asarray(topic.covers.any(axis=1))
    relevant_ranks = is_relevant[_descending(plain)[:count]]
    chosen = np.zeros(relevant_ranks.size, dtype=np.int64)
    others = _descending(taste)
    chosen[~relevant_ranks] = others[~is_relevant[others]][: int((~relevant_ranks).sum())]
    relevant = np.flatnonzero(is_relevant)
    chosen[relevant_ranks] = _novel(relevant, topic.covers, taste, novelty, int(relevant_ranks.sum()))
    return chosen


def _novel(
    relevant: NDArray[np.int64],
    covers: NDArray[np.bool_],
    taste: NDArray[np.float64],
    novelty: float,
    count: int,
) -> list[int]:
    """Relevant documents chosen greedily; each time a subtopic is covered, its novelty is halved."""
    share = covers[relevant] / covers[relevant].sum(axis=1, keepdims=True)
    score, worth = taste[relevant], np.ones(covers.shape[1])
    chosen = []
    for _ in range(count):
        # Rounded, so that every machine chooses the same one.
        best = int(np.argmax(np.rint((score + novelty * (share @ worth)) * PRECISION)))
        chosen.append(int(relevant[best]))
        worth[share[best] > 0] *= 0.5
        score[best] = -np.inf
    return chosen


def _descending(score: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.argsort(-np.rint(score * PRECISION), kind="stable")
