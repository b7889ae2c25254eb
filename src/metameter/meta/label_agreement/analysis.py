"""The analysis that satisfaction and preference share: from labels and metrics to the result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError
from metameter.meta.framework.metric_names import is_diagnostic
from metameter.meta.label_agreement.estimates import LabelEstimates, label_estimates
from metameter.meta.label_agreement.question import LabelOptions, LabelQuestion, facts_of
from metameter.meta.label_agreement.tables import at_a_glance, label_rows
from metameter.meta.label_agreement.text import ReferenceTest, label_answer, label_notes
from metameter.metric.compose import several
from metameter.notices import notice
from metameter.read.labels.counts import check_labels
from metameter.scoring.manifest import manifest_of
from metameter.scoring.measures import measures_of
from metameter.scoring.pages import require_pages
from metameter.types import Scores
from metameter.types.display_names import display_names, typed_names
from metameter.view.result import Result
from metameter.view.tables.cells import DECIMALS
from metameter.view.tables.latex import first_rows_latex

if TYPE_CHECKING:
    import polars as pl

    from metameter.metric.base import Measure
    from metameter.types.labelled_pages import Labelled


#: Table -> the name of its labels in a sentence.
_ABOUT = {"satisfaction": "satisfaction", "preference": "preferences"}


@dataclass(frozen=True, eq=False, repr=False)
class LabelResult(Result):
    """The result of a procedure that measures how well metrics agree with labels.

    Attributes
    ----------
    exceeds : ndarray of bool, (metrics, metrics)
        Whether the row's metric has a significantly higher concordance than the column's.
    """

    exceeds: Any = field(default=None, repr=False)

    def answer(self) -> list[str]:
        """The metrics that agree best, and those that are significantly better than the canonical metric."""
        return label_answer(self.table, _ABOUT[next(iter(self.tables))], self.facts)

    @property
    def facts(self) -> dict[str, Any]:
        """The options, and the size of the data: pages or pairs, users, resamples."""
        return {**self.manifest["options"], **self.manifest["labels"]}

    @property
    def about(self) -> str:
        """The size of the data, for a caption."""
        users = f" of {self.facts['users']:,} users" if self.facts["users"] else ""
        return f"{self.facts['size']:,} {self.facts['rows']}{users}."

    def of_any_list(self) -> pl.DataFrame:
        """The metrics that are the same on a page and in a collection; beats and beaten_by count among these only.

        Diagnostics, which do not depend on relevance, are left out.

        nDCG, AP, recall and others are normalised by the relevant documents: on a labelled page those of the page, in
        a collection all that were judged. These are different metrics with one name.
        """
        import polars as pl

        diagnostic = pl.Series([is_diagnostic(name) for name in self.table["metric"]], dtype=pl.Boolean)
        comparable = ~self.table["normalised_by_page"] & ~diagnostic
        among = self.exceeds[np.ix_(comparable.to_numpy(), comparable.to_numpy())]
        known = pl.col("beats").is_not_null()
        counts = {"beats": among.sum(axis=1), "beaten_by": among.sum(axis=0)}
        return self.table.filter(comparable).with_columns(
            pl.when(known).then(pl.Series(name, count, dtype=pl.Int64)).alias(name) for name, count in counts.items()
        )

    def latex(self) -> dict[str, str]:
        """The tables as LaTeX, the first laid out as in Moffat et al. (2022); of long tables the first 1,000 rows."""
        from metameter.meta.label_agreement.latex import label_latex

        name, *others = self.tables
        test = ReferenceTest.of(self.manifest["options"])
        tables = {name: label_latex(name, self.table, self.about, test)}
        return tables | {other: first_rows_latex(self.tables[other]) for other in others}

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """The columns that a terminal shows."""
        frame = self.tables[self.table_name(name)]
        return at_a_glance(frame, digits) if "tau_b" in frame.columns else frame


@dataclass(frozen=True, eq=False)
class LabelStudy:
    """A question about labels, and the evidence that answers it."""

    question: LabelQuestion
    estimates: LabelEstimates
    options: LabelOptions

    def names(self, metrics: Any) -> dict[str, str]:
        """Metric -> the name that people see; ``metrics`` are those of the call, or the Scores of a study."""
        typed = metrics.typed if isinstance(metrics, Scores) else typed_names(several(metrics))
        return display_names([measure.name for measure in self.question.measures], typed)

    @cached_property
    def table(self) -> pl.DataFrame:
        """The first table of the result: one row per metric."""
        return label_rows(self.question, self.estimates)

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the result."""
        return label_notes(self.table, self.question, self.estimates, self.options, self.labels)

    def manifest(self, procedure: str) -> dict[str, Any]:
        """The options that reproduce the tables, and the data behind them."""
        question, options = self.question, self.options
        return {
            **manifest_of(
                procedure=procedure,
                metrics=list(question.names),
                reference=question.reference,
                max_grade=question.max_grade,
                test=options.test,
                correction=options.adjusted_by,
                alpha=options.alpha,
                resamples=options.resamples,
                collections=options.collections,
                seed=options.seed,
            ),
            "labels": self.labels,
        }

    @property
    def labels(self) -> dict[str, Any]:
        """The size of the labels, and the number of resamples."""
        return {**facts_of(self.question.labelled), "drawn": self.estimates.resamples}


def study_labels(
    labelled: Labelled, measures: Sequence[Measure], suppressed: Sequence[str], options: LabelOptions
) -> LabelStudy:
    """Correlate metrics with labels and compare them.

    Parameters
    ----------
    labelled : Pages or Pairs
    measures : sequence of Measure
    suppressed : sequence of str
        The classes of metrics that are not correlated.
    options : LabelOptions
    """
    check_labels(labelled.levels, labelled.label, labelled.source)
    question = LabelQuestion.of(labelled, measures, options.first_reference, options.max_grade)
    question.notice_equal_scores()
    return LabelStudy(question, label_estimates(question, suppressed, options), options)


def metrics_and_reference(
    metrics: Any, preset: Any, reference: Any, *, procedure: str, default: str
) -> tuple[list[Measure], Any]:
    """The metrics to correlate and the reference: named, of a preset, or those of a study.

    Parameters
    ----------
    metrics : list of str or Scores
        With scores of a study, those of their metrics that can be computed on a page.
    preset : str or list of str, optional
    reference : str or list of str
    procedure : str
        For a notice of the metrics that are left out.
    default : str
        The preset that is used if neither metrics nor a preset are named.
    """
    if not isinstance(metrics, Scores):
        names, presets = list(several(metrics)), list(several(preset))
        return measures_of(names, presets or (() if names else default)), reference
    measures, others = computable(metrics.metrics)
    if others:
        notice(f"not computed on result pages, and left out of {procedure}: {', '.join(others)}")
    return measures, [name for name in several(reference) if str(name) not in others]


def computable(names: Iterable[str]) -> tuple[list[Measure], list[str]]:
    """The metrics among these names that can be computed on a page, and the names of the others.

    Examples
    --------
    >>> computable(["RR", "somebody's metric", "nCT"])
    ([RR], ["somebody's metric", 'nCT'])
    """
    measures: list[Measure] = []
    others: list[str] = []
    for name in names:
        try:
            known = measures_of([name])
            require_pages(known)
            measures += known
        except MetameterError:
            others.append(name)
    return measures, others


def refuse_uncomputable(metrics: tuple[str, ...], options: Any) -> None:
    """Refuse a study none of whose metrics can be computed on a page, before anything is scored."""
    if not computable(metrics)[0]:
        what = "none of the metrics can be computed on a result page"
        fix = "Leave the labels out, or judge metrics by their names, such as nDCG@10."
        raise MetameterError(what, given=", ".join(metrics[:5]), fix=fix)
