"""One process at a time in a study's folder: a second one says whom it waits for, and not for ever."""

import inspect
import os
import subprocess
import sys
import time

import pytest

import metameter
from metameter.cli.commands.report import command as report
from metameter.studies.lock import locked

pytestmark = pytest.mark.skipif(os.name != "posix", reason="file locks as POSIX has them")
HOLDER = """
import sys
from pathlib import Path
from metameter.studies.lock import locked
with locked(Path(sys.argv[1]) / ".stages"):
    print("ready", flush=True)
    sys.stdin.read()
"""
WORDS = ["-m", "AP", "-m", "RR", "--trials", "20", "--splits", "10", "--resamples", "10", "--max-grade", "1"]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 a {topic % 2}\n{topic} 0 b 1\n" for topic in range(1, 5)))
    (tmp_path / "runs").mkdir()
    for name, scores in (("one", "21"), ("two", "12")):
        lines = [
            f"{topic} Q0 {doc} 0 {score} t\n" for topic in range(1, 5) for doc, score in zip("ab", scores, strict=True)
        ]
        (tmp_path / "runs" / name).write_text("".join(lines))
    return [str(tmp_path / "qrels"), str(tmp_path / "runs")]


@pytest.fixture
def holder(tmp_path):
    """A process that has the lock of the folder ``study`` until its standard input is closed."""
    words = [sys.executable, "-c", HOLDER, str(tmp_path / "study")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        yield process
        process.stdin.close()


def program(*words):
    return [sys.executable, "-m", "metameter", *map(str, words)]


def test_a_waiting_study_names_the_process_it_waits_for(files, holder, tmp_path):
    line = f"notice: {tmp_path / 'study'}: process {holder.pid} works in this folder; waiting for it to end\n"
    told = tmp_path / "stderr"
    with told.open("w") as file:
        words = program("study", *files, *WORDS, "--out", tmp_path / "study")
        waiting = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=file)
    end = time.monotonic() + 120
    while told.read_text() != line:
        assert waiting.poll() is None, told.read_text()
        assert time.monotonic() < end, told.read_text()
        time.sleep(0.05)
    holder.stdin.close()
    assert waiting.wait() == 0
    assert told.read_text().count("waiting for it to end") == 1
    assert (tmp_path / "study" / ".stages" / "lock").read_bytes() == b""


@pytest.mark.parametrize("command", ["study", "report"])
def test_a_study_waits_no_longer_than_the_timeout(files, holder, tmp_path, command):
    folder = tmp_path / "study"
    if command == "report":
        (folder / ".stages" / "study.json").write_text(sealed_notes())
    words = [*files, *WORDS, "--out", folder] if command == "study" else [folder]
    done = subprocess.run(program(command, *words, "--lock-timeout", 0), capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        f"{folder}: process {holder.pid} works in this folder, and has not ended within 0 seconds. Wait for it, end "
        "it, or choose another folder; --lock-timeout (lock_timeout=) allows more time.\n"
    )


def sealed_notes():
    from metameter.studies.stage_files import seal

    return seal({"collections": {"a": {"collection": "0"}}, "manifest": {}})


@pytest.mark.parametrize("text", [b"", b"x" * 400, b"12 \x1b[31mhost\n", b"99999999999999 host\n"])
def test_a_lock_without_an_owner_is_reported(tmp_path, text):
    with locked(tmp_path):
        (tmp_path / "lock").write_bytes(text)
        with (
            pytest.raises(metameter.MetameterError, match="another process works in this folder"),
            locked(tmp_path, timeout=0),
        ):
            pass


def test_a_process_of_another_host_is_named_with_its_host(tmp_path):
    with locked(tmp_path):
        (tmp_path / "lock").write_bytes(b"7 elsewhere.example\n")
        with (
            pytest.raises(metameter.MetameterError, match=r"process 7 on elsewhere\.example"),
            locked(tmp_path, timeout=0),
        ):
            pass


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="a folder in which none can be made")
def test_an_impossible_folder_is_refused(files):
    done = subprocess.run(program("study", *files, *WORDS, "--out", "/proc/nope"), capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        "/proc/nope: the folder of the study cannot be made: no such file or directory. Check the path and its "
        "permissions, or choose another folder.\n"
    )


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1, "1", True])
def test_an_invalid_lock_timeout_is_refused(files, tmp_path, seconds):
    with pytest.raises(metameter.MetameterError, match="lock_timeout is"):
        metameter.study(*files, ["AP"], out=tmp_path / "new", lock_timeout=seconds)
    assert not (tmp_path / "new").exists()


def test_study_and_report_have_the_same_lock_timeout():
    default = inspect.signature(metameter.study).parameters["lock_timeout"].default
    assert inspect.signature(report).parameters["lock_timeout"].default == default
