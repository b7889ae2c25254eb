"""Read runs once and reduce them to their judged documents, for pools of any depth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metameter.errors import MetameterError
from metameter.judge.index import Index, index_judgments
from metameter.judge.judged_run import ARRAYS, JudgedRun
from metameter.parallel import Workers
from metameter.read.qrels import read_qrels
from metameter.read.runs import LazyRun, RunFile, as_runs
from metameter.read.sources import distinct
from metameter.scoring.alignment import align_source
from metameter.scoring.grades import check_grades
from metameter.scoring.manifest import manifest_of
from metameter.scoring.policy import Policy
from metameter.scoring.run_notices import notice_runs, noticed
from metameter.scoring.run_observers import Observation, by_topic
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
        How they were read; without inputs.
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
    progress: Callable[..., None] | None = None,
) -> JudgedRuns:
    """Read judgments and runs, each run once; nothing is scored yet.

    Parameters
    ----------
    qrels, runs, policy, jobs
        As in `score`.
    measures : sequence of Measure
        What the runs are read for: grades that one of them has no gain for are refused.
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
    elsewhere = _elsewhere(named, sources)
    read = []
    for part in Workers.of(jobs).map(_judged_run, [*sources, *elsewhere], index=index, policy=policy.without_inputs()):
        read.append(part)
        if progress:
            progress(len(read), len(sources) + len(elsewhere), "reading")
    given = read[: len(sources)]
    distinct(
        ((run.system, source.source) for (run, _, _), source in zip(given, sources, strict=True)),
        name_by=policy.name_by,
    )
    inputs: dict[str, Sequence[Fingerprint]] = {
        "qrels": list(judged.fingerprints) or [Fingerprint(judged.source)],
        "runs": [fingerprint for _, fingerprint, _ in given],
        "contributing": [fingerprint for _, fingerprint, _ in read[len(sources) :]],
        "costs": costs,
    }
    entries = {kind: [each.entry() for each in files] for kind, files in inputs.items() if files}
    ends = CommonAffixes.of(run.system for run, _, _ in read) if policy.strip_names else CommonAffixes()
    shown = [replace(run, system=ends.short(run.system)) for run, _, _ in read]
    notice_runs([(ends.short(run.system), arrays) for run, _, arrays in given], policy, None)
    by_source = dict(zip(map(id, [*sources, *elsewhere]), shown, strict=True))
    contributing = None if named is None else tuple(by_source[id(source)] for source in named)
    manifest = {**manifest_of(), "inputs": entries, **ends.entry()}
    return JudgedRuns(index, tuple(shown[: len(sources)]), contributing, policy.without_inputs(), manifest)


def _refuse_mean_ties(policy: Policy) -> None:
    """Refuse the mean over ties: without one order of documents there is no rank in a pool."""
    if policy.ties == "mean":
        what, fix = "curves along the ranks need one order of documents", "Choose another order of ties."
        raise MetameterError(what, given="ties = mean", fix=fix)


def _named(sources: list[LazyRun], policy: Policy) -> list[LazyRun] | None:
    """Return the contributing runs, if any are named; a run that is also scored is the same object."""
    if policy.contributing is None:
        return None
    given = {_identity(source): source for source in sources}
    return [given.get(_identity(each), each) for each in contributing_runs(policy.contributing, sources, policy)]


def _identity(source: LazyRun) -> Any:
    return Path(source.source).resolve() if isinstance(source, RunFile) else id(source.origin)


def _elsewhere(named: list[LazyRun] | None, sources: list[LazyRun]) -> list[LazyRun]:
    given = {id(source) for source in sources}
    return [source for source in named or () if id(source) not in given]


def _judged_run(source: LazyRun, *, index: Index, policy: Policy) -> tuple[JudgedRun, Fingerprint, Arrays]:
    aligned = align_source(source, source.load(), index, policy)
    parts, arrays = zip(*((JudgedRun.of(each), noticed(each)) for each in aligned.ranked_blocks()), strict=True)
    return JudgedRun.of_blocks(parts), aligned.fingerprint, by_topic(arrays)


def observed_runs(policy: Policy) -> Observation:
    """Return the observation that lets `judged_while_scored` do without reading runs again."""
    parts = ARRAYS if policy.costs is None else (*ARRAYS, "costs")
    return Observation(tuple(f"{_PREFIX}{part}" for part in parts), _observed, reaches=(None,), joined=_joined)


def _observed(ranked: Ranked) -> Arrays:
    return {f"{_PREFIX}{name}": array for name, array in JudgedRun.of(ranked).arrays.items()}


def _joined(blocks: Sequence[Arrays]) -> Arrays:
    parts = [{name.removeprefix(_PREFIX): array for name, array in block.items()} for block in blocks]
    whole = JudgedRun.of_blocks([JudgedRun.of_arrays("", part) for part in parts])
    return {f"{_PREFIX}{name}": array for name, array in whole.arrays.items()}


def judged_while_scored(
    rows: Sequence[ScoredRun], prepared: ScoringInputs, measures: Sequence[Measure], policy: Policy, ends: CommonAffixes
) -> JudgedRuns:
    """The same as `judged_runs`, from what `observed_runs` noted while the runs were scored; ``ends`` are off names."""
    runs = tuple(_restored(row) for row in rows)
    sources = _named(prepared.sources, policy)
    known = dict(zip(map(id, prepared.sources), runs, strict=True))
    for source in _elsewhere(sources, prepared.sources):
        run, _, _ = _judged_run(source, index=prepared.index, policy=policy.without_inputs())
        known[id(source)] = replace(run, system=ends.short(run.system))
    contributing = None if sources is None else tuple(known[id(source)] for source in sources)
    return JudgedRuns(prepared.index, runs, contributing, policy.without_inputs(), ends.entry(), tuple(measures))


def _restored(row: ScoredRun) -> JudgedRun:
    parts = {name.removeprefix(_PREFIX): array for name, array in row.arrays.items() if name.startswith(_PREFIX)}
    return JudgedRun.of_arrays(row.system, parts)
