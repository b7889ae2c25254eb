"""The fast reader of regular runs gives what the patient one gives, or nothing."""

from __future__ import annotations

import copy
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.read.files.content import Content
from metameter.read.qrels import qrels_of
from metameter.read.runs import run_of
from metameter.read.trec import split
from metameter.read.trec.parse import NUMBER, RUN, parse, read_line_by_line
from metameter.read.trec.split import decimals, split_rows
from metameter.types import Fingerprint, Run
from metameter.types.byte_strings import PADDING, Names

digits = st.text("0123456789", min_size=1, max_size=9)
plain = st.builds(
    lambda sign, whole, rest: f"{sign}{whole}{rest}",
    st.sampled_from(["", "-"]),
    digits,
    st.one_of(st.just(""), digits.map(".{}".format)),
)
odd = st.sampled_from(
    [
        "1e5",
        "9.99e-02",
        "+1",
        ".",
        "-",
        "1.2.3",
        "nan",
        "inf",
        "1_0",
        "0x1",
        "1,5",
        "12345678901234567890",
        "é",
        "/",
        ":",
    ]
)
name = st.text("ab1-#é\"'", min_size=1, max_size=20)
blank = st.sampled_from([" "] * 40 + ["\t", "  ", "\v", "\x01", ""])


def numbers(cells):
    """The cells, one after the other, read at once."""
    width = np.array([len(cell.encode()) for cell in cells])
    codes = np.frombuffer(" ".join(cells).encode() + PADDING, dtype=np.uint8)
    return decimals(Names(codes, np.cumsum(width + 1) - width - 1, width))


def table_of(rows):
    topic = np.repeat(np.array(rows.topics, dtype=object), rows.length).tolist()
    return pl.DataFrame(
        {"topic": topic, "doc": rows.doc.texts(), "score": rows.value},
        schema_overrides={"topic": pl.String, "doc": pl.String},
    )


@given(st.lists(plain, min_size=1, max_size=20))
@example(["5.", ".5", "-.5", "-0", "-0.0", "00.10"])
@example(["12345678", "1234567.8", "123456789", "12345678.9", "1234567.12345678", ".123456789012345"])
@example(["999999999999999", "0.99999999999999", "-99999999999999.9"])
def test_a_plain_number_is_read_as_the_nearest_double(cells):
    found = numbers(cells)
    long = sum(len(cell.strip("-").replace(".", "")) > 15 for cell in cells)
    if 8 * long > len(cells):
        assert found is None
    else:
        assert [each.hex() for each in found.tolist()] == [float(cell).hex() for cell in cells]


@given(st.lists(plain, max_size=5), odd)
def test_irregular_numbers_are_left_to_the_general_reader(cells, other):
    assert numbers([*cells, other]) is None


@given(st.lists(plain, min_size=8, max_size=20), st.randoms(), odd)
def test_one_irregular_cell_is_read_or_refused(cells, random, other):
    cells = [cell[:15] for cell in cells]
    cells.insert(random.randrange(len(cells)), other)
    found, expected = numbers(cells), [float(cell) if NUMBER.fullmatch(cell) else None for cell in cells]
    if None in expected:
        assert found is None
    else:
        assert [each.hex() for each in found.tolist()] == [each.hex() for each in expected]


@given(st.data())
def test_splitting_agrees_with_reading_line_by_line(data):
    lines = []
    for _ in range(data.draw(st.integers(1, 9))):
        score = data.draw(st.one_of(plain, plain, plain, odd))
        cells = [data.draw(st.sampled_from("12")), "Q0", data.draw(name), "1", score, data.draw(name)]
        cells = cells[: data.draw(st.sampled_from([6, 6, 6, 6, 6, 5]))]
        lines.append("".join(cell + data.draw(blank) for cell in cells[:-1]) + cells[-1])
    text = (data.draw(st.sampled_from(["\n", "\n", "\r\n"]))).join(lines) + data.draw(
        st.sampled_from(["", "\n", " \n"])
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(split, "_BLOCK", data.draw(st.sampled_from([1, 40, 200, 1 << 18])))
        rows = split_rows(text.encode(), RUN)
    if rows is None:
        return
    expected = read_line_by_line(text.encode(), RUN, "run")
    found = table_of(rows)
    assert found.select("topic", "doc").equals(expected.select("topic", "doc"))
    assert [each.hex() for each in found["score"]] == [each.hex() for each in expected["score"]]
    assert rows.doc.hashes().tolist() == Names.of(found["doc"]).hashes().tolist()


@given(st.binary(max_size=200))
def test_no_bytes_crash_the_splitter(data):
    with suppress(MetameterError):
        split_rows(data, RUN)


def test_a_topic_can_continue_in_the_next_block(monkeypatch):
    monkeypatch.setattr(split, "_BLOCK", 64)
    text = "".join(f"{topic} Q0 d{n} {n} {9 - n} tag\n" for topic in ("401", "402") for n in range(8))
    rows = split_rows(text.encode(), RUN)
    assert rows.topics == ("401", "402")
    assert rows.begin.tolist() == [0, 8]


def test_the_table_is_built_on_first_access():
    run = run_of(Content("bm25", b"401 Q0 d1 1 9.5 tag\n"))
    assert repr(run) == "<Run bm25: 1 document, 1 topic>"
    assert "table" not in vars(run)
    assert run.with_fingerprint(Fingerprint("x")).name == "bm25"
    assert run.renamed("okapi").name == "okapi"
    assert "table" not in vars(run)
    assert run.table.rows() == [("401", "d1", 9.5)]
    assert "table" in vars(run)
    with pytest.raises(AttributeError, match="no attribute 'tables'"):
        run.tables  # noqa: B018


def test_threads_can_access_the_table_at_once():
    for _ in range(20):
        run, gate = run_of(Content("bm25", b"401 Q0 d1 1 9.5 tag\n" * 1)), threading.Barrier(4)
        with ThreadPoolExecutor(4) as pool:
            asked = [pool.submit(lambda run=run, gate=gate: gate.wait() >= 0 and run.table) for _ in range(4)]
        assert {id(each.result()) for each in asked} == {id(run.table)}


def test_an_interrupted_table_is_built_on_next_access():
    answers = iter([KeyboardInterrupt(), pl.DataFrame({"topic": ["1"], "doc": ["a"], "score": [1.0]})])

    def read():
        answer = next(answers)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    run = Run.of_rows(split_rows(b"1 Q0 a 1 1 t\n", RUN), read, name="s", source="s", fingerprint=None)
    with pytest.raises(KeyboardInterrupt):
        _ = run.table
    assert run.table.height == 1


@pytest.mark.parametrize("made", [copy.copy, copy.deepcopy, replace, lambda run: pickle.loads(pickle.dumps(run))])
def test_a_copy_is_equal(made):
    for listed in (run_of(Content("run", b"401 Q0 d1 1 9.5 tag\n")), qrels_of(Content("qrels", b"401 0 d1 1\n"))):
        again = made(listed)
        assert again.table.equals(listed.table)
        assert again.rows.keys().tolist() == listed.rows.keys().tolist()
        assert again.source == listed.source


def test_interleaved_topics_are_read_as_a_table():
    text = "".join(f"{topic} Q0 d{n} 1 {9 - n} t\n" for n in range(9) for topic in range(9))
    assert split_rows(text.encode(), RUN) is None
    run = run_of(Content("run", text.encode()))
    assert len(run.rows.topics) == 81
    assert np.unique(run.rows.keys()).size == 81


@pytest.mark.realdata
@pytest.mark.slow
def test_most_real_runs_are_regular(data):
    runs = sorted((data / "trec8-adhoc" / "runs").glob("*.gz"))
    regular = 0
    for path in runs:
        run = run_of(Content.of(path))
        if "table" in vars(run):
            continue
        regular += 1
        assert run.rows.value.tobytes() == run.table["score"].to_numpy().tobytes()
        assert run.rows.doc.texts() == run.table["doc"].to_list()
        assert np.repeat(run.rows.topics, run.rows.length).tolist() == run.table["topic"].to_list()
    assert regular > 0.9 * len(runs)


@pytest.mark.parametrize("control", [*range(1, 9), *range(14, 32), 127])
def test_control_characters_in_names_use_the_fast_reader(control, monkeypatch):
    letter = chr(control)
    lines = [f"1 Q0 d{number}{letter * (number == 7)} {number} {20 - number} tag" for number in range(20)]
    data = ("\n".join(lines) + "\n").encode()
    slow = read_line_by_line(data, RUN, "run")
    monkeypatch.delattr("metameter.read.trec.parse.read_line_by_line")
    assert parse(data, RUN, "run").equals(slow)
    rows = split_rows(data, RUN)
    assert rows.doc.texts() == slow["doc"].to_list()
    assert rows.value.tolist() == slow["score"].to_list()
    first = f"1 Q0 {letter}a 1 2 tag\n".encode()
    assert parse(first, RUN, "run").rows() == [("1", f"{letter}a", 2.0)]


def test_a_null_byte_is_refused_with_its_line():
    with pytest.raises(MetameterError, match="run:2: the text holds a null byte"):
        parse(b"1 Q0 a 1 2 tag\n1 Q0 b\0 2 1 tag\n", RUN, "run")
