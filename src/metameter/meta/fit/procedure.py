"""Which parameters describe the users that the labels come from: searched, with intervals, tested on held-out folds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

from metameter.errors import MetameterError
from metameter.meta.base import procedure
from metameter.meta.caveats import few_units
from metameter.meta.fit.labels import How, LabelFit, facts_of, fit_labels
from metameter.meta.fit.model import FreeModel, free_model
from metameter.meta.fit.sentences import fit_answer
from metameter.meta.fit.words import WORDS
from metameter.meta.options import RESAMPLES, check_scale
from metameter.parallel import Workers
from metameter.parameters import Bounds
from metameter.scoring.manifest import manifest_of
from metameter.scoring.measures import measure_of
from metameter.scoring.pages import scale_of
from metameter.stats.options import check_count
from metameter.types import Pages
from metameter.types.pages import Labelled
from metameter.view.result import Result

__all__ = ["Fit", "fit"]

FOLDS = Bounds(2, 1000, integer=True)


@dataclass(frozen=True, eq=False, repr=False)
class Fit(Result):
    """Result of `fit`: the parameters, how they do on held-out folds, the curve they are the top of, calibration."""

    table_names: ClassVar[tuple[str, ...]] = ("fit", "fit_folds", "fit_curve", "fit_calibration")

    @property
    def metric(self) -> str:
        """The fitted metric, by a name that `score` and `study` take."""
        return str(self.manifest["fitted"]["metric"])

    def answer(self) -> list[str]:
        """Which metric describes these users, and whether it is shown to be better than the canonical one."""
        return fit_answer(self.tables, self.metric, self.manifest["fitted"]["reference"])

    @property
    def remark(self) -> str:
        """The answer, how to use it, then the notes."""
        use = f"Use it: metameter score QRELS RUN... -m '{self.metric}'"
        return "\n".join([*self.answer(), use, *self.notes])


def fit_stage(
    pages: Pages,
    *,
    fit_model: str | None = None,
    folds: int = 5,
    pages_max_grade: float | None = None,
    resamples: int = 1000,
    seed: int = 0,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
) -> Fit:
    """Do the stage of a study: fit the metric that was asked for to the labelled pages.

    Parameters
    ----------
    fit_model : str
        Find the parameters of this metric that describe the users of the labelled pages: those that are not written,
        or those written as ?, such as RBP(p=?)*max.
    folds : int
        How many folds the fitted metric is tested on.
    """
    top = scale_of(pages, pages_max_grade, "pages_max_grade")
    return _fitted(pages, free_model(str(fit_model)), None, How(top, folds, resamples, seed, jobs, progress))


def _refuse(metrics: tuple[str, ...], options: Any) -> None:
    if options.get("fit_model"):
        free_model(options["fit_model"])


@procedure(
    WORDS,
    result=Fit,
    needs=("pages",),
    options={"fit_model": None, "folds": FOLDS, "pages_max_grade": None, "resamples": RESAMPLES},
    place=16,
    stage=fit_stage,
    before=_refuse,
    wanted="fit_model",
    checks={"max_grade": check_scale, "folds": partial(check_count, what="folds", least=2)},
)
def fit(
    serps: Any,
    *,
    model: str | None = None,
    input: Literal["tiangong"] | None = None,  # noqa: A002
    max_grade: float | None = None,
    reference: str | None = None,
    folds: int = 5,
    resamples: int = 1000,
    seed: int = 0,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
) -> Fit:
    """Ask which parameters of a metric describe the users that labels of result pages come from.

    Parameters
    ----------
    serps : path, data frame, list of dicts, Pages or Pairs
        Labelled result pages: ``grades``, ``satisfaction``, perhaps ``user``; or pairs of them: ``grades_a``,
        ``grades_b``, ``preference``; CSV, TSV, JSONL or Parquet files, or a folder of them.
    model : str
        The metric whose parameters are found: numbers that are not written are free (RBP*max), or, where some are
        written as ?, only these (RBP(p=?)*PE, DCG@?*ERG).
    input : {"tiangong"}
        The file is in the format of TianGong-QRef.
    max_grade : float
        The highest grade of the scale; by default the highest that occurs.
    reference : str
        Hold the fitted metric against this one; by default against the model with its canonical values.
    folds : int
        In how many folds users (or pages, where no users are given) are divided, each held out once.
    resamples : int
        How many times users (or pages) are drawn anew for the intervals; 0 leaves them out.
    seed : int
        The same seed gives the same numbers.
    jobs : int
        How many threads; by default all cores, and the result does not depend on it.
    progress : callable, optional
        Told how far the work is.

    Returns
    -------
    Fit
        Tables ``fit`` (a row a parameter), ``fit_folds`` (fitted and canonical on each held-out fold), ``fit_curve``
        (concordance by value) and ``fit_calibration`` (labels by score).

    References
    ----------
    moffat2022, azzopardi2020

    Examples
    --------
    >>> from metameter.simulation import simulate_pages
    >>> people = simulate_pages(400, metric="RBP(p=0.6)*max", seed=1)
    >>> found = fit(people.pages, model="RBP*max", max_grade=3, resamples=100)
    >>> row = found.table.row(0, named=True)
    >>> row["parameter"], row["low"] <= 0.6 <= row["high"], found.metric.startswith("RBP(p=0.")
    ('p', True, True)
    """
    from metameter.read.serps_kind import read_labels

    if model is None:
        fix = "Name a metric whose parameters are free, such as RBP*max."
        raise MetameterError("there is nothing to fit", fix=fix)
    free = free_model(model)
    held = None if reference is None else measure_of(reference)
    labelled = read_labels(serps, input=input, max_grade=max_grade)
    top = scale_of(labelled, max_grade)
    return _fitted(labelled, free, held, How(top, folds, resamples, seed, jobs, progress))


def _fitted(labelled: Labelled, model: FreeModel, reference: Any, how: How) -> Fit:
    done = fit_labels(labelled, model, reference, how)
    facts = facts_of(labelled)
    options = {
        "model": model.asked,
        "max_grade": how.max_grade,
        "folds": how.folds,
        "resamples": how.resamples,
        "seed": how.seed,
    }
    held = None if done.reference is None else done.reference.name
    fitted = {"metric": done.metric.name, "reference": held}
    manifest = {**manifest_of(procedure="fit", **options), "labels": facts, "fitted": fitted}
    return Fit(done.tables, manifest, tuple(_notes(done, facts, how)))


def _notes(done: LabelFit, facts: dict[str, Any], how: How) -> list[str]:
    units = "users" if facts["users"] else facts["rows"]
    number = facts["users"] or facts["size"]
    notes = [f"Fitted to {facts['size']:,} {facts['rows']}, {facts['distinct']:,} of them distinct."]
    if drawn := done.found.resamples:
        of = f"{drawn:,} resamples of {number:,} {units}"
        notes.append(f"low, high: 95% for other {units}, from {of}, each of them searched.")
    if flat := done.flat:
        notes.append(f"On these pages {', '.join(flat)} makes no difference: any value orders them alike.")
    open_ended = [
        row["parameter"]
        for row in done.tables["fit"].iter_rows(named=True)
        if row["low"] is not None and (row["low"] <= row["searched_low"] or row["high"] >= row["searched_high"])
    ]
    if open_ended:
        notes.append(f"The interval of {', '.join(open_ended)} reaches an end of what was searched: it is open there.")
    if how.resamples:
        notes += few_units(number, units, f"other {units}")
    return notes
