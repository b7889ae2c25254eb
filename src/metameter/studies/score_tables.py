"""The plan of a study of tables of scores: nothing is scored, all other stages are the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from metameter.errors import MetameterError
from metameter.meta.collections import read_sessions
from metameter.meta.framework.requirements import require_complete
from metameter.read.columns import column_key, spellings
from metameter.read.files.content import PACKED, Content
from metameter.read.formats import format_of
from metameter.read.formats.base import TableFormat
from metameter.read.formats.delimited import header_words
from metameter.read.sources import find_files
from metameter.scoring.manifest import manifest_of
from metameter.scoring.policy import FOR_SCORES, Policy
from metameter.studies.labels import SCALE, LabelReader, Labels, split_label_options
from metameter.studies.plan import CollectionPlan, Plan, checked_options, split_options
from metameter.types import Scores
from metameter.types.scores import Missing
from metameter.types.system_names import CommonAffixes

_LISTED = {*spellings("doc"), "grade"}
_TABLES = (".csv", ".tsv", ".parquet")


@dataclass(frozen=True)
class TableOptions:
    """How tables of scores are read, as in `read_scores`; None for an option that was not given."""

    missing: Missing = None
    collection_from: Literal["file"] | None = None
    iteration: int | None = None

    def refuse_for_runs(self) -> None:
        """Refuse any of them in a study of runs."""
        name = next((name for name, value in vars(self).items() if value is not None), None)
        if name is not None:
            fix = "Leave it out, or give tables of scores."
            raise MetameterError("an option for tables of scores does not apply to runs", given=name, fix=fix)


def are_score_tables(inputs: list[str]) -> bool:
    """Whether the inputs of a command are tables of scores, by the header of the first, whatever its name.

    Examples
    --------
    >>> are_score_tables(["qrels.txt", "runs"]), are_score_tables(["scores.csv"])
    (False, True)
    """
    if all(_plain(name).endswith(_TABLES) for name in inputs):
        # A single table can be nothing else; its reader reports what is wrong with it.
        return len(inputs) == 1 or is_score_table(inputs[0])
    try:
        return is_score_table(find_files(inputs[:1])[0], certainly_a_table=False)
    except MetameterError:
        return False  # its reader reports what is wrong with it


def is_score_table(path: str, *, certainly_a_table: bool = True) -> bool:
    """Whether a file holds a table of scores, rather than a table of judgments, from its first megabyte if possible."""
    from metameter.read.scores import is_matrix, read_table, system_column, table_in

    pieces = Content.of(path).pieces()
    head, rest = next(pieces), next(pieces, b"")
    if not (certainly_a_table or _looks_like_a_table(head, path)):
        return False
    try:
        table = table_in(head[: head.rfind(b"\n") + 1] if rest else head, path)
    except MetameterError:  # Parquet and JSON may have to be read as a whole
        if not rest:
            raise
        table = read_table(path)
    if _LISTED.intersection(map(column_key, table.header)):
        return False
    return is_matrix(table) or ("topic" in table.header and system_column(table) is not None)


def _looks_like_a_table(data: bytes, where: str) -> bool:
    """Whether a header of several words stands above cells; judgments begin with a topic."""
    from metameter.read.scores import trec_eval_table

    if isinstance(format_of(data), TableFormat) or trec_eval_table(data[: data.rfind(b"\n") + 1], where) is not None:
        return True
    header, _, below = data.removeprefix(b"\xef\xbb\xbf").partition(b"\n")
    return len(header_words(header)) > 1 and bool(below.strip())


def _plain(name: str) -> str:
    return next((name.removesuffix(each) for each in PACKED if name.endswith(each)), name).lower()


def plan_of_scores(
    source: Any,
    name: str | None,
    options: Mapping[str, Any],
    tables: TableOptions,
) -> Plan:
    """The plan of a study of tables of scores; matrices with other headers are other collections.

    Parameters
    ----------
    source : path, paths, data frame, Scores, or mapping from names of collections to them
        As in `read_scores`.
    name : str, optional
        The collection's name, where there is one collection.
    options : mapping
        Options of stages and of labels, for all collections; those of reading runs are refused.
    tables : TableOptions
        Stages that need sessions get all iterations, the others the one that is chosen here.

    Examples
    --------
    >>> import numpy as np
    >>> scores = Scores(("AP", "RR"), ("a", "b"), ("1", "2"), np.zeros((2, 2, 2)))
    >>> [(each.name, each.scores.metrics) for each in plan_of_scores(scores, "mine", {}, TableOptions()).collections]
    [('mine', ('AP', 'RR'))]
    """
    label_options, others = split_label_options(options)
    reading, own = split_options(others)
    policy = Policy(**reading)
    for option in (each for each in policy.changed() if each not in FOR_SCORES):
        fix = "Leave it out, or give judgments and runs."
        raise MetameterError("an option for runs does not apply to tables of scores", given=option, fix=fix)
    collections = read_sessions(
        source,
        missing=tables.missing,
        collection_from=tables.collection_from,
        iteration=tables.iteration,
        strip_names=policy.strip_names,
    )
    if name is not None and len(collections) > 1:
        fix = "Leave the name out: each collection is named after its files."
        raise MetameterError(f"the tables hold {len(collections)} collections", given=name, fix=fix)
    labels = LabelReader(own.get(SCALE)).labels(label_options)
    plans = [_collection(name or each, *scores, labels, policy) for each, scores in collections.items()]
    for plan in plans:
        if len(plan.scores.metrics) < 2:
            what, fix = "a study compares two metrics or more", "Give scores by more metrics."
            raise MetameterError(what, given=", ".join(plan.scores.metrics), fix=fix)
    return Plan(tuple(plans), options=checked_options(own, plans))


def _collection(name: str, scores: Scores, sessions: Scores, labels: Labels, policy: Policy) -> CollectionPlan:
    complete = _with_manifest(require_complete(scores), policy)
    sessions = replace(sessions, manifest=complete.manifest)
    return CollectionPlan(name, None, None, scores=complete, sessions=sessions, labels=labels)


def _with_manifest(scores: Scores, policy: Policy) -> Scores:
    """The scores with a manifest like that of scored runs: the options of reading, and the files."""
    files = [source for source in scores.manifest.get("sources", []) if source == "-" or Path(source).exists()]
    prints = [vars(Content.of(file).fingerprint) for file in files]
    options = {**scores.manifest.get("options", {}), **{name: getattr(policy, name) for name in FOR_SCORES}}
    inputs = {"inputs": {"scores": prints}, **CommonAffixes.of_manifest(scores.manifest).entry()}
    return replace(scores, manifest={**manifest_of(**options), **inputs})
