"""What a study is asked to do: from arguments or from a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from metameter.errors import MetameterError, did_you_mean

__all__ = ["CollectionPlan", "Options", "Plan", "plan_of_toml"]


@dataclass(frozen=True)
class CollectionPlan:
    """One collection: judgments and runs.

    Attributes
    ----------
    name : str
    qrels, runs : object
        As in `metameter.score`.
    max_grade : float, optional
    """

    name: str
    qrels: Any
    runs: Any
    max_grade: float | None = None


@dataclass(frozen=True)
class Options:
    """How a study is done; the same for all its collections.

    Attributes
    ----------
    metrics : tuple of str
    preset : str, optional
        The metrics of a paper; taken when no metric is named.
    ties, precision, unjudged : str
        As in `metameter.score`.
    splits, trials, resamples : int
        How many times chance is asked.
    alpha : float
        The level of significance.
    similar : float
        From this tau on, a metric ranks systems like the canonical one.
    seed : int
    """

    metrics: tuple[str, ...] = ()
    preset: str | None = None
    ties: str = "docid-desc"
    precision: str = "double"
    unjudged: str = "zero"
    splits: int = 1000
    trials: int = 2000
    resamples: int = 400
    alpha: float = 0.05
    similar: float = 0.9
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what no stage could use before the first one begins."""
        for name in ("splits", "trials", "resamples"):
            if getattr(self, name) < 2:
                raise MetameterError(f"{name} is out of range", given=getattr(self, name), allowed="2 or more")
        for name in ("alpha", "similar"):
            if not 0 < getattr(self, name) <= 1 or (name == "alpha" and self.alpha == 1):
                raise MetameterError(f"{name} is out of range", given=getattr(self, name), allowed="between 0 and 1")
        if self.seed < 0:
            raise MetameterError("seed is out of range", given=self.seed, allowed="0 or more")


@dataclass(frozen=True)
class Plan:
    """A study: collections and options."""

    collections: tuple[CollectionPlan, ...]
    options: Options = field(default_factory=Options)


def plan_of_toml(path: str | Path) -> Plan:
    r"""Read a study file: options at the top, then a ``[[collection]]`` table for each collection.

    Paths in the file are relative to it.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "study.toml"
    >>> _ = file.write_text('seed = 7\n[[collection]]\nname = "a"\nqrels = "q.txt"\nruns = ["runs"]\n')
    >>> plan = plan_of_toml(file)
    >>> plan.options.seed, plan.collections[0].name, Path(plan.collections[0].qrels).name
    (7, 'a', 'q.txt')
    """
    where = str(path)
    try:
        told = tomllib.loads(Path(path).read_bytes().decode())
    except (OSError, UnicodeDecodeError) as error:
        raise MetameterError(f"cannot read the study file: {error}", where=where) from None
    except tomllib.TOMLDecodeError as error:
        raise MetameterError(
            f"not a TOML file: {error}", where=where, fix="See docs/study.md for an example."
        ) from None
    tables = told.pop("collection", [])
    if not isinstance(tables, list) or not tables:
        raise MetameterError("the study file names no collection", where=where, fix="Add a [[collection]] table.")
    collections = tuple(_collection(table, where) for table in tables)
    names = [each.name for each in collections]
    if len(set(names)) < len(names):
        raise MetameterError("two collections have the same name", where=where, given=names)
    return Plan(collections, _options(told, where))


def _collection(table: Any, where: str) -> CollectionPlan:
    known = [each.name for each in fields(CollectionPlan)]
    _only(table, known, where)
    for name in ("qrels", "runs"):
        if name not in table:
            raise MetameterError(f"a [[collection]] has no {name}", where=where, fix=f'Write {name} = "path".')
    folder = Path(where).parent
    runs = table["runs"] if isinstance(table["runs"], list) else [table["runs"]]
    qrels = str(folder / str(table["qrels"]))
    grade = table.get("max_grade")
    if grade is not None and not isinstance(grade, int | float):
        raise MetameterError("max_grade is not a number", where=where, given=grade)
    name = str(table.get("name", name_of(qrels)))
    return CollectionPlan(name, qrels, [str(folder / str(run)) for run in runs], grade)


def _options(told: dict[str, Any], where: str) -> Options:
    defaults = {each.name: each.default for each in fields(Options)}
    _only(told, list(defaults), where)
    for name, value in told.items():
        default = defaults[name]
        kind: tuple[type, ...] = (list,) if name == "metrics" else (str,) if default is None else (type(default),)
        if kind == (float,):
            kind = (int, float)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise MetameterError(f"{name} has the wrong type", where=where, given=value, allowed=kind[0].__name__)
    metrics: Sequence[str] = told.pop("metrics", ())
    return Options(metrics=tuple(map(str, metrics)), **told)


def _only(table: Any, known: list[str], where: str) -> None:
    for name in table:
        if name not in known:
            raise MetameterError("unknown option", where=where, given=name, fix=did_you_mean(name, known))


def name_of(qrels: Any) -> str:
    """A collection's name where none is given: that of its judgments.

    Examples
    --------
    >>> name_of("trec8/qrels.trec8.gz"), name_of({"1": {}})
    ('qrels.trec8', 'collection')
    """
    return Path(qrels).name.removesuffix(".gz").removesuffix(".txt") if isinstance(qrels, str | Path) else "collection"
