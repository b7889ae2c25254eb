"""Scores of metrics for systems on topics, and parts of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError, did_you_mean
from metameter.parameters import LARGEST
from metameter.registry import metric_named
from metameter.types.display_names import display_names
from metameter.types.provenance import counted
from metameter.view.metric_names import in_table
from metameter.view.tables.formats import to_pandas
from metameter.view.tables.html import html_table, paragraphs

if TYPE_CHECKING:
    import polars as pl


_Table: TypeAlias = Literal["long", "wide", "means"]


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """Scores of metrics for systems on topics (and iterations of a session), labelled.

    Attributes
    ----------
    metrics, systems, topics : tuple of str
        The labels of the first three axes, in the order in which they were named.
    values : ndarray, metric x system x topic [x iteration]
        The scores; a missing cell is NaN.
    manifest : dict
        The versions, options and inputs from which they were computed.
    low, high : ndarray like ``values``, optional
        The scores if every unjudged document had gain 0, and if it had gain 1.
    bounds : tuple of str, optional
        For each metric whether these bounds are ``exact`` or ``heuristic``.
    iterations : tuple of int
        The labels of the fourth axis, for scores of sessions; empty if there is none.
    typed : mapping
        Metric -> its name as the user typed it.

    Examples
    --------
    >>> scores = Scores(("AP",), ("a", "b"), ("1", "2"), np.array([[[0.5, 0.7], [0.4, 0.2]]]))
    >>> scores
    <Scores of 1 metric, 2 systems, 2 topics>
    >>> scores["AP"][0].tolist(), scores.means["AP"].round(2).to_list()
    ([0.5, 0.7], [0.6, 0.3])
    >>> list(scores), "AP" in scores, "P@5" in scores
    (['AP'], True, False)
    """

    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    values: NDArray[np.float64]
    manifest: dict[str, Any] = field(default_factory=dict)
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    bounds: tuple[str, ...] | None = None
    iterations: tuple[int, ...] = ()
    typed: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("metrics", "systems", "topics"):
            object.__setattr__(self, name, labels_of(getattr(self, name), name))
        object.__setattr__(self, "values", numbers_of(self.values))
        shape = tuple(len(labels) for labels in self.axes.values())
        if self.values.shape != shape:
            raise MetameterError(
                "the scores do not fit their labels", given=self.values.shape, fix=f"Give an array of shape {shape}."
            )
        low, high = np.fmin.reduce(self.values, None, initial=0), np.fmax.reduce(self.values, None, initial=0)
        if max(-low, high) > LARGEST:
            # Squares of larger numbers, as in variances, would overflow.
            offending, allowed = float(high if high > LARGEST else low), f"-{LARGEST:g} to {LARGEST:g}"
            raise MetameterError("a score is too large", given=offending, allowed=allowed, fix="Divide the scores.")

    @property
    def axes(self) -> dict[str, tuple[Any, ...]]:
        """The labels of each axis: metric, system, topic and, of sessions, iteration."""
        axes: dict[str, tuple[Any, ...]] = {"metric": self.metrics, "system": self.systems, "topic": self.topics}
        return axes | ({"iteration": self.iterations} if self.iterations else {})

    @cached_property
    def names(self) -> dict[str, str]:
        """Metric -> the name that people see: as typed, or else the everyday name.

        Examples
        --------
        >>> Scores(("RBP(p=0.8)*ERG", "ERR*ERR@10"), (), (), np.zeros((2, 0, 0))).names
        {'RBP(p=0.8)*ERG': 'RBP(p=0.8)', 'ERR*ERR@10': 'ERR@10'}
        """
        return display_names(self.metrics, self.typed)

    def position(self, metric: str) -> int:
        """The position of a metric, by any of its spellings: ``RBP(p=0.8)`` is ``RBP(p=0.8)*ERG``.

        Examples
        --------
        >>> Scores(("AP", "RBP(p=0.8)*ERG"), (), (), np.zeros((2, 0, 0))).position("RBP(p=0.80)")
        1
        """
        name = self._name(metric)
        if name not in self.metrics:
            raise MetameterError("no such metric was scored", given=name, fix=did_you_mean(name, list(self.metrics)))
        return self.metrics.index(name)

    def _name(self, metric: Any) -> str:
        """The name of a metric in the notation; the text itself if it is not a known metric."""
        name = str(metric)
        if name in self.metrics:
            return name
        known = metric_named(name, typed=True)
        return name if known is None else repr(known)

    def __contains__(self, metric: Any) -> bool:
        """Whether a metric was scored, by any of its spellings."""
        return self._name(metric) in self.metrics

    def __iter__(self) -> Iterator[str]:
        """The names of the metrics."""
        return iter(self.metrics)

    def __getitem__(self, metric: str) -> NDArray[np.float64]:
        """The system x topic matrix of one metric, by any of its spellings."""
        return np.asarray(self.values[self.position(metric)])

    def at(self, iteration: int | None = None) -> Scores:
        """The scores at one iteration of the sessions, by default the last; scores without iterations are unchanged.

        Examples
        --------
        >>> Scores(("CT",), ("a",), ("1",), np.array([[[[0.2, 0.3]]]]), iterations=(1, 2)).at(1).values.tolist()
        [[[0.2]]]
        """
        if not self.iterations:
            if iteration is not None:
                raise MetameterError("the scores have no iterations", given=iteration, fix="Leave iteration out.")
            return self
        if iteration is not None and iteration not in self.iterations:
            allowed = ", ".join(map(str, self.iterations))
            raise MetameterError("no such iteration", given=iteration, allowed=allowed, fix="Choose one of these.")
        at = -1 if iteration is None else self.iterations.index(iteration)
        low, high = (None if end is None else end[..., at] for end in (self.low, self.high))
        return replace(self, values=self.values[..., at], low=low, high=high, iterations=())

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which cells have no score."""
        return np.isnan(self.values)

    @property
    def missing_topics(self) -> dict[str, list[str]]:
        """System -> the topics that its run lacks and that score 0, as recorded in the manifest.

        Examples
        --------
        >>> manifest = {"missing_topics": {"b": ["2", "3"]}}
        >>> Scores(("AP",), ("a", "b"), ("1", "2"), np.zeros((1, 2, 2)), manifest).missing_topics
        {'b': ['2']}
        """
        recorded, topics = self.manifest.get("missing_topics", {}), set(self.topics)
        missing = {system: [each for each in recorded.get(system, ()) if each in topics] for system in self.systems}
        return {system: absent for system, absent in missing.items() if absent}

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """The values as metric x topic x system, the layout of the statistics."""
        return np.ascontiguousarray(np.moveaxis(self.values, 1, 2))

    @cached_property
    def means(self) -> pl.DataFrame:
        """One row per system and one column per metric, over all topics.

        Each metric defines its summary over topics: a mean, a geometric mean (``gm_map``) or a sum (counts).
        """
        import polars as pl

        columns = dict(zip(self.metrics, self.summarised(self.values), strict=True))
        return pl.DataFrame({"system": list(self.systems), **self._over_iterations(columns)})

    def summarised(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Summarise values of the shape of the scores over topics.

        Each metric defines its summary: a mean, a geometric mean or a sum.
        """
        pairs = zip(self.metrics, values, strict=True)
        return np.array([_summarise(name, np.moveaxis(each, 1, -1)) for name, each in pairs])

    def long_means(self) -> pl.DataFrame:
        """The means with one row per metric and system: metric, system, score.

        Examples
        --------
        >>> Scores(("AP",), ("a", "b"), ("1", "2"), np.array([[[0.5, 0.75], [0.25, 0.25]]])).long_means().rows()
        [('AP', 'a', 0.625), ('AP', 'b', 0.25)]
        """
        long = self.means.unpivot(index="system", variable_name="metric", value_name="score")
        return long.select("metric", "system", "score")

    def _over_iterations(self, columns: dict[str, NDArray[np.float64]]) -> dict[str, Any]:
        if not self.iterations:
            return columns
        return {
            f"{name} [{n}]": values[:, i] for name, values in columns.items() for i, n in enumerate(self.iterations)
        }

    def wide(self) -> pl.DataFrame:
        """One row per system and topic (and iteration), one column per metric.

        Examples
        --------
        >>> Scores(("AP", "RR"), ("a",), ("1",), np.array([[[0.5]], [[1.0]]])).wide().rows()
        [('a', '1', 0.5, 1.0)]
        """
        import polars as pl

        labels = _label_columns({name: axis for name, axis in self.axes.items() if name != "metric"})
        columns = {name: values.reshape(-1) for name, values in zip(self.metrics, self.values, strict=True)}
        return pl.DataFrame({**labels, **columns})

    @cached_property
    def table(self) -> pl.DataFrame:
        """The long table: metric, system, topic (, iteration), score; with residuals low, high and bounds too."""
        import polars as pl

        return pl.DataFrame({**_label_columns(self.axes), "score": self.values.reshape(-1), **self._residual_columns()})

    def to_pandas(self, table: _Table = "long") -> Any:
        """A table as a pandas data frame: all scores, long or `wide`, or the `means`.

        Examples
        --------
        >>> scores = Scores(("AP",), ("a",), ("1", "2"), np.array([[[0.5, 0.75]]]))
        >>> scores.to_pandas("means").to_dict("records")
        [{'system': 'a', 'AP': 0.625}]
        """
        if table not in get_args(_Table):
            fix = did_you_mean(str(table), list(get_args(_Table)))
            raise MetameterError("there is no such table", given=table, fix=fix)
        return to_pandas(self.wide() if table == "wide" else self.means if table == "means" else self.table)

    def __repr__(self) -> str:
        return f"<Scores of {self._sizes}>"

    @property
    def _sizes(self) -> str:
        return ", ".join(counted(len(labels), name) for name, labels in self.axes.items())

    def __str__(self) -> str:
        from metameter.view.tables.terminal import to_terminal

        # One column per iteration would be too many.
        means = in_table(self.long_means() if self.iterations else self.means, self.names)
        return f"Scores of {self._sizes}. Over all topics:\n\n{to_terminal(means, elsewhere='.means')}"

    def _repr_html_(self) -> str:
        means = in_table(self.means, self.names)
        return paragraphs([f"Scores of {self._sizes}. Means over topics:"]) + html_table(means)

    def _residual_columns(self) -> dict[str, Any]:
        if self.low is None or self.high is None or self.bounds is None:
            return {}
        import polars as pl

        kinds = np.repeat(np.array(self.bounds), self.values[0].size)
        ends = {"low": self.low, "high": self.high}
        columns = {name: pl.Series(end.reshape(-1), nan_to_null=True) for name, end in ends.items()}
        return {**columns, "bounds": kinds.tolist()}


def _summarise(name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    metric = metric_named(name)
    return np.asarray(values.mean(axis=-1) if metric is None else metric.summarise(values))


def _label_columns(axes: dict[str, tuple[Any, ...]]) -> dict[str, pl.Series]:
    """All combinations of labels, the last axis fastest, one column per axis."""
    import polars as pl

    sizes = [len(labels) for labels in axes.values()]
    columns = {}
    for axis, (name, labels) in enumerate(axes.items()):
        before, after = int(np.prod(sizes[:axis])), int(np.prod(sizes[axis + 1 :]))
        label = np.tile(np.repeat(np.arange(len(labels), dtype=np.uint32), after), before)
        columns[name] = pl.Series(name, list(labels), dtype=pl.Int64 if name == "iteration" else pl.String).gather(
            label
        )
    return columns


def labels_of(labels: Any, axis: str) -> tuple[str, ...]:
    """Return the labels of an axis as a tuple; refuse anything but several texts.

    Examples
    --------
    >>> labels_of(["AP", "RR"], "metrics")
    ('AP', 'RR')
    >>> labels_of("AP", "metrics")
    Traceback (most recent call last):
    metameter.errors.MetameterError: the metrics of the scores are not texts (given 'AP'). Give a list of names.
    """
    names = tuple(labels) if isinstance(labels, Iterable) and not isinstance(labels, str) else (None,)
    if not all(isinstance(name, str) for name in names):
        offending = "None" if labels is None else labels
        raise MetameterError(f"the {axis} of the scores are not texts", given=offending, fix="Give a list of names.")
    return names


def numbers_of(values: Any) -> NDArray[np.float64]:
    """Return an array of numbers, converted if necessary; refuse anything else.

    Examples
    --------
    >>> numbers_of([[0.5, 1]])
    array([[0.5, 1. ]])
    >>> numbers_of([["x"]])
    Traceback (most recent call last):
    metameter.errors.MetameterError: the scores are not numbers (given [['x']]). Give an array of numbers.
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
        return values
    try:
        if values is not None:
            return np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    offending = "None" if values is None else values
    raise MetameterError("the scores are not numbers", given=offending, fix="Give an array of numbers.")


#: How missing cells are treated.
Missing: TypeAlias = Literal["zero", "drop-topic"] | None


def without_missing(scores: Scores, missing: Missing) -> Scores:
    """Set missing cells to 0, or drop the topics that have any.

    Examples
    --------
    >>> scores = Scores(("AP",), ("a",), ("1", "2"), np.array([[[0.5, np.nan]]]))
    >>> without_missing(scores, "drop-topic").topics
    ('1',)
    """
    if missing is None:
        return scores
    if missing == "zero":
        return replace(scores, values=np.where(scores.missing, 0.0, scores.values))
    if missing != "drop-topic":
        allowed = "zero, drop-topic"
        raise MetameterError(
            "unknown treatment of missing cells", given=missing, allowed=allowed, fix="Choose one of these."
        )
    whole = np.asarray(~np.moveaxis(scores.missing, 2, 0).reshape(len(scores.topics), -1).any(axis=1))
    if not whole.any():
        raise MetameterError(
            "every topic has missing cells", fix="Set missing to zero (--missing zero), or give fewer systems."
        )
    return of_topics(scores, [topic for topic, complete in zip(scores.topics, whole.tolist(), strict=True) if complete])


def of_topics(scores: Scores, topics: Iterable[str]) -> Scores:
    """The scores on these topics only.

    Examples
    --------
    >>> of_topics(Scores(("AP",), ("a",), ("1", "2"), np.array([[[0.5, 0.25]]])), ["2"]).values.tolist()
    [[[0.25]]]
    """
    selected = set(topics)
    positions = [position for position, topic in enumerate(scores.topics) if topic in selected]
    low, high = (None if end is None else end[:, :, positions] for end in (scores.low, scores.high))
    labels = tuple(scores.topics[position] for position in positions)
    return replace(scores, topics=labels, values=scores.values[:, :, positions], low=low, high=high)


def as_sessions(scores: Scores) -> Scores:
    """The scores with an axis of iterations; scores without iterations get the single iteration 1.

    Examples
    --------
    >>> sessions = as_sessions(Scores(("AP",), ("a", "b"), ("1",), np.array([[[0.5], [0.25]]])))
    >>> sessions.iterations, sessions.values.shape
    ((1,), (1, 2, 1, 1))
    """
    if scores.iterations:
        return scores
    low, high = (None if end is None else end[..., None] for end in (scores.low, scores.high))
    return replace(scores, values=scores.values[..., None], low=low, high=high, iterations=(1,))
