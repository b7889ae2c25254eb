"""A study planned in a TOML file: options at the top, then a table for each collection."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metameter.errors import MetameterError
from metameter.metric.compose import several
from metameter.scoring.line_files import read_run_names
from metameter.scoring.policy import Policy
from metameter.studies.labels import LABELS, SCALE, LabelReader, chosen_label_options, split_label_options
from metameter.studies.plan import PER_COLLECTION, CollectionPlan, Plan, name_of, split_options
from metameter.studies.study_options import Option, reading_options, refuse_unknown, stage_options

#: Examples for options whose default is None.
_EXAMPLES = {
    "preset": "chen-sakai-2023",
    "costs": "path",
    "contributing": "path",
    "groups": "path",
    "depths": "1-10",
    "iterations": "1-10",
    "weights": "rel=.5,div=.3,eff=.2",
    "pool_depth": 100,
    "max_grade": 3,
    "pages_max_grade": 3,
    "most_resamples": 100_000,
}

#: Keys that name files, of a collection or of all.
_PATHS = ("qrels", "runs", "costs", "groups", "contributing", "serps", "pairs")


def plan_of_toml(path: str | Path, call: Mapping[str, Any] | None = None) -> Plan:
    r"""Read a study file; paths in it are relative to it.

    Parameters
    ----------
    path : path
    call : mapping, optional
        Options of a call, which take precedence over the file: those of reading and of stages, ``metrics`` and
        ``preset``. If one of the last two is given, the file's metrics and presets do not count.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "study.toml"
    >>> _ = file.write_text('seed = 7\n[[collection]]\nname = "a"\nqrels = "q.txt"\nruns = ["runs"]\n')
    >>> plan = plan_of_toml(file)
    >>> plan.options["seed"], plan.collections[0].name, Path(plan.collections[0].qrels).name
    (7, 'a', 'q.txt')
    """
    try:
        return _plan(path, call or {})
    except MetameterError as error:
        # The error about an option does not name the study file yet.
        where, allowed = error.where or str(path), error.allowed
        raise MetameterError(error.what, where=where, given=error.given, allowed=allowed, fix=error.fix) from None


def inputs_of_toml(path: str | Path) -> list[str]:
    """The paths that a study file names; its content has not been checked yet."""
    top = _parsed(path)
    tables = top.get("collection")
    named = [top, *(tables if isinstance(tables, list) else ())]
    values = [table.get(name) for table in named if isinstance(table, dict) for name in _PATHS]
    paths = [each for value in values for each in (value if isinstance(value, list) else [value])]
    return [str(Path(path).parent / each) for each in paths if isinstance(each, str)]


@dataclass(frozen=True, eq=False)
class _Defaults:
    """What the collections of a study file share.

    Attributes
    ----------
    path : str or Path
        The study file.
    reading : dict
        The options of reading that stand above the collections.
    labels : dict
        The options of labels that stand above the collections.
    call : dict
        The options of labels in the call, which take precedence over those of the file.
    reader : LabelReader
    """

    path: str | Path
    reading: dict[str, Any]
    labels: dict[str, Any]
    call: dict[str, Any]
    reader: LabelReader


def _plan(path: str | Path, call: Mapping[str, Any]) -> Plan:
    where = str(path)
    top = _parsed(path)
    tables = top.pop("collection", [])
    if not isinstance(tables, list) or not tables:
        raise MetameterError("the study file names no collection", where=where, fix="Add a [[collection]] table.")
    labels_of_call, others = split_label_options(call)
    labels, top = split_label_options(_located(_typed(top, where), path))
    top = _replaced(top, others)
    metrics, preset = top.pop("metrics", ()), top.pop("preset", None)
    reading, options = split_options(top, where)
    if SCALE in others:
        # A scale in the call is that of all collections, like labels in the call.
        labels_of_call[SCALE] = None
    reader = LabelReader(options.get(SCALE))
    defaults = _Defaults(path, reading, _typed_labels(labels, where), labels_of_call, reader)
    collections = tuple(_collection(table, defaults) for table in tables)
    _refuse_same_names([each.name for each in collections], where)
    return Plan.of(collections, metrics, preset, options)


def _replaced(top: dict[str, Any], call: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the file, replaced by those of the call; metrics and presets are replaced together."""
    dropped = {"metrics", "preset"} if {"metrics", "preset"} & set(call) else set()
    return {name: value for name, value in top.items() if name not in dropped} | dict(call)


def refuse_per_collection(path: str | Path, name: str | None, options: Mapping[str, Any]) -> None:
    """Refuse options beside a study file that belong to one collection: name, scale, costs, pool."""
    own = ["name"] if name is not None else [each for each in PER_COLLECTION if each in options]
    if own:
        fix = f"Write {own[0]} into its [[collection]] tables."
        raise MetameterError("this option belongs in the study file", where=str(path), given=own[0], fix=fix)


def _parsed(path: str | Path) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(path).read_bytes().decode("utf-8-sig"))  # as some editors save it
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        what, fix = f"cannot read the study file: {reason}", "Give the path of a TOML file."
    except UnicodeDecodeError:
        what, fix = "the study file is not in UTF-8", "Save it as UTF-8."
    except tomllib.TOMLDecodeError as error:
        what, fix = f"not a TOML file: {error}", "See docs/study.md for an example."
    except (ValueError, RecursionError):
        what, fix = "a number has too many digits, or tables lie too deep in each other", "Write less of them."
    raise MetameterError(what, where=str(path), fix=fix)


def _collection(table: Any, defaults: _Defaults) -> CollectionPlan:
    path, where, folder = defaults.path, str(defaults.path), Path(defaults.path).parent
    own = [name for name in PER_COLLECTION if name in reading_options()]
    about_labels = [*LABELS, *([SCALE] if SCALE in stage_options() else [])]
    _check_collection(table, own, about_labels, where)
    qrels = str(folder / str(table["qrels"]))
    runs = [str(folder / str(run)) for run in several(table["runs"])]
    located = _located(table, path)
    differing, _ = split_options({name: value for name, value in located.items() if name in own})
    policy = Policy(**(defaults.reading | differing))
    own_labels = _typed_labels({name: value for name, value in located.items() if name in about_labels}, where)
    labels = defaults.reader.labels(chosen_label_options(defaults.labels, own_labels, defaults.call))
    return CollectionPlan(str(table.get("name", name_of(qrels))), qrels, runs, policy, labels=labels)


def _check_collection(table: Any, own: list[str], about_labels: list[str], where: str) -> None:
    """Refuse a [[collection]] table with unknown keys, or with a name or paths of another type."""
    if not isinstance(table, dict):
        fix = "Write [[collection]] above its lines."
        raise MetameterError("collection is not a [[collection]] table", where=where, fix=fix)
    refuse_unknown(table, ["name", "qrels", "runs", *own, *about_labels], where)
    if not _is_single(table.get("name", "none"), str):
        fix = 'Write name = "a name".'
        raise MetameterError("the name of a [[collection]] is not a text", where=where, given=table["name"], fix=fix)
    _typed({name: value for name, value in table.items() if name in own}, where)
    for name in ("qrels", "runs"):
        if name not in table:
            raise MetameterError(f"a [[collection]] has no {name}", where=where, fix=f'Write {name} = "path".')
        if not fits(table[name], ""):
            fix = f'Write {name} = "path".'
            raise MetameterError(f"{name} of a [[collection]] is not a path", where=where, given=table[name], fix=fix)


def _located(table: dict[str, Any], path: str | Path) -> dict[str, Any]:
    """The table with its paths taken relative to the folder of the file."""
    _refuse_empty(table, str(path))
    located, folder = dict(table), Path(path).parent
    for name in ("costs", "groups", "serps", "pairs"):
        if isinstance(table.get(name), str):
            located[name] = str(folder / table[name])
    for name in ("serps", "pairs"):
        if isinstance(table.get(name), list):
            located[name] = [str(folder / str(each)) for each in table[name]]
    if isinstance(table.get("contributing"), str):
        # A text is a file with names of runs, as on the command line.
        located["contributing"] = read_run_names(folder / table["contributing"])
    elif isinstance(table.get("contributing"), list):
        # A list has names of runs, as in the table of scores, or paths of runs.
        paths = {each: folder / str(each) for each in table["contributing"]}
        located["contributing"] = [str(path) if path.exists() else each for each, path in paths.items()]
    return located


def _refuse_empty(table: dict[str, Any], where: str) -> None:
    """Refuse an empty path, which would mean the folder of the study file with all its files."""
    for name in _PATHS:
        value = table.get(name)
        every = value if isinstance(value, list) else [value]
        if not every or any(isinstance(each, str) and not each.strip() for each in every):
            fix = f'Write {name} = "path", or leave it out.'
            raise MetameterError(f"{name} is empty", where=where, given=value, allowed="a path", fix=fix)


def _typed(table: dict[str, Any], where: str) -> dict[str, Any]:
    """Refuse values of the wrong type; the message names the file."""
    texts = {name: Option(name, list, "", "") for name in ("metrics", "preset")}
    refuse_unknown(table, [*texts, *LABELS, *reading_options(), *stage_options()], where)
    for name, option in {**texts, **reading_options(), **stage_options()}.items():
        default = "" if name in ("costs", "contributing") else option.default
        if name in table and not fits(table[name], default):
            allowed, fix = kind_of(default), f"Write {example_of(name, default)}, say."
            raise MetameterError(f"{name} has the wrong type", where=where, given=table[name], allowed=allowed, fix=fix)
    return table


def _typed_labels(table: dict[str, Any], where: str) -> dict[str, Any]:
    kinds = {"serps": "", "pairs": "", "serps_input": "tiangong", SCALE: 0.0}
    for name, value in table.items():
        if not fits(value, kinds[name]):
            kind = "a number" if name == SCALE else "a text, or a list of texts"
            example = {SCALE: 3, "serps_input": '"tiangong"'}.get(name, '"path"')
            fix = f"Write {name} = {example}, say."
            raise MetameterError(f"{name} has the wrong type", where=where, given=value, allowed=kind, fix=fix)
    return table


def _refuse_same_names(names: list[str], where: str) -> None:
    if len(set(names)) < len(names):
        fix = "Give every [[collection]] a name of its own."
        raise MetameterError("two collections have the same name", where=where, given=names, fix=fix)


def example_of(name: str, default: Any) -> str:
    """An example line in TOML.

    Examples
    --------
    >>> example_of("metrics", ""), example_of("ties", "docid-desc"), example_of("seed", 0), example_of("grid", False)
    ('metrics = ["nDCG@10"]', 'ties = "docid-desc"', 'seed = 0', 'grid = false')
    """
    # JSON of single values and of lists of texts is also TOML. The other options without a default name metrics.
    value = ["nDCG@10"] if default in ("", (), None) else default
    return f"{name} = {json.dumps(_EXAMPLES.get(name, value))}"


def kind_of(default: Any) -> str:
    """The allowed values in words.

    Examples
    --------
    >>> kind_of(False), kind_of(0.05), kind_of("")
    ('true or false', 'a number', 'a text, or a list of texts')
    """
    if isinstance(default, bool):
        return "true or false"
    if isinstance(default, int | float):
        return "a number"
    return "a number, a text, a list of them or a table" if default is None else "a text, or a list of texts"


def fits(value: Any, default: Any) -> bool:
    """Whether a value has the type of an option's default.

    Examples
    --------
    >>> fits(7, 0), fits("7", 0), fits(["nDCG@10"], ""), fits([[1]], None)
    (True, False, True, False)
    """
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(default, int | float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    if default is None:
        return _is_single(value) or _is_list(value, str | int) or _is_table(value)
    return _is_single(value, str) or _is_list(value, str)


def _is_single(value: Any, kind: Any = str | int | float) -> bool:
    """Whether a value is one text or number, and not empty.

    Examples
    --------
    >>> _is_single("a"), _is_single(3, str), _is_single(" "), _is_single(True)
    (True, False, False, False)
    """
    return isinstance(value, kind) and not isinstance(value, bool) and value not in ("", " ")


def _is_list(value: Any, kind: Any) -> bool:
    return isinstance(value, list) and all(_is_single(each, kind) for each in value)


def _is_table(value: Any) -> bool:
    # Groups of systems, or weights of metrics.
    return isinstance(value, dict) and all(_is_single(each) for each in value.values())
