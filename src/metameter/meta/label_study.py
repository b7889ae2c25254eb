"""What satisfaction and preference do alike: check what is asked, correlate, compare, and say what it means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from metameter.errors import MetameterError
from metameter.meta.label_evidence import LabelEvidence, label_evidence
from metameter.meta.label_question import LabelQuestion
from metameter.meta.label_sentences import label_answer
from metameter.meta.label_tables import at_a_glance
from metameter.metric.compose import several
from metameter.notices import notice
from metameter.parallel import Workers
from metameter.scoring.manifest import manifest_of
from metameter.scoring.measures import measures_of
from metameter.scoring.pages import require_pages
from metameter.stats.checks import check_level
from metameter.stats.label_tests import FORMULAS
from metameter.stats.options import check_choice, check_count, check_seed
from metameter.view.cells import DECIMALS
from metameter.view.latex import first_rows_latex
from metameter.view.result import Result

if TYPE_CHECKING:
    import polars as pl

    from metameter.metric.base import Measure
    from metameter.types.pages import Labelled

__all__ = [
    "Correction",
    "LabelResult",
    "Studied",
    "Test",
    "computable",
    "refuse_uncomputable",
    "stage_metrics",
    "studied",
]

Test: TypeAlias = Literal["bootstrap", "steiger", "williams", "zou", "fisher"]
Correction: TypeAlias = Literal["holm", "bonferroni", "hommel", "none"]
_TESTS = ("bootstrap", *FORMULAS)
_CORRECTIONS = ("holm", "bonferroni", "hommel", "none")


@dataclass(frozen=True, eq=False, repr=False)
class LabelResult(Result):
    """Metrics and how they agree with labels."""

    def answer(self) -> list[str]:
        """Who agrees best, and who is shown to be better than the canonical metric."""
        about = {"satisfaction": "satisfaction", "preference": "preferences"}
        name = next(iter(self.tables))
        return label_answer(self.table, about[name], self.manifest["options"])

    @property
    def remark(self) -> str:
        """The answer, then the notes."""
        return "\n".join([*self.answer(), *self.notes])

    @property
    def about(self) -> str:
        """How much the figures rest on, for a caption."""
        options = self.manifest["options"]
        users = f" of {options['users']:,} users" if options["users"] else ""
        return f"{options['size']:,} {options['rows']}{users}"

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX; of a table with more than 1,000 rows the first 1,000."""
        return {name: first_rows_latex(frame) for name, frame in self.tables.items()}

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """What a terminal shows: of the metrics the figures and what is shown of them."""
        frame = self.tables[self.table_name(name)]
        return at_a_glance(frame, digits) if "tau_b" in frame.columns else frame


@dataclass(frozen=True, eq=False)
class Studied:
    """What was asked and found, with the options of the call."""

    question: LabelQuestion
    found: LabelEvidence
    options: dict[str, Any]

    def manifest(self, procedure: str) -> dict[str, Any]:
        """What it takes to make the tables again."""
        return {**manifest_of(procedure=procedure, **self.options), "labels": self.question.manifest}


def studied(
    labelled: Labelled, measures: Sequence[Measure], suppressed: Sequence[str], rows: str, asked: dict[str, Any]
) -> Studied:
    """Correlate metrics with labels and compare them.

    Parameters
    ----------
    labelled : Pages or Pairs
    measures : sequence of Measure
    suppressed : sequence of str
        The classes of metrics that are not correlated.
    rows : str
        What there are counts of: ``pages`` or ``pairs``.
    asked : dict
        ``reference``, ``max_grade``, ``test``, ``correction``, ``alpha``, ``resamples``, ``collections``, ``seed``,
        ``jobs``.
    """
    check_choice(asked["test"], "test", _TESTS)
    # Fisher's test is there to reproduce the marks of the paper, which are not adjusted.
    correction = asked["correction"] or ("none" if asked["test"] == "fisher" else "holm")
    check_choice(correction, "correction", _CORRECTIONS)
    alpha, seed = check_level(asked["alpha"]), check_seed(asked["seed"])
    resamples = check_count(asked["resamples"], "resamples", 2, zero="for no intervals")
    collections = check_count(asked.get("collections", 1), "collections")
    references = several(asked["reference"])
    if len(references) > 1:
        notice(f"metrics are held against the first reference, {references[0]}: a row has room for one")
    question = LabelQuestion.of(labelled, measures, references[0] if references else None, asked["max_grade"])
    _refuse_one_label(labelled)
    question.tell_constant()
    drawn = {"resamples": resamples, "seed": seed, "jobs": Workers.of(asked["jobs"])}
    level = {"alpha": alpha / collections, "row_alpha": alpha, "test": asked["test"], "correction": correction}
    found = label_evidence(question, suppressed, {**level, **drawn})
    options = {
        "reference": str(references[0]) if references else None,
        "max_grade": question.max_grade,
        "test": asked["test"],
        "correction": correction,
        "alpha": alpha,
        "resamples": found.resamples,
        "asked": resamples,
        "collections": collections,
        "seed": seed,
        "rows": rows,
        "size": labelled.size,
        "distinct": labelled.items.height,
        "users": None if labelled.users is None else len(labelled.users),
    }
    return Studied(question, found, options)


def _refuse_one_label(labelled: Labelled) -> None:
    if len(labelled.levels) < 2:
        given = ", ".join(f"{each:g}" for each in labelled.levels)
        what = f"all labels in the column {labelled.label} are equal, so nothing can be correlated with them"
        raise MetameterError(what, where=labelled.source, given=given, fix="Give labels of two levels or more.")


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
