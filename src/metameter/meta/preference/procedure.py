"""Which metric predicts preferences: differences of scores correlated with the page of two that people prefer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

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
    "Agreement with preferences",
    "Does a metric give the higher score to the result page that people prefer?",
    "Annotators compared two result pages and chose the better one, or neither. Every metric scores both from the "
    "grades of their results. Concordance is the share of the pairs with a preference in which the preferred page has "
    "the higher score, equal scores counting half; Kendall's tau_b, which the paper reports, measures how closely "
    "score differences follow preferences. Users (or pairs, if users are not known) are resampled with replacement, "
    "the same samples for all metrics.",
    "The higher, the better a metric predicts which page is preferred. Metrics are ordered and judged by concordance; "
    "tau_b corrects for ties and so favours metrics that often give both pages equal scores. Marks are as for "
    "satisfaction; X (constant) and XX (the order of the results does not matter) are not correlated, as in the paper.",
    columns={
        **COLUMNS,
        "concordance": "of the pairs with a preference, the share in which the preferred page scores higher, ties half",
        "tau_b": "Kendall's tau_b between differences of scores (b less a) and preferences; empty for X and XX",
        "agreement": "of the pairs with a preference, the share whose difference of scores has its sign",
        "ties": "of the pairs with a preference, the share whose pages have the same score",
        "low": "lower end: of tau_b, the 95% interval for other pairs (or users); of a bin, of the difference",
        "high": "upper end: of tau_b, the 95% interval for other pairs (or users); of a bin, of the difference",
        "difference": "tau_b less that of the metric it is compared with; of a bin, the middle of the difference",
        "pairs": "how many pairs have a difference within the bin",
        "prefer_a": "of these, the share in which a is preferred",
        "neither": "of these, the share in which neither is preferred",
        "prefer_b": "of these, the share in which b is preferred",
    },
)


_BINS = 21  # odd, so that the middle bin holds equal scores


@dataclass(frozen=True, eq=False, repr=False)
class Preference(LabelResult):
    """Result of `preference`: tables ``preference`` and ``preference_shares``."""

    table_names: ClassVar[tuple[str, ...]] = ("preference", "preference_shares")

    def charts(self) -> dict[str, Any]:
        """Table 5 and Figure 3 of the paper: tau_b by browsing model and aggregation; preferences by difference."""
        return preference_charts(self.table, self.tables["preference_shares"], self.manifest["options"]["reference"])


@procedure(
    WORDS,
    result=Preference,
    needs=("pairs", "scores"),
    options={"pages_max_grade": None, "reference": None, "alpha": LEVEL, "resamples": RESAMPLES},
    place=14,
    takes={"scores": "metrics", "pages_max_grade": "max_grade"},
    before=refuse_uncomputable,
    checks={"max_grade": check_scale},
)
def preference(
    pairs: Any,
    metrics: list[str] | Scores = (),  # type: ignore[assignment]
    *,
    preset: str | list[str] | None = None,
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
) -> Preference:
    """Ask which metric gives the higher score to the result page that people prefer: concordance with preferences.

    Concordance is the share of the pairs with a preference in which the preferred page scores higher, pairs with equal
    scores counting half. Kendall's tau_b, which the paper reports, is given as well.

    Parameters
    ----------
    pairs : path, data frame, list of dicts or Pairs
        Pairs of result pages: ``grades_a``, ``grades_b``, ``preference`` (negative: a is better), perhaps ``id`` (rows
        with one id are judgments of one pair) and ``user``; CSV, TSV, JSONL or Parquet files, or a folder of them.
    metrics : list of str
        The metrics to correlate; may be repeated. By default those of the preset.
    preset : str or list of str
        Metrics of everyday use (``everyday``) or of a paper: ``chen-sakai-2023``, ``moffat-2022``,
        ``moffat-2022-preference``, ``lu-2016``; ``moffat-2022-preference`` if no metric is named.
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
        How many times users (or pairs, if users are not given) are resampled; with 0 there are no intervals or marks.
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
    Preference
        Tables ``preference`` (a row a metric) and ``preference_shares`` (who is preferred, by difference of scores).

    Notes
    -----
    In Python ``metrics`` may also be Scores: then those of its metrics are used that can be computed on a page.

    References
    ----------
    moffat2022, sakai2021preference, steiger1980, zou2007, westfall1993

    Examples
    --------
    >>> pairs = [{"grades_a": [a, 0], "grades_b": [b, 1], "preference": b - a} for a in range(4) for b in range(4)]
    >>> table = preference(pairs, ["Prec@1", "RBP(p=0.5)"], max_grade=3).table
    >>> table["agreement"].to_list(), table["ties"].to_list()
    ([1.0, 1.0], [0.0, 0.0])
    """
    from metameter.read.labels.pairs import read_pairs

    measures, reference = metrics_and_reference(
        metrics, preset, reference, procedure="preference", default="moffat-2022-preference"
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
    study = study_labels(read_pairs(pairs, max_grade=max_grade), measures, ("X", "XX"), options)
    tables = {"preference": study.table, "preference_shares": share_rows(study.question)}
    return Preference(
        tables, study.manifest("preference"), study.notes, study.estimates.exceeds, names=study.names(metrics)
    )


def share_rows(question: LabelQuestion) -> pl.DataFrame:
    """For every metric and bin of the difference of scores, how often each page is preferred; without empty bins."""
    import polars as pl

    metrics = [number for number in range(len(question.names)) if question.classes[number] == "metric"]
    schema = {"metric": pl.String, **dict.fromkeys(("low", "high", "difference"), pl.Float64), "pairs": pl.Int64}
    empty = pl.DataFrame(schema={**schema, **dict.fromkeys(("prefer_a", "neither", "prefer_b"), pl.Float64)})
    return pl.concat([empty, *(_share_rows_of(question, number) for number in metrics)])


def _share_rows_of(question: LabelQuestion, metric: int) -> pl.DataFrame:
    import polars as pl

    counts, scores = question.counts, np.where(question.signs[metric] == 0, 0.0, question.scores[metric])
    furthest = float(np.abs(scores).max(initial=0.0)) or 1.0
    edges = np.linspace(-furthest, furthest, _BINS + 1)
    # Differences that are on an edge but for rounding belong above it, all of them.
    within = np.floor((scores / furthest + 1) / 2 * _BINS + 1e-6).clip(0, _BINS - 1).astype(np.int64)
    sign = np.sign(question.labelled.levels[counts.level]).astype(np.int64) + 1
    table = np.zeros((_BINS, 3), dtype=np.int64)
    np.add.at(table, (within[counts.item], sign), counts.count)
    used = np.flatnonzero(table.sum(axis=1))
    shares = table[used] / table[used].sum(axis=1, keepdims=True)
    columns = {"low": edges[used], "high": edges[used + 1], "difference": (edges[used] + edges[used + 1]) / 2}
    return pl.DataFrame(
        {
            "metric": [question.names[metric]] * len(used),
            **columns,
            "pairs": table[used].sum(axis=1),
            **dict(zip(("prefer_a", "neither", "prefer_b"), shares.T, strict=True)),
        }
    )


_MAP = "How well do metrics agree with which page people prefer? Kendall's tau_b"
_ORDER = "Agreement with preferences: share of preferences that scores agree with (ties half), with 95% intervals"
_HOW = (
    "People saw two pages, A and B. A metric that knows what they prefer has only B at the right end, only A at the "
    "left end. Bars are as wide as their ranges of differences; grey bars below show how many pairs each has."
)
_SHARES = (("prefer_b", "B preferred"), ("neither", "neither"), ("prefer_a", "A preferred"))


def preference_charts(table: pl.DataFrame, shares: pl.DataFrame, reference: str | None = None) -> dict[str, Any]:
    """All charts by name, the most important first.

    Parameters
    ----------
    table, shares : polars.DataFrame
        The tables ``preference`` and ``preference_shares``.
    reference : str, optional
        The metric that all are compared with, unless that is the canonical metric of each row.
    """
    charts = agreement_charts("preference", table, reference, map_title=_MAP, order_title=_ORDER)
    chart = shares_chart(table, shares)
    return charts if chart is None else {**charts, "preference_shares": chart}


def shares_chart(table: pl.DataFrame, shares: pl.DataFrame) -> Any:
    """The best metric, and what it is compared with: which page people prefer, along the difference in score.

    Parameters
    ----------
    table, shares : polars.DataFrame
        The tables ``preference`` and ``preference_shares``.

    Returns
    -------
    altair.ConcatChart or None
        None if no metric has a value.
    """
    import polars as pl

    from metameter.view.charts.bars import share_bars

    rows, which = one_collection(shares)
    names = [name for name in contrasting_metrics(table) if name in set(rows["metric"])]
    if not names:
        return None
    return share_bars(
        pl.concat([rows.filter(rows["metric"] == name) for name in names]),
        ("low", "high"),
        _SHARES,
        *("pairs", "metric"),
        title="Which of two pages do people prefer, by how much higher one scores?",
        below=[" ".join(filter(None, [_HOW, which]))],
        titles=("score of B less score of A", "share of the pairs"),
    )
