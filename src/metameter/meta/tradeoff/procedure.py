"""Stability and agreement with users, side by side: does one metric lead in both, or must one choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from metameter.errors import MetameterError
from metameter.meta.base import Across, procedure
from metameter.meta.framework.requirements import require_complete
from metameter.meta.label_agreement.analysis import refuse_uncomputable
from metameter.meta.preference.procedure import preference
from metameter.meta.recommend.procedure import Recommendation, recommend
from metameter.meta.satisfaction.procedure import satisfaction
from metameter.meta.tradeoff.tables import KINDS, tradeoff_rows
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
        """Whether one metric leads in both; otherwise what must be traded for what; and how sure that is."""
        return answer(self.table, self.manifest["options"])

    @property
    def remark(self) -> str:
        """The answer, then the notes."""
        return "\n".join([*self.answer(), *self.notes])

    def readable(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """A table for the eye: figures, intervals of agreement, and who leads."""
        frame = self.tables[self.table_name(name)]
        return frame.select(each for each in frame.columns if not each.endswith(("_group", "_beats")))

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """What a terminal shows: the figures, and who is on the front."""
        frame = self.tables[self.table_name(name)]
        shown = ("metric", "consistency", "power", *KINDS, "front")
        return frame.select(each for each in shown if each in frame.columns)

    def latex(self) -> dict[str, str]:
        """The table as LaTeX, in the columns that people read."""
        return {name: to_latex(self.readable(name)) for name in self.tables}

    def charts(self) -> dict[str, Any]:
        """Every metric a dot: how consistent it is, and how well it agrees with users."""
        from metameter.meta.tradeoff.charts import tradeoff_chart

        known = [kind for kind in KINDS if kind in self.table.columns and self.table[kind].is_not_null().any()]
        return {"tradeoff": tradeoff_chart(self.table)} if known else {}


def tradeoff_of(
    scores: Scores,
    recommendation: Recommendation,
    satisfaction: Any = None,
    preference: Any = None,
    *,
    collections: int = 1,
) -> Tradeoff:
    """Stability and agreement with users from results that were computed already.

    Parameters
    ----------
    scores : Scores
    recommendation : Recommendation
        What is known of stability.
    satisfaction, preference : Result, optional
        What is known of users; one of them at least.
    collections : int
        How many collections of a study have labels: how sure the answers are is said once for all of them.
    """
    told = recommendation.manifest["options"]
    users = {"satisfaction": satisfaction, "preference": preference}
    given = {kind: result for kind, result in users.items() if result is not None}
    tables = {kind: result.of_any_list() for kind, result in given.items()}
    paged = [result.table.filter("normalised_by_page")["metric"].to_list() for result in given.values()]
    options = {
        "simple": told["simple"],
        "level": told["level"],
        "collections": collections,
        "others": _OTHERS[told["resample"]],
        "alpha": told["alpha"],
        "made_from": [*given],
        "normalised_by_page": list(dict.fromkeys(name for names in paged for name in names)),
    }
    table = tradeoff_rows(recommendation.tables["metrics"], **tables, simple=told["simple"])
    manifest = {**manifest_of(procedure="tradeoff", **options), "scores": scores.manifest}
    return Tradeoff({"tradeoff": table}, manifest, notes(table, options))


def across(results: Mapping[str, Result]) -> Across:
    """Where one metric leads in stability and with users, and where not; and how sure all answers are, said once."""
    options = next(iter(results.values())).manifest["options"]
    where: dict[str, list[str]] = {}
    for name, result in results.items():
        where.setdefault(outcome(result.table, options["simple"]), []).append(name)
    told = "; ".join(f"{what} ({', '.join(names)})" for what, names in where.items())
    return Across((f"Stability and agreement with users: {told}.", how_sure(options)))


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
        Read the pages as the collection TianGong has them: four columns, no header.
    pairs : path, data frame or list
        Pairs of result pages with which one users prefer; may be repeated.
    pages_max_grade : float
        The highest grade of the scale of the labelled pages; by default the highest that occurs in them.
    simple : list of str
        Metrics that measure one dimension of quality only: they are shown, but do not compete.
    alpha : float
        The chance that any difference in stability is falsely shown, if no metrics differ; and the same for each kind
        of label.
    level : {"study", "row"}
        Let differences in stability follow from intervals that hold all at once, or from those of each row for itself.
    splits : int
        How many times the topics are split in half for consistency.
    trials : int
        Shuffles of the randomised Tukey HSD tests.
    resamples : int
        How many times topics, and pages or users, are resampled.
    resample : {"topics", "systems", "both"}
        What the intervals of stability are for: other topics, other systems, or both.
    groups : path or mapping
        Systems that are drawn together when systems are resampled.
    seed : int
        The same seed gives the same numbers.
    jobs : int
        How many threads; by default all cores, and the result does not depend on it.
    progress : callable, optional
        Told how far the work is.

    References
    ----------
    moffat2022, chen2023
    """
    if serps is None and pairs is None:
        fix = "Give serps, a table of result pages with satisfaction, or pairs, with preferences."
        raise MetameterError("there are no labels of users", fix=fix)
    scores = require_complete(scores)
    common: dict[str, Any] = {"alpha": alpha, "seed": seed, "jobs": jobs, "resamples": resamples}
    refuse_uncomputable(scores.metrics, {})
    pages, judged = _read(serps, serps_input, pairs)
    scales = [None if each is None else scale_of(each, pages_max_grade, "pages_max_grade") for each in (pages, judged)]
    drawn = {"level": level, "splits": splits, "trials": trials, "resample": resample, "groups": groups}
    stable = recommend(scores, simple=simple, progress=progress, **drawn, **common)
    labels: dict[str, Any] = {"progress": progress, **common}
    return tradeoff_of(
        scores,
        stable,
        None if pages is None else satisfaction(pages, scores, max_grade=scales[0], **labels),
        None if judged is None else preference(judged, scores, max_grade=scales[1], **labels),
    )


def _read(serps: Any, form: Literal["tiangong"] | None, pairs: Any) -> tuple[Pages | None, Pairs | None]:
    """The labels, read before the work begins."""
    from metameter.read.labels.pages import read_serps
    from metameter.read.labels.pairs import read_pairs

    return None if serps is None else read_serps(serps, input=form), None if pairs is None else read_pairs(pairs)
