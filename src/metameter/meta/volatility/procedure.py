"""How scores and the ordering of systems change with evaluation and pooling depth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from metameter.errors import MetameterError
from metameter.meta.base import procedure
from metameter.meta.framework.caveats import FEWEST_SYSTEMS
from metameter.meta.framework.options import LEVEL, RESAMPLES, TRIALS
from metameter.meta.framework.sampling import groups_among
from metameter.meta.volatility.charts import charts_of
from metameter.meta.volatility.curves import Curves, EvaluationPlan, counted_topics, curves_of, evaluation_plan
from metameter.meta.volatility.families import Condensed, family_names, stage_metrics
from metameter.meta.volatility.grid import Grid, grid_of, planning_table
from metameter.meta.volatility.leave_group_out import group_table
from metameter.meta.volatility.options import VolatilityOptions
from metameter.meta.volatility.pooling import FROM_DATA, Pooling, pooling_of
from metameter.meta.volatility.summary import Evaluation, settled_table, summary_table
from metameter.meta.volatility.tables import (
    curve_table,
    difference_table,
    displayed_rows,
    final_depth,
    marked_table,
    omitted_depths,
    pool_table,
    within_judgments,
)
from metameter.meta.volatility.text import WORDS, answer_of, notes_of, reach_of
from metameter.metric.compose import MetricLike, several
from metameter.parallel import Workers
from metameter.scoring.judged_runs import JudgedRuns, judged_runs
from metameter.scoring.manifest import manifest_of
from metameter.scoring.measures import measures_of
from metameter.scoring.policy import Policy, takes_policy
from metameter.stats.checks import check_count
from metameter.stats.depth.orderings import DepthBounds, depth_bounds
from metameter.types.display_names import typed_names
from metameter.types.system_names import STRIPPED, CommonAffixes
from metameter.view.result import Result
from metameter.view.tables.cells import DECIMALS

if TYPE_CHECKING:
    import polars as pl

    from metameter.metric.base import Measure


#: The default metrics.
_PRESET = "lu-2016"
#: The order of the tables in a report, others at 0: the answers first, the curves last.
_REPORT_ORDER = {"volatility_settled": -2, "volatility_difference": -2, "volatility_planning": -1, "volatility": 1}


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
        The depth down to which every document of the contributing runs is judged.
    threshold : float
        The ordering at a depth counts as settled if tau to the final ordering is at least this.
    judging_depth : int or None
        An estimate of the depth that the judgments reach; None if no depth is judged throughout.
    reach : str
        The sentence that says how deep the judgments reach.
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
        """``volatility`` (one line per system), ``volatility_settled``, ``volatility_tau``, and others that apply."""
        return charts_of(self.tables, self.judging_depth or self.pool_depth, self.threshold)

    def answer(self) -> list[str]:
        """The sentences on how deep the judgments reach, where the ordering is settled, and how deep to judge."""
        return answer_of(self.tables, self.threshold, self.reach, self.judging_depth)

    def readable(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """A table for people: no settled depth beyond the judgments; CSV and JSON keep the depths."""
        chosen = self.table_name(name)
        table = self.tables[chosen]
        return within_judgments(table) if chosen == "volatility_settled" else table

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """The table for a terminal; curves are reduced to the marked systems at a few depths."""
        return displayed_rows(self.tables, self.table_name(name))

    def left_out(self, name: str) -> str:
        """The depths that the table for a terminal leaves out."""
        return omitted_depths(self.tables, name)

    def important(self, name: str) -> tuple[str, ...]:
        """The columns that a terminal keeps longest; for curves, the system, its mark and the final depth."""
        return ("metric", "condensed", "mark", "system", final_depth(self.tables)) if name == "volatility" else ()

    def latex(self) -> dict[str, str]:
        """Each table as LaTeX; settled depths and the plan as in a paper."""
        from metameter.meta.volatility.latex import latex_of

        return latex_of(self.tables, self.pool_depth, self.threshold)


def volatility_of_judged(judged: JudgedRuns, **options: Any) -> Volatility:
    """Return the volatility of the everyday metrics at about twenty depths, of runs that a study has matched already.

    The options are those of `volatility`. The runs are not read again, and tables that a report omits are left out.
    """
    # Where contributing runs are named, the default rule does not apply; any other rule is refused later.
    if judged.contributing is not None and options["judged_to"] == FROM_DATA:
        options["judged_to"] = None
    result = _result(judged, stage_metrics(judged.measures), VolatilityOptions(**options, brief=True).validated())
    order = sorted(result.tables, key=lambda name: _REPORT_ORDER.get(name, 0))
    return replace(result, tables={name: result.tables[name] for name in order})


def _before(metrics: tuple[str, ...], options: Mapping[str, Any]) -> None:
    """Refuse options that the stage would refuse, before anything is scored."""
    VolatilityOptions(**options, brief=True).validated()


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
    place=18,
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
    """Say how scores and orderings change with evaluation and judging depth, and from which depth on they are settled.

    Every metric is scored at every depth, with unjudged documents taken as not relevant (plain) and removed
    (condensed). A metric named with a depth, such as ``nDCG@10``, is scored at all depths.

    Parameters
    ----------
    qrels : path, folder, glob, dict, data frame or Qrels
        The judgments.
    runs : path, folder, glob, dict, data frame, Run, or several of them
        The systems' ranked lists.
    metrics : str, metric, or list of them
        Metrics to score; by default those of the preset ``lu-2016``.
    preset : str or list of str, optional
        Metrics of everyday use (``everyday``) or of a paper: ``chen-sakai-2023``, ``moffat-2022``,
        ``moffat-2022-preference``, ``lu-2016``.
    depths : str or list of int, optional
        Evaluation depths: single depths and ranges, such as ``1-10,20,50``; by default 1 to 1000, or to the end of the
        longest list. The greatest depth is the final one.
    condensed : {"both", "yes", "no"}
        Score condensed lists (unjudged documents removed), plain lists, or both.
    judged_to : int or "data", optional
        Count a run as contributing to the pool if its first ``judged_to`` documents are all judged. With ``data``, use
        the depth at which more runs have their first unjudged document than at any other, if at least ten share it. By
        default all runs contribute, or those in ``contributing``.
    include_others : bool
        Score the runs that did not contribute, too. They appear in the curves, but orderings are compared without them.
    grid : bool
        Test all pairs of systems in every cell of a grid of pool and evaluation depths, and find the shallowest cells
        that keep the final verdicts: how deep must one judge?
    pools : str or list of int, optional
        The pool depths of the grid; by default those of 5, 10, 20, 50 and 100 that are shallower than the pool.
    groups : path or mapping, optional
        The group of each system (a file with a system and its group on each line): score each group's runs without the
        judgments that only this group contributed to the pool.
    settled : float
        The ordering is settled from the first depth on from which tau to the final ordering stays at least this.
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
        Called with the progress of the work.

    Returns
    -------
    Volatility
        Tables ``volatility`` (metric, condensed, system, depth, score), ``volatility_summary`` (one row for each
        metric, kind of list, pool depth and depth), ``marked`` (the best, the worst and the quartile systems),
        ``volatility_settled`` (the depth from which on the ordering is settled; for two to four systems instead
        ``volatility_difference``, their differences by depth), ``volatility_pools`` (the pool of each topic), and
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
    if policy.condensed and condensed == "no":
        what, fix = (
            "lists cannot be condensed and plain",
            "Leave unjudged = condense out, or set condensed to yes (--condensed yes).",
        )
        raise MetameterError(what, given="unjudged = condense, condensed = no", fix=fix)
    options = VolatilityOptions(
        depths=depths,
        condensed="yes" if policy.condensed else condensed,
        judged_to=judged_to,
        include_others=include_others,
        grid=grid,
        pools=pools,
        groups=groups,
        settled=settled,
        resamples=resamples,
        trials=trials,
        alpha=alpha,
        seed=seed,
        jobs=jobs,
        progress=progress,
    ).validated()
    metrics, preset = several(metrics), several(preset)
    measures = measures_of(metrics, preset or (() if metrics else _PRESET), condensed=False)
    warn = any(measure.scaled for measure in measures)
    judged = judged_runs(qrels, runs, policy, measures=measures, warn=warn, jobs=jobs, progress=progress)
    return replace(_result(judged, measures, options), names=family_names(measures, typed_names(metrics)))


def _result(judged: JudgedRuns, measures: Sequence[Measure], options: VolatilityOptions) -> Volatility:
    """Score the runs at all depths, and make the tables and the notes."""
    names = [*judged.systems, *(run.system for run in judged.contributing or ())]
    groups = groups_among(options.groups or {}, names, CommonAffixes.of_manifest(judged.manifest))
    topics = counted_topics(judged)
    pooling = pooling_of(judged, options.judged_to, topics=topics, restrict_curves=not options.brief)
    plan = evaluation_plan(judged, pooling, topics, measures, options)
    runs = [*pooling.systems, *(pooling.others if options.include_others else ())]
    curves = curves_of(runs, pooling.pool, plan, jobs=options.jobs, progress=options.progress)
    bounds, grid = _bounds(curves, pooling, options), _grid(curves, pooling, plan, options)
    evaluation = Evaluation(plan, pooling, curves, bounds, grid)
    tables = _tables(evaluation, options)
    if grid is not None:
        tables["volatility_planning"] = planning_table(plan.families, grid, pooling.pool, options)
    if groups:
        tables["volatility_groups"] = group_table(
            pooling, groups, plan.families, plan.listed[-1], plan.topics, jobs=options.jobs
        )
    return Volatility(
        tables,
        _manifest(judged, pooling, plan, options),
        notes_of(evaluation, options),
        pool_depth=pooling.depth,
        threshold=options.settled,
        judging_depth=pooling.judging.depth,
        reach=reach_of(pooling.judging, plan.listed[-1]),
    )


def _bounds(curves: Curves, pooling: Pooling, options: VolatilityOptions) -> DepthBounds | None:
    systems = len(pooling.systems)
    if not options.resamples or systems < FEWEST_SYSTEMS:
        return None
    return depth_bounds(
        curves.topical[..., :systems],
        only_final=options.brief,
        resamples=options.resamples,
        seed=options.seed,
        jobs=options.jobs,
        progress=options.progress,
    )


def _grid(curves: Curves, pooling: Pooling, plan: EvaluationPlan, options: VolatilityOptions) -> Grid | None:
    if not plan.pools:
        return None
    systems = len(pooling.systems)
    deepest = curves.topical[..., :systems][:, np.searchsorted(plan.topic_depths, plan.grid)]
    # An inferred pool depth does not bound the judgments, some of which lie deeper; a requested depth does.
    last = pooling.depth if pooling.requested else None
    scores = np.concatenate([curves.shallow[..., :systems], deepest[:, None]], axis=1)
    residual = curves.shallow_residual[..., :systems].mean(axis=-1)
    return grid_of((*plan.pools, last), plan.grid, scores, residual, options)


def _tables(evaluation: Evaluation, options: VolatilityOptions) -> dict[str, pl.DataFrame]:
    plan, pooling, curves = evaluation.plan, evaluation.pooling, evaluation.curves
    names = [run.system for run in pooling.systems]
    others = [run.system for run in pooling.others] if options.include_others else []
    contributing = [True] * len(names) + [False] * len(others) if others else None
    means = curves.means[:, np.searchsorted(plan.depths, plan.listed)]
    tables = {
        "volatility": curve_table(plan.families, [*names, *others], plan.listed, means, contributing),
        "volatility_summary": summary_table(evaluation),
        "marked": marked_table(plan.families, names, means[:, -1, : len(names)]),
    }
    if len(names) >= FEWEST_SYSTEMS:
        tables["volatility_settled"] = settled_table(evaluation, options.settled)
    elif len(names) > 1:
        topical = curves.topical[..., : len(names)]
        tables["volatility_difference"] = difference_table(plan.families, names, plan.topic_depths, topical)
    return {**tables, "volatility_pools": pool_table(pooling, plan.topics)}


def _manifest(judged: JudgedRuns, pooling: Pooling, plan: EvaluationPlan, options: VolatilityOptions) -> dict[str, Any]:
    manifest = manifest_of(
        procedure="volatility",
        metrics=[family.label for family in plan.families],
        depths=_depths_text(plan.listed),
        pools=list(plan.pools) or None,
        **options.manifest,
        **judged.policy.changed(),
        contributing=[run.system for run in pooling.contributing],
    )
    return {**manifest, **{key: judged.manifest[key] for key in ("inputs", STRIPPED) if key in judged.manifest}}


def _depths_text(depths: Sequence[int]) -> str:
    """Depths as the option ``depths`` takes them: a range, or a list with commas."""
    is_range = len(depths) > 2 and depths[-1] - depths[0] == len(depths) - 1
    return f"{depths[0]}-{depths[-1]}" if is_range else ",".join(map(str, depths))
