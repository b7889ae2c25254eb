"""Does a metric see what all simple metrics see? Metric unanimity, as pointwise mutual information."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from metameter.meta.base import Words, procedure
from metameter.meta.collections import Collections
from metameter.meta.dimension_tests.question import CollectionScores, Question, refuse_unscored
from metameter.meta.dimension_tests.ranked_result import RankedResult, at_a_glance, without_collection
from metameter.meta.dimension_tests.rankings import across_rankings, ranked_metrics, ranking_chart, ranking_latex
from metameter.meta.framework.caveats import few_units
from metameter.meta.framework.options import RESAMPLES
from metameter.parallel import Workers
from metameter.scoring.manifest import manifest_of
from metameter.stats.checks import Floats, check_choice, check_count, check_seed
from metameter.stats.dimensions.metric_wins import resampled_scores, score_wins
from metameter.stats.dimensions.unanimity import improvements, mutual_information
from metameter.stats.intervals.rows import FEWEST_UNITS, order_interval
from metameter.view.tables.cells import DECIMALS

if TYPE_CHECKING:
    import polars as pl


CAPTION = "Ranks of metrics by how many others have a lower metric unanimity."
RANKS = "Who sees what all simple metrics see? Ranks by metric unanimity"

WORDS = Words(
    "Metric unanimity",
    "Does a metric see the improvements that all simple metrics see?",
    "A simple metric measures one thing everybody understands, such as the share of relevant results (precision), the "
    "share of aspects found (subtopic recall) or the time it takes. For every two systems and every topic, one system "
    "may be an improvement over the other by the metric under test, and by all simple metrics of a set at once. The "
    "unanimity mu is the pointwise mutual information of the two events: the logarithm (base 2) of how many times more "
    "often they coincide than they would by chance.",
    "The higher, the more a metric's improvements are improvements in all simple metrics. In the form of the authors' "
    "programs, chance is 0 for a metric without ties; ties count for it, so a metric that often calls two systems "
    "equal has a higher mu by that alone (a constant one has 1). In the form of the pseudocode, chance is about -1. "
    "Compare values of one set only: the more simple metrics must agree, the rarer their improvements. There is no "
    "test of single differences in mu; the range of ranks over resampled topics shows how stable a rank is.",
    columns={
        "collection": "the collection; All: wins summed over all of them",
        "iteration": "how many iterations (turns) of the session are scored; in rankings All: wins summed over them",
        "simple": "the set of simple metrics; + joins those that must agree",
        "metric": "the metric",
        "mu": "unanimity: log2 of how many times more often improvements coincide than if they were unrelated; -inf if "
        "they never do, empty if the simple metrics see none",
        "metric_improvements": "improvements that the metric sees; a tie counts as half of one",
        "simple_improvements": "improvements that no simple metric of the set contradicts",
        "joint_improvements": "improvements that neither the metric nor any simple metric of the set contradicts",
        "cases": "the denominator of these shares: pairs of systems times topics",
        "low": "lower end of the interval of mu for other topics, about 95%",
        "high": "upper end of the interval of mu for other topics, about 95%",
        "wins": "how many metrics have a lower mu",
        "rank": "rank by wins, 1 for the most; tied metrics share a rank, and the next rank follows without a gap",
        "rank_low": "lower end of the range of 95% of its ranks over resampled topics",
        "rank_high": "upper end of the range of 95% of its ranks over resampled topics",
    },
)


def notes_of(question: Question, options: UnanimityOptions) -> list[str]:
    """The notes: what is counted, and what the intervals hold for."""
    pairs = (
        "ordered pairs of systems, and cases are all of them on all topics, scored or not (as the authors' programs do)"
        if options.form == "code"
        else "unordered pairs of systems, and cases are those that are scored (as in Algorithm 2 of the paper)"
    )
    notes = [f"Improvements are counted over {pairs}."]
    if question.sets.legend:
        notes.append(f"Sets: {question.sets.legend}.")
    if options.resamples:
        notes.append(
            "low, high: separate intervals of mu for other topics, about 95%; rank_low, rank_high: 95% of the ranks; "
            f"both from {options.resamples:,} resampled sets of topics."
        )
    return notes


@dataclass(frozen=True, eq=False, repr=False)
class Unanimity(RankedResult):
    """Result of `unanimity`.

    Attributes
    ----------
    tables : dict of polars.DataFrame
        ``unanimity``, ``unanimity_ranking``.
    """

    table_names: ClassVar[tuple[str, ...]] = ("unanimity", "unanimity_ranking")
    first_columns: ClassVar[tuple[str, ...]] = ("iteration", "simple", "metric", "mu", "low", "high")

    def charts(self) -> dict[str, Any]:
        """The ranks of the metrics by iteration."""
        return {"unanimity_ranking": ranking_chart(self.tables["unanimity_ranking"], RANKS)}

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """The rows that a terminal shows: unanimity at the last iteration; ranks over all iterations."""
        return at_a_glance(self.tables[self.table_name(name)])

    def latex(self) -> dict[str, str]:
        """The tables as LaTeX; the ranking is laid out as Table 3 of Albahem et al. (2019)."""
        ranking = self.tables["unanimity_ranking"]
        return {**super().latex(), "unanimity_ranking": ranking_latex(ranking, CAPTION, "tab:unanimity-ranking")}


@procedure(
    WORDS,
    result=Unanimity,
    needs=("sessions",),
    options={"simple": None, "complex": None, "iterations": None, "resamples": RESAMPLES},
    place=62,
    takes={"sessions": "scores"},
    in_study=without_collection,
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
    >>> from metameter import Scores
    >>> values = np.array([[[1.0], [0.5], [0.2]], [[0.8], [0.3], [0.4]], [[1.0], [0.2], [0.5]]])
    >>> table = Scores(("m1", "m2", "m3"), ("x", "y", "z"), ("1",), values)
    >>> row = unanimity(table, complex="m1", simple="m2+m3").table.row(0)  # log2((2/6) / ((3/6) (3/6)))
    >>> round(row[4], 4), row[5:9]
    (0.415, (3.0, 3, 2, 6))
    """
    check_choice(form, "value of form", ("code", "literal"))
    options = UnanimityOptions(
        form=form,
        seed=check_seed(seed),
        resamples=check_count(resamples, "resamples", 2, zero="for no intervals"),
    )
    question = Question.of(scores, complex, simple, iterations, None)
    fewest = min(part.topics for part in question.parts)
    used = options if fewest >= FEWEST_UNITS else replace(options, resamples=0)
    counts = [unanimity_counts(part, question, used, Workers.of(jobs)) for part in question.parts]
    contests = [each.collection.contest({"wins": each.wins}, each.resampled) for each in counts]
    ranked = ranked_metrics(contests, question.sets.labels, question.complex)
    manifest = manifest_of(procedure="unanimity", **question.options, **asdict(used))
    notes = notes_of(question, used) + (few_units(fewest) if options.resamples else [])
    return Unanimity(
        {"unanimity": metric_rows(counts, question), "unanimity_ranking": ranked.table},
        {**manifest, "scores": question.manifest},
        tuple(notes),
        resampled=ranked.resampled,
        names=question.names,
    )


@dataclass(frozen=True)
class UnanimityOptions:
    """The options of the count, which the docstring of `unanimity` describes."""

    form: Literal["code", "literal"]
    seed: int
    resamples: int


@dataclass(frozen=True, eq=False)
class UnanimityCounts:
    """Counts over all topics of one collection and the unanimity, all (iterations, sets, metrics).

    Attributes
    ----------
    collection : CollectionScores
    counts : ndarray, (4, iterations, sets, metrics)
        Improvements by the metric, the simple metrics and both; cases.
    mu, low, high : ndarray
    wins : ndarray of int
    resampled : ndarray of int, (resamples, iterations, sets, metrics), or None
        The wins over resampled topics.
    """

    collection: CollectionScores
    counts: Floats
    mu: Floats
    low: Floats
    high: Floats
    wins: NDArray[Any]
    resampled: NDArray[np.int16] | None


def improvements_by_topic(
    collection: CollectionScores, question: Question, form: Literal["code", "literal"], jobs: Workers
) -> Floats:
    """Improvements by the metric, the simple metrics and both, and cases: (4, iterations, topics, sets, metrics)."""
    counts = improvements(collection.values, collection.simple, question.dimensions, form=form, jobs=jobs)
    return np.stack([counts.metric, counts.simple, counts.joint, counts.cases])


def unanimity_counts(
    collection: CollectionScores, question: Question, options: UnanimityOptions, jobs: Workers
) -> UnanimityCounts:
    """Count the improvements of one collection."""
    by_topic = improvements_by_topic(collection, question, options.form, jobs)
    counts = by_topic.sum(axis=2)
    mu = mutual_information(*counts)
    if not options.resamples:
        unknown = np.full_like(mu, np.nan)
        return UnanimityCounts(collection, counts, mu, unknown, unknown, score_wins(mu), None)
    resampled = resampled_scores(by_topic, resamples=options.resamples, seed=options.seed, jobs=jobs)
    wins = score_wins(resampled).astype(np.int16)
    return UnanimityCounts(collection, counts, mu, *order_interval(resampled), score_wins(mu), wins)


def metric_rows(counts: Sequence[UnanimityCounts], question: Question) -> pl.DataFrame:
    """The table ``unanimity``: a row for every collection, iteration, set and metric."""
    import polars as pl

    return pl.concat([_rows(each, question) for each in counts])


def _rows(counts: UnanimityCounts, question: Question) -> pl.DataFrame:
    import polars as pl

    labels = [
        (counts.collection.name, iteration, label, metric)
        for iteration in counts.collection.iterations
        for label in question.sets.labels
        for metric in question.complex
    ]
    schema = {"collection": pl.String, "iteration": pl.Int64, "simple": pl.String, "metric": pl.String}
    metric, simple, joint, cases = (each.reshape(-1) for each in counts.counts)
    return (
        pl.DataFrame(labels, schema=schema, orient="row")
        .with_columns(
            mu=pl.Series(counts.mu.reshape(-1)),
            metric_improvements=pl.Series(metric),
            simple_improvements=pl.Series(simple.astype(np.int64)),
            joint_improvements=pl.Series(joint.astype(np.int64)),
            cases=pl.Series(cases.astype(np.int64)),
            low=pl.Series(counts.low.reshape(-1)),
            high=pl.Series(counts.high.reshape(-1)),
        )
        .with_columns(pl.selectors.float().fill_nan(None))
    )
