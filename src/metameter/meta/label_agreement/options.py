"""What is asked of labels besides metrics: against what, by which test, at which level, from how many resamples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from metameter.metric.compose import several
from metameter.notices import notice
from metameter.parallel import Progress, Workers
from metameter.stats.checks import check_choice, check_count, check_level, check_seed
from metameter.stats.labels.correlation_tests import FORMULAS

Test: TypeAlias = Literal["bootstrap", "steiger", "williams", "zou", "fisher"]
Correction: TypeAlias = Literal["holm", "bonferroni", "hommel", "none"]

#: Of the level, what the comparisons with the canonical metrics have; the rest is for those of all pairs.
CANONICAL_SHARE = 0.8


@dataclass(frozen=True)
class Asked:
    """The options of `satisfaction` and `preference`, checked.

    Attributes
    ----------
    reference : str or list of str
        What every metric is held against, in place of canonical ones: the first that is given.
    max_grade : float, optional
    test : str
    correction : str, optional
        How p-values are adjusted within a row; by default by Holm, and not at all with Fisher's test, which is there to
        reproduce marks that are not adjusted.
    alpha : float
    resamples, seed : int
    collections : int
        How many collections are studied together: their marks share the level.
    jobs : int or Workers, optional
    progress : callable, optional

    Examples
    --------
    >>> Asked(test="fisher").adjusted_by, Asked(alpha=0.06, collections=2).level, Asked().needed
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
        # Of Python, whatever they were: a manifest names them.
        object.__setattr__(self, "seed", check_seed(self.seed))
        resamples = check_count(self.resamples, "resamples", 2, zero="for no intervals")
        object.__setattr__(self, "resamples", resamples)
        object.__setattr__(self, "collections", check_count(self.collections, "collections"))
        if len(several(self.reference)) > 1:
            notice(f"metrics are held against the first reference, {self.held}: a row has room for one")

    @property
    def held(self) -> str | None:
        """The reference, if there is one."""
        return next((str(each) for each in several(self.reference)), None)

    @property
    def adjusted_by(self) -> str:
        """How p-values are adjusted within a row."""
        return self.correction or ("none" if self.test == "fisher" else "holm")

    @property
    def level(self) -> float:
        """The share of this table in the level."""
        return self.alpha / self.collections

    @property
    def needed(self) -> tuple[int, int]:
        """From how many resamples on something can be shown: of comparisons with canonical metrics, of all pairs."""
        shares = (CANONICAL_SHARE, 1.0 - CANONICAL_SHARE)
        first, second = (math.ceil(1.0 / (share * self.level) - 1e-9) - 1 for share in shares)
        return first, second
