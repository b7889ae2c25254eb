"""Which metric predicts satisfaction: metrics correlated with the labels that people gave to result pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from metameter.meta.base import procedure
from metameter.meta.framework.options import LEVEL, RESAMPLES, check_scale
from metameter.meta.label_agreement.analysis import (
    LabelResult,
    metrics_and_reference,
    refuse_uncomputable,
    study_labels,
)
from metameter.meta.label_agreement.question import Correction, LabelOptions, LabelQuestion, Test
from metameter.meta.satisfaction.text import WORDS
from metameter.parallel import Workers
from metameter.types import Scores

if TYPE_CHECKING:
    import polars as pl


#: Of a metric with more distinct scores, the quantiles are listed.
_MOST_SCORES = 41


@dataclass(frozen=True, eq=False, repr=False)
class Satisfaction(LabelResult):
    """Result of `satisfaction`: tables ``satisfaction`` and ``satisfaction_levels``."""

    table_names: ClassVar[tuple[str, ...]] = ("satisfaction", "satisfaction_levels")

    def charts(self) -> dict[str, Any]:
        """Table 4 and Figure 1 of the paper: tau_b by browsing model and aggregation; levels along the score."""
        from metameter.meta.satisfaction.charts import satisfaction_charts

        return satisfaction_charts(
            self.table, self.tables["satisfaction_levels"], self.manifest["options"]["reference"]
        )


@procedure(
    WORDS,
    result=Satisfaction,
    needs=("pages", "scores"),
    options={"pages_max_grade": None, "reference": None, "alpha": LEVEL, "resamples": RESAMPLES},
    place=12,
    takes={"pages": "serps", "scores": "metrics", "pages_max_grade": "max_grade"},
    before=refuse_uncomputable,
    checks={"max_grade": check_scale},
)
def satisfaction(
    serps: Any,
    metrics: list[str] | Scores = (),  # type: ignore[assignment]
    *,
    preset: str | list[str] | None = None,
    input: Literal["tiangong"] | None = None,  # noqa: A002
    max_grade: float | None = None,
    reference: list[str] = (),  # type: ignore[assignment]
    test: Test = "bootstrap",
    correction: Correction | None = None,
    alpha: float = 0.05,
    resamples: int = 1000,
    collections: int = 1,
    seed: int = 0,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
) -> Satisfaction:
    """Ask which metric scores result pages as their users felt about them: concordance with satisfaction labels.

    Concordance is the share of the pairs of pages with different labels that a metric orders as the labels do, pairs
    with equal scores counting half. Kendall's tau_b, the figure of the paper, stands beside it.

    Parameters
    ----------
    serps : path, data frame, list of dicts or Pages
        Labelled result pages: ``grades``, ``satisfaction``, perhaps ``user``; CSV, TSV, JSONL or Parquet files, or a
        folder of them.
    metrics : list of str
        The metrics to correlate; may be repeated. By default those of the preset.
    preset : str or list of str
        Metrics of everyday use (``everyday``) or of a paper: ``chen-sakai-2023``, ``moffat-2022``,
        ``moffat-2022-preference``, ``lu-2016``; ``moffat-2022`` if no metric is named.
    input : {"tiangong"}
        The file is in the format of TianGong-QRef; by default its first line says so.
    max_grade : float
        The highest grade of the scale; by default the highest that occurs.
    reference : list of str
        Hold every metric against this one, instead of the canonical one of its browsing model.
    test : {"bootstrap", "steiger", "williams", "zou", "fisher"}
        How p_vs_canonical is found. Steiger, Williams and Zou are approximations by formula; Fisher's test for
        independent samples fits the marks of the paper.
    correction : {"holm", "bonferroni", "hommel", "none"}
        How p_vs_canonical is adjusted within each row of the table; by default by Holm, with Fisher's test not at all.
    alpha : float
        The chance that any mark ``better`` of the whole table is false; and the level of better_row.
    resamples : int
        How many times users (or pages, where no users are given) are drawn anew; 0 leaves intervals and marks out.
    collections : int
        The number of collections that are studied one by one and share the level ``alpha``.
    seed : int
        The same seed gives the same numbers.
    jobs : int
        How many threads; by default all cores, and the result does not depend on it.
    progress : callable, optional
        Told how far the work is.

    Returns
    -------
    Satisfaction
        Tables ``satisfaction`` (a row a metric) and ``satisfaction_levels`` (how pages of each level spread over the
        scores).

    Notes
    -----
    In Python ``metrics`` may also be Scores: then those of its metrics are used that can be computed on a page.

    References
    ----------
    moffat2022, chen2021qref, steiger1980, zou2007, westfall1993

    Examples
    --------
    >>> pages = [{"grades": [g, 0, h], "satisfaction": g + h // 3} for g in range(4) for h in range(4)]
    >>> table = satisfaction(pages, ["RBP(p=0.5)*ERG", "RBP(p=0.5)*max"], max_grade=3).table
    >>> table["metric", "tau_b", "canonical"].row(0)[0], bool(table["tau_b"].min() > 0.7)
    ('RBP(p=0.5)*ERG', True)
    """
    from metameter.read.labels.pages import read_serps

    measures, reference = metrics_and_reference(
        metrics, preset, reference, procedure="satisfaction", default="moffat-2022"
    )
    options = LabelOptions(
        reference=reference,
        max_grade=max_grade,
        test=test,
        correction=correction,
        alpha=alpha,
        resamples=resamples,
        collections=collections,
        seed=seed,
        jobs=jobs,
        progress=progress,
    )
    pages = read_serps(serps, input=input, max_grade=max_grade, jobs=jobs, progress=progress)
    study = study_labels(pages, measures, ("X",), options)
    tables = {"satisfaction": study.table, "satisfaction_levels": level_rows(study.question)}
    return Satisfaction(tables, study.manifest("satisfaction"), study.notes, study.evidence.exceeds)


def level_rows(question: LabelQuestion) -> pl.DataFrame:
    """For every metric and level of satisfaction, the share of its pages with at most each score."""
    import polars as pl

    metrics = [number for number in range(len(question.names)) if question.classes[number] != "X"]
    schema = {"metric": pl.String, "satisfaction": pl.Float64, "score": pl.Float64, "share": pl.Float64}
    empty = pl.DataFrame(schema={**schema, "pages": pl.Int64})
    return pl.concat([empty, *(_level_rows_of(question, number) for number in metrics)])


def _level_rows_of(question: LabelQuestion, metric: int) -> pl.DataFrame:
    import polars as pl

    counts, codes = question.counts, question.codes[metric]
    _, own = np.unique(codes, return_inverse=True)
    table = np.zeros((int(own.max()) + 1, counts.levels), dtype=np.int64)
    np.add.at(table, (own.reshape(-1)[counts.item], counts.level), counts.count)
    scores = np.full(len(table), np.inf)
    np.minimum.at(scores, own.reshape(-1), question.scores[metric])
    listed = _spaced(table.sum(axis=1))
    share = (np.cumsum(table, axis=0) / table.sum(axis=0))[listed]
    levels = question.labelled.levels
    return pl.DataFrame(
        {
            "metric": [question.names[metric]] * share.size,
            "satisfaction": np.repeat(levels, len(listed)),
            "score": np.tile(scores[listed], len(levels)),
            "share": share.T.reshape(-1),
            "pages": np.repeat(table.sum(axis=0), len(listed)),
        }
    )


def _spaced(pages: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions of at most ``_MOST_SCORES`` scores, with the last, about as many pages between any two.

    Examples
    --------
    >>> _spaced(np.ones(3)), len(_spaced(np.ones(1000)))
    (array([0, 1, 2]), 41)
    """
    if len(pages) <= _MOST_SCORES:
        return np.arange(len(pages))
    up_to = np.cumsum(pages) / pages.sum()
    targets = np.linspace(up_to[0], 1.0, _MOST_SCORES)
    return np.unique(np.minimum(np.searchsorted(up_to, targets - 1e-12), len(pages) - 1))
