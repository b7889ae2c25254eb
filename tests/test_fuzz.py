"""The campaign of fuzz/, for seconds: what has failed before, and the first inputs of every target."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from random import Random

import pytest

from fuzz.campaign import Campaign, table
from fuzz.crew import Crew
from fuzz.registry import Target, find, targets
from fuzz.worker import Tally, tried

CORPUS = Path(__file__).resolve().parents[1] / "fuzz" / "corpus"
# Of the targets that are slow; of the others, a hundred.
FEW = {"options": 12, "studies": 1, "scores": 40, "layouts": 30, "trec_eval": 40}


@pytest.mark.parametrize("file", sorted(CORPUS.glob("*/*")), ids=lambda file: f"{file.parent.name}/{file.name}")
def test_earlier_failures_pass(file):
    assert tried(find(file.parent.name), file.read_bytes())[2] == ""


@pytest.mark.parametrize("target", targets(), ids=lambda target: target.name)
def test_the_first_inputs_pass(target):
    wrong = {number: tried(target, target.input(0, number))[2] for number in range(FEW.get(target.name, 100))}
    assert not {number: what for number, what in wrong.items() if what}


@pytest.mark.parametrize("target", targets(), ids=lambda target: target.name)
def test_an_input_depends_only_on_seed_target_and_number(target):
    assert [target.input(3, number) for number in (5, 7)] == [target.input(3, number) for number in (5, 7)]
    assert target.input(3, 5) != target.input(4, 5) or target.input(3, 7) != target.input(4, 7)


def test_errors_warnings_and_slow_inputs_are_failures():
    def failure_of(hold, seconds=2.0):
        return tried(Target("x", Random.randbytes, hold, "x", seconds=seconds), b"")[2]

    def warns(data):
        import numpy as np

        return bool(np.float64(1) / np.float64(0))

    def raises(data):
        raise KeyError("gone")

    assert failure_of(bool) == ""
    assert failure_of(raises).startswith("KeyError: 'gone' [")
    assert failure_of(warns).startswith("RuntimeWarning: divide by zero")
    assert failure_of(lambda data: time.sleep(0.02), seconds=0.01).endswith(" s")


def test_a_dead_worker_is_replaced_and_its_input_reported():
    crew, notation = Crew(1, seed=0), find("notation")
    try:
        crew.members[0].begin(notation, 7, 10**6)
        while not crew.members[0].now[1]:
            time.sleep(0.01)
        os.kill(crew.members[0].process.pid, signal.SIGKILL)
        ((target, tally),) = crew.reports(30)
        assert target is notation
        assert [failure.what for failure in tally.failures] == ["ends the process (status -9)"]
        assert crew.members[0].process.is_alive()
        assert crew.members[0].last == 7 + 10**6
    finally:
        crew.end()


def test_time_is_shared_and_counts_are_summed():
    qrels, notation = find("qrels"), find("notation")
    campaign = Campaign([qrels, notation], seed=1)
    assert [campaign.next()[0] for _ in range(2)] == [qrels, notation]
    campaign.add(qrels, Tally(tried=10, accepted=4, slowest=0.5, peak=1 << 20, seconds=1.0))
    assert campaign.next()[1] > 0
    assert (campaign.tried, campaign.failed) == (10, 0)
    assert "qrels                10          6          4         0    0.50 s      1 MB" in table(campaign, 1.0)
