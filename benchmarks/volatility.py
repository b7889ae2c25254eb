"""Curves along depth, a grid of pools and the stage of a study, on TREC-8: what they cost, and their memory.

All as people start them: a process of its own each, by turns. The medians of the ratios count.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from clock import report

ROUNDS = 3
SEVEN = (
    "AP(norm=min)@100",
    "AP@100",
    "AP(norm=pool)@100",
    "nDCG@100",
    "Q(beta=1)@100",
    "RBP(p=0.8)*ERG@100",
    "ERR@100",
)
NAMED = tuple(word for name in SEVEN for word in ("-m", name))
# A printed table that is short: what is measured is not the printing.
SHORT = ("--table", "marked")
JUDGED = ("--judged-to", "100", "--ties", "rank")
# 7 metrics, plain and condensed; with all judgments 5 pools, and 7 depths.
GRID = ("--grid", "--pools", "5,10,20,50", "--depths", "5,10,20,50,100,200,1000")
TWENTY = "1-10,15,20,30,50,70,100,200,300,500,1000"
STUDY = """
import sys
from metameter.meta.framework import declarations
leave_out, names = sys.argv[1], declarations.names
declarations.names = lambda kind: [name for name in names(kind) if name != leave_out]
from metameter.cli.program import run
sys.exit(run(sys.argv[2:]))
"""


class Taken(NamedTuple):
    """What a process took: seconds, and the most memory in megabytes."""

    wall: float
    cpu: float
    memory: float

    def __str__(self):
        return f"{self.wall:.2f} s (CPU {self.cpu:.2f} s)"


def compare(data):
    folder = data.resolve() / "trec8-adhoc"
    if not folder.exists():
        print(f"  no TREC-8 data in {folder}: skipped")
        return
    qrels, runs = folder / "trec8.qrels.gz", sorted((folder / "runs").glob("*.gz"))
    with tempfile.TemporaryDirectory() as place:
        _all_depths(qrels, runs)
        _grid(qrels, runs, Path(place))
        _memory(qrels, runs)
        _stage(qrels, runs, Path(place))


def _all_depths(qrels, runs):
    rounds = []
    for _ in range(ROUNDS):
        one = _program("score", qrels, *runs, *NAMED)
        curves = _program("volatility", qrels, *runs, *SHORT, "--resamples", "0")
        whole = _program("volatility", qrels, *runs, *SHORT)
        rounds.append((one, curves, whole))
        print(
            f"  seven metrics @100: {one}; at depths 1 to 1000, plain and condensed: {curves}, with intervals {whole}"
        )
    _report(rounds, 1, "seven metrics at all depths, plain and condensed, of them at one", 2)
    _report(rounds, 2, "the same with intervals", 2)


def _grid(qrels, runs, place):
    """Both on the runs that are judged to depth 100."""
    told = _output("volatility", qrels, *runs, "-m", "AP", "--depths", "10", *JUDGED, "--resamples", "0")
    systems = {line.split(",")[2] for line in told.splitlines()[1:]}
    mine = [run for run in runs if run.name.removesuffix(".gz") in systems]
    scores = place / "scores.parquet"
    _program("score", qrels, *mine, "--preset", "chen-sakai-2023", "--out", scores)
    rounds = []
    for _ in range(ROUNDS):
        power = _program("power", scores, "--table", "power")
        rounds.append((power, _program("volatility", qrels, *runs, *JUDGED, *GRID, *SHORT)))
        print(f"  {len(mine)} runs: power of 39 metrics {power}; 490 cells, from reading the runs on: {rounds[-1][1]}")
    _report(rounds, 1, "a grid of 490 cells, of the power of 39 metrics, both cold", 15)


def _memory(qrels, runs):
    for count in (len(runs) // 4, len(runs) // 2, len(runs)):
        peak = _program("volatility", qrels, *runs[:count], "--depths", TWENTY, *SHORT).memory
        print(f"  peak memory with {count:3} runs at 20 depths: {peak:.0f} MB (bar: flat)", flush=True)


def _stage(qrels, runs, place):
    rounds = []
    for number in range(ROUNDS):
        without, whole = (
            _taken(
                [sys.executable, "-c", STUDY, left_out, "study", qrels, *runs, "--out", place / f"{left_out}{number}"]
            )
            for left_out in ("volatility", "nothing")
        )
        rounds.append((without, whole))
        print(f"  study without volatility {without}, with it {whole}", flush=True)
    for kind in ("wall", "cpu"):
        shares = [1 - getattr(without, kind) / getattr(whole, kind) for without, whole in rounds]
        report(f"the stage's share of a study: {kind}", statistics.median(shares), 0.1, at_most=True)


def _report(rounds, which, what, bar):
    """Of the first of each round."""
    for kind in ("wall", "cpu"):
        median = statistics.median(getattr(taken[which], kind) / getattr(taken[0], kind) for taken in rounds)
        report(f"{what}: {kind}", median, bar, at_most=True)


def _program(*words):
    return _taken([Path(sys.executable).with_name("metameter"), *words])


def _output(*words):
    command = [Path(sys.executable).with_name("metameter"), *words]
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def _taken(command):
    begun = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise RuntimeError(said.read().decode())
    return Taken(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
