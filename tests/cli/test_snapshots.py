"""What a person sees: every command on terminals of 80 and 120 columns, and what a pipe gets, as kept in `snapshots`.

``make snapshots`` writes them anew; look at what changed before you commit it.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from metameter.cli import progress
from metameter.cli.program import commands, run
from metameter.view.tables.cells import rounded
from metameter.view.tables.wrapping import cells_wide

SNAPSHOTS = Path(__file__).with_name("snapshots")
WRITING = os.environ.get("METAMETER_SNAPSHOTS") == "write"
MOST_PIPED = 12

QUICK = ["--splits", "20", "--trials", "100", "--resamples", "50"]
RUNS = ["coll/qrels.txt", "coll/runs", "--max-grade", "3"]
TWO = ["coll/qrels.txt", "coll/runs/S001", "coll/runs/S002", "--max-grade", "3"]
FEW = ["-m", "nDCG@10", "-m", "AP", "-m", "RBP(p=0.8)*max", "-m", "INST(T=2.25)@10*PE(beta=0.5)"]
SIMPLE = ["--simple", "prec", "--simple", "st-rec"]
CASES = {
    "help": ["--help"],
    "help-score": ["score", "--help"],
    "agreement": ["agreement", "sessions.csv", *SIMPLE, *QUICK[4:]],
    "check": ["check", *RUNS],
    "check-problems": ["check", "coll/qrels.txt", "bad"],
    "compare": ["compare", *RUNS, *FEW[:4], *QUICK[2:]],
    "compare-baseline": ["compare", *RUNS, *FEW[:2], "--baseline", "S001", *QUICK[2:]],
    "compare-two": ["compare", *TWO, *FEW[:2], *QUICK[2:]],
    "consistency": ["consistency", *RUNS, *FEW, *QUICK],
    "demo": ["demo"],
    "explain": ["explain", "RBP(p=0.8)*max@10", "--gains", "0.7 0.4 0 1 ? 0.3"],
    "explain-classic": ["explain", "nDCG@10", "--qrels", "coll/qrels.txt", "--run", "coll/runs/S001", "--topic", "1"],
    "fit-views": ["fit", "viewed.csv", "--empirical", "--max-grade", "3", "--table", "fit_models", *QUICK[4:]],
    "fit": ["fit", "labels/serps.csv", "--model", "RBP*max", "--max-grade", "3", *QUICK[4:]],
    "intuitiveness": ["intuitiveness", "sessions.csv", *SIMPLE, *QUICK[2:]],
    "metrics": ["metrics", "--kind", "aggregate"],
    "metrics-name": ["metrics", "INST"],
    "power": ["power", *RUNS, *FEW, *QUICK[2:]],
    "power-out": ["power", *RUNS, *FEW[:2], *QUICK[2:], "--out", "power-found"],
    "preference": ["preference", "labels/pairs.csv", "--max-grade", "3", *FEW, *QUICK[4:]],
    "recommend": ["recommend", *RUNS, *FEW, *QUICK],
    "report": ["report", "study"],
    "satisfaction": ["satisfaction", "labels/serps.csv", "--max-grade", "3", *FEW, *QUICK[4:]],
    "score": ["score", *RUNS, *FEW],
    "score-mean": ["score", *RUNS, *FEW, "--mean"],
    "score-many": ["score", *RUNS, "--preset", "chen-sakai-2023", "--mean"],
    "score-out": ["score", *RUNS, *FEW, "--out", "scores.csv"],
    "session": ["session", "sess/truth.csv", "sess/log.csv", "--lengths", "sess/lengths.csv"],
    "session-mean": ["session", "sess/truth.csv", "sess/log.csv", "--lengths", "sess/lengths.csv", "--mean"],
    "similarity": ["similarity", *RUNS, *FEW, "--by", "all"],
    "simulate": ["simulate", "made-{what}", "--topics", "3", "--systems", "2"],
    "study": ["study", *RUNS, *FEW, *QUICK],
    "taxonomy": ["taxonomy"],
    "tradeoff": ["tradeoff", *RUNS, *FEW, "--serps", "labels/serps.csv", "--pages-max-grade", "3", *QUICK],
    "unanimity": ["unanimity", "sessions.csv", *SIMPLE],
    "volatility": ["volatility", *RUNS, *FEW[:4], "--depths", "5,10,20", *QUICK[4:]],
    "volatility-settled": [
        "volatility",
        *RUNS,
        *FEW[:4],
        "--depths",
        "5,10,20",
        *QUICK[4:],
        "--table",
        "volatility_settled",
    ],
    "error": ["score", *RUNS, "-m", "nDGC@10"],
}


class Screen(io.TextIOWrapper):
    """What says that it is a terminal, and keeps what it is shown; or a pipe."""

    def __init__(self, terminal: bool, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding, newline="\n")
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal

    def seen(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small inputs of every kind, in one folder."""
    folder = tmp_path_factory.mktemp("snapshots")
    made = {
        "coll": ["--topics", "16", "--systems", "5", "--depth", "20"],
        "demo/collection-0": ["--topics", "6", "--systems", "4", "--depth", "10"],
        "sess": ["--sessions", "--topics", "10", "--systems", "5", "--iterations", "3"],
        "labels": ["--pages", "60", "--pairs", "60"],
    }
    before = Path.cwd()
    os.chdir(folder)
    try:
        (folder / "demo").mkdir()
        for name, sizes in made.items():
            assert run(["simulate", name, *sizes]) == 0
        assert run([*CASES["session"], "--format", "csv", "--out", "found"]) == 0
        assert run(CASES["study"]) == 0
    finally:
        os.chdir(before)
    (folder / "found" / "session.csv").rename(folder / "sessions.csv")
    viewed = [f"{page},{last}\n" for page in ("3 0 1 0", "0 2 0 1", "1 0 0 0") for last in (1, 1, 1, 2, 2, 3, 4)]
    (folder / "viewed.csv").write_text("".join(["grades,last\n", *viewed]))
    (folder / "bad").write_text("1 Q0 d1 1 0.5 tag\n1 Q0 d2 2 nan tag\n2 Q0\n")
    return folder


@contextmanager
def no_bar(wanted: bool) -> Iterator[None]:
    """A machine that is busy would draw a bar, and one that is not would not."""
    yield None


@pytest.fixture
def shown(place: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What a command shows at a width, or, without one, to a pipe."""

    def show(case: str, width: int | None, encoding: str = "utf-8") -> str:
        monkeypatch.chdir(place)
        monkeypatch.setattr("metameter.cli.derive.progress_bar", no_bar)
        monkeypatch.setenv("COLUMNS", str(width or 0))
        out = Screen(width is not None, encoding)
        # A person sees both on one screen.
        err = out if width is not None else Screen(False, encoding)
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        if case == "demo" and not (place / "demo" / "study-0").exists():
            # What was noticed while computing is not said again by a study that is kept: let all widths see a kept one.
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                run(CASES[case])
        words = [word.format(what=width or "piped") for word in CASES[case]]
        run(words)
        monkeypatch.undo()
        told = f"$ metameter {' '.join(words)}\n"
        if width is not None:
            return told + out.seen()
        return f"{told}{_beginning(out.seen())}\n--- standard error ---\n{err.seen()}"

    return show


def _beginning(text: str) -> str:
    """The first lines; numbers in full precision differ between machines in their last digits."""
    lines = text.splitlines()
    more = [f"... and {len(lines) - MOST_PIPED} more lines"] if len(lines) > MOST_PIPED else []
    return "\n".join(re.sub(r"-?\d+\.\d{5,}(?:e-?\d+)?", _rounded, line) for line in [*lines[:MOST_PIPED], *more])


def _rounded(number: re.Match[str]) -> str:
    return rounded(float(number[0]))


@pytest.fixture(autouse=True)
def no_bars(monkeypatch):
    """However slow the machine."""
    monkeypatch.setattr(progress, "_PATIENCE", 3600.0)


def test_every_command_has_a_snapshot():
    assert set(commands()) <= {words[0] for words in CASES.values()}


@pytest.mark.parametrize("width", [80, 120, None], ids=["80", "120", "piped"])
@pytest.mark.parametrize("case", CASES)
def test_output_matches_the_snapshot_and_fits_the_width(case, width, shown):
    text = shown(case, width)
    kept = SNAPSHOTS / f"{case}.{width or 'piped'}.txt"
    if WRITING:
        kept.write_text(text, encoding="utf-8")
    assert "\x1b" not in text
    if width is not None and case != "error":
        # The first line is the command, and an error is one line however long.
        assert [line for line in text.split("\n")[1:] if cells_wide(line) > width] == []
    assert text == kept.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", ["power", "score-out", "metrics-name", "check", "recommend"])
def test_an_ascii_terminal_gets_ascii_output(case, shown):
    text = shown(case, 80, "ascii")
    assert text.isascii()
    assert "\\u" not in text
    assert "---" in text


def test_no_snapshot_is_unused():
    known = {f"{case}.{width}.txt" for case in CASES for width in ("80", "120", "piped")}
    assert {kept.name for kept in SNAPSHOTS.iterdir()} == known


PLAIN = {"TERM": "dumb", "NO_COLOR": "1", "LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(("columns", "environment"), [(60, PLAIN), (100, {"TERM": "xterm-256color"})])
def test_output_fits_a_real_terminal(columns, environment):
    import fcntl
    import pty
    import struct
    import subprocess
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    known = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", *PLAIN)}
    command = [sys.executable, "-m", "metameter", "metrics", "RBP"]
    # On a slow machine there may be bars on a terminal that can show them.
    told = theirs if environment is PLAIN else subprocess.DEVNULL
    done = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=told, env={**known, **environment})
    os.close(theirs)
    shown = b""
    # Linux says that a terminal whose other end has closed is broken.
    with contextlib.suppress(OSError):
        while part := os.read(ours, 65536):
            shown += part
    os.close(ours)
    assert done.wait() == 0
    assert b"\x1b" not in shown
    lines = shown.decode("ascii" if environment is PLAIN else "utf-8").splitlines()
    assert 0.8 * columns < max(map(cells_wide, lines)) <= columns
