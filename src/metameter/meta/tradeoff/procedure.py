"""Stability and agreement with users, side by side: whether one metric leads in both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from metameter.errors import MetameterError
from metameter.meta.base import Across, procedure
from metameter.meta.framework.caveats import FEWEST_SYSTEMS
from metameter.meta.framework.requirements import require_complete
from metameter.meta.label_agreement.analysis import refuse_uncomputable
from metameter.meta.preference.procedure import preference
from metameter.meta.recommend.procedure import Recommendation, recommend
from metameter.meta.satisfaction.procedure import satisfaction
from metameter.meta.tradeoff.tables import KINDS, STABILITY, tradeoff_rows, without_stability
from metameter.meta.tradeoff.text import WORDS, answer, how_sure, notes, outcome
from metameter.parallel import Workers
from metameter.scoring.manifest import manifest_of
from metameter.scoring.pages import scale_of
from metameter.stats.resampling.samples import Resample
from metameter.types import Pages, Pairs, Scores
from metameter.view.result import Result
from metameter.view.tables.cells import DECIMALS
from metameter.view.tables.latex import to_latex

if TYPE_CHECKING:
    import polars as pl


_OTHERS = {"topics": "other topics", "systems": "other systems", "both": "other topics and systems"}


@dataclass(frozen=True, eq=False, repr=False)
class Tradeoff(Result):
    """Result of `tradeoff`: the table ``tradeoff``, stability and agreement with users side by side."""

    table_names: ClassVar[tuple[str, ...]] = ("tradeoff",)

    def answer(self) -> list[str]:
        """Whether one metric leads in both; otherwise what each choice costs; and how sure that is."""
        return answer(self.table, self.manifest["options"])

    def readable(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """A table for people: figures, intervals of agreement, and which metrics lead."""
        frame = self.tables[self.table_name(name)]
        return frame.select(each for each in frame.columns if not each.endswith(("_group", "_beats")))

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """What a terminal shows: the figures, and which metrics are on the front."""
        frame = self.tables[self.table_name(name)]
        columns = ("metric", *STABILITY, *KINDS, "front")
        return frame.select(each for each in columns if each in frame.columns)

    def latex(self) -> dict[str, str]:
        """The table as LaTeX, in the columns that people read."""
        return {name: to_latex(self.readable(name)) for name in self.tables}

    def charts(self) -> dict[str, Any]:
        """A dot per metric: how consistent it is, and how well it agrees with users."""
        from metameter.meta.tradeoff.charts import tradeoff_chart

        known = [kind for kind in KINDS if kind in self.table.columns and self.table[kind].is_not_null().any()]
        chart = tradeoff_chart(self.table) if known else None
        return {} if chart is None else {"tradeoff": chart}


def tradeoff_of(
    scores: Scores,
    recommendation: Recommendation,
    satisfaction: Any = None,
    preference: Any = None,
    *,
    collections: int = 1,
) -> Tradeoff:
    """Put stability and agreement with users side by side, from results that are computed already.

    Parameters
    ----------
    scores : Scores
    recommendation : Recommendation
        Stability.
    satisfaction, preference : Result, optional
        Agreement with users; one of them at least.
    collections : int
        How many collections of a study have labels: with several, one sentence says how sure all their answers are.
    """
    stability = recommendation.manifest["options"]
    results = dict(zip(KINDS, (satisfaction, preference), strict=True))
    known = {kind: result for kind, result in results.items() if result is not None}
    paged = [result.table.filter("normalised_by_page")["metric"].to_list() for result in known.values()]
    manifest = manifest_of(
        procedure="tradeoff",
        simple=stability["simple"],
        level=stability["level"],
        collections=collections,
        others=_OTHERS[stability["resample"]],
        alpha=stability["alpha"],
        systems=len(scores.systems),
        made_from=list(known),
        normalised_by_page=list(dict.fromkeys(name for names in paged for name in names)),
    )
    agreement = {kind: None if result is None else result.of_any_list() for kind, result in results.items()}
    metrics = recommendation.tables["metrics"]
    if len(scores.systems) < FEWEST_SYSTEMS:
        metrics = without_stability(metrics)
    table = tradeoff_rows(metrics, agreement["satisfaction"], agreement["preference"], stability["simple"])
    sentences = notes(table, manifest["options"])
    return Tradeoff({"tradeoff": table}, {**manifest, "scores": scores.manifest}, sentences, names=scores.names)


def across(results: Mapping[str, Result]) -> Across:
    """Return in which collections one metric leads in stability and with users, and how sure all answers are."""
    options = next(iter(results.values())).manifest["options"]
    where: dict[str, list[str]] = {}
    for name, result in results.items():
        where.setdefault(outcome(result.table, options["simple"]), []).append(name)
    outcomes = "; ".join(f"{what} ({', '.join(names)})" for what, names in where.items())
    stability = any(result.manifest["options"]["systems"] >= FEWEST_SYSTEMS for result in results.values())
    return Across((f"Stability and agreement with users: {outcomes}.", how_sure(options, stability=stability)))


@procedure(
    WORDS,
    result=Tradeoff,
    needs=("scores", "recommendation"),
    uses=KINDS,
    needs_one=True,
    place=11,
    stage=tradeoff_of,
    across=across,
)
def tradeoff(
    scores: Scores,
    *,
    serps: Any = None,
    serps_input: Literal["tiangong"] | None = None,
    pairs: Any = None,
    pages_max_grade: float | None = None,
    simple: str | Sequence[str] = (),
    alpha: float = 0.05,
    level: Literal["study", "row"] = "study",
    splits: int = 1000,
    trials: int = 2000,
    resamples: int = 1000,
    resample: Resample = "topics",
    groups: Any = None,
    seed: int = 0,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
) -> Tradeoff:
    """Put stability and agreement with users side by side: whether one metric leads in both, or what must be traded.

    Stability is consistency and discriminative power, as `recommend` compares them; agreement with users is
    concordance with their satisfaction or preferences. Metrics that on a page are normalised by the page's own results
    (nDCG, AP, recall) are other metrics than those of the same names here, and have no figure for users.
    A metric leads where no other is shown to exceed it.

    Parameters
    ----------
    scores : Scores, path or data frame
        Without missing cells; two systems and two topics or more.
    serps : path, data frame or list
        Result pages with how satisfied users were; may be repeated. This, or pairs, or both.
    serps_input : {"tiangong"}
        Read the pages as TianGong-QRef has them: four columns, no header; by default the first line says so.
    pairs : path, data frame or list
        Pairs of result pages with which one users prefer; may be repeated.
    pages_max_grade : float
        The highest grade of the scale of the labelled pages; by default the highest that occurs in them.
    simple : list of str
        Metrics that measure one dimension of quality only: they are shown, but do not compete.
    alpha : float
        The probability of any false difference in stability, if no metrics differ; and the same for each kind
        of label.
    level : {"study", "row"}
        Judge differences in stability by simultaneous intervals, or by those of each row separately.
    splits : int
        How many times the topics are split in half for consistency.
    trials : int
        Shuffles of the randomised Tukey HSD tests.
    resamples : int
        How many times topics, and pages or users, are resampled.
    resample : {"topics", "systems", "both"}
        What the intervals of stability are for: other topics, other systems, or both.
    groups : path or mapping
        Systems that are resampled together.
    seed : int
        The same seed gives the same numbers.
    jobs : int
        How many threads; by default all cores, and the result does not depend on it.
    progress : callable, optional
        Called with the progress of the work.

    References
    ----------
    moffat2022, chen2023
    """
    if serps is None and pairs is None:
        fix = "Give serps, a table of result pages with satisfaction, or pairs, with preferences."
        raise MetameterError("there are no labels of users", fix=fix)
    scores = require_complete(scores)
    refuse_uncomputable(scores.metrics, {})
    labels = _read(serps, serps_input, pairs)
    scales = {kind: scale_of(each, pages_max_grade, "pages_max_grade") for kind, each in labels.items()}
    stability = recommend(
        scores,
        simple=simple,
        alpha=alpha,
        level=level,
        splits=splits,
        trials=trials,
        resamples=resamples,
        resample=resample,
        groups=groups,
        seed=seed,
        jobs=jobs,
        progress=progress,
    )
    agreement = {
        kind: agree(
            labels[kind],
            scores,
            max_grade=scales[kind],
            alpha=alpha,
            resamples=resamples,
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
        for kind, agree in (("satisfaction", satisfaction), ("preference", preference))
        if kind in labels
    }
    return tradeoff_of(scores, stability, agreement.get("satisfaction"), agreement.get("preference"))


def _read(serps: Any, form: Literal["tiangong"] | None, pairs: Any) -> dict[str, Pages | Pairs]:
    """The labels by kind, read before the work begins."""
    from metameter.read.labels.pages import read_serps
    from metameter.read.labels.pairs import read_pairs

    pages = {} if serps is None else {"satisfaction": read_serps(serps, input=form)}
    return {**pages, **({} if pairs is None else {"preference": read_pairs(pairs)})}
