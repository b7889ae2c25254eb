"""Which metric predicts satisfaction: metrics correlated with the labels that people gave to result pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from metameter.meta.base import Words, procedure
from metameter.meta.framework.options import LEVEL, RESAMPLES, check_scale
from metameter.meta.framework.table_rows import one_collection
from metameter.meta.label_agreement.analysis import (
    LabelResult,
    metrics_and_reference,
    refuse_uncomputable,
    study_labels,
)
from metameter.meta.label_agreement.charts import agreement_charts, contrasting_metrics
from metameter.meta.label_agreement.question import Correction, LabelOptions, LabelQuestion, Test
from metameter.meta.label_agreement.text import COLUMNS
from metameter.parallel import Workers
from metameter.types import Scores

if TYPE_CHECKING:
    import polars as pl


WORDS = Words(
    "Agreement with satisfaction",
    "Which metric scores a result page as its users felt about it?",
    "Users rated how satisfied they were with result pages. Every metric scores the same pages from the grades of "
    "their results. Concordance is the share of the pairs of pages with different labels that the scores order as the "
    "labels do, equal scores counting half: .5 is chance, 1 is perfect. Kendall's tau_b, which the paper reports, is "
    "given as well. Users (or pages, if users are not known) are resampled with replacement, the same samples for all "
    "metrics, to measure how much the figures depend on the users. Each metric is compared with the canonical metric "
    "of its browsing model, or with a reference. Relevant documents and the ideal list are taken from the page itself.",
    "The higher, the better a metric predicts satisfaction; even the best agree only in part, since a page is more "
    "than the grades of its results. Metrics are ordered and judged by concordance. tau_b corrects for tied scores. A "
    "metric with finer scores than the labels stays below 1 even if it orders every pair correctly, so a coarse metric "
    "may have the higher tau_b and order fewer pairs. The column ties is the share of pairs that a metric leaves tied. "
    "A mark b in the table of the paper says that the tau_b of a metric is shown to be higher than that of the "
    "canonical metric of its row (a), with one error rate for the whole table; in brackets, that it is so by the "
    "row-wise test alone. X: the metric gives every page the same score. XX: the order of results does not change it.",
    columns={
        **COLUMNS,
        "concordance": "of the pairs of pages with different labels, the share that it orders as the labels, ties half",
        "tau_b": "Kendall's tau_b between the metric's scores and the labels; empty where all scores are equal",
        "agreement": "of the pairs of pages with different labels, the share that the metric orders as the labels do",
        "ties": "of the pairs of pages with different labels, the share to which the metric gives equal scores",
        "satisfaction": "the level of satisfaction",
        "score": "a score of the metric",
        "share": "of the pages with that level of satisfaction, the share with at most this score",
        "pages": "how many pages have that level of satisfaction",
    },
)


#: Of a metric with more distinct scores, the quantiles are listed.
_MOST_SCORES = 41


@dataclass(frozen=True, eq=False, repr=False)
class Satisfaction(LabelResult):
    """Result of `satisfaction`: tables ``satisfaction`` and ``satisfaction_levels``."""

    table_names: ClassVar[tuple[str, ...]] = ("satisfaction", "satisfaction_levels")

    def charts(self) -> dict[str, Any]:
        """Table 4 and Figure 1 of the paper: tau_b by browsing model and aggregation; levels along the score."""
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
    with equal scores counting half. Kendall's tau_b, which the paper reports, is given as well.

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
        Compare every metric with this one instead of the canonical metric of its browsing model.
    test : {"bootstrap", "steiger", "williams", "zou", "fisher"}
        The test behind p_vs_canonical. Steiger, Williams and Zou are approximations by formula; Fisher's test for
        independent samples reproduces the marks of the paper.
    correction : {"holm", "bonferroni", "hommel", "none"}
        How p_vs_canonical is adjusted within each row of the table; by default by Holm, with Fisher's test not at all.
    alpha : float
        The chance that any mark ``better`` of the whole table is false; and the level of better_row.
    resamples : int
        How many times users (or pages, if users are not given) are resampled; with 0 there are no intervals or marks.
    collections : int
        The number of collections that are studied one by one and share the level ``alpha``.
    seed : int
        The same seed gives the same numbers.
    jobs : int
        How many threads; by default all cores, and the result does not depend on it.
    progress : callable, optional
        Called with the progress of the work.

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
    return Satisfaction(
        tables, study.manifest("satisfaction"), study.notes, study.estimates.exceeds, names=study.names(metrics)
    )


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


_MAP = "How well do metrics agree with people's satisfaction? Kendall's tau_b"
_ORDER = "Agreement with satisfaction: share of pairs of pages ordered as users do (ties half), with 95% intervals"
_HOW = (
    "Each line: of the pages that people gave this level of satisfaction, the share that scores no more than this. The "
    "further apart the lines, and the lower those of satisfied people, the better the metric tells the levels apart."
)


def satisfaction_charts(table: pl.DataFrame, levels: pl.DataFrame, reference: str | None = None) -> dict[str, Any]:
    """All charts by name, the most important first.

    Parameters
    ----------
    table, levels : polars.DataFrame
        The tables ``satisfaction`` and ``satisfaction_levels``.
    reference : str, optional
        The metric that all are compared with, unless that is the canonical metric of each row.
    """
    charts = agreement_charts("satisfaction", table, reference, map_title=_MAP, order_title=_ORDER)
    chart = levels_chart(table, levels)
    return charts if chart is None else {**charts, "satisfaction_levels": chart}


def levels_chart(table: pl.DataFrame, levels: pl.DataFrame) -> Any:
    """The best metric, and what it is compared with: the scores of pages at each level of satisfaction.

    Parameters
    ----------
    table, levels : polars.DataFrame
        The tables ``satisfaction`` and ``satisfaction_levels``.

    Returns
    -------
    altair.ConcatChart or None
        None if no metric has a value.
    """
    import polars as pl

    from metameter.view.charts.bars import level_steps

    rows, which = one_collection(levels)
    names = [name for name in contrasting_metrics(table) if name in set(rows["metric"])]
    if not names:
        return None
    figures = dict(one_collection(table)[0].select("metric", "concordance").rows())
    panes = [
        rows.filter(rows["metric"] == name).with_columns(pane=pl.lit(f"{name}: concordance {figures[name]:.3f}"))
        for name in names
    ]
    return level_steps(
        pl.concat(panes).select("pane", "satisfaction", "score", "share", "pages"),
        *("score", "share", "satisfaction", "pane", ("pages",)),
        title="What do pages score that people are more, or less, satisfied with?",
        below=[" ".join(filter(None, [_HOW, which]))],
        titles=("score of the page by the metric", "share of the level's pages", "satisfaction"),
    )
