"""Base classes of session metrics, which are computed after every iteration in one pass."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.passages import Rule
from metameter.judge.ranked import Ranked
from metameter.judge.sessions import Sessions
from metameter.metric.base import Measure, checked_depths, cut_already
from metameter.notation import depth_after
from metameter.parameters import Parametrised, depth, option


@dataclass(frozen=True, repr=False)
class SessionMetric(Parametrised, Measure):
    """A metric of a search session with several iterations; a single list is a session of one iteration.

    Parameters
    ----------
    k : int, optional
        The session is cut after k iterations.
    """

    k: int | None = depth()

    evidence = Sessions
    condensable = False

    @abstractmethod
    def values(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The scores of the sessions cut after each of these iterations: topics x iterations."""

    def after(self, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.float64]:
        """The scores after each of these iterations, none of them deeper than ``k``."""
        return self.values(sessions, iterations if self.k is None else np.minimum(iterations, self.k))

    def cells(self, sessions: Sessions) -> Any:
        """The contribution of each rank, topics x depth, where the final score is a sum over ranks; else NaN."""
        return np.nan

    def curve(self, ranked: Ranked, depths: Sequence[int]) -> NDArray[np.float64]:
        """The scores of the sessions cut after each of several iterations, topics x iterations, in one pass."""
        iterations = checked_depths(depths)
        sessions = Sessions.of(ranked)
        if not iterations.size:
            return np.empty((len(sessions.length), 0))
        return self.values(sessions, iterations)

    def score(self, ranked: Ranked) -> NDArray[np.float64]:
        """One score per topic, after the last iteration."""
        sessions = Sessions.of(ranked)
        last = max(sessions.iterations, 1) if self.k is None else self.k
        return self.values(sessions, np.array([last]))[:, 0]

    def explain(self, ranked: Ranked) -> dict[str, NDArray[np.float64]]:
        """Rank, iteration, position, grade and contribution, each topics x depth.

        Contributions sum to the score after the last iteration; they are NaN where it is not a sum over ranks.
        """
        sessions = Sessions.of(ranked)
        columns = {
            "rank": np.arange(1.0, sessions.depth + 1),
            "iteration": sessions.iteration,
            "position": sessions.position,
            "grade": sessions.grade,
            "contribution": self.cells(sessions),
        }
        shape = sessions.grade.shape
        return {name: np.array(np.broadcast_to(each, shape), dtype=np.float64) for name, each in columns.items()}

    def condensed(self) -> Measure:
        """Refuse: a document without judgment takes the user's time, too."""
        fix = "Leave unjudged at zero, or this metric out."
        raise MetameterError(f"{self} has no form for condensed lists", fix=fix)

    def at(self, k: int) -> SessionMetric:
        """The same metric for sessions cut after k iterations."""
        return replace(self, k=k)

    def __matmul__(self, k: int) -> SessionMetric:
        """The metric whose name is this one's with ``@k`` after it."""
        if self.k is not None:
            raise cut_already(self)
        return self.at(depth_after(k, f"{self}@{k}"))

    def summarise(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean over the topics that the run has."""
        known = ~np.isnan(values)
        total, count = np.where(known, values, 0.0).sum(axis=-1), known.sum(axis=-1)
        return np.asarray(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))

    @property
    def reach(self) -> int | None:
        """All ranks matter."""
        return None


@dataclass(frozen=True, repr=False)
class OfficialForm(SessionMetric):
    """A metric of TREC Dynamic Domain, with or without the quirks of the official scorer.

    Parameters
    ----------
    k : int, optional
        The session is cut after k iterations.
    form : official or corrected
        As the official scorer of 2017 computes it, with its quirks, or without them.
    """

    form: str = option("official", choices=("official", "corrected"))

    @property
    def official(self) -> bool:
        """Whether the quirks of the official scorer are kept."""
        return self.form == "official"

    @property
    def rule(self) -> Rule:
        """Which ratings count: -1 and 0 mean marginally relevant, but the official scorer uses -1 as a number."""
        return "official" if self.official else "positive"
