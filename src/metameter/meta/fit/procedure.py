"""The parameters that describe the users behind labels: estimates, intervals, and a test on held-out folds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from metameter.errors import MetameterError
from metameter.meta.base import procedure
from metameter.meta.fit.free_parameters import free_model
from metameter.meta.fit.labels import FitSettings, LabelFit, fit_labels
from metameter.meta.fit.text import WORDS, across_fits, fit_answer, label_notes, view_notes, views_answer
from metameter.meta.fit.views import ViewFit, fit_views
from metameter.meta.framework.options import RESAMPLES, check_scale
from metameter.meta.label_agreement.question import facts_of
from metameter.metric.base import Measure
from metameter.metric.build import of_model
from metameter.parallel import Workers
from metameter.parameters import Bounds
from metameter.read.files.content import reading_pipes_once
from metameter.scoring.manifest import manifest_of
from metameter.scoring.measures import measure_of
from metameter.scoring.pages import scale_of
from metameter.stats.checks import check_count, check_number
from metameter.types import Views
from metameter.types.display_names import display_names
from metameter.types.labelled_pages import Labelled
from metameter.view.result import Result
from metameter.view.tables.cells import DECIMALS
from metameter.view.tables.latex import first_rows_latex

if TYPE_CHECKING:
    import polars as pl


#: Table -> the columns that a terminal shows.
_COLUMNS = {
    "fit": ("parameter", "estimate", "low", "high", "canonical_value", "at_bound"),
    "fit_folds": ("fold", "metric", "tau_b", "concordance", "agreement", "difference", "low", "high"),
    "fit_models": ("model", "kind", "low", "high", "lapse", "held_out", "p"),
}

#: The metric that is fitted by default.
DEFAULT = "RBP*max"
FOLDS = Bounds(2, 1000, integer=True)


@dataclass(frozen=True, eq=False, repr=False)
class Fit(Result):
    """Result of `fit`: from labels the parameters, held-out folds, curves, calibration; from views browsing models."""

    table_names: ClassVar[tuple[str, ...]] = (
        *("fit", "fit_folds", "fit_curve", "fit_calibration"),
        *("fit_models", "fit_last", "fit_ranks"),
    )

    @property
    def metric(self) -> str:
        """The fitted metric, by a name that `score` and `study` take."""
        return str(self.manifest["fitted"]["metric"])

    def answer(self) -> list[str]:
        """The metric and the browsing model that describe these users, and whether they are significantly better."""
        fitted = self.manifest["fitted"]
        labels = fit_answer(self.tables, fitted) if "fit_curve" in self.tables else []
        if "fit_models" not in self.tables:
            return labels
        return [*labels, *views_answer(self.tables["fit_models"], fitted.get("one_rate"))]

    @property
    def remark(self) -> str:
        """The answer, how to use it, and the warnings."""
        folds = self.tables.get("fit_folds")
        by_chance = self.manifest["fitted"].get("above_chance") is False
        usable = (folds is None or folds["verdict"][-1] == "better") and not by_chance
        advice = "Use it" if usable else "To score it all the same"
        return "\n".join([*self.answer(), f"{advice}: metameter score QRELS RUN... -m '{self.metric}'", *self.warnings])

    def charts(self) -> dict[str, Any]:
        """Agreement with labels along each parameter, mean labels by score, and ranks viewed last."""
        from metameter.meta.fit.charts import fit_charts

        return fit_charts(self.tables, self.manifest["fitted"].get("against"))

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX; of a table with more than 1,000 rows the first 1,000."""
        return {name: first_rows_latex(frame) for name, frame in self.tables.items()}

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """The table for a terminal: of wide tables the columns that answer the question."""
        return at_a_glance(self.table_name(name), self.tables[self.table_name(name)])


def _check_smoothing(value: Any) -> None:
    fix = "Give a number of viewers, 0 for none."
    if not check_number(value, "smoothing", fix) >= 0 or value == float("inf"):
        raise MetameterError("smoothing is no number of viewers", given=value, allowed="0 or more", fix=fix)


def _refuse_model(metrics: tuple[str, ...], options: Any) -> None:
    if options.get("fit_model"):
        free_model(options["fit_model"])


@procedure(
    WORDS,
    result=Fit,
    needs=("labels",),
    options={"fit_model": None, "folds": FOLDS, "pages_max_grade": None, "resamples": RESAMPLES},
    place=16,
    takes={"labels": "serps", "fit_model": "model", "pages_max_grade": "max_grade"},
    across=across_fits,
    before=_refuse_model,
    wanted="fit_model",
    checks={
        "max_grade": check_scale,
        "smoothing": _check_smoothing,
        "folds": partial(check_count, what="folds", least=2),
    },
)
def fit(
    serps: Any,
    *,
    model: str | None = None,
    empirical: bool = False,
    smoothing: float | None = None,
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
        The metric whose parameters are fitted: numbers that are not written are free (RBP*max), or, where some are
        written as ?, only these (RBP(p=?)*PE, DCG@?*ERG). By default RBP*max, or with ``empirical`` none.
    empirical : bool
        Estimate a data-driven browsing model from the ranks viewed last (column ``last``) or clicked last (column
        ``clicks``), and compare other browsing models with it. Labels are then needed only if ``model`` is given.
    smoothing : float
        The number of viewers added at each rank, who leave at the rate of all ranks together; by default estimated from
        the data (empirical Bayes).
    input : {"tiangong"}
        The file is in the format of TianGong-QRef; by default its first line says so.
    max_grade : float
        The highest grade of the scale; by default the highest that occurs.
    reference : str
        Compare the fitted metric with this one; by default with the model with its canonical values.
    folds : int
        The number of folds into which users (or pages, if users are not given) are divided, each held out once.
    resamples : int
        Bootstrap samples of users (or pages) for the intervals of a metric's parameters; 0: no such intervals.
        Intervals of browsing models need none.
    seed : int
        The same seed gives the same numbers.
    jobs : int
        How many threads; by default all cores, and the result does not depend on it.
    progress : callable, optional
        Called with the progress of the work.

    Returns
    -------
    Fit
        Tables ``fit`` (a row a parameter), ``fit_folds`` (fitted and canonical on each held-out fold), ``fit_curve``
        (concordance, or agreement with preferences, by value) and ``fit_calibration`` (labels by score); of the ranks
        viewed last ``fit_models`` (a row a browsing model), ``fit_last`` (ranks observed and expected) and
        ``fit_ranks`` (who went on from each rank).

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
    from metameter.read.labels.pages import read_labels
    from metameter.read.labels.views import read_views

    if smoothing is not None and not empirical:
        fix = "Ask for empirical, too, or leave smoothing out."
        raise MetameterError("smoothing is for ranks viewed last, which are not analysed", given=smoothing, fix=fix)
    name = (None if empirical else DEFAULT) if model is None else model
    free = None if name is None else free_model(name)
    compared = None if reference is None else measure_of(reference)
    with reading_pipes_once():
        labelled = views = None
        if free is not None:
            labelled = read_labels(serps, input=input, max_grade=max_grade, jobs=jobs, progress=progress)
        if empirical:
            views = read_views(serps, input=input, max_grade=max_grade, jobs=jobs, progress=progress)
    top = scale_of(labelled or views, max_grade)  # type: ignore[arg-type]
    settings = FitSettings(top, folds, resamples, seed, jobs, progress)
    view_fit = None if views is None else fit_views(views, settings, smoothing)
    label_fit = None if labelled is None or free is None else fit_labels(labelled, free, compared, settings)
    return _result(labelled, label_fit, compared, views, view_fit, settings)


def _result(
    labelled: Labelled | None,
    label_fit: LabelFit | None,
    reference: Measure | None,
    views: Views | None,
    view_fit: ViewFit | None,
    settings: FitSettings,
) -> Fit:
    """The result of labels, of views, or of both."""
    tables: dict[str, Any] = {}
    notes: list[str] = []
    facts: dict[str, Any] = {}
    fitted: dict[str, Any] = {"metric": None, "reference": None, "model": None}
    if labelled is not None and label_fit is not None:
        facts["labels"] = facts_of(labelled)
        tables |= label_fit.tables
        fitted |= _fitted_to_labels(label_fit, reference)
        notes += label_notes(label_fit, facts["labels"], settings)
    if views is not None and view_fit is not None:
        facts["views"] = facts_of(views)
        tables |= view_fit.tables
        tables = {"fit": view_fit.parameters} | tables if label_fit is None else tables
        fitted |= _fitted_to_views(view_fit, fitted["metric"])
        notes += view_notes(view_fit, facts["views"])
    manifest = manifest_of(
        procedure="fit",
        model=None if label_fit is None else label_fit.model.text,
        max_grade=settings.max_grade,
        folds=settings.folds,
        resamples=settings.resamples,
        seed=settings.seed,
    )
    names = display_names(name for name in (fitted["metric"], fitted["reference"]) if name is not None)
    return Fit(tables, {**manifest, **facts, "fitted": fitted}, tuple(notes), names=names)


def _fitted_to_labels(fit: LabelFit, reference: Measure | None) -> dict[str, Any]:
    entries: dict[str, Any] = {
        "metric": fit.metric.name,
        "reference": None if fit.reference is None else fit.reference.name,
        "above_chance": None if fit.test is None else fit.test.above_chance,
    }
    if reference is not None:
        entries["against"] = {"metric": reference.name, "values": fit.model.values_of(reference)}
    return entries


def _fitted_to_views(fit: ViewFit, metric: str | None) -> dict[str, Any]:
    one, model = fit.data_driven.one_rate, fit.data_driven.model
    return {
        "metric": metric or of_model(one or model).name,
        "model": str(model),
        # If all ranks have one rate, smoothing adds infinitely many viewers.
        "smoothing": None if one else fit.data_driven.weight,
        "one_rate": str(one) if one else None,
    }


def at_a_glance(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    """The columns that answer the question, without empty ones; long names are cut.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"parameter": ["p"], "estimate": [0.7], "low": [None], "searched_low": [0.0]})
    >>> at_a_glance("fit", frame).columns
    ['parameter', 'estimate']
    """
    import polars as pl

    columns = [column for column in _COLUMNS.get(name, frame.columns) if column in frame.columns]
    short = frame.select(column for column in columns if frame[column].is_not_null().any() or not frame.height)
    if "model" not in short.columns:
        return short
    return short.with_columns(pl.col("model").str.replace(r"^(Empirical)\(.*\)$", "$1(...)"))
