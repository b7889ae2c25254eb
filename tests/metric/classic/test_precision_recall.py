"""A metric declares the evidence that it needs; where there is none of that kind it is refused, before any work."""

from dataclasses import dataclass

import pytest

import metameter
from metameter.errors import MetameterError
from metameter.metric.classic.precision_recall import P


class Sessions:
    """Evidence of a kind that nobody makes here."""


@dataclass(frozen=True, repr=False)
class OfSessions(P):
    evidence = Sessions


@pytest.mark.parametrize("door", ["score", "check", "explain"])
def test_every_function_refuses_metrics_of_other_evidence(door):
    qrels, runs = {"1": {"a": 1}}, {"one": {"1": {"a": 1.0}}}
    calls = {
        "score": lambda metric: metameter.score(qrels, runs, metric),
        "check": lambda metric: metameter.check(qrels, runs, metric=metric),
        "explain": lambda metric: metameter.explain(metric, gains=[1, 0]),
    }
    calls[door](P(k=1))
    with pytest.raises(MetameterError, match="Sessions"):
        calls[door](OfSessions(k=1))
