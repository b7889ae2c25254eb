"""`study`: all stages on one or several collections, and one report."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from metameter.arguments import check_seconds, checks_arguments
from metameter.errors import MetameterError
from metameter.metric.compose import several
from metameter.notices import notice
from metameter.parallel import Workers, stage
from metameter.read.files.content import reading_pipes_once
from metameter.read.labels.counts import counting
from metameter.scoring.output_guard import refuse_overwriting
from metameter.studies.collection import FinishedCollection
from metameter.studies.lock import LOCK_TIMEOUT, locked
from metameter.studies.plan import Plan, manifest_of_study, plan_of
from metameter.studies.result import Study, study_of
from metameter.studies.score_tables import TableOptions, plan_of_scores
from metameter.studies.stage_files import seal, unseal
from metameter.studies.stages import Stages
from metameter.studies.store import Store, make_room, write_here
from metameter.studies.study_file import inputs_of_toml, plan_of_toml, refuse_per_collection
from metameter.types.display_names import typed_names
from metameter.types.system_names import CommonAffixes
from metameter.view.atomic_files import all_or_nothing
from metameter.view.paths import bytes_of_file, output_path
from metameter.view.tables.csv import is_safe_csv, safe_csv

#: The folder of the stages, within the folder of a study.
STAGES = ".stages"

#: Decorates functions that wait for the lock of a folder.
checks_lock_timeout = partial(
    checks_arguments, checks={"lock_timeout": partial(check_seconds, name="lock_timeout", zero=True)}
)


@checks_lock_timeout
@reading_pipes_once()
def study(
    qrels: Any,
    runs: Any = None,
    metrics: Any = (),
    *,
    preset: str | list[str] | None = None,
    out: str | Path = "study",
    name: str | None = None,
    figures: bool = False,
    missing: Literal["zero", "drop-topic"] | None = None,
    collection_from: Literal["file"] | None = None,
    iteration: int | None = None,
    serps: Any = None,
    serps_input: Literal["tiangong"] | None = None,
    pairs: Any = None,
    lock_timeout: float = LOCK_TIMEOUT,
    jobs: int | Workers | None = None,
    progress: Callable[..., None] | None = None,
    **options: Any,
) -> Study:
    """Judge metrics on your collections: which are shown to be below others, which are not, and how sure that is.

    Scores the runs, then does every procedure that is a stage of a study, those of plug-ins included: how alike the
    metrics rank the systems, how consistently over topics, how many pairs of systems each tells apart, and what
    follows for the choice of a metric. Everything finished is kept in the folder: an interrupted study resumes where
    it was, and a change redoes only what depends on it.

    Parameters
    ----------
    qrels : object
        Judgments, as in `metameter.score`; or, without runs, tables of scores, as in `metameter.read_scores`, several
        collections of them as a mapping from their names, or the path of a TOML file that plans a study of several
        collections.
    runs : object, optional
        Runs, as in `metameter.score`.
    metrics : str or list of str
        The metrics to judge; by default those of the preset.
    preset : str or list of str, optional
        The metrics of one paper or of several; ``everyday`` if no metric is named.
    out : path
        The folder to write.
    name : str, optional
        The collection's name; by default that of the qrels.
    figures : bool
        Write charts as HTML, SVG and PDF files too.
    missing : {"zero", "drop-topic"}, optional
        For tables of scores: count a missing score as zero, or leave its topic out.
    collection_from : {"file"}, optional
        For tables of scores: every file is a collection of its own, named after the file.
    iteration : int, optional
        For tables of scores of sessions: which iteration; by default the last. Procedures over sessions see all.
    serps : object, optional
        Result pages that users labelled with how satisfied they were, as in `metameter.read_serps`: the study then asks
        which metrics agree with them, and puts that beside stability.
    serps_input : {"tiangong"}, optional
        Read the pages as TianGong-QRef has them: four columns, no header; by default the first line says so.
    pairs : object, optional
        Pairs of result pages with which one users prefer, as in `metameter.read_pairs`.
    lock_timeout : float
        The most seconds to wait for another process that works in the folder; 0 does not wait.
    jobs : int or Workers, optional
        How many threads; by default all cores. Results do not depend on it.
    progress : callable, optional
        Called with ``(done, of, what)``.
    **options
        How runs are read and matched with judgments, as in `metameter.score`; ``seed``; and the options that the
        procedures declare, those of plug-ins included.

    Returns
    -------
    Study
        ``.tables``, ``.report``, ``.folder``.
    """
    folder = output_path(out)
    named = inputs_of_toml(qrels) if runs is None and _is_plan(qrels) else []
    refuse_overwriting(folder, [qrels, runs, serps, pairs, named], Study.known_tables())
    Workers.of(jobs)
    options |= {"serps": serps, "serps_input": serps_input, "pairs": pairs}
    options = {key: value for key, value in options.items() if value is not None}
    _refuse_foreign_folder(folder)
    with counting(jobs, progress):
        tables = TableOptions(missing, collection_from, iteration)
        plan = _plan(qrels, runs, metrics, preset, name, options, tables)
    new = not (folder / STAGES).exists()
    store = Store(folder / STAGES)
    make_room(folder / STAGES, for_folder=True)
    with locked(folder / STAGES, progress, lock_timeout), _removed_if_empty(folder, store, new):
        store.sweep()
        stages = Stages(store, plan, jobs, progress)
        parts = stages.run()
        _notice_unknown_systems(plan, parts)
        with stage(progress, "answer"):
            result = study_of(folder, parts, manifest_of_study(plan, parts), plan.typed)
        with all_or_nothing():
            write_notes(folder, parts, result.manifest, plan.typed)
            result.write(folder, figures=figures, progress=progress)
        # Not earlier: until the new notes are written, the old ones name the old stages.
        store.prune(stages.used)
        store.notice_set_aside()
    return replace(result, made=tuple(stages.computed), kept=tuple(stages.restored))


@checks_lock_timeout
def rebuilt(
    folder: str | Path, progress: Callable[..., None] | None = None, lock_timeout: float = LOCK_TIMEOUT
) -> Study:
    """Rebuild the report and the tables of a finished study from its folder alone.

    Parameters
    ----------
    folder : path
        The folder that `study` wrote.
    progress : callable, optional
        Called with ``(done, of, what)``.
    lock_timeout : float
        The most seconds to wait for another process that works in the folder; 0 does not wait.
    """
    path = output_path(folder)
    notes = read_notes(path)  # before the lock: a folder that is not a study stays as it is
    # Tables that were written for a spreadsheet stay safe for it.
    with locked(path / STAGES, progress, lock_timeout), safe_csv(is_safe_csv() or notes.get("safe_csv") is True):
        with stage(progress, "reading"):
            notes = read_notes(path)  # another process may have changed them before the lock was acquired
            parts = _stored_collections(path, notes)
        with _readable(path):
            with stage(progress, "answer"):
                result = study_of(path, parts, notes["manifest"], typed_names(notes.get("typed", [])))
            result.write(path, progress=progress)
    return result


@contextmanager
def _readable(folder: Path) -> Iterator[None]:
    """Within the block: report an unexpected error as results of another version."""
    try:
        yield
    except (MetameterError, MemoryError, OSError):
        raise
    except Exception as error:
        raise _unreadable(folder) from error


@contextmanager
def _removed_if_empty(folder: Path, store: Store, new: bool) -> Iterator[None]:
    """Within the block: after an error, remove a new folder without a finished stage; finished stages stay."""
    try:
        yield
    except MetameterError:
        if new and not store.recorded():
            shutil.rmtree(folder / STAGES, ignore_errors=True)
            with suppress(OSError):
                folder.rmdir()
        raise


def _plan(
    qrels: Any, runs: Any, metrics: Any, preset: Any, name: str | None, options: dict[str, Any], tables: TableOptions
) -> Plan:
    if runs is not None:
        tables.refuse_for_runs()
        return plan_of(qrels, runs, metrics, preset, name, options)
    measures = {key: value for key, value in (("metrics", several(metrics)), ("preset", several(preset))) if value}
    if _is_plan(qrels):
        tables.refuse_for_runs()
        refuse_per_collection(qrels, name, options)
        # Options of the call take precedence over those of the file.
        return plan_of_toml(qrels, {**options, **measures})
    if measures:
        fix = "Give judgments and runs, or leave metrics and presets out to judge all those of the tables."
        raise MetameterError("tables of scores have their metrics already", given=next(iter(measures)), fix=fix)
    return plan_of_scores(qrels, name, options, tables)


def _is_plan(qrels: Any) -> bool:
    return isinstance(qrels, str | Path) and str(qrels).endswith(".toml")


def _notice_unknown_systems(plan: Plan, parts: Mapping[str, FinishedCollection]) -> None:
    """Give a notice of systems in groups that no collection has; each collection uses only its own systems."""
    unknown = [
        name for name in plan.options.get("groups") or {} if not any(_has(each, name) for each in parts.values())
    ]
    if unknown:
        notice(f"the groups name systems that no collection has: {', '.join(unknown)}")


def _has(part: FinishedCollection, system: str) -> bool:
    systems = part.scores.systems
    return CommonAffixes.of_manifest(part.scores.manifest).known(system, systems) in systems


def _refuse_foreign_folder(folder: Path) -> None:
    fix = "Choose another folder to write to."
    if folder.exists() and not folder.is_dir():
        raise MetameterError("the study's folder is a file", where=str(folder), fix=fix)
    if folder.is_dir() and any(folder.iterdir()) and not (folder / STAGES).exists():
        raise MetameterError("the folder is not empty and is not a study", where=str(folder), fix=fix)


def write_notes(
    folder: Path, parts: dict[str, FinishedCollection], manifest: dict[str, Any], typed: Mapping[str, str]
) -> None:
    """Write the notes of a study: the stages that it consists of, and its manifest."""
    digests = {name: part.digests for name, part in parts.items()}
    # These are not in the manifest: they change how files and names look, and no result.
    looks = {"safe_csv": is_safe_csv(), "typed": list(typed.values())}
    index = {"collections": digests, "manifest": manifest, **looks}
    file = folder / STAGES / "study.json"
    make_room(file)
    write_here(file, seal(index, indent=1))


def read_notes(folder: Path) -> dict[str, Any]:
    """The notes of a finished study; a folder without them is refused."""
    file = folder / STAGES / "study.json"
    try:
        if file.is_symlink() or file.parent.is_symlink():
            raise ValueError("its notes are a link")
        notes = unseal(bytes_of_file(file))
        if not all(isinstance(notes[part], dict) for part in ("collections", "manifest")) or not notes["collections"]:
            raise ValueError("its notes do not have the expected form")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _unreadable(folder, error) from None
    return dict(notes)


def _stored_collections(folder: Path, notes: dict[str, Any]) -> dict[str, FinishedCollection]:
    """The collections of a finished study, from its folder alone; nothing in it is changed."""
    store = Store(folder / STAGES)
    try:
        return {name: FinishedCollection.restored(store, digests) for name, digests in notes["collections"].items()}
    except (MetameterError, MemoryError):
        raise
    except Exception as error:
        # The folder may come from anywhere, or from another version, so anything may be missing in it.
        raise _unreadable(folder, error) from error


def _unreadable(folder: Path, error: Exception | None = None) -> MetameterError:
    """The error for a folder from which no report can be made."""
    reason: Any = "columns or types of its tables, or its fields, are not those that a study of this version writes"
    if error is not None and not _of_a_library(error):
        reason = error.args[0] if isinstance(error, KeyError) and error.args else error
    what = f"this is not the folder of a finished study, or it cannot be read: {reason}"
    return MetameterError(what, where=str(folder), fix="Run the study again, into this folder or another.")


def _of_a_library(error: Exception) -> bool:
    """Whether an error is one of Python or Polars about the form of a table."""
    import polars as pl

    foreign = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
    return isinstance(error, (*foreign, TypeError, AttributeError)) or isinstance(error.__cause__, foreign)
