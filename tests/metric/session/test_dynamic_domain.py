"""The judgments of TREC Dynamic Domain 2016: perfect sessions reach the bounds, empty ones the floor."""

import numpy as np
import polars as pl
import pytest

from metameter.judge.facets import document_qrels, facets_of
from metameter.judge.index import index_judgments
from metameter.judge.sessions import align_session
from metameter.metric.compose import parse_metric
from metameter.metric.diversity.base import ideal_list
from metameter.metric.session.cube_test import best_documents
from metameter.types import Truth

pytestmark = pytest.mark.realdata
COLUMNS = ["topic", "subtopic", "doc", "nugget", "rating"]


@pytest.fixture(scope="module")
def prepared(data):
    path = data / "trec-dd" / "trec-dd-2016-qrels.txt.gz"
    if not path.exists():
        pytest.skip(f"there is no {path.name}")
    types = {"nugget": pl.String, "rating": pl.Float64}
    table = pl.read_csv(path, separator="\t", has_header=False, new_columns=COLUMNS, schema_overrides=types)
    truth = Truth(table, every_rating_counts=True)
    qrels = document_qrels(truth)
    return truth, qrels, facets_of(truth, qrels), index_judgments(qrels)


def session(evidence, prepared, chosen):
    """The documents of these rows, five an iteration."""
    _, qrels, facets, index = prepared
    docs = qrels.table["doc"].to_list()
    lists = {topic: [docs[row] for row in rows] for topic, rows in zip(index.topics, chosen, strict=True)}
    shown = {topic: [each[i : i + 5] for i in range(0, len(each), 5)] for topic, each in lists.items()}
    return align_session(evidence.session_run(shown), index, facets, None)


def test_the_truth_of_2016_has_its_known_size(prepared):
    truth, qrels, facets, index = prepared
    assert (len(index.topics), truth.table.height, truth.subtopics.height) == (53, 27_566, 242)
    assert facets.passages.topic.size == 27_566
    covered = np.unique(np.stack([facets.passages.topic, facets.passages.subtopic]), axis=1)[0]
    assert (np.bincount(covered, minlength=53) <= facets.listed).all()
    assert qrels.table.height == truth.table.select("topic", "doc").n_unique()


def test_perfect_sessions_reach_the_bounds(prepared, evidence):
    facets = prepared[2]
    covers, listed = facets.passages.covers("positive"), facets.listed.tolist()
    filled = [best_documents(covers, topic, M, 50, 0.5, 5)[0] for topic, M in enumerate(listed)]
    cube = parse_metric("nCT(form=corrected)").curve(session(evidence, prepared, filled), range(1, 11))
    np.testing.assert_allclose(cube, 1, rtol=1e-12)
    novel = [ideal_list(covers, topic, M, 50, 0.5)[0] for topic, M in enumerate(listed)]
    best = session(evidence, prepared, novel)
    for name in ("alpha_nDCG", "nERR_IA", "nNRBP"):
        np.testing.assert_allclose(parse_metric(name).curve(best, range(5, 51, 5)), 1, rtol=1e-12, err_msg=name)


def test_sessions_without_a_relevant_document_gain_nothing(prepared, evidence):
    _, _, facets, index = prepared
    shown = {topic: [[f"x{i}{j}" for j in range(5)] for i in range(10)] for topic in index.topics}
    nothing = align_session(evidence.session_run(shown), index, facets, None)
    for name in ("CT", "ACT", "nCT", "sDCG", "nsDCG", "prec", "st_rec", "alpha_nDCG", "nERR_IA"):
        assert not parse_metric(name).curve(nothing, range(1, 11)).any(), name
    penalty = -0.05 * sum(0.99**i for i in range(1, 51))
    np.testing.assert_allclose(parse_metric("RBU").score(nothing), penalty, rtol=1e-12)
