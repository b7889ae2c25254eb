"""Names and streams of every kind: bytes that are no UTF-8, old encodings, control characters, full disks, no home."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from metameter.cli.program import run
from metameter.cli.streams import print_answer, remark, say

ESCAPE = "c\x1b[31m\u202e"
NAMES = [b"a\xff", "b∕é".encode(), b"=1+1", ESCAPE.encode()]
SHOWN = ["=1+1", r"a\xff", "b∕é", ESCAPE]


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Judgments and runs in files of which some have names that are not in UTF-8."""
    folder = os.fsencode(tmp_path_factory.mktemp("names"))
    draw = random.Random(0)
    qrels, runs = os.path.join(folder, b"q\xfe.txt"), os.path.join(folder, b"runs")
    Path(os.fsdecode(qrels)).write_text("".join(f"{t} 0 d{d} {d % 3}\n" for t in range(8) for d in range(6)))
    os.mkdir(runs)
    for name in NAMES:
        lists = [(topic, draw.sample(range(6), 6)) for topic in range(8)]
        lines = (f"{topic} Q0 d{doc} 1 {-rank} x\n" for topic, docs in lists for rank, doc in enumerate(docs))
        Path(os.fsdecode(os.path.join(runs, name))).write_text("".join(lines))
    return os.fsdecode(qrels), os.fsdecode(runs)


def on(stream: io.TextIOWrapper, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[int, bytes]:
    """Run with this standard output; the exit status and the bytes that were written."""
    monkeypatch.setattr(sys, "stdout", stream)
    status = run(arguments)
    monkeypatch.undo()
    return status, stream.buffer.getvalue()  # type: ignore[attr-defined]


class Terminal(io.TextIOWrapper):
    """What says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.parametrize("form", ["table", "csv", "tsv", "json", "markdown", "latex"])
def test_every_format_is_printed_in_every_encoding(form, encoding, collection, monkeypatch):
    score = ["score", *collection, "-m", "AP", "--mean", "--format", form]
    status, written = on(io.TextIOWrapper(io.BytesIO(), encoding), monkeypatch, *score)
    assert status == 0
    # What programs read is in UTF-8 whatever the locale.
    text = written.decode("utf-8" if form in ("csv", "tsv", "json") else encoding)
    if form in ("csv", "tsv"):
        rows = list(csv.reader(io.StringIO(text), delimiter="," if form == "csv" else "\t"))
        assert [row[1] for row in rows[1:]] == SHOWN
    if form == "json":
        assert [row["system"] for row in json.loads(text)["scores"]] == SHOWN
    assert ("\x1b" in text) == (form in ("csv", "tsv"))
    if form == "table":
        assert {"ascii": r"b\u2215\xe9", "latin-1": r"b\u2215é", "utf-8": "b∕é"}[encoding] in text
        assert text.splitlines()[1].strip("─" if encoding == "utf-8" else "-") == ""


@pytest.mark.parametrize("form", ["table", "csv", "tsv", "json", "markdown", "latex"])
def test_a_terminal_gets_no_control_character(form, collection, monkeypatch):
    score = ["score", *collection, "-m", "AP", "--mean", "--format", form]
    status, written = on(Terminal(io.BytesIO(), "utf-8"), monkeypatch, *score)
    assert status == 0
    assert all(line.replace("\t", "").isprintable() for line in written.decode().splitlines())
    assert b"31m" in written


@pytest.mark.parametrize("suffix", ["csv", "tsv", "json", "parquet"])
def test_files_are_in_utf8_whatever_the_names(suffix, collection, tmp_path, capsys):
    out = os.fsdecode(os.fsencode(tmp_path) + b"/\xfd." + suffix.encode())
    assert run(["score", *collection, "-m", "AP", "--mean", "--out", out]) == 0
    data = Path(out).read_bytes()
    if suffix == "parquet":
        assert pl.read_parquet(io.BytesIO(data))["system"].to_list() == SHOWN
    else:
        assert r"a\xff" in data.decode().replace("\\\\", "\\")
    manifest = json.loads(Path(f"{out}.manifest.json").read_text("utf-8"))
    assert [each["name"] for each in manifest["inputs"]["qrels"]] == [r"q\xfe.txt"]
    assert r"a\xff" in [each["name"] for each in manifest["inputs"]["runs"]]


def test_check_and_explain_accept_any_name(collection, capsys):
    qrels, runs = collection
    assert run(["check", qrels, runs, "--table", "coverage"]) == 0
    assert r"a\xff" in capsys.readouterr().out
    Path(qrels).with_name("wrong\udcff").write_text("1 0 d0 x\n")
    assert run(["check", str(Path(qrels).with_name("wrong\udcff")), runs]) == 2
    assert r"wrong\xff" in capsys.readouterr().out
    one = os.fsdecode(os.fsencode(runs) + b"/a\xff")
    assert run(["explain", "nDCG@5", "--qrels", qrels, "--run", one, "--topic", "1"]) == 0


@pytest.mark.parametrize("kind", [[], ["--sessions", "--iterations", "2"], ["--pages", "20", "--pairs", "20"]])
def test_simulate_writes_to_a_path_of_any_name(kind, tmp_path, capsys):
    out = os.fsdecode(os.fsencode(tmp_path) + b"/\xfd")
    sizes = [] if "--pages" in kind else ["--topics", "3", "--systems", "2"]
    assert run(["simulate", out, *sizes, *kind]) == 0
    assert Path(out, "truth.csv").exists()
    assert r"\xfd: " in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [["sc\udcff"], ["metrics", "A\udcff"], ["score", "q\udcff", "r\udcff", "-m", "AP"], ["score", "--x\udcff"]],
)
def test_errors_show_any_name(arguments, capsys):
    assert run(arguments) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    said.encode()


def test_remarks_and_notices_are_visible(capsys):
    say("one \x1b[2J\u202e\nna\udcc3\udcafve")
    assert capsys.readouterr().err == "one \\x1b[2J\\u202e\nnaïve\n"


def test_sentences_break_between_words_on_a_terminal_only(monkeypatch, capsys):
    text = "one sentence that goes on\n  another, with a/path/that/nobody/could/copy"
    remark(text)
    assert capsys.readouterr().err == text + "\n"
    screen = Terminal(io.BytesIO(), "utf-8", newline="\n")
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "16")
    remark(text)
    screen.flush()
    seen = screen.buffer.getvalue().decode()  # type: ignore[attr-defined]
    assert seen == "one sentence\nthat goes on\n  another, with\n  a/path/that/nobody/could/copy\n"


def test_letters_missing_from_the_encoding_are_replaced(monkeypatch):
    screen = Terminal(io.BytesIO(), "ascii", errors="backslashreplace", newline="\n")
    monkeypatch.setattr(sys, "stdout", screen)
    print_answer("─ Σ[i≤k] é")
    assert screen.buffer.getvalue() == b"- sum[i<=k] \\xe9\n"  # type: ignore[attr-defined]


def started(*arguments: str, **settings: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "metameter", *arguments]
    return subprocess.run(command, check=False, **{"stderr": subprocess.PIPE, **settings})  # type: ignore[call-overload]


FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")


@FULL
@pytest.mark.parametrize("arguments", [["metrics"], ["score", "--help"]])
def test_failing_to_write_the_output_gives_a_one_line_error(arguments):
    with open("/dev/full", "wb") as full:
        done = started(*arguments, stdout=full)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"no space left" in done.stderr.lower()


@FULL
def test_output_succeeds_although_standard_error_is_full():
    with open("/dev/full", "wb") as full:
        done = started("explain", "nDCG@3", "--gains", "1 0", stdout=subprocess.PIPE, stderr=full)
        failed = started("metrics", "nothing", stdout=subprocess.PIPE, stderr=full)
    assert done.returncode == 0
    assert done.stdout.startswith(b"rank,")
    assert failed.returncode == 2


def test_the_c_locale_without_utf8_changes_no_name(collection):
    plain = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    old = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "COLUMNS": "abc"}
    done = started("score", *collection, "-m", "AP", "--mean", stdout=subprocess.PIPE, env={**plain, **old})
    assert done.returncode == 0
    assert [row[1] for row in csv.reader(io.StringIO(done.stdout.decode()))][1:] == SHOWN


def test_charts_are_drawn_for_a_user_without_a_home():
    lines = [
        "import os, pwd",
        "def unknown(*_): raise KeyError",
        "pwd.getpwuid = unknown; os.environ.pop('HOME', None)",
        "from metameter.view.charts.specification import altair",
        "print(altair().Chart.__name__, 'HOME' in os.environ)",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, check=True)
    assert done.stdout.split() == [b"Chart", b"False"]
