"""`session`: score searches in iterations against judgments by subtopic, the public function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from metameter.arguments import checks_arguments
from metameter.errors import MetameterError
from metameter.judge.document_lengths import DocumentLengths
from metameter.judge.facets import Facets, document_qrels, facets_of
from metameter.judge.index import Index, index_judgments
from metameter.judge.sessions import Sessions, align_session
from metameter.metric.base import Measure
from metameter.metric.compose import MetricLike, several
from metameter.metric.presets import preset as metrics_of
from metameter.metric.session.base import OfficialForm, SessionMetric
from metameter.notices import notice
from metameter.parallel import Workers
from metameter.read.document_tables import read_lengths
from metameter.read.sessions.runs import as_session_runs
from metameter.read.sessions.truth import read_truth
from metameter.scoring.finite_scores import in_numbers
from metameter.scoring.grades import refuse_judged_grades
from metameter.scoring.manifest import manifest_of
from metameter.scoring.measures import measures_of
from metameter.scoring.number_lists import number_list
from metameter.scoring.policy import check_positive_integer
from metameter.scoring.session_table import label
from metameter.types import Fingerprint, Scores, SessionRun, Truth, counted
from metameter.types.system_names import with_short_names

if TYPE_CHECKING:
    from metameter.types import SessionRun, Truth


Form = Literal["official", "corrected"]
MissingTopic = Literal["skip", "empty"]

#: What is scored if no metric is named: those of Albahem et al. (2019), and their further simple metrics of effort.
DEFAULT = (*metrics_of("albahem-2019"), "r_it", "neg_it")
# TREC Dynamic Domain evaluates ten iterations.
_ITERATIONS = 10


@checks_arguments
def session(
    truth: Any,
    runs: Any,
    metrics: MetricLike | Sequence[MetricLike] = (),
    *,
    preset: str | Sequence[str] | None = None,
    lengths: Any = None,
    iterations: str | int | Iterable[int] | None = None,
    form: Form = "official",
    page: int | None = None,
    missing: MissingTopic = "skip",
    strip_names: bool = False,
    jobs: int | Workers | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Scores:
    """Score searches in iterations (sessions, conversations, agents that search in steps) after every iteration.

    A metric of sessions is computed on the iterations so far. Any other metric sees one list, that of these iterations
    one after another, cut after as many documents as they can show. Of TREC runs, which show five documents an
    iteration, official scorers take the first 5n of the whole list, wherever iterations end.

    Parameters
    ----------
    truth : path, dict, data frame or Truth
        Judgments by subtopic: TREC Dynamic Domain (XML, or text of five columns), TREC web diversity (topic, subtopic,
        document, grade), or a table with topic, subtopic, doc, rating.
    runs : path, folder, glob, dict, data frame, SessionRun, or several of them
        TREC Dynamic Domain runs, or tables with system, topic, iteration (or turn), rank, doc.
    metrics : str, metric, or list of them
        By default those of the preset albahem-2019, r_it and neg_it; those that need lengths only if there are any.
        ``@k`` of a metric of sessions counts iterations; of any other it counts documents, as far as that many can have
        been shown: after one iteration of five documents ``P@10`` is ``P@5``.
    preset : str or list of str, optional
        The metrics of a paper, such as ``albahem-2019``.
    lengths : path, dict or data frame, optional
        How many words each document of the collection has; for EU, nEU and tot_time.
    iterations : str, int or list of int, optional
        Which iterations, such as ``1-10`` or ``1,3,10``; by default 1 to 10 for TREC runs, else all there are.
    form : {"official", "corrected"}
        The arithmetic of the official scorer of TREC Dynamic Domain, with its quirks, or without them.
    page : int, optional
        How many documents an iteration can show; by default 5 for TREC runs, else the most that one shows.
    missing : {"skip", "empty"}
        What to do with a topic that a run lacks: leave the cell empty, as the official scorer does, or score a session
        in which nothing was shown (and which took no effort).
    strip_names : bool
        Leave out of the systems' names what all of them begin and end with, such as ``input.`` and ``.txt``.
    jobs : int, optional
        How many runs are scored at the same time; by default the number of cores.
    progress : callable, optional
        Called after each run with the number of runs done and the number of all runs.

    Returns
    -------
    Scores
        Metric x system x topic x iteration.

    Examples
    --------
    >>> truth = {"mars": {"water": {"d1": 2, "d2": 1}, "life": {"d3": 1}}}
    >>> runs = {"agent": {"mars": [["d1", "d9"], ["d3", "d2"]]}}
    >>> scores = session(truth, runs, ["prec", "st_rec"])
    >>> scores.iterations, scores.values.tolist()
    ((1, 2), [[[[0.5, 0.75]]], [[[0.5, 1.0]]]])
    """
    check_positive_integer("page", page)
    wanted = None if iterations is None else number_list(iterations, "iterations", "iteration")
    measures = _measures(metrics, preset, form, lengths)
    judged, shown = read_truth(truth), as_session_runs(runs)
    read = None if lengths is None else read_lengths(lengths)
    after = wanted or _iterations(shown)
    known = None if read is None else DocumentLengths(read.table)
    prepared = SessionInputs.of(judged, known, page or _page(shown, form), measures)
    shared = {"prepared": prepared, "measures": measures, "after": np.array(after), "missing": missing, "form": form}
    rows = []
    for row in Workers.of(jobs).map(score_session, shown, **shared):
        rows.append(row)
        if progress:
            progress(len(rows), len(shown))
    options = {"form": form, "page": prepared.page, "missing": missing, "iterations": list(after)}
    options |= {"strip_names": strip_names}
    manifest = manifest_of(**options, metrics=[measure.name for measure in measures])
    manifest |= {"inputs": _inputs(judged, shown, None if read is None else read.fingerprint)}
    _tell(shown, judged, prepared)
    names, systems = tuple(measure.name for measure in measures), tuple(run.name for run in shown)
    values = np.stack(rows, axis=1)
    # A topic that no run has is nobody's: there is nothing to leave empty.
    kept = np.flatnonzero(~np.isnan(values).all(axis=(0, 1, 3)))
    topics = tuple(prepared.index.topics[row] for row in kept)
    scores = Scores(names, systems, topics, values[:, :, kept], manifest, iterations=after)
    return with_short_names(scores) if strip_names else scores


def _measures(metrics: Any, preset: Any, form: str, lengths: Any) -> list[Measure]:
    metrics, preset = several(metrics), several(preset)
    named = metrics if metrics or preset else DEFAULT
    measures = [_in_form(measure, form) for measure in measures_of(named, preset, evidence=Sessions)]
    needing = [measure.name for measure in measures if "lengths" in measure.needs]
    if lengths is not None or not needing:
        return measures
    if named is not DEFAULT:
        fix = "Give lengths (--lengths FILE), or leave it out."
        raise MetameterError(f"{needing[0]} needs the lengths of documents", fix=fix)
    notice(f"without lengths of documents, {' and '.join(map(label, needing))} are left out")
    return [measure for measure in measures if measure.name not in needing]


def _in_form(measure: Measure, form: str) -> Measure:
    """Return the metric in this form, if it has one."""
    return replace(measure, form=form) if isinstance(measure, OfficialForm) and form != "official" else measure


def _iterations(runs: list[SessionRun]) -> tuple[int, ...]:
    longest = max(int(run.table["iteration"].max()) for run in runs)  # type: ignore[arg-type]
    return tuple(range(1, (_ITERATIONS if all(run.page for run in runs) else longest) + 1))


def _page(runs: list[SessionRun], form: str) -> int:
    """How many documents an iteration shows: by the rules of the track, or the most that one of them does."""
    ruled = [run.page for run in runs if run.page is not None]
    most = max(int(run.table.group_by("topic", "iteration").len()["len"].max()) for run in runs)  # type: ignore[arg-type]
    if len(ruled) < len(runs) or form == "corrected":
        return max([most, *ruled])
    if most > max(ruled):
        told = f"an iteration shows {most} documents; the official scorer counts on {max(ruled)}"
        notice(f"{told}, so normalised scores may exceed 1 (set form to corrected: --form corrected)")
    return max(ruled)


def _tell(runs: list[SessionRun], truth: Truth, prepared: SessionInputs) -> None:
    """What users should know of their data: documents without length, topics without judgments."""
    import polars as pl

    if prepared.document_lengths is not None:
        shown = pl.concat([run.table.select("doc") for run in runs]).drop_nulls().unique()
        lacking = shown.join(prepared.document_lengths.table, on="doc", how="anti").height
        if lacking:
            notice(f"{counted(lacking, 'document')} of {shown.height:,} shown have no length, and count as empty")
    if truth.unjudged:
        count = counted(len(truth.unjudged), "topic")
        notice(f"{count} of the truth without any judgment, such as {truth.unjudged[0]!r}, left out")
    topics = pl.concat([run.table.select("topic") for run in runs]).unique()["topic"]
    strange = topics.filter(~topics.is_in(list(truth.topics)))
    if strange.len():
        notice(f"{counted(strange.len(), 'topic')} of the runs without judgments, such as {strange[0]!r}, left out")


def _inputs(truth: Truth, runs: list[SessionRun], lengths: Fingerprint | None) -> dict[str, list[dict[str, Any]]]:
    """Return the inputs of the manifest; a file with many systems is listed once."""
    prints = dict.fromkeys(run.fingerprint or Fingerprint(run.name) for run in runs)
    read = {"truth": truth.fingerprints or (Fingerprint(truth.source),), "runs": prints}
    read |= {} if lengths is None else {"lengths": (lengths,)}
    return {kind: [each.entry() for each in several] for kind, several in read.items()}


@dataclass(frozen=True, eq=False)
class SessionInputs:
    """The inputs that all runs share.

    Attributes
    ----------
    index, facets
        The judgments: of documents, and by subtopic.
    document_lengths : DocumentLengths, optional
        How long documents are.
    page : int
        How many documents an iteration can show.
    """

    index: Index
    facets: Facets
    document_lengths: DocumentLengths | None
    page: int

    @classmethod
    def of(
        cls, truth: Truth, document_lengths: DocumentLengths | None, page: int, measures: Iterable[Measure] = ()
    ) -> SessionInputs:
        """Prepare the judgments; grades that one of the metrics has no gain for are refused."""
        qrels = document_qrels(truth)
        refuse_judged_grades(measures, qrels, qrels.max_grade)
        return cls(index_judgments(qrels), facets_of(truth, qrels), document_lengths, page)


def score_session(
    run: SessionRun,
    *,
    prepared: SessionInputs,
    measures: list[Measure],
    after: NDArray[np.int64],
    missing: str,
    form: str,
) -> NDArray[np.float64]:
    """Return the scores of one run: metrics x topics x iterations."""
    sessions = align_session(run, prepared.index, prepared.facets, prepared.document_lengths, prepared.page)
    scores = _scored(measures, sessions, after, ahead=form == "official" and sessions.ruled)
    return np.where((sessions.used == 0)[:, None], np.nan, scores) if missing == "skip" else scores


def _scored(
    measures: list[Measure], sessions: Sessions, iterations: NDArray[np.int64], *, ahead: bool
) -> NDArray[np.float64]:
    """Metrics x topics x iterations; where lists look ahead, documents are counted, wherever iterations end."""
    scores = np.empty((len(measures), len(sessions.length), iterations.size))
    of_lists = [(row, measure) for row, measure in enumerate(measures) if not isinstance(measure, SessionMetric)]
    for row, measure in enumerate(measures):
        if isinstance(measure, SessionMetric):
            scores[row] = in_numbers(measure, partial(measure.after, sessions, iterations))
        elif ahead:
            cuts = _cuts(measure, sessions, iterations).tolist()
            scores[row] = in_numbers(measure, partial(measure.curve, sessions, cuts))
    for place, number in enumerate(iterations.tolist() if of_lists and not ahead else []):
        # Documents of further iterations are not there yet, even where these iterations showed fewer than they could.
        listed = sessions.first(number)
        for row, measure in of_lists:
            cut = int(_cuts(measure, sessions, iterations)[place])
            scores[row, :, place] = in_numbers(measure, partial(measure.at(cut).score, listed))
    return scores


def _cuts(measure: Measure, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.int64]:
    """After how many documents the list is cut: as many as can be shown, or as the metric itself says."""
    own = getattr(measure, "k", None) or getattr(measure, "cut", None)
    shown = sessions.page * iterations
    return shown if own is None else np.minimum(shown, own)
