"""The whole default study against pytrec_eval's mere scoring of the same runs with three measures.

All as people start them: a process of its own each, nothing imported, nothing kept, by turns, three times. Wall time
is what people wait; the seconds of all cores together (CPU) tell what a machine with one slow core would take. A study
draws more resamples as long as a verdict is a close call; what that takes is counted apart.
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
# As many resamples as a study begins with: close calls stay close calls.
NO_MORE = ("--most-resamples", "1000")
PEER = """
import sys
from pathlib import Path
from scoring import pytrec_eval_scores
pytrec_eval_scores(sys.argv[1], [Path(run) for run in sys.argv[2:]])
"""


class Taken(NamedTuple):
    """What a process took, in seconds."""

    wall: float
    cpu: float

    def __str__(self):
        return f"{self.wall:.2f} s (CPU {self.cpu:.2f} s)"

    def of(self, other):
        """How many times as much as another."""
        return Taken(self.wall / other.wall, self.cpu / other.cpu)


def compare(data):
    folder = data.resolve() / "trec8-adhoc"
    if not folder.exists():
        print(f"  no TREC-8 data in {folder}: skipped")
        return
    inputs = folder / "trec8.qrels.gz", *sorted((folder / "runs").glob("*.gz"))
    rounds = [_round(inputs) for _ in range(ROUNDS)]
    for what, ratios in zip(
        ("the whole study", "with more draws for close calls"), zip(*rounds, strict=True), strict=True
    ):
        for kind in Taken._fields:
            median = statistics.median(getattr(ratio, kind) for ratio in ratios)
            report(f"{what}, of pytrec_eval with three measures: {kind}", median, 1, at_most=True)


def _round(inputs):
    study, drawn_on = _study(inputs, *NO_MORE), _study(inputs)
    peer = _taken([sys.executable, "-c", PEER, *inputs])
    print(f"  study {study}, with more draws for close calls {drawn_on}; pytrec_eval {peer}", flush=True)
    return study.of(peer), drawn_on.of(peer)


def _study(inputs, *options):
    with tempfile.TemporaryDirectory() as place:
        program = Path(sys.executable).with_name("metameter")
        return _taken([program, "study", *inputs, "--out", Path(place) / "study", *options])


def _taken(command):
    before, begun = _cpu(), time.perf_counter()
    # Here, since the peer's code is the one that the section on scoring uses.
    here = Path(__file__).parent
    subprocess.run([str(word) for word in command], check=True, capture_output=True, cwd=here)
    return Taken(time.perf_counter() - begun, _cpu() - before)


def _cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
