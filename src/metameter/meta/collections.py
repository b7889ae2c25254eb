"""Collections of scores for procedures and studies: one, or several by name, as scores or as tables of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from metameter.errors import MetameterError
from metameter.read.formats.frames import is_frame
from metameter.read.scores import (
    cells_by_collection,
    collection_name,
    read_collections,
    read_scores,
    scores_of_collections,
    stem_of,
)
from metameter.types import Scores
from metameter.types.scores import Missing, as_sessions, of_topics, without_missing
from metameter.types.system_names import with_short_names

#: What a procedure over several collections takes: scores, with or without iterations, or several by name.
Collections: TypeAlias = Scores | Mapping[str, Scores]


def collections_of(scores: Any) -> dict[str, Scores]:
    """Return collections by name, each with an axis of iterations.

    Parameters
    ----------
    scores : Scores, mapping, path, paths or data frame
        Several collections are a mapping from their names. Anything but `Scores` is read with all its iterations; a
        single collection without a name is named after its file, or ``scores``. Missing cells stay NaN.

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


def read_sessions(
    source: Any,
    *,
    missing: Missing = None,
    collection_from: Literal["file"] | None = None,
    iteration: int | None = None,
    strip_names: bool = False,
) -> dict[str, tuple[Scores, Scores]]:
    """Read collections once; return for each its scores at one iteration and its scores with an axis of all iterations.

    The first are those of `read_collections`. In the second, missing cells stay; with ``missing="zero"`` they count as
    zero, and with ``"drop-topic"`` only the topics of the first are kept.

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
        whole = scores_of_collections(cells, "all", None)
        chosen = scores_of_collections(cells, iteration, missing)
    if strip_names:
        whole, chosen = ({name: with_short_names(each) for name, each in both.items()} for both in (whole, chosen))
    return {name: (chosen[name], _beside(chosen[name], whole[name], missing)) for name in whole}


def _beside(chosen: Scores, whole: Scores, missing: Missing) -> Scores:
    return of_topics(whole, chosen.topics) if missing == "drop-topic" else without_missing(whole, missing)


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
