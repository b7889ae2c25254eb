"""Large judgments are read in blocks, and their text is not kept: the same judgments, checksums and messages."""

from __future__ import annotations

import gzip
import io
import pickle
import sys
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import metameter
from metameter.errors import MetameterError
from metameter.judge.index import ideal_of, index_judgments
from metameter.read.files.content import Content
from metameter.read.qrels import read_qrels

LINES = [f"{topic} 0 d{doc} {doc % 4 - 1}" for topic in (401, 402, 403, 1) for doc in range(30)]
RUN = {topic: {f"d{doc}": 30 - doc for doc in range(0, 40, 3)} for topic in ("401", "403", "1")}


def in_blocks(patch, block=200, piece=40):
    """Read any file as if it were large, in blocks of so many bytes, into arrays that have to grow."""
    patch.setattr("metameter.read.files.content._LARGE", 0)
    patch.setattr("metameter.read.files.content._PIECE", piece)
    patch.setattr("metameter.read.trec.topic_blocks.BLOCK", block)
    patch.setattr("metameter.types.run_rows._RESERVED", 64)
    patch.setattr("metameter.types.byte_strings._TOGETHER", 5)
    patch.setattr("metameter.judge.index._ROWS", 7)


def never_whole(patch):
    for name in ("unpacked", "stored"):
        patch.setattr(Content, name, property(lambda self: pytest.fail("it was read as a whole")))


def outcome(path, on_duplicate="error"):
    """Everything that is made of judgments, or the message."""
    try:
        qrels = read_qrels(path, on_duplicate=on_duplicate)
        index = index_judgments(qrels)
        with warnings.catch_warnings(record=True, action="always") as caught:
            scores = metameter.score(qrels, RUN, ["AP", "nDCG@3"], jobs=1)
    except MetameterError as problem:
        return str(problem)
    rows, again = qrels.rows, pickle.loads(pickle.dumps(index.lookup))
    seen = (rows.topics, rows.begin.tolist(), rows.doc.texts(), rows.value.tobytes(), rows.keys().tolist())
    table = (qrels.table.schema, qrels.table.rows())
    made = (index.judgments.ideal.tobytes(), index.topic.tolist(), again.doc.texts(), again.key_index.keys.tolist())
    notices = [str(each.message) for each in caught]
    return qrels.source, qrels.fingerprints, seen, table, made, scores.values.tobytes(), notices


def write(folder, lines, name="qrels"):
    path = folder / name
    path.write_text("\n".join(lines) + "\n")
    return path


names = st.sampled_from(["a", "b", "c", "ü", "#", "f" * 9, "g" * 20, "h" * 40, "i" * 600, "z\x01z"])
grades = st.sampled_from(["0", "1", "2", "-1", "1.50", "1e0", "0.30000001", "123456789.123456789"])
odd = st.sampled_from(
    ["", "# a comment", "401 0 a", "401 0 a nan", "401 0 a x", "\ufeff401 0 m 1", "topic iter doc grade", "4 0 \0 1"]
)


@st.composite
def files(draw):
    """Judgments as they come, and some as they should not."""
    topics = st.sampled_from(["401", "402", "1", "x", "é"])
    chosen = draw(st.lists(topics, min_size=1, max_size=6, unique=draw(st.integers(0, 3)) > 0))
    lines = []
    for topic in chosen:
        blank = draw(st.sampled_from([" "] * 6 + ["\t", "  "]))
        docs = draw(st.lists(names, min_size=1, max_size=9, unique=draw(st.integers(0, 9)) > 0))
        lines += [blank.join([topic, "0", doc, draw(grades)]) for doc in docs]
    if draw(st.integers(0, 4)) == 0:
        lines.insert(draw(st.integers(0, len(lines))), draw(odd))
    if draw(st.integers(0, 4)) == 0:
        lines = draw(st.permutations(lines))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    return (end.join(lines) + draw(st.sampled_from([end, "", "\n\n", " "]))).encode()


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    files(), st.integers(1, 300), st.sampled_from([1, 7, 40]), st.sampled_from(["error", "first", "last", "max", "x"])
)
@example(b"401 0 a 1\n402 0 a 1\n401 0 a 2\n", 1, 1, "last")
def test_blocks_equal_the_whole_file(tmp_path, text, block, piece, on_duplicate):
    path = tmp_path / "qrels"
    path.write_bytes(text)
    whole = outcome(path, on_duplicate)
    with pytest.MonkeyPatch.context() as patch:
        in_blocks(patch, block, piece)
        assert outcome(path, on_duplicate) == whole


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_large_judgments_are_never_wholly_in_memory(tmp_path, pack, monkeypatch):
    path = write(tmp_path, LINES)
    path.write_bytes(pack(path.read_bytes()))
    before = outcome(path)
    in_blocks(monkeypatch)
    never_whole(monkeypatch)
    assert outcome(path) == before


def test_repeated_topics_are_read_in_blocks_too(tmp_path, monkeypatch):
    path = write(tmp_path, [*LINES[30:], *LINES[:30], "403 0 another 2"])
    before = outcome(path)
    in_blocks(monkeypatch)
    never_whole(monkeypatch)
    assert outcome(path) == before


@pytest.mark.parametrize(("policy", "grade"), [("first", 0.0), ("last", 1.0), ("max", 3.0)])
def test_a_distant_duplicate_names_both_lines(tmp_path, monkeypatch, policy, grade):
    path = write(tmp_path, [*LINES, "401 0 d1 3", "401 0 d1 1"])
    before = outcome(path, policy)
    in_blocks(monkeypatch)
    assert outcome(path, policy) == before
    assert ("401", "d1", grade) in read_qrels(path, on_duplicate=policy).table.rows()
    assert outcome(path) == (
        f"{path}:121: document 'd1' of topic '401' is listed twice, first at {path}:2. Remove one of them, or set "
        "qrels_duplicates to first, last or max (--qrels-duplicates max)."
    )


def test_a_wrong_line_far_down_is_named_by_number(tmp_path, monkeypatch):
    in_blocks(monkeypatch)
    assert outcome(write(tmp_path, [*LINES, "x 0 a high"])) == (
        f"{tmp_path / 'qrels'}:121: the grade is not a number (given 'high', allowed: a finite number). "
        "Correct the grade."
    )


def test_a_document_judged_in_two_files_is_refused(tmp_path, monkeypatch):
    write(tmp_path, LINES, "one")
    write(tmp_path, ["402 0 x 1", *LINES[60:61]], "two")
    before = outcome(tmp_path)
    assert f"{tmp_path / 'two'}:2: document 'd0' of topic '403' is listed twice" in before
    in_blocks(monkeypatch)
    assert outcome(tmp_path) == before


def test_standard_input_is_read_in_blocks_too(tmp_path, monkeypatch):
    text = write(tmp_path, [*LINES, LINES[7]]).read_bytes()
    in_blocks(monkeypatch)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert outcome("-").startswith("-:121: document 'd7' of topic '401' is listed twice, first at -:8.")


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 3)), max_size=40), st.booleans(), st.integers(1, 9))
def test_blocks_of_topics_give_the_same_ideal_grades(rows, grouped, few):
    topic, grade = np.array(sorted(rows) if grouped else rows, dtype=np.int64).reshape(-1, 2).T
    whole = ideal_of(topic, grade.astype(float), 6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metameter.judge.index._ROWS", few)
        parts = ideal_of(topic, grade.astype(float), 6)
    assert all(one.tolist() == other.tolist() for one, other in zip(whole, parts, strict=True))
