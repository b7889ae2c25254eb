"""Small truths, lists and sessions as metrics see them."""

import json
from pathlib import Path

import polars as pl

from metameter.judge.align import align
from metameter.judge.document_lengths import DocumentLengths
from metameter.judge.faceted import Faceted
from metameter.judge.facets import document_qrels, facets_of
from metameter.judge.index import index_judgments
from metameter.judge.sessions import PAGE, align_session
from metameter.types import Run, SessionRun, Truth

GOLDEN = Path(__file__).parent / "golden"


def golden(name):
    return json.loads((GOLDEN / f"{name}.json").read_text())


def truth_of(rows, *, every=False, listed=None):
    """Rows of topic, subtopic, document, nugget, rating; with ``every`` all ratings mean relevant."""
    columns = dict.fromkeys(("topic", "subtopic", "doc", "nugget"), pl.String)
    table = pl.DataFrame(rows, schema={**columns, "rating": pl.Float64}, orient="row")
    subtopics = None if listed is None else pl.DataFrame(listed, schema=["topic", "subtopic"], orient="row")
    return Truth(table, every, subtopics)


def faceted_of(truth, run, ties="docid-desc"):
    """Rows of topic, document, score."""
    qrels = document_qrels(truth)
    schema = {"topic": pl.String, "doc": pl.String, "score": pl.Float64}
    ranked = align(Run("run", pl.DataFrame(run, schema=schema, orient="row")), index_judgments(qrels), ties=ties)
    return Faceted.on(ranked, facets_of(truth, qrels))


def in_order(lists):
    """Documents by topic, in their order, as rows of a run."""
    return [(topic, doc, -float(rank)) for topic, docs in lists.items() for rank, doc in enumerate(docs)]


def session_run(sessions, page=PAGE):
    """Lists of documents by topic and iteration, as many as a track shows; None only fills a place."""
    rows = [
        (topic, iteration, doc)
        for topic, lists in sessions.items()
        for iteration, docs in enumerate(lists, start=1)
        for doc in docs
    ]
    schema = {"topic": pl.String, "iteration": pl.Int64, "doc": pl.String}
    return SessionRun("run", pl.DataFrame(rows, schema=schema, orient="row"), page=page)


def sessions_of(truth, sessions, lengths=None, page=PAGE):
    """The same, with the lengths of documents, as metrics see them."""
    qrels = document_qrels(truth)
    words = None
    if lengths is not None:
        table = {"doc": list(lengths), "length": list(lengths.values())}
        words = DocumentLengths(pl.DataFrame(table, schema={"doc": pl.String, "length": pl.Float64}))
    return align_session(session_run(sessions, page), index_judgments(qrels), facets_of(truth, qrels), words, page)


def shown_once(lists):
    """A document that the session has shown before only fills a place."""
    seen = set()
    return [[None if doc in seen else (seen.add(doc), doc)[1] for doc in docs] for docs in lists]


def dynamic_domain():
    """The truth, session and lengths that the official scorer was given, and what it gave."""
    known = golden("trec_dd_jig")
    rows = []
    for topic, subtopics in known["input"]["truth"].items():
        for subtopic, passages in subtopics.items():
            nugget = ""  # a matched passage says what the manual one before it says
            for passage in passages:
                nugget = passage["passage_id"] if passage["type"] == "MANUAL" else nugget
                rows.append((topic, subtopic, passage["docno"], nugget, float(passage["rating"])))
    parsed = known["parsed_run"]
    sessions = {
        topic: [
            [None if doc.endswith("_dup") or doc.startswith("fill-") else doc for doc in lists[place]]
            for place in sorted(lists, key=int)
        ]
        for topic, lists in parsed.items()
    }
    return known, truth_of(rows, every=True), sessions, known["input"]["doc_len"]
