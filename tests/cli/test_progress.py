"""Bars on a terminal: a line a stage, within 80 columns; none at its end, and something that moves at all times."""

import io
import sys
import threading
import time

import pytest
from rich.console import Console
from rich.spinner import Spinner

from metameter.cli import progress
from metameter.cli.program import run
from metameter.cli.progress import Stages
from metameter.simulation import simulate
from metameter.simulation.folder import write


def lines(stages, **settings):
    """What a terminal shows of the stages."""
    console = Console(file=io.StringIO(), force_terminal=True, color_system=None, **{"width": 80, **settings})
    console.print(progress.rendered(stages, Spinner("line"), console))
    return console.file.getvalue().rstrip("\n").split("\n")


def test_the_current_step_has_the_bar_and_finished_steps_times():
    stages = Stages("study")
    for told in [
        (0, 1, "scoring"),
        (3, 3, "scoring: runs"),
        (1, 1, "scoring"),
        (0, 1, "power"),
        (1, 4, "power: flips"),
    ]:
        stages(*told)
    ended, at_work = lines(stages)
    assert ended.split() == ["✓", "scoring", "0:00"]
    assert "power: flips" in at_work
    assert "1/4" in at_work
    assert "━" in at_work


@pytest.mark.parametrize("told", [(5, 5, "splits"), (4, 4, "power: splits")])
def test_no_count_is_shown_once_a_step_ends(told):
    stages = Stages("power")
    if told[2] != "splits":
        stages(0, 1, "power")
    stages(*told)
    assert stages.at_work.of == 0
    assert str(told[1]) not in lines(stages)[-1].replace("0:", "")


def test_steps_outside_of_a_stage_end_when_another_begins():
    stages = Stages("compare")
    stages(1, 9)
    assert stages.at_work.text == "runs"
    stages(2, 9, "shuffling")
    stages(9, 9, "shuffling")
    assert [line.stage for line in stages.ended] == ["runs", "shuffling"]
    assert stages.at_work.text == "compare"


@pytest.mark.parametrize("width", [80, 60, 40])
def test_lines_fit_the_terminal(width):
    stages = Stages("study")
    for number in range(40):
        stages(0, 1, f"collection {number} with a very long name indeed: recommendation")
        stages(1, 1, f"collection {number} with a very long name indeed: recommendation")
    stages(99_998, 99_999, "another\x1b[2Jcollection\nwith\ta very long name: resampling of everything")
    stages.at_work.since -= 10**6
    shown = lines(stages, width=width, height=24)
    assert len(shown) <= 24
    assert max(map(len, shown)) <= width
    assert "\x1b" not in "".join(shown)


def test_a_one_line_terminal_shows_the_current_step():
    stages = Stages("study")
    stages(1, 1, "scoring")
    assert len(lines(stages, height=2)) == 1


class Terminal(io.StringIO):
    def isatty(self):
        return True


def on_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    return sys.stderr


def test_work_without_progress_shows_a_clock_then_clears_it(monkeypatch):
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    with progress.progress_bar("simulate") as told:
        told(0, 1, "collection")
        end = time.monotonic() + 120
        while "collection" not in terminal.getvalue() and time.monotonic() < end:
            time.sleep(0.01)
    assert "collection" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")  # the last line is removed
    assert threading.active_count() == 1 or not any("Timer" in each.name for each in threading.enumerate())


def test_quick_work_shows_nothing(monkeypatch):
    terminal = on_terminal(monkeypatch)
    with progress.progress_bar("simulate") as told:
        told(0, 1, "collection")
        told(1, 1, "collection")
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("command", ["score", "check", "volatility", "power", "study", "report", "simulate"])
def test_commands_report_their_stages(command, monkeypatch, tmp_path, capsys):
    terminal = on_terminal(monkeypatch)
    made = write(simulate(topics=6, systems=3, depth=10, documents=60, seed=3), tmp_path / "made")
    inputs = [str(made / "qrels.txt"), str(made / "runs")]
    few = ["--trials", "20", "--resamples", "5"]
    metrics = ["-m", "AP", "-m", "P@5", "--max-grade", "3"]
    words = {
        "score": [*inputs, *metrics, "--out", str(tmp_path / "scores.csv")],
        "check": [*inputs],
        "volatility": [*inputs, *metrics, *few, "--out", str(tmp_path / "volatility")],
        "power": [*inputs, *metrics, *few],
        "study": [*inputs, *metrics, *few, "--splits", "5", "--out", str(tmp_path / "study")],
        "report": [str(tmp_path / "study")],
        "simulate": [str(tmp_path / "new"), "--topics", "3", "--systems", "2"],
    }
    if command == "report":
        assert run(["study", *words["study"]]) == 0
    shown = []
    monkeypatch.setattr(Stages, "_end", lambda self, end=Stages._end: (shown.append(self), end(self)))
    assert run([command, *words[command]]) == 0, terminal.getvalue()
    told = [line.stage for line in shown[-1].ended]
    wanted = {
        "score": ["runs", "files"],
        "check": ["runs"],
        "volatility": ["reading", "curves", "files"],
        "power": ["scores", "shuffling"],
        "report": ["reading", "answer", "tables", "report"],
        "simulate": ["collection", "files"],
    }
    if command == "study":
        assert (told[0], told[-1]) == ("scoring", "report")
    else:
        assert [stage for stage in told if stage in wanted[command]] == wanted[command], told
