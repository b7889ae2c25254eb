"""Which metric predicts preferences: differences of scores correlated with the page of two that people prefer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from metameter.meta.base import procedure
from metameter.meta.framework.options import LEVEL, RESAMPLES, check_scale
from metameter.meta.label_agreement.analysis import (
    LabelResult,
    metrics_and_reference,
    refuse_uncomputable,
    study_labels,
)
from metameter.meta.label_agreement.question import Correction, LabelOptions, LabelQuestion, Test
from metameter.meta.preference.text import WORDS
from metameter.parallel import Workers
from metameter.types import Scores

if TYPE_CHECKING:
    import polars as pl


_BINS = 21  # odd, so that the middle bin holds equal scores


@dataclass(frozen=True, eq=False, repr=False)
class Preference(LabelResult):
    """Result of `preference`: tables ``preference`` and ``preference_shares``."""

    table_names: ClassVar[tuple[str, ...]] = ("preference", "preference_shares")

    def charts(self) -> dict[str, Any]:
        """Table 5 and Figure 3 of the paper: tau_b by browsing model and aggregation; preferences by difference."""
        from metameter.meta.preference.charts import preference_charts

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
    """Ask which metric scores that one of two result pages higher which people prefer.

    Concordance is the share of the pairs with a preference in which the preferred page scores higher, pairs with equal
    scores counting half. Kendall's tau_b, the figure of the paper, stands beside it.

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
        Hold every metric against this one, instead of the canonical one of its browsing model.
    test : {"bootstrap", "steiger", "williams", "zou", "fisher"}
        How p_vs_canonical is found. Steiger, Williams and Zou are approximations by formula; Fisher's test for
        independent samples fits the marks of the paper.
    correction : {"holm", "bonferroni", "hommel", "none"}
        How p_vs_canonical is adjusted within each row of the table; by default by Holm, with Fisher's test not at all.
    alpha : float
        The chance that any mark ``better`` of the whole table is false; and the level of better_row.
    resamples : int
        How many times users (or pairs, where no users are given) are drawn anew; 0 leaves intervals and marks out.
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
        tables, study.manifest("preference"), study.notes, study.evidence.exceeds, names=study.names(metrics)
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
