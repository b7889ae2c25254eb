"""Tables of scores, long, wide or as matrices, made into `Scores`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from metameter.arguments import checks_arguments
from metameter.errors import MetameterError
from metameter.read.score_tables import Iteration, cells_by_collection, of_iteration, scores_of_cells
from metameter.types import Scores
from metameter.types.scores import Missing, without_missing
from metameter.types.system_names import with_short_names

if TYPE_CHECKING:
    import polars as pl


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
    collections = scores_of_collections(cells_by_collection(source, collection_from), iteration, missing)
    return {name: with_short_names(each) for name, each in collections.items()} if strip_names else collections


def scores_of_collections(
    collections: Mapping[str, tuple[pl.DataFrame, list[str]]], iteration: Iteration, missing: Missing
) -> dict[str, Scores]:
    """The scores of each collection from what `cells_by_collection` gives."""
    return {
        name: without_missing(scores_of_cells(*of_iteration(cells, iteration), sources), missing)
        for name, (cells, sources) in collections.items()
    }
