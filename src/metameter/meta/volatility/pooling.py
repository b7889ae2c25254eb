"""The contributing runs and the depth of the pool: given, by a rule, or inferred from the data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metameter.errors import MetameterError
from metameter.judge.contributed import (
    FEWEST_SHARING,
    CommonestDepth,
    JudgingDepth,
    Pool,
    commonest_depth,
    depths_judged,
    judged_at_least,
    judging_depth,
)
from metameter.notation import plain
from metameter.parameters import DEPTHS

if TYPE_CHECKING:
    from metameter.judge.judged_run import JudgedRun
    from metameter.scoring.judged_runs import JudgedRuns


FROM_DATA = "data"


@dataclass(frozen=True, eq=False)
class Pooling:
    """The pool that the judgments come from, and the systems whose orderings are compared.

    Attributes
    ----------
    pool : Pool
        The judgments; if a pool depth was given, those down to it.
    contributing : tuple of JudgedRun
        The runs that contributed to the pool.
    systems : tuple of JudgedRun
        The runs whose orderings are compared: the given runs that contributed or, in a study, all given runs.
    others : tuple of JudgedRun
        The given runs that did not contribute; empty in a study.
    depth : int or None
        The pool depth, given or inferred; None if some contributing run has an unjudged document at its first rank.
    inferred : int or None
        The depth down to which every document of the contributing runs is judged, also where a depth was given.
    by_topic : ndarray, topics
        ``inferred`` for each topic; at most the pool depth, if one was given.
    requested : bool
        Whether the pool depth was requested, and the judgments restricted to it.
    rule : str
        A clause on how the contributing runs were determined.
    judging : JudgingDepth
        How deep the judgments reach in the lists of the systems.
    """

    pool: Pool
    contributing: tuple[JudgedRun, ...]
    systems: tuple[JudgedRun, ...]
    others: tuple[JudgedRun, ...]
    depth: int | None
    inferred: int | None
    by_topic: NDArray[np.int64]
    requested: bool
    rule: str
    judging: JudgingDepth


def pooling_of(
    judged: JudgedRuns, judged_to: Any = None, *, topics: NDArray[np.bool_], restrict_curves: bool = True
) -> Pooling:
    """Return the contributing runs and the pool depth.

    Parameters
    ----------
    judged : JudgedRuns
    judged_to : int, "data" or None
        A run contributed if its first ``judged_to`` documents are all judged. With ``data``, this depth is the one at
        which more runs have their first unjudged document than at any other, if enough runs share it. By default the
        named runs contributed, or else all.
    topics : ndarray of bool
        Which topics count.
    restrict_curves : bool
        Compare contributing systems only. Otherwise, as in a study, all systems are compared, and a pool depth may be
        deeper than all runs.
    """
    contributing, how = _contributing(judged, judged_to)
    depth = judged.policy.pool_depth
    if depth is not None and restrict_curves:
        _refuse_deeper(depth, contributing, "the pool is deeper than the contributing runs")
    pool = Pool.of(judged.index, contributing, depth)
    by_topic = depths_judged(contributing)
    inferred = int(by_topic[topics].min()) or None
    contributed = {id(run) for run in contributing}
    chosen = tuple(run for run in judged.runs if id(run) in contributed or not restrict_curves)
    others = tuple(run for run in judged.runs if id(run) not in contributed and restrict_curves)
    if not chosen:
        what = "none of the runs given contributed to the pool"
        raise MetameterError(what, fix="Give contributing runs among the runs, too.")
    if depth is not None:
        by_topic = np.minimum(by_topic, depth)  # deeper judgments are not used
    # Without known contributing runs the inferred depth is no estimate: one run that did not contribute lowers it.
    known = None if len(contributing) == len(judged.runs) and judged.contributing is None else inferred
    judging = judging_depth(chosen, pool, topics, known)
    if depth is not None and judging.depth is not None:
        judging = replace(judging, depth=min(depth, judging.depth))
    return Pooling(
        pool=pool,
        contributing=contributing,
        systems=chosen,
        others=others,
        depth=depth or inferred,
        inferred=inferred,
        by_topic=by_topic,
        requested=depth is not None,
        rule=how,
        judging=judging,
    )


def _contributing(judged: JudgedRuns, judged_to: Any) -> tuple[tuple[JudgedRun, ...], str]:
    if judged_to is not None and judged.contributing is not None:
        what = "contributing runs are named, and a rule for them is given"
        raise MetameterError(what, given=f"judged_to = {judged_to}", fix="Give contributing or judged_to.")
    if judged.contributing is not None:
        return judged.contributing, f"{_runs(len(judged.contributing), 'was', 'were')} named as contributing"
    if judged_to is None:
        return judged.runs, f"{_runs(len(judged.runs), 'is', 'are')} taken to have contributed"
    if judged_to == FROM_DATA:
        gaps = commonest_depth(judged.runs)
        if gaps.pool_depth is None:
            reason = _why_unknown(gaps, len(judged.runs))
            return judged.runs, f"{reason}, so the runs do not show which of them contributed, and all are compared"
        depth, rule = gaps.pool_depth, "the depth at which more runs have their first gap than at any other"
    else:
        depth, rule = whole_depth(judged_to), "as requested"
    _refuse_deeper(depth, judged.runs, "the pool is deeper than the runs")
    sure = tuple(judged_at_least(judged.runs, depth))
    return sure, f"{_runs(len(sure), 'has', 'have')} no unjudged document in the first {depth:,} ({rule})"


def _why_unknown(gaps: CommonestDepth, runs: int) -> str:
    """A clause that says why the first unjudged documents of the runs do not show the depth of the pool.

    Examples
    --------
    >>> print(_why_unknown(CommonestDepth((10,), 7), 17))
    at most 7 of 17 runs have their first unjudged document at the same rank, fewer than 10
    >>> print(_why_unknown(CommonestDepth((5, 10), 12), 40))
    12 runs each have their first unjudged document below depth 5 and below depth 10
    """
    if not gaps.depths:
        return "every run has an unjudged document at the first rank"
    if gaps.runs < FEWEST_SHARING:
        where = f"first unjudged document at the same rank, fewer than {FEWEST_SHARING}"
        return f"at most {gaps.runs:,} of {_runs(runs, 'has its', 'have their')} {where}"
    depths = " and ".join(f"below depth {depth:,}" for depth in gaps.depths)
    return f"{gaps.runs:,} runs each have their first unjudged document {depths}"


def _runs(count: int, one: str, several: str) -> str:
    return f"1 run {one}" if count == 1 else f"{count:,} runs {several}"


def _refuse_deeper(depth: int, runs: Sequence[JudgedRun], what: str) -> None:
    longest = max(run.width for run in runs)
    if depth > longest:
        fix = "Give a smaller pool depth, or deeper runs."
        raise MetameterError(what, given=depth, allowed=f"at most {longest}", fix=fix)


def whole_depth(judged_to: Any) -> int:
    """Return the depth, given as a number or its digits; refuse anything else.

    Examples
    --------
    >>> whole_depth("100")
    100
    """
    digits = isinstance(judged_to, str) and re.fullmatch(r"[0-9]{1,9}", judged_to)
    depth = int(judged_to) if digits else plain(judged_to)
    if not DEPTHS.contain(depth):
        fix = "Give a whole number of ranks, or data to find it."
        allowed = f"1 to {DEPTHS.high:,}, or data"
        raise MetameterError("judged_to is out of range", given=judged_to, allowed=allowed, fix=fix)
    return int(depth)
