"""The whole default study against pytrec_eval's mere scoring of the same runs with three measures.

Both as people start them: a process of its own each, nothing imported, nothing kept, by turns, three times. Wall time
is what people wait; the seconds of all cores together (CPU) tell what a machine with one slow core would take.
"""

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from clock import report

ROUNDS = 3
PEER = """
import sys
from pathlib import Path
from scoring import pytrec_eval_scores
pytrec_eval_scores(sys.argv[1], [Path(run) for run in sys.argv[2:]])
"""
# What a study prints when it drew more than usual, which is counted apart.
MORE_DRAWS = "close call"


class Taken(NamedTuple):
    """What a process took, in seconds; and what it printed for people."""

    wall: float
    cpu: float
    told: str


def compare(data):
    folder = data.resolve() / "trec8-adhoc"
    if not folder.exists():
        print(f"  no TREC-8 data in {folder}: skipped")
        return
    qrels, runs = folder / "trec8.qrels.gz", sorted((folder / "runs").glob("*.gz"))
    ratios = [_round(qrels, runs) for _ in range(ROUNDS)]
    wall, cpu = (statistics.median(column) for column in zip(*ratios, strict=True))
    report(f"the whole study, of pytrec_eval with three measures: wall, median of {ROUNDS}", wall, 1, at_most=True)
    report(f"the same in seconds of all cores together: CPU, median of {ROUNDS}", cpu, 1, at_most=True)


def _round(qrels, runs):
    with tempfile.TemporaryDirectory() as place:
        program = Path(sys.executable).with_name("metameter")
        study = _taken([program, "study", qrels, *runs, "--out", Path(place) / "study"])
    peer = _taken([sys.executable, "-c", PEER, qrels, *runs])
    print(f"  study {study.wall:.2f} s, CPU {study.cpu:.2f} s; pytrec_eval {peer.wall:.2f} s, CPU {peer.cpu:.2f} s")
    for line in study.told.splitlines():
        if MORE_DRAWS in line:
            print(f"    the study says: {line}", flush=True)
    return study.wall / peer.wall, study.cpu / peer.cpu


def _taken(command):
    before, begun = _cpu(), time.perf_counter()
    # Here, since the peer's code is the one that the section on scoring uses.
    here = Path(__file__).parent
    done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, cwd=here)
    return Taken(time.perf_counter() - begun, _cpu() - before, done.stderr)


def _cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
