"""Does a metric see what all simple metrics see? Metric unanimity, as pointwise mutual information."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from metameter.meta.base import procedure
from metameter.meta.collections import Collections
from metameter.meta.dimension_question import Question, refuse_unscored
from metameter.meta.metric_ranking import ranked_metrics
from metameter.meta.options import RESAMPLES
from metameter.meta.ranking_across import across_rankings
from metameter.meta.ranking_charts import ranking_chart
from metameter.meta.ranking_latex import ranking_latex
from metameter.meta.session_glance import at_a_glance
from metameter.meta.stage_tables import without_collection
from metameter.meta.unanimity.found import found_by, metric_rows
from metameter.meta.unanimity.words import CAPTION, RANKS, WORDS, notes_of
from metameter.parallel import Workers
from metameter.scoring.manifest import manifest_of
from metameter.stats.options import check_choice, check_count, check_seed
from metameter.stats.row_intervals import FEWEST_UNITS
from metameter.types import Scores
from metameter.view.cells import DECIMALS
from metameter.view.result import Result

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Unanimity", "unanimity"]


@dataclass(frozen=True, eq=False, repr=False)
class Unanimity(Result):
    """Result of `unanimity`.

    Attributes
    ----------
    tables : dict of polars.DataFrame
        ``unanimity``, ``unanimity_ranking``.
    resampled : ndarray of int, (resamples, rows of the ranking)
        The wins over resampled topics.
    """

    table_names: ClassVar[tuple[str, ...]] = ("unanimity", "unanimity_ranking")
    first_columns: ClassVar[tuple[str, ...]] = ("iteration", "simple", "metric", "mu", "low", "high")

    resampled: Any = field(default=None, repr=False)

    def charts(self) -> dict[str, Any]:
        """The metrics' ranks as sessions go on."""
        return {"unanimity_ranking": ranking_chart(self.tables["unanimity_ranking"], RANKS)}

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """What a terminal shows: of unanimity the last iteration; of ranks those for all."""
        return at_a_glance(self.tables[self.table_name(name)])

    def latex(self) -> dict[str, str]:
        """The tables as LaTeX; the ranking is laid out as Table 3 of Albahem et al. (2019)."""
        ranking = self.tables["unanimity_ranking"]
        return {**super().latex(), "unanimity_ranking": ranking_latex(ranking, CAPTION, "tab:unanimity-ranking")}


def unanimity_stage(
    sessions: Scores,
    *,
    simple: Any = (),
    complex: Any = None,  # noqa: A002
    iterations: Any = None,
    resamples: int = 1000,
    seed: int = 0,
    jobs: int | Workers | None = None,
) -> Unanimity:
    """Do the stage of a study: one collection, without a column that names it."""
    given = {"simple": simple, "complex": complex, "iterations": iterations}
    return without_collection(unanimity(sessions, **given, resamples=resamples, seed=seed, jobs=jobs))


@procedure(
    WORDS,
    result=Unanimity,
    needs=("sessions",),
    options={"simple": None, "complex": None, "iterations": None, "resamples": RESAMPLES},
    place=62,
    stage=unanimity_stage,
    before=refuse_unscored,
    across=across_rankings,
    wanted="simple",
)
def unanimity(
    scores: Collections,
    *,
    simple: Any = (),
    complex: Any = None,  # noqa: A002
    iterations: Any = None,
    form: Literal["code", "literal"] = "code",
    resamples: int = 1000,
    seed: int = 0,
    jobs: int | Workers | None = None,
) -> Unanimity:
    """Ask how much more often than by chance a metric sees the improvements that all simple metrics see.

    For every two systems and every topic that all metrics involved have scored; with sessions, for every iteration.

    Parameters
    ----------
    scores : Scores, mapping, path or data frame
        Scores of one collection, or of several by name; all iterations are used. Missing cells are skipped.
    simple : str or list of str
        Simple metrics, each measuring one thing; a set is joined by plus signs (``prec+st_rec``), and all of a set must
        agree. May be repeated. By default, of a table that has ``prec``, ``st_rec`` and ``tot_time``, the sets of the
        paper: Rel, Div, Eff, Rel+Div, Rel+Div+Eff.
    complex : str or list of str, optional
        The metrics under test, separated by commas; by default all that are not simple (``prec``, ``st_rec``,
        ``tot_time``, ``r_it`` and ``neg_it`` always are).
    iterations : str or list of int, optional
        Which iterations of sessions, such as ``1-10`` or ``1,3,10``; by default all.
    form : {"code", "literal"}
        Count over ordered pairs of systems, as the programs behind the paper do, or as its pseudocode reads.
    resamples : int
        How many times the topics are resampled, for intervals and ranges of ranks; 0 leaves them out.
    seed : int
        The same seed gives the same numbers.
    jobs : int
        How many threads; by default all cores, and the result does not depend on it.

    Returns
    -------
    Unanimity
        Tables ``unanimity`` (a row for every collection, iteration, set and metric) and ``unanimity_ranking``, in which
        All sums over iterations and over collections.

    References
    ----------
    amigo2018, albahem2019

    Examples
    --------
    >>> import numpy as np
    >>> values = np.array([[[1.0], [0.5], [0.2]], [[0.8], [0.3], [0.4]], [[1.0], [0.2], [0.5]]])
    >>> table = Scores(("m1", "m2", "m3"), ("x", "y", "z"), ("1",), values)
    >>> row = unanimity(table, complex="m1", simple="m2+m3").table.row(0)  # log2((2/6) / ((3/6) (3/6)))
    >>> round(row[4], 4), row[5:9]
    (0.415, (3.0, 3, 2, 6))
    """
    check_choice(form, "value of form", ("code", "literal"))
    asked: dict[str, Any] = {"form": form, "seed": check_seed(seed)}
    resamples = check_count(resamples, "resamples", 2, zero="for no intervals")
    question = Question.of(scores, complex, simple, iterations, None)
    enough = min(part.topics for part in question.parts) >= FEWEST_UNITS
    asked |= {"resamples": resamples if enough else 0}
    found = [found_by(part, question, {**asked, "jobs": Workers.of(jobs)}) for part in question.parts]
    contests = [each.part.contest({"wins": each.wins}, each.resampled) for each in found]
    ranked = ranked_metrics(contests, question.sets.labels, question.complex)
    tables = {"unanimity": metric_rows(found, question), "unanimity_ranking": ranked.table}
    manifest = {**manifest_of(procedure="unanimity", **question.options, **asked), "scores": question.manifest}
    return Unanimity(tables, manifest, notes_of(question, {**asked, "intervals": resamples}), ranked.resampled)
