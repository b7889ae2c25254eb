"""Where two metrics prefer different systems, which of them do simple metrics side with? The intuitiveness test."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from metameter.meta.base import procedure
from metameter.meta.collections import Collections
from metameter.meta.dimension_tests.question import Question, refuse_unscored
from metameter.meta.dimension_tests.ranked_result import RankedResult, at_a_glance, without_collection
from metameter.meta.dimension_tests.rankings import across_rankings, ranked_metrics, ranking_chart, ranking_latex
from metameter.meta.framework.caveats import few_units
from metameter.meta.framework.monte_carlo_result import with_p_as_text
from metameter.meta.framework.options import LEVEL, RESAMPLES, TRIALS
from metameter.meta.intuitiveness.charts import matrix_chart
from metameter.meta.intuitiveness.tables import (
    IntuitivenessOptions,
    intuitiveness_tests,
    matrix_latex,
    pair_rows,
    sure_wins,
    table_pvalues,
)
from metameter.meta.intuitiveness.text import RANKS, WORDS, answer_of, caption_of, notes_of
from metameter.parallel import Workers
from metameter.scoring.manifest import manifest_of
from metameter.stats.checks import check_choice, check_count, check_level, check_seed
from metameter.stats.intervals.rows import FEWEST_UNITS
from metameter.view.tables.cells import DECIMALS

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class Intuitiveness(RankedResult):
    """Result of `intuitiveness`.

    Attributes
    ----------
    tables : dict of polars.DataFrame
        ``intuitiveness``, ``intuitiveness_ranking``.
    alpha : float
        The level of the sign test.
    level : float
        The level of p_table: alpha, shared by all collections of a study.
    """

    table_names: ClassVar[tuple[str, ...]] = ("intuitiveness", "intuitiveness_ranking")
    first_columns: ClassVar[tuple[str, ...]] = (
        "simple",
        "metric",
        "metric_a",
        "metric_b",
        "intuitiveness_a",
        "intuitiveness_b",
        "p_table",
    )

    alpha: float = 0.05
    level: float = 0.05

    def charts(self) -> dict[str, Any]:
        """Metrics against each other, and their ranks by iteration."""
        ranking = self.tables["intuitiveness_ranking"]
        return {
            "intuitiveness": matrix_chart(self.table, self.level),
            "intuitiveness_ranking": ranking_chart(ranking, RANKS),
        }

    def latex(self) -> dict[str, str]:
        """The tables as LaTeX, laid out as Tables 1 and 2 of Albahem et al. (2019)."""
        ranking = self.tables["intuitiveness_ranking"]
        caption = caption_of(self.manifest["options"])
        return {
            "intuitiveness": matrix_latex(self.table, self.alpha),
            "intuitiveness_ranking": ranking_latex(ranking, caption, "tab:intuitiveness-ranking"),
        }

    def answer(self) -> list[str]:
        """The metric that follows each set of simple metrics most, and how sure that is."""
        return answer_of(self.table, self.tables["intuitiveness_ranking"], self.level)

    def readable(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """A table for terminal, Markdown and LaTeX: a Monte-Carlo p that rounds to zero is printed as ``< 0.0001``."""
        return self._with_p_as_text(self.tables[self.table_name(name)], digits)

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """The rows that a terminal shows: the last iteration, of many pairs the sure ones; of ranks the sums."""
        return self._with_p_as_text(at_a_glance(self.tables[self.table_name(name)], self.level), digits)

    def _with_p_as_text(self, table: pl.DataFrame, digits: int) -> pl.DataFrame:
        once = with_p_as_text(table, digits, "p_topics")
        return with_p_as_text(once, digits, "p_table")


@procedure(
    WORDS,
    result=Intuitiveness,
    needs=("sessions",),
    options={
        "simple": None,
        "complex": None,
        "iterations": None,
        "weights": None,
        "alpha": LEVEL,
        "trials": TRIALS,
        "resamples": RESAMPLES,
    },
    place=60,
    takes={"sessions": "scores"},
    in_study=without_collection,
    before=refuse_unscored,
    across=across_rankings,
    wanted="simple",
)
def intuitiveness(
    scores: Collections,
    *,
    simple: Any = (),
    complex: Any = None,  # noqa: A002
    iterations: Any = None,
    ties: Literal["strict", "agree"] = "strict",
    wins: Literal["significant", "any"] = "significant",
    weights: Any = None,
    alpha: float = 0.05,
    trials: int = 2000,
    resamples: int = 1000,
    collections: int = 1,
    seed: int = 0,
    jobs: int | Workers | None = None,
) -> Intuitiveness:
    """Ask which of two metrics simple metrics side with, where the two prefer different systems.

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
    ties : {"strict", "agree"}
        A simple metric with tied scores sides with neither (the paper) or with both (Sakai's original test). Documents
        with tied scores are another matter: for another order of these, score the runs first.
    wins : {"significant", "any"}
        In the ranking a metric beats another with significantly more cases on its side, or just with more.
    weights : str or mapping, optional
        How much each simple metric counts, such as ``rel=.5,div=.3,eff=.2`` or by their names: adds the share of the
        weight that sides with a metric, and a test of the weighted vote.
    alpha : float
        The level of the sign test in the ranking, and of p_table in sentences (all collections of a study share it).
    trials : int
        How many times the metrics' roles are swapped on random topics, for p_topics and p_table.
    resamples : int
        How many times the topics are resampled, for the ranges of ranks; 0 leaves them out.
    collections : int
        The number of collections that are studied one by one and share the level ``alpha``.
    seed : int
        The same seed gives the same numbers.
    jobs : int
        How many threads; by default all cores, and the result does not depend on it.

    Returns
    -------
    Intuitiveness
        Tables ``intuitiveness`` (a row for every collection, iteration, set and pair of metrics) and
        ``intuitiveness_ranking``, in which All sums over iterations and over collections.

    References
    ----------
    albahem2019, sakai2012www, westfall1993

    Examples
    --------
    >>> import numpy as np
    >>> from metameter import Scores
    >>> values = np.array([[[3.0], [2.0], [1.0]], [[1.0], [2.0], [3.0]], [[0.9], [0.5], [0.5]]])
    >>> table = Scores(("one", "other", "prec"), ("x", "y", "z"), ("1",), values)
    >>> intuitiveness(table, simple="prec").table.row(0)[3:11]  # they disagree on all three pairs; prec knows two
    ('one', 'other', 3, 3, 2, 0, 0.6666666666666666, 0.0)
    """
    check_choice(ties, "value of ties", ("strict", "agree"))
    check_choice(wins, "value of wins", ("significant", "any"))
    options = IntuitivenessOptions(
        ties=ties,
        wins=wins,
        alpha=check_level(alpha),
        trials=check_count(trials, "trials"),
        seed=check_seed(seed),
        resamples=check_count(resamples, "resamples", 2, zero="for no ranges"),
    )
    question = Question.of(scores, complex, simple, iterations, weights, least=2)
    return _result(question, options, check_count(collections, "collections"), Workers.of(jobs))


def _result(question: Question, options: IntuitivenessOptions, collections: int, jobs: Workers) -> Intuitiveness:
    """Count, test and rank; ``collections`` is the number of collections that share the level."""
    level = options.alpha / collections
    fewest = min(part.topics for part in question.parts)
    used = options if fewest >= FEWEST_UNITS else replace(options, resamples=0)
    tests = [intuitiveness_tests(part, question, used, jobs) for part in question.parts]
    p_table = table_pvalues(tests)
    contests = []
    for each, p in zip(tests, p_table, strict=True):
        sure = sure_wins(each, p, level, len(question.complex))
        contests.append(each.collection.contest({"wins": each.wins, "sure_wins": sure}, each.resampled))
    ranked = ranked_metrics(contests, question.sets.labels, question.complex)
    table = pair_rows(tests, p_table, question, options.trials, level)
    manifest = manifest_of(procedure="intuitiveness", **question.options, **asdict(used))
    notes = notes_of(question, used, table, level)
    if options.resamples:
        notes += few_units(fewest)
    return Intuitiveness(
        {"intuitiveness": table, "intuitiveness_ranking": ranked.table},
        {**manifest, "scores": question.manifest},
        tuple(notes),
        resampled=ranked.resampled,
        names=question.names,
        alpha=options.alpha,
        level=level,
    )
