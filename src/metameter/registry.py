"""The registry: browsing models, aggregations, metrics and procedures by name.

A class registers itself by one decorator in one file of its package; other distributions register theirs through entry
points of the group ``metameter.<kind>``.
"""

from __future__ import annotations

import os
import pkgutil
import re
from ast import literal_eval
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from importlib import import_module
from inspect import unwrap
from threading import RLock
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

from metameter.distributions import entry_points
from metameter.errors import MetameterError, did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "KINDS",
    "declared_aliases",
    "find",
    "get",
    "metric_named",
    "names",
    "refuse_names_of_ours",
    "register",
    "registered_by",
]

KINDS = {
    "browse": "browsing model",
    "aggregate": "aggregation",
    "metric": "metric",
    "meta": "procedure",
}

_classes: dict[str, dict[str, Any]] = {kind: {} for kind in KINDS}
_loaded: set[str] = set()
_begun: set[str] = set()
_loading = RLock()
T = TypeVar("T")


def register(kind: str, name: str | None = None) -> Callable[[T], T]:
    """Register a class (or, for ``meta``, a function) under its name.

    Examples
    --------
    >>> from metameter.registry import get
    >>> get("browse", "RBP").__name__
    'RBP'
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise MetameterError("unknown kind", given=kind, fix=f"Known: {', '.join(KINDS)}.")

    if name is not None and not isinstance(name, str):
        raise MetameterError("a name is not a text", given=name, fix="Leave it out, or give a text.")

    def enter(thing: T) -> T:
        key = name or thing.__name__  # type: ignore[attr-defined]
        known = _classes[kind].get(key)
        if known is not None and (known.__module__, known.__qualname__) != (
            thing.__module__,
            thing.__qualname__,  # type: ignore[attr-defined]
        ):
            _refuse_second(kind, key, known.__module__)
        thing.registered_name = key  # type: ignore[attr-defined]
        _classes[kind][key] = thing
        return thing

    return enter


def registered_by(kind: str, module: str) -> list[str]:
    """The names of a kind that a module has registered so far; nothing is imported.

    Examples
    --------
    >>> registered_by("browse", "nobody")
    []
    """
    return [name for name, thing in _classes[kind].items() if thing.__module__ == module]


def refuse_names_of_ours(kind: str, names: Iterable[str]) -> None:
    """Raise an error if a built-in module uses one of these names, even if it has not been imported yet.

    Examples
    --------
    >>> refuse_names_of_ours("browse", ["RBP"])
    Traceback (most recent call last):
    metameter.errors.MetameterError: the browsing model RBP is registered already, by metameter.browse.rbp. Choose
    another name.
    """
    own = _sources_of(kind) or {}
    for name in names:
        if name in own:
            _refuse_second(kind, name, own[name].module)


def _refuse_second(kind: str, name: str, module: str) -> NoReturn:
    what = f"the {KINDS[kind]} {name} is registered already, by {module}"
    raise MetameterError(what, fix="Choose another name.")


def _load(kind: str) -> None:
    if kind in _loaded:
        return
    with _loading:  # one thread at a time; the others wait until all of a kind are registered
        if kind in _loaded or kind in _begun:
            return  # a module that is being loaded may look up its own kind
        _begun.add(kind)
        try:
            package = import_module(f"metameter.{kind}")
            for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
                import_module(module.name)
            for entry in entry_points(group=f"metameter.{kind}"):
                _enter(kind, entry)
        finally:
            _begun.discard(kind)
        _loaded.add(kind)


def _enter(kind: str, entry: EntryPoint) -> None:
    try:
        thing = entry.load()
        if kind == "meta":
            _check_command(entry.name, thing)
    except Exception as problem:  # a plug-in may raise anything
        owner = entry.dist.name if entry.dist else "an unknown distribution"
        reason = problem.what if isinstance(problem, MetameterError) else f"{type(problem).__name__}: {problem}"
        raise MetameterError(
            f"the plug-in {entry.name} = {entry.value} of {owner} cannot be loaded: {reason}",
            fix=f"Update or uninstall {owner}.",
        ) from problem


def _check_command(name: str, thing: Any) -> None:
    """Refuse an entry point whose name, which becomes the command, is not that of a registered procedure."""
    known = _classes["meta"].get(name.replace("-", "_"))
    # The registered function wraps the procedure to check its arguments.
    if known is None or (not isinstance(thing, ModuleType) and unwrap(known) is not unwrap(thing)):
        raise MetameterError(
            f"it registers no procedure of the name {name}",
            fix="Give the entry point the name of the function.",
        )


def names(kind: str) -> list[str]:
    """All registered names of a kind, in alphabetical order."""
    _load(kind)
    return sorted(_classes[kind], key=str.lower)


def find(kind: str, name: str) -> Any | None:
    """The class registered under a name, or None. Without plug-ins only the module of that class is imported."""
    if kind not in _loaded:
        # A plug-in may register any name, so with plug-ins all are loaded.
        own = None if entry_points(group=f"metameter.{kind}") else _sources_of(kind)
        if own is None:
            _load(kind)
        elif name in own and name not in _classes[kind]:
            import_module(own[name].module)
    return _classes[kind].get(name)


def declared_aliases(kind: str) -> dict[str, dict[str, str]]:
    """Name -> the ``aliases`` that its class declares, for all names of a kind.

    Built-in classes are imported only if plug-ins are installed. Inherited aliases are left out, since a subclass of a
    metric is another metric.

    Examples
    --------
    >>> declared_aliases("metric")["RR"]
    {'mrr': 'RR', 'mrr@{k}': 'RR@{k}', 'recip_rank': 'RR'}
    """
    own = None if entry_points(group=f"metameter.{kind}") else _sources_of(kind)
    if own is None:
        _load(kind)
    read = {name: source.aliases for name, source in (own or {}).items()}
    declared = read | {name: vars(known).get("aliases", {}) for name, known in _classes[kind].items()}
    return {name: declared[name] for name in sorted(declared, key=str.lower)}


class Source(NamedTuple):
    """The module that registers a name, and the aliases that its class declares."""

    module: str
    aliases: dict[str, str]


@lru_cache(maxsize=len(KINDS))
def _sources_of(kind: str) -> dict[str, Source] | None:
    """Name -> source, found by searching the text of the modules; None if there are no sources.

    A command should import only the metrics that it computes: importing all modules takes about a hundred times as long
    as searching their text, and longer than scoring a small run. The alternatives are worse. A naming convention gives
    the module of a name, but neither the aliases nor several metrics in one module. An index in a file of its own must
    be renewed for every new metric. Parsing the modules takes about eight times as long. A test compares the result
    with what is registered after everything is imported.
    """
    begins = f'\n@register("{kind}"'
    entered = re.compile(
        rf'^@register\("{kind}"(?:, "([^"]+)")?\)\n(?:@.*\n)*(?:class|def) (\w+)(.*\n(?:[ )].*\n|\n)*)', re.MULTILINE
    )
    return {
        name or thing: Source(module, _aliases_in(body))
        for module, text in _sources(import_module(f"metameter.{kind}"))
        if begins in text  # a substring test is faster than the regular expression
        for name, thing, body in entered.findall(text)
    } or None


def _sources(package: ModuleType) -> Iterator[tuple[str, str]]:
    """The name and the text of each module of a package."""
    root = package.__path__[0]
    for folder, _, files in os.walk(root):
        inside = folder[len(root) :].replace(os.sep, ".")
        for file in (each for each in files if each.endswith(".py")):
            with open(os.path.join(folder, file), encoding="utf-8") as source:
                yield f"{package.__name__}{inside}.{file[:-3]}", source.read()


_ALIASES = re.compile(r"^    aliases = (\{.*\}|\{\n(?: {8}.*\n)* {4}\})$", re.MULTILINE)


def _aliases_in(body: str) -> dict[str, str]:
    line = _ALIASES.search(body) if "\n    aliases = " in body else None
    return dict(literal_eval(line[1])) if line else {}


def get(kind: str, name: str) -> Any:
    """The class registered under a name; an unknown name lists what exists."""
    known = find(kind, name)
    if known is None:
        everything = "" if kind == "meta" else "metameter metrics lists all."
        raise MetameterError(f"unknown {KINDS[kind]}", given=name, fix=did_you_mean(name, names(kind), everything))
    return known


def metric_named(name: Any, *, typed: bool = False) -> Any | None:
    """The metric of a name or a Python expression; None if it is unknown, as names in a table may be.

    A name that a person ``typed`` may be an alias from another tool. In a table such a name means the scores of that
    tool, so it is not read as a metric.

    Examples
    --------
    >>> metric_named("RBP(p=0.8)"), metric_named("somebody's metric")
    (RBP(p=0.8)*ERG, None)
    >>> metric_named("map", typed=True), metric_named("map")
    (AP, None)
    """
    # Imported by its name: tables of scores look metrics up, and `metric` is a layer above them.
    compose = import_module("metameter.metric.compose")
    try:
        return compose.read_metric(name, typed=typed)
    except MetameterError:
        return None
