"""`session`: score searches in iterations against judgments by subtopic, the public function; and a table of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

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
from metameter.notation import Term
from metameter.notices import notice
from metameter.parallel import Workers
from metameter.parameters import Parametrised
from metameter.read.document_tables import read_lengths
from metameter.read.sessions.runs import as_session_runs
from metameter.read.sessions.truth import read_truth
from metameter.registry import metric_named
from metameter.scoring.manifest import manifest_of
from metameter.scoring.measures import in_numbers, measures_of, refuse_judged_grades
from metameter.scoring.number_lists import number_list
from metameter.scoring.policy import check_positive_integer
from metameter.types import Fingerprint, Scores, SessionRun, Truth, counted
from metameter.types.display_names import typed_names
from metameter.types.system_names import with_short_names
from metameter.view.result import CommandOutput, Result
from metameter.view.tables.cells import DECIMALS

if TYPE_CHECKING:
    import polars as pl


Form = Literal["official", "corrected"]
MissingTopic = Literal["skip", "empty"]

#: What is scored if no metric is named: those of Albahem et al. (2019), and their further simple metrics of effort.
DEFAULT = (*metrics_of("albahem-2019"), "r_it", "neg_it")
# TREC Dynamic Domain evaluates ten iterations.
_ITERATIONS = 10
# A terminal shows a table of more rows as means.
_MOST_SHOWN = 60


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
    listed = None if iterations is None else number_list(iterations, "iterations", "iteration")
    measures = _measures(metrics, preset, form, lengths)
    judged, session_runs = read_truth(truth), as_session_runs(runs)
    length_table = None if lengths is None else read_lengths(lengths)
    after = listed or _iterations(session_runs)
    document_lengths = None if length_table is None else DocumentLengths(length_table.table)
    inputs = SessionInputs.of(judged, document_lengths, page or _page(session_runs, form), measures)
    numbers, workers = np.array(after), Workers.of(jobs)
    rows = []
    for row in workers.map(
        score_session, session_runs, inputs=inputs, measures=measures, after=numbers, missing=missing, form=form
    ):
        rows.append(row)
        if progress:
            progress(len(rows), len(session_runs))
    manifest = manifest_of(
        form=form,
        page=inputs.page_size,
        missing=missing,
        iterations=list(after),
        strip_names=strip_names,
        metrics=[measure.name for measure in measures],
    )
    manifest |= {"inputs": _entries(judged, session_runs, None if length_table is None else length_table.fingerprint)}
    _notice_gaps(session_runs, judged, inputs)
    systems = tuple(run.name for run in session_runs)
    scores = _assembled(measures, systems, inputs.index.topics, np.stack(rows, axis=1), manifest, after)
    scores = replace(scores, typed=typed_names(several(metrics)))
    return with_short_names(scores) if strip_names else scores


def _assembled(
    measures: list[Measure],
    systems: tuple[str, ...],
    topics: tuple[str, ...],
    values: NDArray[np.float64],
    manifest: dict[str, Any],
    iterations: tuple[int, ...],
) -> Scores:
    """Return the scores without the topics that no run has."""
    names = tuple(measure.name for measure in measures)
    retrieved = np.flatnonzero(~np.isnan(values).all(axis=(0, 1, 3)))
    topics = tuple(topics[row] for row in retrieved)
    return Scores(names, systems, topics, values[:, :, retrieved], manifest, iterations=iterations)


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
    """Return how many documents an iteration shows: by the rules of the track, or the most that one of them does."""
    ruled = [run.page for run in runs if run.page is not None]
    most = max(int(run.table.group_by("topic", "iteration").len()["len"].max()) for run in runs)  # type: ignore[arg-type]
    if len(ruled) < len(runs) or form == "corrected":
        return max([most, *ruled])
    if most > max(ruled):
        what = f"an iteration shows {most} documents; the official scorer counts on {max(ruled)}"
        notice(f"{what}, so normalised scores may exceed 1 (set form to corrected: --form corrected)")
    return max(ruled)


def _notice_gaps(runs: list[SessionRun], truth: Truth, inputs: SessionInputs) -> None:
    """Give notices of documents without length and of topics without judgments."""
    import polars as pl

    if inputs.document_lengths is not None:
        shown = pl.concat([run.table.select("doc") for run in runs]).drop_nulls().unique()
        lacking = shown.join(inputs.document_lengths.table, on="doc", how="anti").height
        if lacking:
            notice(f"{counted(lacking, 'document')} of {shown.height:,} shown have no length, and count as empty")
    if truth.unjudged:
        count = counted(len(truth.unjudged), "topic")
        notice(f"{count} of the truth without any judgment, such as {truth.unjudged[0]!r}, left out")
    topics = pl.concat([run.table.select("topic") for run in runs]).unique()["topic"]
    unknown = topics.filter(~topics.is_in(list(truth.topics)))
    if unknown.len():
        notice(f"{counted(unknown.len(), 'topic')} of the runs without judgments, such as {unknown[0]!r}, left out")


def _entries(truth: Truth, runs: list[SessionRun], lengths: Fingerprint | None) -> dict[str, list[dict[str, Any]]]:
    """Return the inputs of the manifest; a file with many systems is listed once."""
    prints = dict.fromkeys(run.fingerprint or Fingerprint(run.name) for run in runs)
    files = {"truth": truth.fingerprints or (Fingerprint(truth.source),), "runs": prints}
    files |= {} if lengths is None else {"lengths": (lengths,)}
    return {kind: [each.entry() for each in of_kind] for kind, of_kind in files.items()}


@dataclass(frozen=True, eq=False)
class SessionInputs:
    """The inputs that all runs share.

    Attributes
    ----------
    index, facets
        The judgments: of documents, and by subtopic.
    document_lengths : DocumentLengths, optional
        How long documents are.
    page_size : int
        How many documents an iteration can show.
    """

    index: Index
    facets: Facets
    document_lengths: DocumentLengths | None
    page_size: int

    @classmethod
    def of(
        cls, truth: Truth, document_lengths: DocumentLengths | None, page_size: int, measures: Iterable[Measure] = ()
    ) -> SessionInputs:
        """Prepare the judgments; grades that one of the metrics has no gain for are refused."""
        qrels = document_qrels(truth)
        refuse_judged_grades(measures, qrels, qrels.max_grade)
        return cls(index_judgments(qrels), facets_of(truth, qrels), document_lengths, page_size)


def score_session(
    run: SessionRun,
    *,
    inputs: SessionInputs,
    measures: list[Measure],
    after: NDArray[np.int64],
    missing: str,
    form: str,
) -> NDArray[np.float64]:
    """Return the scores of one run: metrics x topics x iterations."""
    sessions = align_session(run, inputs.index, inputs.facets, inputs.document_lengths, inputs.page_size)
    scores = _scored(measures, sessions, after, ahead=form == "official" and sessions.ruled)
    return np.where((sessions.used == 0)[:, None], np.nan, scores) if missing == "skip" else scores


def _scored(
    measures: list[Measure], sessions: Sessions, iterations: NDArray[np.int64], *, ahead: bool
) -> NDArray[np.float64]:
    """Return metrics x topics x iterations; with ``ahead``, lists are cut by documents, wherever iterations end."""
    scores = np.empty((len(measures), len(sessions.length), iterations.size))
    of_lists = [(row, measure) for row, measure in enumerate(measures) if not isinstance(measure, SessionMetric)]
    for row, measure in enumerate(measures):
        if isinstance(measure, SessionMetric):
            scores[row] = in_numbers(measure, partial(measure.after, sessions, iterations))
        elif ahead:
            cuts = _cuts(measure, sessions, iterations).tolist()
            scores[row] = in_numbers(measure, partial(measure.curve, sessions, cuts))
    for column, number in enumerate(iterations.tolist() if of_lists and not ahead else []):
        # Documents of later iterations are left out, even where these iterations showed fewer than they could.
        listed = sessions.first(number)
        for row, measure in of_lists:
            cut = int(_cuts(measure, sessions, iterations)[column])
            scores[row, :, column] = in_numbers(measure, partial(measure.at(cut).score, listed))
    return scores


def _cuts(measure: Measure, sessions: Sessions, iterations: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return after how many documents the list is cut: as many as can be shown, or the metric's own depth if less."""
    own = getattr(measure, "k", None) or getattr(measure, "cut", None)
    most = sessions.page_size * iterations
    return most if own is None else np.minimum(most, own)


@dataclass(frozen=True, eq=False, repr=False)
class SessionTable(Result):
    """The table ``session``: system, iteration, topic and a column of scores per metric.

    Attributes
    ----------
    means : polars.DataFrame, optional
        The means over topics, for a terminal.
    """

    table_names: ClassVar[tuple[str, ...]] = ("session",)

    means: pl.DataFrame | None = None

    def glance(self, name: str | None = None, digits: int = DECIMALS) -> pl.DataFrame:
        """The table on a terminal: instead of many rows the means over topics after the last iteration."""
        if self.means is None or self.table.height <= _MOST_SHOWN:
            return self.readable(name, digits)
        last = self.means.filter(self.means["iteration"] == self.means["iteration"].max())
        return replace(self, tables={"session": last}, means=None).readable(None, digits)

    @property
    def remark(self) -> str:
        """A sentence on what the terminal leaves out."""
        if self.means is None or self.table.height <= _MOST_SHOWN:
            return ""
        return (
            f"A terminal shows means over topics after the last iteration; --mean those after every one; --format csv "
            f"all {self.table.height:,} rows."
        )

    @property
    def command_output(self) -> CommandOutput:
        """The remark belongs to the table on a terminal, not to CSV."""
        return CommandOutput(remark_is_table=True)


def session_table(scores: Scores, *, mean: bool = False) -> SessionTable:
    """Return the scores as a wide table, metrics under the names that people write; or, with ``mean``, their means.

    Examples
    --------
    >>> import numpy as np
    >>> scores = Scores(("alpha_nDCG",), ("a",), ("1",), np.full((1, 1, 1, 2), 0.5), iterations=(1, 2))
    >>> session_table(scores).table.rows(), session_table(scores).table.columns[-1]
    ([('a', 1, '1', 0.5), ('a', 2, '1', 0.5)], 'alpha-nDCG')
    """
    labels = _labels(scores.metrics)
    means = _session_means(scores).rename(labels).fill_nan(None)
    names = {labels[name]: shown for name, shown in scores.names.items() if name != shown}
    if mean:
        return SessionTable({"session": means}, scores.manifest, names=names)
    table = scores.wide().select("system", "iteration", "topic", *scores.metrics).rename(labels).fill_nan(None)
    ordered = table.sort("system", "iteration", maintain_order=True)
    return SessionTable({"session": ordered}, scores.manifest, means=means, names=names)


def _session_means(scores: Scores) -> pl.DataFrame:
    import polars as pl

    count = len(scores.iterations)
    # A topic that a run lacks counts for none of its means.
    retrieved = np.asarray(~np.isnan(scores.values).all(axis=(0, 3)))
    parts = [scores.values[:, [row]][:, :, topics] for row, topics in enumerate(retrieved)]
    means = np.concatenate([scores.summarised(part) for part in parts], axis=1)
    return pl.DataFrame(
        {
            "system": [name for name in scores.systems for _ in range(count)],
            "iteration": list(scores.iterations) * len(scores.systems),
            **{name: values.reshape(-1) for name, values in zip(scores.metrics, means, strict=True)},
        }
    )


def _labels(metrics: tuple[str, ...]) -> dict[str, str]:
    """Return a label for each metric; its whole name where two would have the same."""
    labels = {name: label(name) for name in metrics}
    repeated = [each for each, count in Counter(labels.values()).items() if count > 1]
    return {name: name if each in repeated else each for name, each in labels.items()}


def label(name: str) -> str:
    """Return a metric's name as people write it: with hyphens, without form, without arguments if all are defaults.

    Examples
    --------
    >>> label("RBU(p=0.99,e=0.05)"), label("RBU(p=0.8,e=0.05)"), label("st_rec(form=corrected)"), label("nDCG@10")
    ('RBU', 'RBU(p=0.8,e=0.05)', 'st-rec', 'nDCG@10')
    """
    measure = metric_named(name)
    if not isinstance(measure, Parametrised) or not isinstance(measure, Measure):
        return name
    defaults = {each.name: each.default for each in fields(measure)}
    term = measure.term()
    # The form of a session's metrics is that of the whole table, and is in its manifest.
    has_form = isinstance(measure, OfficialForm)
    arguments = {name: value for name, value in term.arguments.items() if name != "form" or not has_form}
    usual = all(value == defaults.get(name) for name, value in arguments.items())
    return str(Term(term.name.replace("_", "-"), {} if usual else arguments, term.k))
