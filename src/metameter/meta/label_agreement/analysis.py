"""What satisfaction and preference do alike: check what is asked, correlate, compare, and say what it means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from metameter.errors import MetameterError
from metameter.meta.label_agreement.estimates import LabelEvidence, label_evidence
from metameter.meta.label_agreement.question import Asked, LabelQuestion
from metameter.meta.label_agreement.tables import at_a_glance
from metameter.meta.label_agreement.text import label_answer
from metameter.metric.compose import several
from metameter.notices import notice
from metameter.read.labels.counts import check_labels
from metameter.scoring.manifest import manifest_of
from metameter.scoring.measures import measures_of
from metameter.scoring.pages import require_pages
from metameter.view.result import Result
from metameter.view.tables.cells import DECIMALS
from metameter.view.tables.latex import first_rows_latex

if TYPE_CHECKING:
    import polars as pl

    from metameter.metric.base import Measure
    from metameter.types.labelled_pages import Labelled


#: What each table's labels are called in a sentence.
_ABOUT = {"satisfaction": "satisfaction", "preference": "preferences"}


@dataclass(frozen=True, eq=False, repr=False)
class LabelResult(Result):
    """Metrics and how they agree with labels.

    Attributes
    ----------
    exceeds : ndarray of bool, (metrics, metrics)
        Whether the row's metric is shown to exceed the column's in concordance.
    """

    exceeds: Any = field(default=None, repr=False)

    def answer(self) -> list[str]:
        """Who agrees best, and who is shown to be better than the canonical metric."""
        return label_answer(self.table, _ABOUT[next(iter(self.tables))], self.facts)

    @property
    def facts(self) -> dict[str, Any]:
        """How much the figures rest on: pages or pairs, users, resamples."""
        return {**self.manifest["options"], **self.manifest["labels"]}

    @property
    def remark(self) -> str:
        """The answer, then the notes."""
        return "\n".join([*self.answer(), *self.notes])

    @property
    def about(self) -> str:
        """How much the figures rest on, for a caption."""
        users = f" of {self.facts['users']:,} users" if self.facts["users"] else ""
        return f"{self.facts['size']:,} {self.facts['rows']}{users}."

    def of_any_list(self) -> pl.DataFrame:
        """The metrics that are the same on a page and in a collection; beats and beaten_by count among these only.

        nDCG, AP, recall and others are normalised by what is relevant: on a labelled page by the page's own results,
        in a collection by all that was judged. These are different metrics of one name.
        """
        import polars as pl

        kept = ~self.table["normalised_by_page"]
        among = self.exceeds[np.ix_(kept.to_numpy(), kept.to_numpy())]
        known = pl.col("beats").is_not_null()
        counts = {"beats": among.sum(axis=1), "beaten_by": among.sum(axis=0)}
        return self.table.filter(kept).with_columns(
            pl.when(known).then(pl.Series(name, count, dtype=pl.Int64)).alias(name) for name, count in counts.items()
        )

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX; of a table with more than 1,000 rows the first 1,000."""
        return {name: first_rows_latex(frame) for name, frame in self.tables.items()}

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """What a terminal shows: of the metrics the figures and what is shown of them."""
        frame = self.tables[self.table_name(name)]
        return at_a_glance(frame, digits) if "tau_b" in frame.columns else frame


@dataclass(frozen=True, eq=False)
class Studied:
    """What was asked and found."""

    question: LabelQuestion
    found: LabelEvidence
    asked: Asked

    def manifest(self, procedure: str) -> dict[str, Any]:
        """What it takes to make the tables again, and what they rest on."""
        asked, question = self.asked, self.question
        options = {
            "metrics": list(question.asked),
            "reference": question.reference,
            "max_grade": question.max_grade,
            "test": asked.test,
            "correction": asked.adjusted_by,
            "alpha": asked.alpha,
            "resamples": asked.resamples,
            "collections": asked.collections,
            "seed": asked.seed,
        }
        return {**manifest_of(procedure=procedure, **options), "labels": self.labels}

    @property
    def labels(self) -> dict[str, Any]:
        """What was read, and how often it was drawn anew."""
        labelled = self.question.labelled
        return {
            "inputs": [each.entry() for each in labelled.fingerprints] or [{"name": labelled.source}],
            "rows": "pages" if labelled.label == "satisfaction" else "pairs",
            "size": labelled.size,
            "distinct": labelled.items.height,
            "users": None if labelled.users is None else len(labelled.users),
            "drawn": self.found.resamples,
        }


def studied(labelled: Labelled, measures: Sequence[Measure], suppressed: Sequence[str], asked: Asked) -> Studied:
    """Correlate metrics with labels and compare them.

    Parameters
    ----------
    labelled : Pages or Pairs
    measures : sequence of Measure
    suppressed : sequence of str
        The classes of metrics that are not correlated.
    asked : Asked
    """
    check_labels(labelled.levels, labelled.label, labelled.source)
    question = LabelQuestion.of(labelled, measures, asked.held, asked.max_grade)
    question.tell_constant()
    return Studied(question, label_evidence(question, suppressed, asked), asked)


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


def stage_metrics(names: Sequence[str], reference: Any, stage: str) -> tuple[list[Measure], list[str]]:
    """The metrics of a study that can be computed on a page, and the references that are among them."""
    measures, others = computable(names)
    if others:
        notice(f"not computed on result pages, and left out of {stage}: {', '.join(others)}")
    return measures, [name for name in several(reference) if str(name) not in others]


def refuse_uncomputable(metrics: tuple[str, ...], options: Any) -> None:
    """Refuse a study none of whose metrics can be computed on a page, before anything is scored."""
    if not computable(metrics)[0]:
        given, fix = ", ".join(metrics[:5]), "Leave the labels out, or judge metrics by their names, such as nDCG@10."
        raise MetameterError("none of the metrics can be computed on a result page", given=given, fix=fix)
