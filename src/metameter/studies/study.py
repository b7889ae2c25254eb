"""One study, one verdict, one report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from metameter.errors import MetameterError
from metameter.scoring.manifest import fingerprint, manifest_of
from metameter.studies.folder import Study, keep, write_study
from metameter.studies.plan import CollectionPlan, Options, Plan, name_of, plan_of_toml
from metameter.studies.stages import Stages
from metameter.studies.store import Store

__all__ = ["study"]


def study(
    qrels: Any,
    runs: Any = None,
    *,
    metrics: Any = (),
    preset: str | None = None,
    out: str | Path = "study",
    name: str | None = None,
    max_grade: float | None = None,
    options: Options | None = None,
    figures: bool = False,
    jobs: int | None = None,
    progress: Callable[..., None] | None = None,
    **further: Any,
) -> Study:
    """Judge metrics on a collection, or on several: which one to use, why, and how sure that is.

    Scores the runs, then asks how alike the metrics rank the systems, how consistently over topics, how many pairs
    of systems each tells apart, and what follows for the choice of a metric. Everything finished is kept in the
    folder: whoever is interrupted resumes where they were, and a change redoes only what depends on it.

    Parameters
    ----------
    qrels : object
        Judgments, as in `metameter.score`; or the path of a TOML file that plans a study of several collections.
    runs : object, optional
        Runs, as in `metameter.score`.
    metrics : list of str
        The metrics to judge; by default those of the preset.
    preset : str, optional
        The metrics of a paper; ``chen-sakai-2023`` if no metric is named.
    out : path
        The folder to write.
    name : str, optional
        The collection's name; by default that of the qrels.
    max_grade : float, optional
        The top of the grade scale.
    options : Options, optional
        All further options at once; or give them one by one.
    figures : bool
        Write charts as HTML, SVG and PDF files too.
    jobs : int, optional
        How many threads; by default all cores. Results do not depend on it.
    progress : callable, optional
        Is told ``(done, of, what)``.
    **further
        ``ties``, ``precision``, ``unjudged``, ``splits``, ``trials``, ``resamples``, ``alpha``, ``similar``, ``seed``.

    Returns
    -------
    Study
        ``.tables``, ``.report``, ``.folder``.
    """
    plan = _plan(qrels, runs, name, max_grade, options or _options(metrics, preset, further))
    folder = Path(out)
    _refuse_other(folder)
    stages = Stages(Store(folder / ".stages"), plan.options, jobs, progress)
    parts = {each.name: stages.run(each) for each in plan.collections}
    stages.store.prune(stages.used)
    manifest = {**manifest_of(**asdict(plan.options)), "inputs": {c.name: _inputs(c) for c in plan.collections}}
    keep(folder, parts, manifest)
    result = write_study(folder, parts, manifest, figures=figures)
    return Study(**{**vars(result), "made": tuple(stages.made), "kept": tuple(stages.kept)})


def _options(metrics: Any, preset: str | None, further: dict[str, Any]) -> Options:
    named = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    return Options(metrics=named, preset=preset, **further)


def _plan(qrels: Any, runs: Any, name: str | None, max_grade: float | None, options: Options) -> Plan:
    if runs is not None:
        return Plan((CollectionPlan(name or name_of(qrels), qrels, runs, max_grade),), options)
    if isinstance(qrels, str | Path) and str(qrels).endswith(".toml"):
        planned = plan_of_toml(qrels)
        return planned if options == Options() else Plan(planned.collections, _merged(planned.options, options))
    raise MetameterError("a study needs judgments and runs", fix="Give QRELS RUN..., or a TOML file.")


def _merged(planned: Options, given: Options) -> Options:
    """What is said on the command line stands above what the file says."""
    usual = asdict(Options())
    said = {key: value for key, value in asdict(given).items() if value != usual[key]}
    return Options(**{**asdict(planned), **said})


def _refuse_other(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise MetameterError("the study's folder is a file", where=str(folder), fix="Choose another with --out.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / ".stages").exists():
        raise MetameterError(
            "the folder holds something that is no study", where=str(folder), fix="Choose another with --out."
        )


def _inputs(plan: CollectionPlan) -> dict[str, Any]:
    from metameter.read.sources import find_files

    runs = plan.runs if isinstance(plan.runs, list | tuple) else [plan.runs]
    paths = [each for each in runs if isinstance(each, str | Path)]
    files = find_files(paths) if paths else []
    return {"qrels": _known([plan.qrels]), "runs": _known(files)}


def _known(files: list[Any]) -> list[dict[str, Any]]:
    return fingerprint(file for file in files if isinstance(file, str | Path) and Path(file).is_file())
