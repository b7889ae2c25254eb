"""How much the verdict wobbles: scores and orderings as evaluation and pooling depth grow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from metameter.errors import MetameterError
from metameter.meta.base import procedure
from metameter.meta.framework.options import LEVEL, RESAMPLES, TRIALS
from metameter.meta.volatility.analysis import found_by
from metameter.meta.volatility.charts import charts_of
from metameter.meta.volatility.depths import thinned
from metameter.meta.volatility.families import Condensed, stage_metrics
from metameter.meta.volatility.options import Asked
from metameter.meta.volatility.pooling import FROM_DATA
from metameter.meta.volatility.text import WORDS, answer_of
from metameter.metric.compose import MetricLike, several
from metameter.parallel import Workers
from metameter.scoring.judged_runs import JudgedRuns, judged_runs
from metameter.scoring.measures import measures_of
from metameter.scoring.policy import Policy
from metameter.scoring.takes_policy import takes_policy
from metameter.stats.checks import check_count
from metameter.view.result import Result
from metameter.view.tables.cells import DECIMALS

if TYPE_CHECKING:
    import polars as pl


_DEPTHS, _MOST_NAMED = 8, 5
_SUMMARY = (
    *("metric", "condensed", "pool_depth", "depth", "tau_to_final", "low", "high", "crossings", "falls", "range"),
    *("drift", "residual", "discriminated", "lost", "reversed"),
)

_PRESET = "lu-2016"
_LEAST_READ = {"volatility_settled": -2, "volatility_difference": -2, "volatility_planning": -1, "volatility": 1}


@dataclass(frozen=True, eq=False, repr=False)
class Volatility(Result):
    """Result of `volatility`.

    Attributes
    ----------
    tables : dict of polars.DataFrame
        ``volatility``, ``volatility_summary``, ``marked``, ``volatility_settled`` (of two to four systems
        ``volatility_difference`` instead), ``volatility_pools``; with a grid ``volatility_planning``, with groups
        ``volatility_groups``.
    pool_depth : int or None
        To which depth the contributing runs are judged without a gap.
    threshold : float
        The tau from which on two orderings count as the same.
    judging_depth : int or None
        How deep the judgments reach, as estimated; None if no depth is judged throughout.
    reach : str
        The same in a sentence.
    """

    table_names: ClassVar[tuple[str, ...]] = (
        "volatility",
        "volatility_summary",
        "marked",
        "volatility_settled",
        "volatility_difference",
        "volatility_pools",
        "volatility_planning",
        "volatility_groups",
    )

    pool_depth: int | None = None
    threshold: float = 0.9
    judging_depth: int | None = None
    reach: str = ""

    def charts(self) -> dict[str, Any]:
        """``volatility`` (one line per system), ``volatility_settled``, ``volatility_tau``, and what else applies."""
        return charts_of(self.tables, self.judging_depth or self.pool_depth, self.threshold)

    def answer(self) -> list[str]:
        """How deep the judgments reach, from which depth on the ordering is settled, and what to judge."""
        return answer_of(self.tables, self.threshold, self.reach, self.judging_depth)

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """What a terminal shows: of the curves the marked systems at a few depths."""
        return shown(self.tables, self.table_name(name))

    def left_out(self, name: str) -> str:
        """The depths of the curves that are not shown."""
        return unshown_depths(self.tables, name)

    def important(self, name: str) -> tuple[str, ...]:
        """Of the curves which system it is, and the depth to which its mark refers."""
        return ("metric", "condensed", "mark", "system", final_depth(self.tables)) if name == "volatility" else ()

    @property
    def remark(self) -> str:
        """The answer, then the notes."""
        return "\n".join([*self.answer(), *self.notes])

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX; settled depths and the plan as a paper prints them."""
        from metameter.meta.volatility.latex import latex_of

        return latex_of(self.tables, self.pool_depth, self.threshold)


def volatility_of_judged(judged: JudgedRuns, **options: Any) -> Volatility:
    """The volatility of the everyday metrics at about twenty depths, of runs that a study has matched already.

    The options are those of `volatility`. It differs from that function because the runs are not read again, and
    because all that a report does not show is left out.
    """
    # Where the contributing runs are named no rule is needed; one that is given all the same is refused.
    named = judged.contributing is not None and options["judged_to"] == FROM_DATA
    asked = Asked.of(**{**options, "judged_to": None} if named else options, brief=True)
    result = _made(judged, stage_metrics(judged.measures), asked)
    # A report begins with what its readers want to know; the curves are drawn.
    order = sorted(result.tables, key=lambda name: _LEAST_READ.get(name, 0))
    return replace(result, tables={name: result.tables[name] for name in order})


def _before(metrics: tuple[str, ...], options: Mapping[str, Any]) -> None:
    """Refuse options that the stage would refuse, before anything is scored."""
    Asked.of(**options, brief=True)


@procedure(
    WORDS,
    result=Volatility,
    needs=("judged",),
    options={
        "depths": None,
        "condensed": None,
        "judged_to": None,
        "grid": None,
        "settled": LEVEL,
        "resamples": RESAMPLES,
        "trials": TRIALS,
        "alpha": LEVEL,
    },
    place=45,
    stage=volatility_of_judged,
    study_defaults={"condensed": "no", "judged_to": FROM_DATA, "resamples": 100},
    before=_before,
    checks={"trials": partial(check_count, what="trials", least=2)},
)
@takes_policy
def volatility(
    qrels: Any,
    runs: Any,
    metrics: MetricLike | Sequence[MetricLike] = (),
    *,
    preset: str | Sequence[str] | None = None,
    depths: Any = None,
    condensed: Condensed = "both",
    judged_to: Any = None,
    include_others: bool = False,
    grid: bool = False,
    pools: Any = None,
    groups: Any = None,
    settled: float = 0.9,
    resamples: int = 200,
    trials: int = 2000,
    alpha: float = 0.05,
    seed: int = 0,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
    policy: Policy,
) -> Volatility:
    """Say how scores and orderings move as lists are evaluated and judged deeper, and from where on they are settled.

    Every metric is scored at every depth, with unjudged documents taken as not relevant (plain) and removed
    (condensed). A metric that is named with a depth, such as ``nDCG@10``, is followed over all depths.

    Parameters
    ----------
    qrels : path, folder, glob, dict, data frame or Qrels
        The judgments.
    runs : path, folder, glob, dict, data frame, Run, or several of them
        The systems' ranked lists.
    metrics : str, metric, or list of them
        Metrics to follow; by default those of the preset ``lu-2016``.
    preset : str or list of str, optional
        Metrics of everyday use (``everyday``) or of a paper: ``chen-sakai-2023``, ``moffat-2022``,
        ``moffat-2022-preference``, ``lu-2016``.
    depths : str or list of int, optional
        Evaluation depths: single ones and ranges, such as ``1-10,20,50``; by default 1 to 1000, or to the end of the
        longest list. The greatest one is the final depth.
    condensed : {"both", "yes", "no"}
        Plain lists, condensed lists (documents without judgment removed), or both.
    judged_to : int or "data", optional
        Take as contributing runs those without an unjudged document in their first ``judged_to``; with ``data`` the
        depth at which more runs have their first gap than at any other, if at least ten share it. By default all runs,
        or ``contributing``.
    include_others : bool
        Follow the runs that did not contribute, too: in the curves, not in what is said of orderings.
    grid : bool
        Test all pairs of systems for pools and evaluation depths of a grid, and plan: how deep must one judge?
    pools : str or list of int, optional
        The pool depths of the grid; by default 5, 10, 20, 50 and 100, as far as they are shallower than the pool.
    groups : path or mapping, optional
        Which systems come from one group (a file with a system and its group in each line): score each group's runs
        without the judgments that only this group brought into the pool.
    settled : float
        The ordering is settled from the depth on from which its tau with the final one stays at least this.
    resamples : int
        Bootstrap samples of topics for the intervals; 0 leaves them out.
    trials : int
        Shuffles of the randomised Tukey HSD in every cell of the grid.
    alpha : float
        In the grid, pairs with p below it differ significantly.
    seed : int
        The same seed gives the same numbers.
    jobs : int
        Threads, by default all cores; the numbers do not depend on it.
    progress : callable
        Told how far the work is.

    Returns
    -------
    Volatility
        Tables ``volatility`` (metric, condensed, system, depth, score), ``volatility_summary`` (one row for each
        metric, kind of list, pool depth and depth), ``marked`` (the best, the worst and the quartile systems),
        ``volatility_settled`` (from which depth on the ordering is settled; of two to four systems instead
        ``volatility_difference``, their differences along depth), ``volatility_pools`` (the pool of each topic), and
        with a grid ``volatility_planning``, with groups ``volatility_groups``.

    References
    ----------
    lu2016, kendall1945, yilmaz2008, carterette2012, zobel1998

    Examples
    --------
    >>> qrels = {"1": {"a": 1, "b": 0, "c": 1}}
    >>> runs = {"s": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, "t": {"1": {"b": 3.0, "a": 2.0, "c": 1.0}}}
    >>> result = volatility(qrels, runs, ["AP"], condensed="no")
    >>> [round(score, 2) for score in result.table["score"]]  # s at depths 1 to 3, then t
    [0.5, 0.5, 0.83, 0.0, 0.25, 0.58]
    """
    given = {"depths": depths, "condensed": condensed, "judged_to": judged_to, "include_others": include_others}
    given |= {"grid": grid, "pools": pools, "groups": groups, "settled": settled, "resamples": resamples}
    given |= {"trials": trials, "alpha": alpha, "seed": seed, "jobs": jobs, "progress": progress}
    if policy.condensed and condensed == "no":
        what, fix = (
            "lists cannot be condensed and plain",
            "Leave unjudged = condense out, or set condensed to yes (--condensed yes).",
        )
        raise MetameterError(what, given="unjudged = condense, condensed = no", fix=fix)
    if policy.condensed:
        given["condensed"] = "yes"
    asked = Asked.of(**given)
    metrics, preset = several(metrics), several(preset)
    measures = measures_of(metrics, preset or (() if metrics else _PRESET), condensed=False)
    warn = any(measure.scaled for measure in measures)
    return _made(
        judged_runs(qrels, runs, policy, measures=measures, warn=warn, jobs=jobs, progress=progress), measures, asked
    )


def _made(judged: JudgedRuns, measures: Any, asked: Asked) -> Volatility:
    found = found_by(judged, measures, asked)
    depths = (found.pool_depth, asked.settled, found.judging_depth)
    return Volatility(found.tables, found.manifest, found.notes, *depths, found.reach)


def shown(tables: Mapping[str, pl.DataFrame], name: str) -> pl.DataFrame:
    """A table for the eye: of the curves the marked systems at a few depths; of the summary a few depths.

    Of settled depths, tau at the pool depth only where there is one.
    """
    import polars as pl

    table = tables[name]
    if name == "volatility_settled":
        return table.select(each for each in table if each.name != "tau_at_pool_depth" or each.is_not_null().any())
    if name not in ("volatility", "volatility_summary"):
        return table
    few = thinned(_depths(table), _DEPTHS)
    table = table.filter(pl.col("depth").is_in(few))
    if name == "volatility_summary":
        return table.select(each for each in _SUMMARY if table[each].is_not_null().any())
    # A system may be the best and the first quartile, if there are few.
    marks = tables["marked"].group_by("metric", "condensed", "system", maintain_order=True).agg(pl.col("mark").first())
    marked = marks.join(table, on=["metric", "condensed", "system"], how="inner", maintain_order="left")
    wide = marked.pivot("depth", index=["metric", "condensed", "mark", "system"], values="score", maintain_order=True)
    return wide.rename({str(depth): f"@{depth}" for depth in few})


def unshown_depths(tables: Mapping[str, pl.DataFrame], name: str) -> str:
    """How many depths of a table are not for the eye, and of a few which.

    Examples
    --------
    >>> import polars as pl
    >>> curves = pl.DataFrame({"depth": [1, 2, 3, 5, 10, 20, 30, 40, 50]})
    >>> unshown_depths({"volatility": curves}, "volatility")
    '1 more depth (40)'
    """
    if name not in ("volatility", "volatility_summary"):
        return ""
    every = _depths(tables[name])
    few = thinned(every, _DEPTHS)
    left = [str(depth) for depth in every if depth not in few]
    named = f" ({', '.join(left)})" if len(left) <= _MOST_NAMED else ""
    return f"{len(left):,} more depth{'s' * (len(left) > 1)}{named}" if left else ""


def final_depth(tables: Mapping[str, pl.DataFrame]) -> str:
    """The column of the depth to which the marks refer."""
    return f"@{_depths(tables['volatility'])[-1]}"


def _depths(table: pl.DataFrame) -> list[int]:
    depths: list[int] = table["depth"].unique().sort().to_list()
    return depths
