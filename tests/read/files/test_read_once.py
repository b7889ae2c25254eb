"""What can be read only once is read once, whoever asks for it, and however often."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import metameter as mm
from metameter.cli.program import run
from metameter.errors import MetameterError
from metameter.read.files.content import Content, _pipes, reading_pipes_once
from metameter.read.files.limits import unpacking

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n"
RUNS = {"one": "1 Q0 a 1 2 t1\n1 Q0 c 2 1 t1\n2 Q0 a 1 1 t1\n", "two": "1 Q0 c 1 2 t2\n1 Q0 a 2 1 t2\n2 Q0 b 1 1 t2\n"}


@pytest.fixture
def pipe(tmp_path, monkeypatch):
    """A function that makes a named pipe, into which a text is written once."""
    monkeypatch.chdir(tmp_path)

    def make(name: str, text: str) -> str:
        os.mkfifo(tmp_path / name)
        threading.Thread(target=(tmp_path / name).write_text, args=(text,), daemon=True).start()
        return name

    return make


@pytest.fixture
def piped(pipe):
    return [pipe("qrels", QRELS), *(pipe(name, text) for name, text in RUNS.items())]


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "options",
    [
        ["score", "-m", "AP"],
        ["score", "-m", "AP", "--pool-depth", "1"],
        ["score", "-m", "AP", "--pool-depth", "1", "--name-by", "tag"],
        ["score", "-m", "AP(norm=pool)@1"],
        ["check", "--pool-depth", "1"],
        ["compare", "-m", "AP"],
        ["volatility", "-m", "AP", "--depths", "1,2", "--pool-depth", "1", "--trials", "20"],
    ],
)
def test_pipes_can_replace_files(options, piped, tmp_path, capsys):
    status = run([options[0], *piped, *options[1:]])
    answered = capsys.readouterr().out
    for name, text in {"qrels": QRELS, **RUNS}.items():
        os.remove(name)
        (tmp_path / name).write_text(text)
    assert run([options[0], *piped, *options[1:]]) == status
    assert capsys.readouterr().out == answered


@pytest.mark.timeout(20)
def test_the_checksum_covers_the_piped_bytes(piped):
    scores = mm.score("qrels", piped[1:], ["AP"], pool_depth=1)
    noted = {each["name"]: each["sha256"] for each in scores.manifest["inputs"]["runs"]}
    assert noted == {name: Content(name, text.encode()).fingerprint.sha256 for name, text in RUNS.items()}


@pytest.mark.timeout(20)
def test_pipes_can_be_written_one_after_another(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = {"qrels": QRELS, **RUNS}
    for name in texts:
        os.mkfifo(name)

    def write():
        for name, text in texts.items():
            (tmp_path / name).write_text(text)

    threading.Thread(target=write, daemon=True).start()
    assert mm.score("qrels", ["one", "two"], ["AP"], jobs=2).systems == ("one", "two")


@pytest.mark.timeout(20)
def test_piped_bytes_are_kept_until_the_outermost_block_ends(pipe):
    pipe("run", RUNS["one"])
    with reading_pipes_once():
        with reading_pipes_once():
            first = Content.of("run")
        assert Content.of("run").stored == first.stored == RUNS["one"].encode()
        assert _pipes
    assert not _pipes
    threading.Thread(target=Path("run").write_text, args=("new",), daemon=True).start()
    assert Content.of("run").stored == b"new"


def test_endless_input_is_refused():
    with unpacking("3MB"), pytest.raises(MetameterError, match="/dev/zero: there is no end to what it gives"):
        Content.of("/dev/zero")


def test_closed_standard_input_gives_a_one_line_error(tmp_path, monkeypatch, capsys):
    (tmp_path / "qrels").write_text(QRELS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", None)
    assert run(["score", "qrels", "-", "-m", "AP"]) == 2
    assert capsys.readouterr().err == "-: standard input is closed. Name a file, or pipe one in.\n"


@pytest.mark.parametrize("command", [["score", "-m", "AP"], ["check"], ["session"], ["volatility", "-m", "AP"]])
def test_standard_input_can_be_named_only_once(command, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RUNS["one"].encode())))
    assert run([command[0], "-", "-", *command[1:]]) == 2
    assert "standard input (-) is named twice" in capsys.readouterr().err


@pytest.mark.timeout(30)
def test_a_process_substitution_is_read_like_a_file(tmp_path):
    for name, text in {"qrels": QRELS, **RUNS}.items():
        (tmp_path / name).write_text(text)
    metameter = f"{sys.executable} -m metameter"
    line = f"{metameter} score qrels <(cat one) --out scores.csv -m AP --pool-depth 1 && cat scores.csv.manifest.json"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert Content("one", RUNS["one"].encode()).fingerprint.sha256 in done.stdout


@pytest.mark.parametrize("after", [b"x", b"\x1f\x8c" + gzip.compress(b"1 Q0 d1 1 1 t\n", mtime=0)[2:]])
def test_trailing_garbage_after_a_gzip_member_is_refused(after):
    with pytest.raises(MetameterError, match="damaged or cut short"):
        Content("run.gz", gzip.compress(b"1 Q0 d1 1 1 t\n", mtime=0) + after).unpacked()
