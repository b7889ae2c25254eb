"""The things that travel between the layers: judgments, runs and scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["Qrels", "Run", "Scores", "topic_order"]


def topic_order(topics: Any) -> tuple[str, ...]:
    """Sort topic ids: as numbers where all of them are integers, else as text.

    Examples
    --------
    >>> topic_order(["10", "9", "1"])
    ('1', '9', '10')
    >>> topic_order(["10", "9", "q1"])
    ('10', '9', 'q1')
    """
    ids = sorted(set(topics))
    if all(topic.isascii() and topic.isdigit() for topic in ids):
        ids.sort(key=lambda topic: (int(topic), topic))
    return tuple(ids)


@dataclass(frozen=True, eq=False)
class Qrels:
    """Relevance judgments: one row a judged document.

    Attributes
    ----------
    table : polars.DataFrame
        Columns ``topic`` (String), ``doc`` (String), ``grade`` (Float64), in file order, without duplicates.
        A grade below 0 means: in the pool, but not judged.
    source : str
        Where they come from, for messages and the manifest.
    """

    table: pl.DataFrame
    source: str = "qrels"

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The judged topics, in reading order."""
        return topic_order(self.table["topic"].unique().to_list())

    @cached_property
    def max_grade(self) -> float:
        """The highest grade that occurs (at least 0)."""
        grades = self.table["grade"].to_numpy()
        return float(max(grades.max(initial=0.0), 0.0))


@dataclass(frozen=True, eq=False)
class Run:
    """One system's ranked lists, in file order.

    Attributes
    ----------
    name : str
        The system's name.
    table : polars.DataFrame
        Columns ``topic`` (String), ``doc`` (String), ``score`` (Float64) and, where read, ``rank`` (Float64).
    source : str
        Where it comes from, for messages and the manifest.
    """

    name: str
    table: pl.DataFrame
    source: str = "run"


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of metrics for systems on topics, labelled.

    Attributes
    ----------
    metrics, systems, topics : tuple of str
        The labels of the three axes, in the order asked.
    values : ndarray, metric x system x topic
        The scores; a missing cell is NaN.
    manifest : dict
        What they were made from.
    low, high : ndarray like ``values``, optional
        What the scores would be if every unjudged document were worthless, or perfect.
    bounds : tuple of str, optional
        For each metric whether these are ``exact`` bounds or a ``heuristic``.

    Examples
    --------
    >>> scores = Scores(("AP",), ("a", "b"), ("1", "2"), np.array([[[0.5, 0.7], [0.4, 0.2]]]))
    >>> scores.means["AP"].round(2).tolist()
    [0.6, 0.3]
    """

    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    values: NDArray[np.float64]
    manifest: dict[str, Any] = field(default_factory=dict, repr=False)
    low: NDArray[np.float64] | None = field(default=None, repr=False)
    high: NDArray[np.float64] | None = field(default=None, repr=False)
    bounds: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        shape = (len(self.metrics), len(self.systems), len(self.topics))
        if self.values.shape != shape:
            raise ValueError(f"values have the shape {self.values.shape}, the labels say {shape}")

    def __getitem__(self, metric: str) -> NDArray[np.float64]:
        """The system x topic matrix of one metric."""
        return np.asarray(self.values[self.metrics.index(metric)])

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which cells have no score."""
        return np.isnan(self.values)

    @property
    def means(self) -> dict[str, NDArray[np.float64]]:
        """Per metric the systems' means over topics."""
        return dict(zip(self.metrics, self.values.mean(axis=2), strict=True))

    @cached_property
    def table(self) -> pl.DataFrame:
        """The long table: metric, system, topic, score; with residuals low, high and bounds too."""
        import polars as pl

        n_metrics, n_systems, n_topics = self.values.shape
        return pl.DataFrame(
            {
                "metric": pl.Series(self.metrics, dtype=pl.String).repeat_by(n_systems * n_topics).explode(),
                "system": pl.Series(list(self.systems) * n_metrics, dtype=pl.String).repeat_by(n_topics).explode(),
                "topic": pl.Series(list(self.topics) * (n_metrics * n_systems), dtype=pl.String),
                "score": self.values.reshape(-1),
                **self._residual_columns(),
            }
        )

    def _repr_html_(self) -> str:
        import polars as pl

        from metameter.notebook import html_table, paragraphs

        axes = {"metric": self.metrics, "system": self.systems, "topic": self.topics}
        sizes = ", ".join(f"{len(labels):,} {name}{'s' * (len(labels) != 1)}" for name, labels in axes.items())
        means = pl.DataFrame({"system": self.systems, **{name: means.tolist() for name, means in self.means.items()}})
        return paragraphs([f"Scores of {sizes}. Means over topics:"]) + html_table(means)

    def _residual_columns(self) -> dict[str, Any]:
        if self.low is None or self.high is None or self.bounds is None:
            return {}
        kinds = np.repeat(np.array(self.bounds), len(self.systems) * len(self.topics))
        return {"low": self.low.reshape(-1), "high": self.high.reshape(-1), "bounds": kinds.tolist()}
