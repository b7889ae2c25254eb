"""The program called in this process, in a folder with a small collection; what must hold of every call."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from metameter.cli.program import run

__all__ = ["called", "collection", "quietly"]

_TOPICS = range(1, 7)


def collection(folder: Path) -> None:
    """Write judgments, three runs, scores, result pages, pairs, and sessions with their truth."""
    qrels = [f"{topic} 0 d{doc} {(doc * topic) % 3}" for topic in _TOPICS for doc in range(6)]
    (folder / "q").write_text("\n".join(qrels) + "\n")
    for run_number, name in enumerate("abc"):
        lists = [f"{t} Q0 d{(i * t + run_number) % 7} {i} {9 - i} {name}" for t in _TOPICS for i in range(5)]
        (folder / name).write_text("\n".join(dict.fromkeys(_once(lists))) + "\n")
    scores = [
        f"{m},{s},{t},{(i + t * len(s)) % 5 / 4}" for i, m in enumerate(("AP", "P@2")) for s in "abc" for t in _TOPICS
    ]
    (folder / "scores.csv").write_text("\n".join(["metric,system,topic,score", *scores]) + "\n")
    pages = [f"{i % 3} {i % 2} 0,{i % 4}" for i in range(12)]
    (folder / "serps.csv").write_text("\n".join(["grades,satisfaction", *pages]) + "\n")
    pairs = [f"{i % 3} {i % 2},{i % 2} 1,{i % 3 - 1}" for i in range(12)]
    (folder / "pairs.csv").write_text("\n".join(["grades_a,grades_b,preference", *pairs]) + "\n")
    (folder / "truth.csv").write_text("topic,subtopic,doc,rating\n1,1.1,d1,2\n1,1.2,d2,1\n2,2.1,d3,1\n")
    (folder / "sessions.csv").write_text(
        "system,topic,iteration,doc\na,1,1,d1\na,1,2,d2\nb,1,1,d3\na,2,1,d3\nb,2,1,d1\n"
    )


def _once(lines: list[str]) -> Iterator[str]:
    seen = set()
    for line in lines:
        topic, _, doc, *_ = line.split()
        if (topic, doc) not in seen:
            seen.add((topic, doc))
            yield line


@cache
def _place() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="program-"))
    collection(folder)
    return folder


def called(words: Sequence[str]) -> bool:
    """Call the program; True if it did what it was asked, False if it refused as it should."""
    place, out = _place(), _place() / "out"
    shutil.rmtree(out, ignore_errors=True)
    before = _state(place)
    out.mkdir()
    before["out"] = ""
    with _inside(place):
        status, said, problem = quietly(words)
    after = _state(place)
    try:
        _judge(status, said, problem, {name: print_ for name, print_ in after.items() if before.get(name) != print_})
        assert before.items() <= after.items(), f"gone or changed: {sorted(before.items() - after.items())}"
    finally:
        for name in sorted(after.keys() - before.keys(), reverse=True):
            path = place / name
            path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
    return status == 0


def _judge(status: int, said: str, problem: str, new: dict[str, str]) -> None:
    assert "Traceback" not in problem, problem[-800:]
    assert "encountered in" not in problem, f"a notice of NumPy's: {problem[-800:]}"
    assert status in (0, 2), f"exit status {status}: {problem[-400:]}"
    litter = [name for name in new if ".part" in name or "draft" in name]
    assert not litter, f"left behind: {litter}"
    # `check` says what is wrong in its table, and has then done what it was asked.
    if status == 2 and "The table of problems says where" not in problem:
        assert said == "", f"said {said[:200]!r} and then refused: {problem}"
        one = problem.endswith("\n") and problem.count("\n") == 1 and len(problem) < 6500
        assert one, f"not one line: {problem[:600]!r}"
        assert not new, f"refused, but wrote {sorted(new)}: {problem}"


def quietly(words: Sequence[str]) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    streams = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO(b""))
    sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace") for _ in "oe")
    try:
        status = run(list(words))
        texts = []
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            texts.append(stream.buffer.getvalue().decode())
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
    return status, *texts


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _state(folder: Path) -> dict[str, str]:
    """The files in a folder, each with a fingerprint."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        for path in folder.rglob("*")
    }
