"""What is sent with each task is small, however large the scores are: they go to the workers once."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import metameter as mm
from metameter.parallel import Workers
from metameter.parallel.dask.workers import DaskExecutor, size_of
from metameter.types import Scores

MOST = 100_000  # bytes: what docs/cluster.md says


class Weighed:
    """A cluster that does everything on the spot and notes what it was sent."""

    def __init__(self):
        self.tasks, self.scattered = [], []

    def scatter(self, thing, *, everywhere):
        self.scattered.append(size_of(thing))
        return SimpleNamespace(kept=thing)

    def submit(self, function, *arguments):
        self.tasks.append(sum(size_of(each) for each in arguments if not hasattr(each, "kept")))
        return function(*(getattr(each, "kept", each) for each in arguments))

    def is_over(self, task, seconds):
        return True

    def is_lost(self, sent):
        return False

    def outcome(self, task):
        return task

    def on_every_worker(self, check):
        check("here")


class Weighing(Workers):
    def __init__(self):
        self.count, self.cluster = 2, Weighed()

    def executor(self):
        from contextlib import nullcontext

        return nullcontext(DaskExecutor(self.cluster))


@pytest.fixture(scope="module")
def scores():
    values = np.random.default_rng(0).random((25, 60, 200))  # 2.4 MB, many times what a task may be
    metrics = tuple(f"RBP(p=0.{number + 10})@10*ERG" for number in range(25))
    return Scores(metrics, tuple(f"s{n}" for n in range(60)), tuple(map(str, range(200))), values)


@pytest.mark.parametrize(
    ("ask", "options"),
    [
        (mm.power, {"trials": 70}),
        (mm.consistency, {"splits": 70, "trials": 70, "resamples": 2, "by": "all"}),
        (mm.recommend, {"splits": 70, "trials": 70, "resamples": 2, "reference": ["RBP(p=0.10)@10*ERG"]}),
    ],
)
def test_tasks_of_monte_carlo_blocks_are_small(scores, ask, options):
    workers = Weighing()
    ask(scores, **options, jobs=workers)
    assert workers.cluster.tasks
    assert max(workers.cluster.tasks) < MOST
    assert max(workers.cluster.scattered) > scores.values.nbytes / 2  # once, not with every task


def test_tasks_of_curves_are_small():
    made = mm.simulate(topics=100, systems=6, depth=500, seed=1)
    workers = Weighing()
    mm.volatility(made.qrels, list(made.runs), ["nDCG@10"], depths="10,100", jobs=workers)
    assert max(workers.cluster.tasks) < MOST
