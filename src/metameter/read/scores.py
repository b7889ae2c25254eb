"""Tables of scores, long, wide or as matrices, made into `Scores`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from metameter.arguments import checks_arguments
from metameter.errors import MetameterError
from metameter.read.frames import is_frame
from metameter.read.score_tables import (
    Iteration,
    cells_by_collection,
    collection_name,
    of_iteration,
    scores_of_cells,
    stem_of,
)
from metameter.types import Scores
from metameter.types.score_subsets import Missing, as_sessions, of_topics, without_missing
from metameter.types.shared_ends import with_short_names

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Collections", "collections_of", "read_collections", "read_scores", "read_sessions"]

#: What a procedure over several collections takes: scores, with or without iterations, or several by name.
Collections: TypeAlias = Scores | Mapping[str, Scores]


@checks_arguments
def read_scores(
    source: Any,
    *,
    missing: Missing = None,
    collection_from: Literal["file"] | None = None,
    iteration: Iteration = None,
    strip_names: bool = False,
) -> Scores:
    r"""Read the scores of one collection.

    Parameters
    ----------
    source : path, paths, data frame or Scores
        Tables in CSV, TSV, JSON lines or Parquet; long (metric, system, topic, score), wide (system, topic, one column
        per metric) or matrices (one column per system, one row per topic; the metric is the file's stem). What
        ``trec_eval -q`` prints; the system is the file's stem. A data frame, long or wide.
    missing : {"zero", "drop-topic"}, optional
        What to do with missing cells; by default they stay, as NaN.
    collection_from : {"file"}, optional
        Every file is a collection; then there must be only one.
    iteration : int or "all", optional
        Which iteration of dynamic search, where there are several; by default the last. With ``all`` the scores have
        an axis of iterations.
    strip_names : bool
        Leave out of the systems' names what all of them begin and end with, such as ``input.`` and ``.txt``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "AP.csv"
    >>> _ = path.write_text("bm25,ql\n0.5,0.4\n0.2,0.3\n")
    >>> scores = read_scores(path)
    >>> scores.metrics, scores.systems, scores.topics, scores["AP"].tolist()
    (('AP',), ('bm25', 'ql'), ('1', '2'), [[0.5, 0.2], [0.4, 0.3]])
    """
    if isinstance(source, Scores):
        whole = without_missing(source if iteration == "all" else source.at(iteration), missing)
        return with_short_names(whole) if strip_names else whole
    how: dict[str, Any] = {"missing": missing, "collection_from": collection_from, "iteration": iteration}
    collections = read_collections(source, **how, strip_names=strip_names)
    if len(collections) > 1:
        raise MetameterError(
            f"the files hold {len(collections)} collections: {', '.join(collections)}",
            fix="Give the files of one collection, or judge them together with study.",
        )
    return next(iter(collections.values()))


@checks_arguments
def read_collections(
    source: Any,
    *,
    missing: Missing = None,
    collection_from: Literal["file"] | None = None,
    iteration: Iteration = None,
    strip_names: bool = False,
) -> dict[str, Scores]:
    """Read the scores of one or several collections, by name; the parameters are those of `read_scores`.

    With ``collection_from="file"`` every file is a collection, named as the file's stem. Otherwise matrices
    with the same header and row count are metrics of one collection, and so are all long and wide tables.
    """
    collections = _scores(cells_by_collection(source, collection_from), iteration, missing)
    return _short(collections) if strip_names else collections


def _short(collections: Mapping[str, Scores]) -> dict[str, Scores]:
    return {name: with_short_names(scores) for name, scores in collections.items()}


def _scores(
    collections: Mapping[str, tuple[pl.DataFrame, list[str]]], iteration: Iteration, missing: Missing
) -> dict[str, Scores]:
    return {
        name: without_missing(scores_of_cells(*of_iteration(cells, iteration), sources), missing)
        for name, (cells, sources) in collections.items()
    }


def read_sessions(
    source: Any,
    *,
    missing: Missing = None,
    collection_from: Literal["file"] | None = None,
    iteration: int | None = None,
    strip_names: bool = False,
) -> dict[str, tuple[Scores, Scores]]:
    """Read collections once and give each of them twice: at one iteration, and with an axis of all iterations.

    The first is what `read_collections` gives, missing cells included. Of the second, cells that are missing in other
    iterations stay; with ``missing="zero"`` they count as zero, with ``"drop-topic"`` it has the topics of the first.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.array([[[[0.5, 0.25], [np.nan, 0.75]]]])
    >>> scores = Scores(("CT",), ("a",), ("1", "2"), values, iterations=(1, 2))
    >>> [each.values.tolist() for each in read_sessions(scores)["scores"]]
    [[[[0.25, 0.75]]], [[[[0.5, 0.25], [nan, 0.75]]]]]
    """
    if isinstance(source, Scores):
        source = {"scores": source}
    if isinstance(source, Mapping) and not is_frame(source):
        named = _named(source)
        whole = {name: as_sessions(each) for name, each in named.items()}
        chosen = {name: read_scores(each, missing=missing, iteration=iteration) for name, each in named.items()}
    else:
        cells = cells_by_collection(source, collection_from)
        whole, chosen = _scores(cells, "all", None), _scores(cells, iteration, missing)
    if strip_names:
        whole, chosen = _short(whole), _short(chosen)
    return {name: (chosen[name], _beside(chosen[name], whole[name], missing)) for name in whole}


def _beside(chosen: Scores, whole: Scores, missing: Missing) -> Scores:
    return of_topics(whole, chosen.topics) if missing == "drop-topic" else without_missing(whole, missing)


def collections_of(scores: Any) -> dict[str, Scores]:
    """What a procedure over several collections is given, as collections by name, each with an axis of iterations.

    Parameters
    ----------
    scores : Scores, mapping, path, paths or data frame
        Several collections are a mapping from their names. What is no `Scores` is read with all its iterations;
        one collection that has no name is called after its file, or ``scores``. Missing cells stay, as NaN.

    Examples
    --------
    >>> import numpy as np
    >>> scores = Scores(("AP",), ("a", "b"), ("1",), np.array([[[0.5], [0.25]]]))
    >>> [(name, each.iterations) for name, each in collections_of({"web": scores, "news": scores}).items()]
    [('web', (1,)), ('news', (1,))]
    >>> list(collections_of(scores))
    ['scores']
    """
    return {name: as_sessions(each) for name, each in _named(scores).items()}


def _named(scores: Any) -> dict[str, Scores]:
    if isinstance(scores, Scores):
        sources = [stem_of(str(source)) for source in scores.manifest.get("sources", [])]
        return {collection_name(sources) if sources else "scores": scores}
    if isinstance(scores, list | tuple) and any(isinstance(each, Scores) for each in scores):
        fix = "Give a mapping from the names of collections to their scores."
        raise MetameterError("several collections need names", given=f"{len(scores)} without", fix=fix)
    if not isinstance(scores, Mapping) or is_frame(scores):
        return read_collections(scores, iteration="all")
    if not scores:
        raise MetameterError("there is no collection", fix="Give the scores of one collection at least.")
    return {str(name): _one(str(name), each) for name, each in scores.items()}


def _one(name: str, scores: Any) -> Scores:
    if isinstance(scores, Mapping) and not is_frame(scores):
        fix = "Give a mapping from the names of collections to their scores."
        raise MetameterError("a collection is not scores", where=name, given=type(scores).__name__, fix=fix)
    return read_scores(scores, iteration="all")
