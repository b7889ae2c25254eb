"""Sessions at the ends of a scale: the best that a metric knows, and one that shows nothing."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from metameter.errors import refuse
from metameter.judge.facets import Facets, document_qrels, facets_of
from metameter.metric.base import Measure
from metameter.metric.compose import MetricLike, parse_metric
from metameter.metric.diversity.base import Novelty, covered, ideal_list
from metameter.metric.diversity.intent_aware import StRecall
from metameter.metric.session.cube_test import Cube, best_documents
from metameter.metric.session.session_dcg import Discounted
from metameter.metric.session.simple import SessionPrecision, SessionSubtopicRecall
from metameter.read.sessions.truth import read_truth
from metameter.simulation.bounds import check_whole
from metameter.types import SessionRun

if TYPE_CHECKING:
    Ints = NDArray[np.int64]


def perfect_session(truth: Any, metric: MetricLike, *, iterations: int = 10, page: int = 5) -> SessionRun:
    """Return the best session by a metric: it scores 1 after its last iteration if 1 is the best score.

    Only relevant documents are shown, so a session ends early if there are few. For the cube test (CT, ACT, nCT in its
    corrected form) and the novelty metrics (alpha_nDCG, nERR_IA, nNRBP, ...) documents are chosen greedily. For sDCG
    and nsDCG the documents with the most gain are shown where attention is highest. For prec any relevant documents
    will do; for st_rec each document covers as many new subtopics as possible.

    Parameters
    ----------
    truth : path, dict, data frame or Truth
        Judgments by subtopic, as in `metameter.session`.
    metric : str or metric
        One of these; for others no best session is known.
    iterations, page : int
        How many iterations there are at most, and how many documents each shows at most.

    Examples
    --------
    To nsDCG the head of the second list is worth more (1/1.5) than the second place of the first (1/2).

    >>> truth = {"mars": {"water": {"d1": 1, "d2": 2}, "life": {"d3": 4}}}
    >>> perfect_session(truth, "nsDCG", iterations=2, page=2).table.rows()
    [('mars', 1, 'd3'), ('mars', 1, 'd1'), ('mars', 2, 'd2')]
    """
    iterations, page = check_whole("iterations", iterations, 1), check_whole("page", page, 1)
    measure = parse_metric(metric)
    truth = read_truth(truth)
    qrels = document_qrels(truth)
    facets = facets_of(truth, qrels)
    iteration, position = _positions(measure, iterations, page)
    names, parts = qrels.table["doc"], []
    for number, topic in enumerate(truth.topics):
        best = _best(measure, facets, number, iterations * page)
        order = np.lexsort((position[: best.size], iteration[: best.size]))
        columns = {"topic": topic, "iteration": iteration[: best.size][order], "doc": names.gather(best[order])}
        parts.append(pl.DataFrame(columns) if best.size else _nothing((topic,)))
    return SessionRun("perfect", pl.concat(parts), "perfect")


def empty_session(truth: Any) -> SessionRun:
    """A session for each topic that ends after one iteration, in which there was nothing to see.

    Examples
    --------
    >>> empty_session({"mars": {"water": {"d1": 2}}}).table.rows()
    [('mars', 1, None)]
    """
    return SessionRun("empty", _nothing(read_truth(truth).topics), "empty")


def _nothing(topics: tuple[str, ...]) -> pl.DataFrame:
    schema = {"topic": pl.String, "iteration": pl.Int64, "doc": pl.String}
    return pl.DataFrame([(topic, 1, None) for topic in topics], schema=schema, orient="row")


def _positions(measure: Measure, iterations: int, page: int) -> tuple[Ints, Ints]:
    """Iterations and ranks of all positions, both from 1, the position with the most attention by the metric first."""
    iteration, position = (each + 1 for each in np.divmod(np.arange(iterations * page), page))
    if isinstance(measure, Discounted):
        order = np.argsort(-measure.attention(position, iteration), kind="stable")
        return iteration[order], position[order]
    return iteration, position


@singledispatch
def _best(measure: Measure, facets: Facets, topic: int, depth: int) -> Ints:
    """The best documents of a topic, as rows of the judgments, the best first."""
    refuse(
        f"no best session is defined for {measure}",
        allowed="CT, ACT, nCT, sDCG, nsDCG, alpha_nDCG, nERR_IA, nNRBP, prec, st_rec and their kin",
        fix="Name one of these.",
    )


@_best.register(Cube)
def _fullest(measure: Cube, facets: Facets, topic: int, depth: int) -> Ints:
    covers = facets.passages.covers(measure.rule, falling=measure.passages == "log")
    return best_documents(covers, topic, int(facets.listed[topic]), depth, measure.gamma, measure.H)[0]


@_best.register(Discounted)
def _most_gain(measure: Discounted, facets: Facets, topic: int, depth: int) -> Ints:
    mine = facets.passages.topic == topic
    rows, document = np.unique(facets.passages.position[mine], return_inverse=True)
    gain = np.bincount(document, weights=facets.passages.ratings(measure.rule)[mine])
    return np.asarray(rows[np.argsort(-gain, kind="stable")[:depth]])


@_best.register(Novelty)
def _most_new(measure: Novelty, facets: Facets, topic: int, depth: int) -> Ints:
    return _novel(facets, topic, depth, measure.alpha, measure.rel)


@_best.register(StRecall)
@_best.register(SessionSubtopicRecall)
@_best.register(SessionPrecision)
def _relevant(measure: Measure, facets: Facets, topic: int, depth: int) -> Ints:
    """Once a subtopic is covered, more on it is worth nothing; but it is relevant."""
    return _novel(facets, topic, depth, 1.0, getattr(measure, "rel", 1.0))


def _novel(facets: Facets, topic: int, depth: int, alpha: float, rel: float) -> Ints:
    return ideal_list(covered(facets.passages, rel), topic, int(facets.listed[topic]), depth, alpha)[0]
