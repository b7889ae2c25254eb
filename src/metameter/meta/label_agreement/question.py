"""The metrics, references, options, scores and labels of one analysis of satisfaction or preference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.meta.framework.metric_groups import canonical_positions
from metameter.meta.framework.metric_names import position_of
from metameter.metric.compose import several
from metameter.metric.product import Product
from metameter.metric.taxonomy.classification import class_of, probes_of
from metameter.notices import notice
from metameter.parallel import Progress, Workers
from metameter.registry import get
from metameter.scoring.pages import item_scores, leans_on_recall, scale_of
from metameter.stats.checks import check_choice, check_count, check_level, check_seed
from metameter.stats.labels.correlation_tests import FORMULAS
from metameter.stats.labels.counts import LabelCounts
from metameter.stats.ties import tied_codes

if TYPE_CHECKING:
    from metameter.metric.base import Measure
    from metameter.types.labelled_pages import Labelled


Test: TypeAlias = Literal["bootstrap", "steiger", "williams", "zou", "fisher"]
Correction: TypeAlias = Literal["holm", "bonferroni", "hommel", "none"]

#: The share of the level that the comparisons with canonical metrics have; those of all pairs have the rest.
CANONICAL_SHARE = 0.8

#: How the taxonomy's classes are printed in the paper's tables.
_CLASSES = {"constant": "X", "order-insensitive": "XX", "metric": "metric"}
#: The least number of results in the lists that show whether a product is constant or order-insensitive.
_PROBED = 5


@dataclass(frozen=True)
class LabelOptions:
    """The options of `satisfaction` and `preference`, checked.

    Attributes
    ----------
    reference : str or list of str
        All metrics are compared with the first one, instead of with canonical metrics.
    max_grade : float, optional
    test : str
    correction : str, optional
        How p-values are adjusted within a row; by default by Holm, and not at all with Fisher's test, which serves to
        reproduce marks that are not adjusted.
    alpha : float
    resamples, seed : int
    collections : int
        The number of collections that are studied together: their marks share the level.
    jobs : int or Workers, optional
    progress : callable, optional

    Examples
    --------
    >>> LabelOptions(test="fisher").adjusted_by, LabelOptions(alpha=0.06, collections=2).level, LabelOptions().needed
    ('none', 0.03, (24, 99))
    """

    reference: Any = ()
    max_grade: float | None = None
    test: Test = "bootstrap"
    correction: Correction | None = None
    alpha: float = 0.05
    resamples: int = 1000
    collections: int = 1
    seed: int = 0
    jobs: int | Workers | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        check_choice(self.test, "test", ("bootstrap", *FORMULAS))
        check_choice(self.adjusted_by, "correction", ("holm", "bonferroni", "hommel", "none"))
        check_level(self.alpha)
        # Python numbers: the manifest holds them.
        object.__setattr__(self, "seed", check_seed(self.seed))
        resamples = check_count(self.resamples, "resamples", 2, zero="for no intervals")
        object.__setattr__(self, "resamples", resamples)
        object.__setattr__(self, "collections", check_count(self.collections, "collections"))
        if len(several(self.reference)) > 1:
            notice(f"metrics are compared with the first reference only, {self.first_reference}")

    @property
    def first_reference(self) -> str | None:
        """The reference that all metrics are compared with; None for canonical metrics."""
        return next((str(each) for each in several(self.reference)), None)

    @property
    def adjusted_by(self) -> str:
        """How p-values are adjusted within a row."""
        return self.correction or ("none" if self.test == "fisher" else "holm")

    @property
    def level(self) -> float:
        """The level of this table: the collections share alpha."""
        return self.alpha / self.collections

    @property
    def needed(self) -> tuple[int, int]:
        """The fewest resamples that can show a difference: from a canonical metric, and between any two metrics."""
        shares = (CANONICAL_SHARE, 1.0 - CANONICAL_SHARE)
        first, second = (math.ceil(1.0 / (share * self.level) - 1e-9) - 1 for share in shares)
        return first, second


@dataclass(frozen=True, eq=False)
class LabelQuestion:
    """Metrics, the labelled pages or pairs that they score, and what each metric is compared with.

    Attributes
    ----------
    labelled : Pages or Pairs
    names : tuple of str
        The requested metrics.
    measures : tuple of Measure
        The requested metrics, then the canonical metrics that they are compared with and that are not among them.
    references : tuple of int or None
        For each requested metric, the position of the measure that it is compared with; its own for a reference.
    max_grade : float
    reference : str, optional
        The metric that all are compared with, if one was requested.
    """

    labelled: Labelled
    names: tuple[str, ...]
    measures: tuple[Measure, ...]
    references: tuple[int | None, ...]
    max_grade: float
    reference: str | None = None

    @classmethod
    def of(
        cls, labelled: Labelled, measures: Sequence[Measure], reference: str | None, max_grade: float | None
    ) -> LabelQuestion:
        """The question about these metrics; with a ``reference``, all are compared with that one."""
        top = scale_of(labelled, max_grade)
        names = tuple(measure.name for measure in measures)
        if reference is not None:
            position = position_of(reference, names)
            return cls(labelled, names, tuple(measures), (position,) * len(names), top, names[position])
        every, references = list(measures), list[int | None]()
        for measure, known in zip(measures, canonical_positions(names), strict=True):
            if known is None and isinstance(measure, Product):
                references.append(_position_in(every, _canonical(measure)))
            else:
                references.append(known)
        return cls(labelled, names, tuple(every), tuple(references), top)

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """Scores of pages, or differences (second less first) of pairs: measures x items."""
        return item_scores(self.labelled, self.measures, self.max_grade)

    @cached_property
    def _codes_and_zero(self) -> NDArray[np.int64]:
        nothing = np.zeros((len(self.scores), 1))
        return tied_codes(np.concatenate([self.scores, nothing], axis=1))

    @property
    def codes(self) -> NDArray[np.int64]:
        """Scores as ranks among those of their measure, ties shared: measures x items."""
        return self._codes_and_zero[:, :-1]

    @property
    def signs(self) -> NDArray[np.int64]:
        """The sign of each score, or difference: -1, 0 or 1, measures x items."""
        return np.asarray(np.sign(self._codes_and_zero[:, :-1] - self._codes_and_zero[:, -1:]))

    @cached_property
    def preferred(self) -> NDArray[np.int64] | None:
        """The sign of each preference label: -1 where a is preferred, 1 where b is, 0 where neither; None for pages."""
        if self.labelled.label != "preference":
            return None
        return np.asarray(np.sign(self.labelled.levels), dtype=np.int64)

    @cached_property
    def counts(self) -> LabelCounts:
        """How often each item had each label, by each user where they are known."""
        return counts_of_labels(self.labelled)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """``metric``, ``X`` (constant) or ``XX`` (order-insensitive), for all measures."""
        return tuple(map(_class, self.measures))

    def notice_equal_scores(self) -> None:
        """Give a notice of metrics that give all these pages the same score, though they are not constant."""
        own = zip(self.names, self.classes, self.codes, strict=False)
        same = [name for name, kind, codes in own if kind != "X" and (codes == codes[:1]).all()]
        if same:
            verb, pages = "give" if len(same) > 1 else "gives", self.labelled.label == "satisfaction"
            what = "every page the same score" if pages else "every pair the same difference of scores"
            notice(f"{', '.join(same)} {verb} {what} here, so there is nothing to correlate")

    def refuse_uncorrelated_reference(self, tau: NDArray[np.float64]) -> None:
        """Refuse a requested reference that cannot be correlated itself."""
        if self.reference is not None and np.isnan(tau[self.names.index(self.reference)]):
            what = "the reference is not correlated: it is constant, or ignores the order of results"
            raise MetameterError(what, given=self.reference, fix="Choose another reference.")

    @cached_property
    def added(self) -> tuple[int, ...]:
        """The positions of the canonical metrics that were not requested."""
        return tuple(range(len(self.names), len(self.measures)))

    @cached_property
    def leaning_on_recall(self) -> list[str]:
        """The requested metrics that need an ideal list, or all relevant documents: here those of the page."""
        return leans_on_recall(self.labelled, self.measures[: len(self.names)], self.max_grade)


def counts_of_labels(labelled: Labelled) -> LabelCounts:
    """How often each item had each label, by each user where they are known."""
    tally = labelled.tally
    user = None if labelled.users is None else tally.code("user").astype(np.int64)
    return LabelCounts(labelled.item, tally.code(labelled.label).astype(np.int64), tally.count, user)


def facts_of(labelled: Labelled) -> dict[str, Any]:
    """The inputs and their sizes, for the manifest."""
    return {
        "inputs": [each.entry() for each in labelled.fingerprints] or [{"name": labelled.source}],
        "rows": "pairs" if labelled.label == "preference" else "pages",
        "size": labelled.size,
        "distinct": labelled.items.height,
        "users": None if labelled.users is None else len(labelled.users),
    }


def _class(measure: Measure) -> str:
    if not isinstance(measure, Product):
        return "metric"
    deepest = max(measure.model.k or 0, measure.cut or 0, _PROBED)
    return _CLASSES[class_of(measure, probes_of(deepest))]


def _canonical(measure: Product) -> Product:
    aggregation = get("aggregate", measure.model.canonical or "ERG")()
    return replace(measure, aggregation=aggregation)


def _position_in(every: list[Measure], measure: Measure) -> int:
    """The position of a measure, which is added if it is missing."""
    names = [each.name for each in every]
    if measure.name not in names:
        every.append(measure)
        return len(names)
    return names.index(measure.name)
