"""Large runs are read in blocks of topics: the same scores, checksums and messages as of the whole file."""

import bz2
import gzip
import hashlib
import io
import lzma
import sys
import warnings
from itertools import pairwise

import numpy as np
import pytest
from backports import zstd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import metameter
from metameter.errors import MetameterError
from metameter.read.files.content import Content
from metameter.read.trec.topic_blocks import topic_blocks

METRICS = ["AP", "nDCG@3", "RR"]
QRELS = {"1": {"a": 1, "b": 2, "ü": -1}, "2": {"a": 1, "c": 0}, "10": {"d": 1, "e": 3}, "x": {"a": 1}}


def in_blocks(patch, block=200, piece=40):
    """Read any file as if it were large, in blocks of so many bytes."""
    patch.setattr("metameter.read.files.content._LARGE", 0)
    patch.setattr("metameter.read.files.content._PIECE", piece)
    patch.setattr("metameter.read.trec.topic_blocks.BLOCK", block)


def outcome(path, **options):
    """Everything that a user sees: scores and manifest, or the message; and the notices."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        try:
            scores = metameter.score(QRELS, path, METRICS, **{"jobs": 1, **options})
            seen = (scores.systems, scores.topics, scores.values.tobytes(), scores.manifest["inputs"]["runs"])
            seen = (*seen, scores.manifest.get("missing_topics"), scores.manifest["judged"])
        except MetameterError as problem:
            seen = str(problem)
    notices = [str(each.message) for each in caught]
    return seen, [each for each in notices if "in several places" not in each], len(notices)


def assert_same(path, block=200, piece=40, **options):
    whole, notices, _ = outcome(path, **options)
    with pytest.MonkeyPatch.context() as patch:
        in_blocks(patch, block, piece)
        blocks, again, _ = outcome(path, **options)
    assert blocks == whole
    assert again == notices


topics = st.sampled_from(["1", "2", "10", "x", "unjudged", "é"])
docs = st.sampled_from(["a", "b", "c", "d", "e", "ü", "f" * 9, "g" * 20, "h" * 40])
numbers = st.sampled_from(["1", "2.5", "2.50", "-3", "1e-3", "0.30000001", "0.3", "123456789.123456789"])
blanks = st.sampled_from([" "] * 8 + ["\t", "  ", " \t"])
odd = st.sampled_from(
    [b"", b"# a comment", b"   ", b"1 Q0 a 1", b"1 Q0 a 1 nan t", b"1 Q0 a x 1 t", b"\xff Q0 a 1 1 t"]
) | st.sampled_from(
    [b"\xef\xbb\xbf# marked", b"topic Q0 doc rank score tag", b"2 Q0 z\x01z 1 1 t", b"1 Q0 a 1 1 other"]
)


@st.composite
def listed(draw, topic):
    """The lines of one topic."""
    names = draw(st.lists(docs, min_size=1, max_size=9, unique=draw(st.integers(0, 15)) > 0))
    blank = draw(blanks)
    rows = [[topic, "Q0", name, str(rank), draw(numbers), "tag"] for rank, name in enumerate(names, start=1)]
    return [blank.join(row).encode() for row in rows]


@st.composite
def files(draw):
    """Runs as they come, and some as they should not."""
    chosen = draw(st.lists(topics, min_size=1, max_size=8, unique=draw(st.integers(0, 3)) > 0))
    lines = [line for topic in chosen for line in draw(listed(topic))]
    for each in draw(st.lists(odd, max_size=1)) if draw(st.booleans()) else ():
        lines.insert(draw(st.integers(0, len(lines))), each)
    if draw(st.integers(0, 9)) == 0:
        lines = draw(st.permutations(lines))
    end = draw(st.sampled_from([b"\n", b"\r\n"]))
    mark = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"]))
    return mark + end.join(lines) + draw(st.sampled_from([end, b"", b"\n\n", b" "]))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files(), st.integers(1, 400), st.sampled_from([1, 7, 40, 150]), st.data())
def test_blocks_equal_the_whole_file(tmp_path, text, block, piece, data):
    options = {
        "ties": data.draw(st.sampled_from(["docid-desc", "docid-desc", "docid-asc", "input", "rank", "mean"])),
        "precision": data.draw(st.sampled_from(["double", "single"])),
        "on_duplicate": data.draw(st.sampled_from(["error", "first"])),
        "name_by": data.draw(st.sampled_from(["file", "file", "tag"])),
    }
    path = tmp_path / "run"
    path.write_bytes(text)
    assert_same(path, block, piece, **options)


@given(files(), st.integers(1, 100), st.integers(1, 50))
def test_blocks_lose_no_byte_and_split_no_topic(text, block, piece):
    pieces = [text[at : at + piece] for at in range(0, len(text), piece)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metameter.read.trec.topic_blocks.BLOCK", block)
        blocks = list(topic_blocks(pieces))
    assert b"".join(blocks) == text
    for one, other in pairwise(blocks):
        assert one.endswith(b"\n")
        assert first_words(one)[-1] != first_words(other)[0]


def first_words(text):
    lines = (line.removeprefix(b"\xef\xbb\xbf").split() for line in text.split(b"\n"))
    return [words[0] for words in lines if words and not words[0].startswith(b"#")]


def run_of(topics, documents=30, tag="t"):
    rng = np.random.default_rng(3)
    names = [f"d{number}" for number in range(documents - 5)] + list("abcde")
    rows = []
    for topic in topics:
        order = rng.permutation(documents)
        scores = np.sort(rng.integers(0, 12, documents))[::-1] / 4  # with ties
        rows += [f"{topic} Q0 {names[at]} {r + 1} {scores[r]} {tag}" for r, at in enumerate(order)]
    return "\n".join(rows) + "\n"


def test_a_large_file_is_never_wholly_in_memory(tmp_path, monkeypatch):
    path = tmp_path / "run"
    path.write_text(run_of(["1", "2", "10", "x"]))
    before = outcome(path)
    in_blocks(monkeypatch, 1000)
    monkeypatch.setattr(Content, "unpacked", lambda self: pytest.fail("it was unpacked as a whole"))
    monkeypatch.setattr(Content, "stored", property(lambda self: pytest.fail("it was read as a whole")))
    assert outcome(path) == before
    assert before[0][3][0]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstd.compress])
@pytest.mark.parametrize("members", [1, 2])
def test_archives_are_unpacked_block_by_block(tmp_path, pack, members, monkeypatch):
    text = run_of(["1", "2", "10", "x"]).encode()
    half = len(text) // 2 if members == 2 else len(text)
    path = tmp_path / "run"
    path.write_bytes(b"".join(pack(part) for part in (text[:half], text[half:]) if part))
    before = outcome(path)
    in_blocks(monkeypatch, 1000)
    monkeypatch.setattr(Content, "unpacked", lambda self: pytest.fail("it was unpacked as a whole"))
    assert outcome(path) == before


@pytest.mark.parametrize("cut", [-1, -30])
def test_a_damaged_archive_gives_the_same_message(tmp_path, cut):
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(run_of(["1", "2", "10", "x"]).encode(), mtime=0)[:cut])
    assert_same(path)
    assert outcome(path)[0] == (f"{path}: the archive is damaged or cut short. Fetch or compress the file again.")


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_archive_above_the_limit_gives_the_same_message(tmp_path, jobs):
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(run_of(["1", "2", "10", "x"]).encode(), mtime=0))
    with metameter.unpacking(1000):
        assert_same(path, jobs=jobs)
        with pytest.MonkeyPatch.context() as patch:
            in_blocks(patch)
            assert "the file unpacks to too much (allowed: at most 1 kB)" in outcome(path, jobs=jobs)[0]


def test_interleaved_topics_score_alike_with_a_notice(tmp_path, monkeypatch):
    path = tmp_path / "run"
    lines = run_of(["1", "2", "10", "x"]).splitlines(keepends=True)
    path.write_text("".join(lines[at] for start in range(30) for at in range(start, 120, 30)))
    whole, notices, count = outcome(path)
    assert count == len(notices)
    in_blocks(monkeypatch, 1000)
    with pytest.warns(metameter.MetameterWarning) as caught:
        scores = metameter.score(QRELS, path, METRICS)
    assert scores.values.tobytes() == whole[2]
    assert str(caught[0].message) == (
        f"{path} lists topic '2' in several places: it was read as a whole, which takes about 7 times its "
        "uncompressed size in memory; sort its lines by topic"
    )


def test_a_wrong_line_far_down_is_named_by_number(tmp_path, monkeypatch):
    path = tmp_path / "run"
    path.write_text(run_of(["1", "2", "10"]) + "x Q0 a 1 high t\n")
    in_blocks(monkeypatch, 1000)
    assert outcome(path)[0] == (
        f"{path}:91: the score is not a number (given 'high', allowed: a finite number). Correct the score."
    )


def test_a_distant_duplicate_names_both_lines(tmp_path, monkeypatch):
    path = tmp_path / "run"
    path.write_text(run_of(["1", "2", "10"]) + "x Q0 a 1 2 t\nx Q0 a 2 1 t\n")
    in_blocks(monkeypatch, 1000)
    assert outcome(path)[0].startswith(f"{path}:92: document 'a' of topic 'x' is listed twice, first at {path}:91.")


def test_a_run_without_judged_topics_is_refused_alike(tmp_path):
    path = tmp_path / "run"
    path.write_text(run_of(["y", "z"]))
    assert_same(path)
    assert "the run has no topic in common with the qrels" in outcome(path)[0]


def test_standard_input_is_read_in_blocks_too(tmp_path, monkeypatch):
    text = run_of(["1", "2", "10", "x"])
    path = tmp_path / "stdin"
    path.write_text(text)
    expected = outcome(path)[0]
    in_blocks(monkeypatch, 1000)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert outcome("-")[0][:3] == expected[:3]


def test_blocks_give_the_same_pool_and_costs(tmp_path):
    paths = [tmp_path / name for name in ("one", "two")]
    for path, names in zip(paths, (["1", "2", "10", "x"], ["2", "1", "x"]), strict=True):
        path.write_text(run_of(names))
    assert_same(paths, pool_depth=5)
    assert_same(paths, costs={"a": 2.0, "d1": 3.0})


def test_one_run_on_many_cores_gives_the_same_bits(tmp_path, monkeypatch):
    path = tmp_path / "run"
    path.write_text(run_of(["1", "2", "10", "x"]))
    expected = outcome(path)[0]
    in_blocks(monkeypatch, 500)
    assert metameter.score(QRELS, path, METRICS, jobs=4).values.tobytes() == expected[2]


def test_a_file_that_changes_while_scored_is_refused(tmp_path, monkeypatch):
    from metameter.metric.compose import parse_metrics
    from metameter.scoring.engine import score_runs
    from metameter.scoring.policy import Policy

    path = tmp_path / "run"
    path.write_text(run_of(["1", "2"]))
    in_blocks(monkeypatch, 500)
    read = metameter.scoring.cache.ScoreCache.read

    def changing(self, run):
        path.write_text(run_of(["1", "10"]))
        return read(self, run)

    monkeypatch.setattr("metameter.scoring.cache.ScoreCache.read", changing)
    with pytest.raises(MetameterError, match=r"run: the file changed while it was read\. Score it again\."):
        score_runs(QRELS, path, parse_metrics(METRICS), Policy(), cache=tmp_path / "kept", jobs=1)
