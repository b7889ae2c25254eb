"""The plan of a study of tables of scores: nothing is scored, all other stages are the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from metameter.errors import MetameterError
from metameter.meta.collections import read_sessions
from metameter.meta.framework.requirements import require_complete
from metameter.read.files.content import PACKED, Content
from metameter.read.sources import find_files
from metameter.scoring.manifest import manifest_of
from metameter.scoring.policy import FOR_SCORES, Policy
from metameter.studies.labels import SCALE, Labels, labels_apart, labels_of
from metameter.studies.plan import CollectionPlan, Plan, checked, parted
from metameter.types import Scores
from metameter.types.scores import Missing
from metameter.types.system_names import CommonAffixes

_TABLES = (".csv", ".tsv", ".parquet")


def are_score_tables(inputs: list[str]) -> bool:
    """Whether the inputs of a command are tables of scores, by the header of the first, whatever its name.

    Examples
    --------
    >>> are_score_tables(["qrels.txt", "runs"]), are_score_tables(["scores.csv"])
    (False, True)
    """
    from metameter.read.scores import is_score_table

    if all(_plain(name).endswith(_TABLES) for name in inputs):
        # A single table can be nothing else; its reader reports what is wrong with it.
        return len(inputs) == 1 or is_score_table(inputs[0])
    try:
        return is_score_table(find_files(inputs[:1])[0], certainly_a_table=False)
    except MetameterError:
        return False  # its reader reports what is wrong with it


def _plain(name: str) -> str:
    return next((name.removesuffix(each) for each in PACKED if name.endswith(each)), name).lower()


def plan_of_scores(
    source: Any,
    name: str | None,
    options: Mapping[str, Any],
    *,
    missing: Missing = None,
    collection_from: Literal["file"] | None = None,
    iteration: int | None = None,
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
    missing, collection_from, iteration
        As in `read_scores`. Stages that need sessions get all iterations, the others this one.

    Examples
    --------
    >>> import numpy as np
    >>> scores = Scores(("AP", "RR"), ("a", "b"), ("1", "2"), np.zeros((2, 2, 2)))
    >>> [(each.name, each.scores.metrics) for each in plan_of_scores(scores, "mine", {}).collections]
    [('mine', ('AP', 'RR'))]
    """
    about_labels, others = labels_apart(options)
    reading, further = parted(others)
    policy = Policy(**reading)
    for option in (each for each in policy.changed() if each not in FOR_SCORES):
        fix = "Leave it out, or give judgments and runs."
        raise MetameterError("an option for runs does not apply to tables of scores", given=option, fix=fix)
    how: dict[str, Any] = {"missing": missing, "collection_from": collection_from, "iteration": iteration}
    found = read_sessions(source, **how, strip_names=policy.strip_names)
    if name is not None and len(found) > 1:
        fix = "Leave the name out: each collection is named after its files."
        raise MetameterError(f"the tables hold {len(found)} collections", given=name, fix=fix)
    labels = labels_of(about_labels, common=further.get(SCALE))
    plans = [_collection(name or each, *scores, labels, policy) for each, scores in found.items()]
    for plan in plans:
        if len(plan.scores.metrics) < 2:
            given = ", ".join(plan.scores.metrics)
            raise MetameterError(
                "a study compares two metrics or more", given=given, fix="Give scores by more metrics."
            )
    return Plan(tuple(plans), options=checked(further, plans))


def _collection(name: str, scores: Scores, sessions: Scores, labels: Labels, policy: Policy) -> CollectionPlan:
    noted = _noted(require_complete(scores), policy)
    every = replace(sessions, manifest=noted.manifest)
    return CollectionPlan(name, None, None, scores=noted, sessions=every, labels=labels)


def _noted(scores: Scores, policy: Policy) -> Scores:
    """The scores with a manifest like that of scored runs: the options of reading, and the files."""
    files = [source for source in scores.manifest.get("sources", []) if source == "-" or Path(source).exists()]
    prints = [vars(Content.of(file).fingerprint) for file in files]
    options = {**scores.manifest.get("options", {}), **{name: getattr(policy, name) for name in FOR_SCORES}}
    noted = {"inputs": {"scores": prints}, **CommonAffixes.of_manifest(scores.manifest).entry()}
    return replace(scores, manifest={**manifest_of(**options), **noted})
