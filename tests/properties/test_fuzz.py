"""No input gives a traceback, or silently a wrong result: readers, tables of scores and the notation under random fire.

The same checks run for hours in ``fuzz/``; here they run for seconds.
"""

import bz2
import gzip
import lzma
import os
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import metameter
from metameter.cli.run import run
from metameter.errors import MetameterError
from metameter.metric.compose import parse_metric
from metameter.read.check import inspect_qrels, inspect_run
from metameter.read.layout import parse
from metameter.read.lines import read_line_by_line
from metameter.read.qrels import read_qrels
from metameter.read.run import read_run
from metameter.read.scores import read_scores
from metameter.read.trec import QRELS, RUN
from metameter.registry import names

# METAMETER_FUZZ=50 tries fifty times as many.
LONGER = int(os.environ.get("METAMETER_FUZZ", "1"))
quick = settings(deadline=None, max_examples=150 * LONGER, suppress_health_check=list(HealthCheck))

# Bytes that mean something to some parser, so that most of what is tried gets past the first check.
PIECES = [b"1", b"2", b"Q0", b"0", b"d1", b"d2", b"t", b"1.5", b"-3", b"+2", b".5", b"5.", b"1e3", b"1e999", b"-0.0"]
PIECES += [
    b"nan",
    b"inf",
    b"-inf",
    b"NaN",
    b"1_0",
    b"0x1",
    b"1,5",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xc3\xa9",
    b"\xe2\x80\x83",
]
PIECES += [b'"', b"'", b"#", b"#x", b"\x00", b"\x1c", b"\x85", b"\\", b"\\N", b"null", b"None", b"true", b",", b";"]
BLANKS = [b" ", b" ", b"\t", b"  ", b" \t", b"\v", b"\f", b"\r", b"\x00", b""]
ENDS = [b"\n", b"\n", b"\r\n", b"\n\n", b" \n", b"\n# x\n", b"\r", b""]


@st.composite
def near_misses(draw, width):
    """Lines that are nearly in the format."""
    lines = []
    for _ in range(draw(st.integers(0, 5))):
        count = draw(st.sampled_from([width] * 6 + [width - 1, width + 1, 1]))
        words = [draw(st.sampled_from(PIECES)) for _ in range(count)]
        blank = draw(st.sampled_from(BLANKS))
        blanks = [blank if draw(st.integers(0, 9)) else draw(st.sampled_from(BLANKS)) for _ in words]
        line = b"".join(word + between for word, between in zip(words, blanks, strict=True))
        lines.append(line.removesuffix(blank) + draw(st.sampled_from(ENDS)))
    return b"".join(lines)


def outcome(read):
    try:
        return read().rows()
    except MetameterError:
        return "refused"


@pytest.mark.parametrize("layout", [QRELS, RUN], ids=["qrels", "run"])
@quick
@given(data=st.data())
def test_the_fast_reader_is_the_patient_one(layout, data):
    content = data.draw(near_misses(len(layout.columns)) | st.binary(max_size=80))
    patient = outcome(lambda: read_line_by_line(content, layout.columns, layout.texts, layout.numbers, "file"))
    assert outcome(lambda: parse(content, layout, "file")) == patient


PACKED = [lambda data: data, gzip.compress, bz2.compress, lzma.compress]


@pytest.fixture(scope="module")
def folder():
    with tempfile.TemporaryDirectory() as path:
        yield Path(path)


@quick
@given(data=st.data())
def test_no_file_gives_a_traceback(folder, data):
    content = data.draw(near_misses(4) | near_misses(6) | st.binary(max_size=200))
    packed = bytearray(data.draw(st.sampled_from(PACKED))(content))
    for _ in range(data.draw(st.integers(0, 3))):  # damage it
        if packed:
            packed[data.draw(st.integers(0, len(packed) - 1))] = data.draw(st.integers(0, 255))
    packed = packed[: data.draw(st.integers(0, len(packed)))] if data.draw(st.booleans()) else packed
    path = folder / data.draw(st.sampled_from(["file", "file.gz", "file.zst", "file.parquet", "file.csv"]))
    path.write_bytes(bytes(packed))
    for read in (read_qrels, read_run, read_scores):
        with suppress(MetameterError), warnings.catch_warnings(action="ignore"):
            read(path)
    # Checking finds a problem if, and only if, reading does.
    for inspect, read in ((inspect_qrels, read_qrels), (inspect_run, read_run)):
        wrong = bool(inspect(path).problems)
        assert wrong == (outcome(lambda read=read: read(path).table) == "refused")


CELLS = [
    "",
    "AP",
    "s",
    "1",
    "0.5",
    "all",
    "nan",
    "inf",
    "x",
    '"',
    '""',
    "a,b",
    "\x00",
    "\ufeff",
    "é",
    "1e999",
    "-1",
    "NA",
]
HEADERS = ["metric", "system", "topic", "score", "run", "iteration", "", "AP", "x"]


@quick
@given(
    header=st.lists(st.sampled_from(HEADERS), min_size=1, max_size=5),
    rows=st.lists(st.lists(st.sampled_from(CELLS), min_size=1, max_size=5), max_size=5),
    separator=st.sampled_from([",", "\t", ";"]),
)
def test_no_table_of_scores_gives_a_traceback(folder, header, rows, separator):
    path = folder / "scores.csv"
    path.write_text("\n".join(separator.join(row) for row in [header, *rows]), encoding="utf-8")
    with warnings.catch_warnings(action="ignore"), suppress(MetameterError):
        scores = read_scores(path)
        assert np.isfinite(scores.values[~scores.missing]).all()


WORDS = [*names("metric"), *names("browse"), *names("aggregate"), "SDCG", "max", "os", "__import__", "lambda", "None"]
KEYS = ["p", "T", "k", "rel", "gain", "norm", "beta", "delta", "b", "judged_only", "closure", "continuation", "A", "R1"]
VALUES = ["0", "1", "0.5", "-1", "1e999", "1e-300", "1e300", "nan", "inf", "True", "None", "exp", "linear", "binary(2)"]
VALUES += [
    "'x'",
    "[1,0.5]",
    "[]",
    "{0:0,1:1}",
    "{}",
    "10**9",
    "9" * 30,
    "1j",
    "b'x'",
    "...",
    "x.y",
    "f(1)",
    "(1,2)",
    "stop",
]
DEPTHS = [
    "",
    "@1",
    "@10",
    "@0",
    "@-1",
    "@1.5",
    "@" + "9" * 30,
    "@x",
    "@@",
    "@10@5",
    "*max@3",
    "*ERG",
    "*fgt(delta=0.5)",
]
arguments = st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES)), max_size=3).map(
    lambda pairs: "(" + ",".join(f"{key}={value}" for key, value in pairs) + ")" if pairs else ""
)
expressions = st.builds("".join, st.tuples(st.sampled_from(WORDS), arguments, st.sampled_from(DEPTHS)))
texts = expressions | st.text(max_size=30) | st.text("RBPnDCG@*(=,.0123456789)[]{}'\" \t\n\\", max_size=40)


@settings(quick, max_examples=600 * LONGER)
@example("RBP(p=0.8,gain={})")
@given(texts)
def test_no_name_of_a_metric_gives_a_traceback(text):
    with warnings.catch_warnings(action="ignore"), suppress(MetameterError):
        measure = parse_metric(text)
        assert repr(parse_metric(repr(measure))) == repr(measure)
        score = measure([1, 0, 0.5, None, 1])
        assert isinstance(score, float)


@settings(quick, max_examples=40 * LONGER)
@given(metric=texts, gains=st.text("01. ?,x-", max_size=12) | st.text(max_size=12))
def test_the_program_answers_or_refuses_in_one_line(metric, gains, capsys):
    status = run(["explain", "--format", "csv", "--gains", gains, "--", metric])
    said = capsys.readouterr()
    assert status in (0, 2)
    assert "Traceback" not in said.err
    assert status == 0 or (said.out == "" and said.err.count("\n") == 1)


topics = st.sampled_from(["1", "2", "10", "t"])
docs = st.sampled_from(["a", "b", "c", "d", "é", "a#", '"q"'])
lists = st.dictionaries(st.tuples(topics, docs), st.integers(-3, 3), min_size=1, max_size=15)
METRICS = ["AP", "nDCG@3", "RBP(p=0.8)", "Judged@2"]


@settings(quick, max_examples=40 * LONGER)
@given(lists, lists, st.data())
def test_every_layout_of_the_same_content_scores_the_same(folder, judged, retrieved, data):
    blanks = st.sampled_from([" ", "\t", "   ", " \t"])
    ends = st.sampled_from(["\n", "\r\n", "\n\n", " \n", "\n# x y\n"])

    def written(lines, name, irregular):
        text = "".join(
            data.draw(blanks).join(line) + data.draw(ends) if irregular else " ".join(line) + "\n" for line in lines
        )
        packed = data.draw(st.sampled_from(PACKED)) if irregular else PACKED[0]
        (folder / name).write_bytes(packed(text.encode()))
        return folder / name

    def scored(irregular):
        qrels = [(topic, "0", doc, str(grade)) for (topic, doc), grade in judged.items()]
        lines = [(topic, "Q0", doc, "1", str(score), "t") for (topic, doc), score in retrieved.items()]
        files = written(qrels, "qrels", irregular), written(lines, "run", irregular)
        try:
            return metameter.score(*files, METRICS, max_grade=3, jobs=1).values.tolist()
        except MetameterError as problem:
            return str(problem)

    assert scored(irregular=True) == scored(irregular=False)
