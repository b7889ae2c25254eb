"""The base classes of metrics: a metric maps a run and its judgments to one score per topic."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.condense import condense
from metameter.judge.gain import allowed_grades, highest_grade
from metameter.judge.ranked import JUDGED, Ranked
from metameter.notation import DEEPEST, depth_after
from metameter.parameters import Parametrised, depth, option


class Measure(ABC):
    """A metric: a classical one, or a product of a browsing model and an aggregation."""

    #: The type of the evidence from which it is computed.
    evidence: ClassVar[type] = Ranked
    #: It depends only on the judgments of the list's own documents, and never falls when one of their grades rises.
    rises_with_gain: ClassVar[bool] = False
    #: The contribution of a rank depends on its own document alone.
    linear: ClassVar[bool] = False
    #: The order of documents within the (cut) list does not matter.
    unordered: ClassVar[bool] = False
    #: It has a form for condensed lists.
    condensable: ClassVar[bool] = True
    #: What it distinguishes: ``relevance`` (at least ``rel``, or not), the ``grade``, or also the ``status`` of
    #: documents without judgment.
    distinguishes: ClassVar[str] = "status"
    #: It counts judgments rather than using their grades, so bounds for unjudged documents make no sense.
    counts_judgments: ClassVar[bool] = False
    #: It measures how much was returned or judged, not relevance: shown beside other metrics, never recommended.
    diagnostic: ClassVar[bool] = False

    @property
    def needs(self) -> frozenset[str]:
        """What it needs besides grades: ``pool`` (ranks in the contributing runs), ``lengths`` (of documents)."""
        return frozenset()

    @property
    def scaled(self) -> bool:
        """Whether scores depend on the highest grade of the scale."""
        return False

    def attainable(self, grades: NDArray[np.float64], max_grade: float) -> NDArray[np.float64]:
        """The gains in [0, 1] that documents of these grades have, on a scale that ends at ``max_grade``.

        With some metrics no document has gain 1. A property shown on lists of gains holds for runs only if their
        documents can have these gains.

        Examples
        --------
        >>> from metameter.metric.compose import parse_metric
        >>> parse_metric("AP").attainable(np.arange(3), 2), parse_metric("ERR").attainable(np.arange(3), 2)
        (array([0. , 0.5, 1. ]), array([0.  , 0.25, 0.75]))
        """
        return np.asarray(grades / max_grade)

    @property
    def exponential(self) -> bool:
        """Whether gains grow exponentially with grades, which limits grades to lower values."""
        return False

    def knows(self, grades: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which of these grades have a gain: all whose gains can be summed, or those in a table of gains.

        Examples
        --------
        >>> from metameter.metric.compose import parse_metric
        >>> parse_metric("ERR").knows(np.array([3.0, 2000.0]))
        array([ True, False])
        """
        return np.asarray(grades <= highest_grade(exponential=self.exponential))

    @property
    def grades_allowed(self) -> str:
        """A description of the grades that have a gain, for messages."""
        return allowed_grades(exponential=self.exponential)

    @abstractmethod
    def condensed(self) -> Measure:
        """The same metric for condensed lists."""

    @abstractmethod
    def score(self, ranked: Ranked) -> NDArray[np.float64]:
        """One score per topic."""

    @abstractmethod
    def explain(self, ranked: Ranked) -> dict[str, NDArray[np.float64]]:
        """The contribution of each rank: named columns, topics x ranks."""

    @abstractmethod
    def at(self, k: int) -> Measure:
        """The same metric at depth k, in place of the depth that it has: ``nDCG@10`` at 5 is ``nDCG@5``."""

    @abstractmethod
    def __matmul__(self, k: int) -> Measure:
        """The metric whose name is this one's with ``@k`` after it, as in the notation."""

    def curve(self, ranked: Ranked, depths: Sequence[int]) -> NDArray[np.float64]:
        """The scores at each of several depths, topics x depths.

        They equal those of `at` to the last bit. Some metrics compute them in one pass down the list, the others depth
        by depth.

        Examples
        --------
        >>> from metameter.metric.compose import parse_metric
        >>> parse_metric("P@1").curve(Ranked.of_gains([1, 0, 1]), [1, 2, 4])
        array([[1. , 0.5, 0.5]])
        """
        return at_depths([self.at(k).score(ranked) for k in depths], ranked)

    def rank_attention(self, ranked: Ranked) -> NDArray[np.float64]:
        """The weight of each rank, topics x ranks or one row for all topics: by default 1 down to its depth."""
        return (np.arange(ranked.depth) < (ranked.depth if self.reach is None else self.reach)).astype(np.float64)

    def summarise(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The summary over topics, which are the last axis: by default their mean."""
        return np.asarray(values.mean(axis=-1))

    @property
    @abstractmethod
    def reach(self) -> int | None:
        """The deepest rank that affects the score, None if all do; ranks below need not be read."""

    @property
    def name(self) -> str:
        """The printed name: the metric's identity."""
        return repr(self)

    @property
    def everyday(self) -> str:
        """The shortest name that reads back as this metric, for people; by default the printed name."""
        return self.name

    def __call__(self, gains: Any) -> float:
        """Return the score of one list of gains in [0, 1]; None marks an unjudged item."""
        fix = "Give one list of numbers in [0, 1], such as [1, 0, 0.5]."
        try:
            values = np.array(gains, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise MetameterError("gains are not a list of numbers", given=gains, fix=fix) from None
        if values.ndim != 1:
            raise MetameterError("gains are not one list of numbers", given=gains, fix=fix)
        if ((values < 0) | (values > 1)).any():
            wrong = float(values[(values < 0) | (values > 1)][0])
            raise MetameterError(
                "a gain is outside [0, 1]", given=wrong, fix="Divide grades by the highest grade of the scale."
            )
        return float(self.score(Ranked.of_gains(values))[0])


def at_depths(scores: Sequence[NDArray[np.float64]], ranked: Ranked) -> NDArray[np.float64]:
    """The scores of all topics at each of several depths, or at none, as topics x depths.

    Examples
    --------
    >>> at_depths([], Ranked.of_gains([1, 0, 1])).shape
    (1, 0)
    """
    return np.stack(scores, axis=1) if scores else np.empty((len(ranked.length), 0))


def checked_depths(depths: Iterable[int]) -> NDArray[np.int64]:
    """Return the depths as an array; refuse those that are not positive whole numbers.

    Examples
    --------
    >>> checked_depths([1, 2, 2]), checked_depths(range(1, 4))
    (array([1, 2, 2]), array([1, 2, 3]))
    """
    if isinstance(depths, range):
        checked = np.arange(depths.start, depths.stop, depths.step)
    else:
        listed = depths.tolist() if isinstance(depths, np.ndarray) else list(depths)
        # Depths are checked one by one only if some are wrong or not Python integers.
        plain = all(type(k) is int and 1 <= k <= DEEPEST for k in listed)
        checked = np.array(listed if plain else [depth_after(k, f"@{k}") for k in listed], dtype=np.int64)
    for k in checked[(checked < 1) | (checked > DEEPEST)][:1]:
        depth_after(k, f"@{k}")
    return checked


def cut_already(measure: Measure) -> MetameterError:
    """The error for a second ``@k``."""
    return MetameterError(f"{measure} has its @k already", fix=f"Write it once, or call at: ({measure}).at(5).")


def require_evidence(measures: Iterable[Measure], evidence: type) -> None:
    """Refuse metrics that cannot be computed from this kind of evidence.

    Examples
    --------
    >>> from metameter.metric.compose import parse_metric
    >>> require_evidence([parse_metric("nDCG@10")], Ranked)
    """
    for measure in measures:
        if not issubclass(evidence, measure.evidence):
            raise MetameterError(
                f"{measure.name} is computed from another kind of evidence",
                given=evidence.__name__,
                allowed=measure.evidence.__name__,
                fix=f"Leave {measure.name} out here{_scored_by(measure)}.",
            )


def _scored_by(measure: Measure) -> str:
    """The command that scores a metric of this evidence, as part of a sentence."""
    command = {"Sessions": "session", "Faceted": "score"}.get(measure.evidence.__name__)
    return f", or score it with {command}" if command else ""


@dataclass(frozen=True, repr=False)
class Metric(Parametrised, Measure):
    """A classical metric: subclasses define `values`.

    Parameters
    ----------
    k : int, optional
        The list is cut after k documents.
    judged_only : bool
        Score the condensed list: documents without judgment are removed first.
    """

    k: int | None = depth()
    judged_only: bool = option(False, choices=(False, True))

    @abstractmethod
    def values(self, ranked: Ranked) -> NDArray[np.float64]:
        """One score per topic for a list that has been condensed, if required, but not cut."""

    def score(self, ranked: Ranked) -> NDArray[np.float64]:
        """One score per topic."""
        return self.values(condense(ranked) if self.judged_only else ranked)

    def rank_attention(self, ranked: Ranked) -> NDArray[np.float64]:
        """1 down to its depth; for condensed lists, 1 at every judged document."""
        return (ranked.status == JUDGED).astype(np.float64) if self.judged_only else super().rank_attention(ranked)

    def condensed(self) -> Measure:
        """The same metric for condensed lists."""
        return replace(self, judged_only=True)

    def at(self, k: int) -> Metric:
        """The same metric with the list cut after k documents."""
        return replace(self, k=k)

    def __matmul__(self, k: int) -> Metric:
        """The metric whose name is this one's with ``@k`` after it."""
        if self.k is not None:
            raise cut_already(self)
        return replace(self, k=depth_after(k, f"{self}@{k}"))

    @property
    def reach(self) -> int | None:
        """The cut; None for condensed lists, which may use documents of any depth."""
        return None if self.judged_only else self.k
