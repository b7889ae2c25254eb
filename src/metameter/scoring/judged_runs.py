"""Read runs once and reduce them to their judged documents, for pools of any depth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError
from metameter.judge.index import Index, index_judgments
from metameter.judge.judged_run import ARRAYS, JudgedRun
from metameter.parallel import Progress, Workers, reported
from metameter.read.qrels import read_qrels
from metameter.read.runs import LazyRun, RunFile, as_runs
from metameter.read.sources import distinct
from metameter.scoring.alignment import align_source
from metameter.scoring.manifest import manifest_of
from metameter.scoring.measures import check_grades
from metameter.scoring.policy import Policy
from metameter.scoring.run_notices import NoticeArrays, notice_runs
from metameter.scoring.run_observers import RunObserver
from metameter.scoring.scoring_inputs import contributing_runs, with_costs
from metameter.types import Fingerprint
from metameter.types.system_names import CommonAffixes

if TYPE_CHECKING:
    from metameter.judge.ranked import Ranked
    from metameter.metric.base import Measure
    from metameter.scoring.cache import Arrays
    from metameter.scoring.engine import ScoredRun
    from metameter.scoring.scoring_inputs import ScoringInputs


_PREFIX = "judged_run_"


@dataclass(frozen=True, eq=False)
class JudgedRuns:
    """Runs reduced to their judged documents.

    Attributes
    ----------
    index : Index
        The judgments.
    runs : tuple of JudgedRun
        In the order in which they were given.
    contributing : tuple of JudgedRun, optional
        The runs that were named as those that made the pool; they need not be among the others.
    policy : Policy
        The options of reading; without inputs.
    manifest : dict
        The inputs with their checksums.
    measures : tuple of Measure
        The metrics that they were scored with, if they were.
    """

    index: Index
    runs: tuple[JudgedRun, ...]
    contributing: tuple[JudgedRun, ...] | None
    policy: Policy
    manifest: dict[str, Any]
    measures: tuple[Measure, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems' names."""
        return tuple(run.system for run in self.runs)


def judged_runs(
    qrels: Any,
    runs: Any,
    policy: Policy,
    *,
    measures: Sequence[Measure] = (),
    warn: bool = False,
    jobs: int | Workers | None = None,
    progress: Progress | None = None,
) -> JudgedRuns:
    """Read judgments and runs, each run once; nothing is scored yet.

    Parameters
    ----------
    qrels, runs, policy, jobs
        As in `score`.
    measures : sequence of Measure
        The metrics that will be computed: grades that one of them has no gain for are refused.
    warn : bool
        Give a notice when the top of the grade scale is taken from the data.
    progress : callable, optional
        Called with ``(done, of, what)``.

    Examples
    --------
    >>> read = judged_runs({"1": {"a": 1}}, {"s": {"1": {"b": 2.0, "a": 1.0}}}, Policy())
    >>> read.systems, read.runs[0].ranks
    (('s',), array([2]))
    """
    _refuse_mean_ties(policy)
    sources = as_runs(runs, **policy.reading)
    judged = read_qrels(qrels, on_duplicate=policy.qrels_duplicates)
    index, costs = with_costs(index_judgments(judged, max_grade=policy.max_grade, warn=warn), policy.costs)
    check_grades(measures, judged, index.judgments.max_grade)
    named = _named(sources, policy)
    others = _not_among(sources, named)
    parts = Workers.of(jobs).map(_read_run, [*sources, *others], index=index, policy=policy.without_inputs())
    read = list(reported(parts, len(sources) + len(others), "reading", progress))
    scored, pooled = read[: len(sources)], read[len(sources) :]
    distinct(
        ((each.run.system, source.source) for each, source in zip(scored, sources, strict=True)),
        name_by=policy.name_by,
    )
    affixes = CommonAffixes.of(each.run.system for each in read) if policy.strip_names else CommonAffixes()
    renamed = [each.run.renamed(affixes.short(each.run.system)) for each in read]
    notices = zip(renamed, (each.notice_arrays for each in scored), strict=False)
    notice_runs([(run.system, arrays) for run, arrays in notices], policy, None)
    by_source = dict(zip(map(id, [*sources, *others]), renamed, strict=True))
    contributing = None if named is None else tuple(by_source[id(source)] for source in named)
    files: dict[str, Sequence[Fingerprint]] = {
        "qrels": list(judged.fingerprints) or [Fingerprint(judged.source)],
        "runs": [each.fingerprint for each in scored],
        "contributing": [each.fingerprint for each in pooled],
        "costs": costs,
    }
    entries = {kind: [each.entry() for each in of_kind] for kind, of_kind in files.items() if of_kind}
    manifest = {**manifest_of(), "inputs": entries, **affixes.entry()}
    return JudgedRuns(index, tuple(renamed[: len(sources)]), contributing, policy.without_inputs(), manifest)


def _refuse_mean_ties(policy: Policy) -> None:
    """Refuse the mean over ties: without one order of documents there is no rank in a pool."""
    if policy.ties == "mean":
        what, fix = "curves along the ranks need one order of documents", "Choose another order of ties."
        raise MetameterError(what, given="ties = mean", fix=fix)


def _named(sources: list[LazyRun], policy: Policy) -> list[LazyRun] | None:
    """Return the contributing runs, if any are named; a run that is also scored is the same object."""
    if policy.contributing is None:
        return None
    scored = {_identity(source): source for source in sources}
    return [scored.get(_identity(each), each) for each in contributing_runs(policy.contributing, sources, policy)]


def _identity(source: LazyRun) -> Any:
    return Path(source.source).resolve() if isinstance(source, RunFile) else id(source.origin)


def _not_among(sources: list[LazyRun], named: list[LazyRun] | None) -> list[LazyRun]:
    """Return the contributing runs that are not scored."""
    scored = {id(source) for source in sources}
    return [source for source in named or () if id(source) not in scored]


@dataclass(frozen=True, eq=False)
class _ReadRun:
    """A run that has been read: its judged documents, its file, and what its notices need."""

    run: JudgedRun
    fingerprint: Fingerprint
    notice_arrays: Arrays


def _read_run(source: LazyRun, *, index: Index, policy: Policy) -> _ReadRun:
    aligned = align_source(source, source.load(), index, policy)
    observer = NoticeArrays()
    parts, arrays = zip(*((JudgedRun.of(each), observer.arrays(each)) for each in aligned.ranked_blocks()), strict=True)
    return _ReadRun(JudgedRun.of_blocks(parts), aligned.fingerprint, observer.join_blocks(arrays))


@dataclass(frozen=True, eq=False)
class JudgedRunArrays(RunObserver):
    """Computes the arrays of the `JudgedRun`, so that `judged_while_scored` need not read the run again."""

    with_costs: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arrays, with a prefix."""
        return tuple(f"{_PREFIX}{name}" for name in (*ARRAYS, *(["costs"] if self.with_costs else [])))

    @property
    def reaches(self) -> tuple[int | None, ...]:
        """All ranks."""
        return (None,)

    def arrays(self, ranked: Ranked) -> Arrays:
        """Return the arrays of one run, or of a block of its topics."""
        return _with_prefix(JudgedRun.of(ranked))

    def join_blocks(self, blocks: Sequence[Arrays]) -> Arrays:
        """Join the judged runs of all blocks of topics."""
        return _with_prefix(JudgedRun.of_blocks([_without_prefix("", block) for block in blocks]))


def _with_prefix(run: JudgedRun) -> Arrays:
    return {f"{_PREFIX}{name}": array for name, array in run.arrays.items()}


def _without_prefix(system: str, arrays: Arrays) -> JudgedRun:
    own = {name.removeprefix(_PREFIX): array for name, array in arrays.items() if name.startswith(_PREFIX)}
    return JudgedRun.of_arrays(system, own)


def judged_while_scored(
    rows: Sequence[ScoredRun],
    inputs: ScoringInputs,
    measures: Sequence[Measure],
    policy: Policy,
    affixes: CommonAffixes,
) -> JudgedRuns:
    """Return the same as `judged_runs`, from runs that were scored with `JudgedRunArrays`.

    Names of contributing runs that were not scored lose the same ``affixes``.
    """
    runs = tuple(_without_prefix(row.system, row.arrays) for row in rows)
    named = _named(inputs.sources, policy)
    by_source = dict(zip(map(id, inputs.sources), runs, strict=True))
    for source in _not_among(inputs.sources, named):
        run = _read_run(source, index=inputs.index, policy=policy.without_inputs()).run
        by_source[id(source)] = run.renamed(affixes.short(run.system))
    contributing = None if named is None else tuple(by_source[id(source)] for source in named)
    return JudgedRuns(inputs.index, runs, contributing, policy.without_inputs(), affixes.entry(), tuple(measures))
