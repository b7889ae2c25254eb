"""Score runs against judgments: metric x system x topic."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from metameter.errors import MetameterError
from metameter.read.judgments import qrels_files
from metameter.read.sources import find_files
from metameter.scoring.manifest import fingerprint
from metameter.scoring.scores import score
from metameter.scoring.table import ScoreTable, check_suffix, score_table

__all__ = ["command"]


def command(
    qrels: str,
    runs: list[str],
    *,
    metrics: list[str] = (),  # type: ignore[assignment]
    preset: str | None = None,
    mean: bool = False,
    max_grade: float | None = None,
    ties: Literal["docid-desc", "docid-asc", "rank", "input", "mean"] = "docid-desc",
    precision: Literal["double", "single"] = "double",
    unjudged: Literal["zero", "condense"] = "zero",
    pool_depth: int | None = None,
    contributing: str | None = None,
    costs: str | None = None,
    topics: Literal["qrels", "common"] = "qrels",
    residual: bool = False,
    name_by: Literal["file", "tag"] = "file",
    on_duplicate: Literal["error", "first"] = "error",
    qrels_duplicates: Literal["error", "first", "last", "max"] = "error",
    out: str | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ScoreTable:
    """Score runs against judgments.

    Parameters
    ----------
    qrels : str
        Judgments: topic, iteration, document, grade. Plain, compressed, Parquet, or - for standard input; a folder or
        a quoted glob stands for all the files in it.
    runs : list of str
        Runs: files, folders or quoted globs.
    metrics : list of str
        A metric, such as nDCG@10 or RBP(p=0.8)*max; may be repeated.
    preset : str
        The metrics of a paper: chen-sakai-2023, moffat-2022, moffat-2022-preference, lu-2016.
    mean : bool
        Print means over topics.
    max_grade : float
        The top of the grade scale; by default the highest grade of the qrels.
    ties : str
        The order of documents with equal scores; mean is the expectation over random orders, exact.
    precision : str
        How scores are compared; single as trec_eval 9 does.
    unjudged : str
        Documents without judgment count as not relevant, or are removed first.
    pool_depth : int
        Keep only judgments of documents in the top so many of the contributing runs.
    contributing : str
        A file with the names of the contributing runs, one a line; by default all runs contribute.
    costs : str
        What it costs to look at documents: lines of "topic document cost" or of "document cost".
    topics : str
        All judged topics, a missing one as an empty list; or those that every run has.
    residual : bool
        Add what each score would be if all unjudged documents were worthless (low), or perfect (high).
    name_by : str
        A system is named after its file or after its run tag.
    on_duplicate : str
        What to do when a run lists a document twice.
    qrels_duplicates : str
        What to do when a document is judged twice for a topic: refuse it, or keep one of the grades.
    out : str
        A file to write: .csv, .tsv, .parquet or .json; its manifest is written beside it.
    jobs : int
        How many runs are read at a time; by default as many as there are cores.
    """
    if out is not None:
        check_suffix(Path(out))
    found = find_files(runs)
    scores = score(
        qrels,
        found,
        metrics,
        preset=preset,
        max_grade=max_grade,
        ties=ties,
        precision=precision,
        unjudged=unjudged,
        pool_depth=pool_depth,
        contributing=None if contributing is None else _contributing(contributing, found, name_by),
        costs=costs,
        topics=topics,
        residual=residual,
        jobs=jobs,
        progress=progress,
        name_by=name_by,
        on_duplicate=on_duplicate,
        qrels_duplicates=qrels_duplicates,
    )
    inputs = {"qrels": _known(qrels_files(qrels)), "runs": _known(found)}
    inputs |= {} if costs is None else {"costs": _known([costs])}
    scores.manifest["inputs"] = inputs
    return score_table(scores, mean=mean, file=out)


def _contributing(path: str, found: list[str], name_by: Literal["file", "tag"]) -> list[str]:
    from metameter.read.archives import read_bytes
    from metameter.read.trec import read_run, system_name

    # As in the table of scores: what a run's tag is, only the run knows.
    by_name = {read_run(file, name_by="tag").name if name_by == "tag" else system_name(file): file for file in found}
    wanted = []
    for number, line in enumerate(read_bytes(path).decode("utf-8", errors="replace").splitlines(), start=1):
        name = line.strip()
        if name and name not in by_name:
            fix = "Name runs as in the table of scores, one a line."
            where = f"{path}:{number}"
            raise MetameterError("a contributing run is not among the runs", where=where, given=name, fix=fix)
        wanted += [by_name[name]] if name else []
    if not wanted:
        raise MetameterError("no contributing run is named", where=path, fix="Write one name a line.")
    return wanted


def _known(files: list[str]) -> list[dict[str, Any]]:
    return fingerprint(file for file in files if file != "-")
