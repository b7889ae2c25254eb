"""Sets of simple metrics: each simple metric measures one dimension of quality, such as relevance."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metameter.errors import MetameterError, did_you_mean
from metameter.meta.framework.metric_names import find_metric, metric_of, same_name
from metameter.notation import spell_value, split_outside
from metameter.notices import notice

_FIX = "Write weights as rel=0.5,div=0.3,eff=0.2, or with the names of the simple metrics."

# Dimension of Albahem et al. (2019) -> its simple metric, under the names that tables give it.
_STANDARD = {"Rel": ("prec", "p"), "Div": ("st_rec",), "Eff": ("tot_time", "ttime")}
_FURTHER = ("r_it", "neg_it", "rtime", "ntime")  # simple metrics that are in no set of the paper
_SIMPLE = (*(name for names in _STANDARD.values() for name in names), *_FURTHER)
_SETS = ("Rel", "Div", "Eff", "Rel+Div", "Rel+Div+Eff")


@dataclass(frozen=True)
class DimensionSets:
    """Sets of simple metrics.

    Attributes
    ----------
    labels : tuple of str
        The name of each set.
    members : tuple of tuple of str
        The metrics of each set, as the table names them.
    """

    labels: tuple[str, ...]
    members: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, simple: Any, metrics: Sequence[str]) -> DimensionSets:
        """Read the option ``simple``.

        Parameters
        ----------
        simple : str or list of str
            One or more sets; plus signs join the metrics of a set. By default the five sets of Albahem et al. (2019),
            as far as the table has their simple metrics.
        metrics : sequence of str
            The metrics of the table.

        Examples
        --------
        >>> DimensionSets.of(["p", "strec+p"], ["act", "p", "strec"])
        DimensionSets(labels=('p', 'strec+p'), members=(('p',), ('strec', 'p')))
        >>> DimensionSets.of((), ["act", "p", "st-rec", "tot-time"]).labels
        ('Rel', 'Div', 'Eff', 'Rel+Div', 'Rel+Div+Eff')
        """
        standard = standard_dimensions(metrics)
        named = [_set(each, metrics, standard) for each in _listed(simple) or _usual(standard, metrics)]
        sets = {frozenset(members): (label, members) for label, members in reversed(named)}
        distinct = list(reversed(sets.values()))
        return cls(tuple(label for label, _ in distinct), tuple(members for _, members in distinct))

    @property
    def metrics(self) -> tuple[str, ...]:
        """Every simple metric once."""
        return tuple(dict.fromkeys(name for members in self.members for name in members))

    @property
    def positions(self) -> tuple[tuple[int, ...], ...]:
        """The metrics of each set, by their positions in `metrics`."""
        return tuple(tuple(self.metrics.index(name) for name in members) for members in self.members)

    @property
    def legend(self) -> str:
        """The metrics that labels such as Rel stand for; empty if all labels are names of metrics.

        Examples
        --------
        >>> DimensionSets(("Rel", "Rel+Div"), (("p",), ("p", "st-rec"))).legend
        'Rel is p, Div is st-rec'
        """
        pairs = [
            (word, name)
            for label, members in zip(self.labels, self.members, strict=True)
            for word, name in zip(split_outside(label, "+"), members, strict=False)
            if word in _STANDARD
        ]
        return ", ".join(f"{word} is {name}" for word, name in dict.fromkeys(pairs))


def _usual(standard: Mapping[str, str], metrics: Sequence[str]) -> list[str]:
    """The sets of the paper whose simple metrics the table has; a notice lists the missing ones."""
    sets = [each for each in _SETS if set(each.split("+")) <= set(standard)]
    if not sets:
        fix = f"Set simple (--simple) to one or more of these metrics: {', '.join(metrics)}."
        raise MetameterError("there is no simple metric to compare the others with", fix=fix)
    lacking = [f"{kind} ({names[0]})" for kind, names in _STANDARD.items() if kind not in standard]
    if lacking:
        notice(f"the table has no {' and no '.join(lacking)}, so sets with it are left out")
    return sets


def _listed(names: Any) -> list[Any]:
    if names is None:
        return []
    return list(names) if isinstance(names, list | tuple) else [names]


def _set(text: Any, metrics: Sequence[str], standard: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """The label and the metrics of one set."""
    names = [spell_value(each) for each in text] if isinstance(text, list | tuple) else [spell_value(text)]
    if len(names) == 1 and find_metric(names[0], metrics) is None:
        # The name of a metric may contain plus signs itself.
        names = split_outside(names[0], "+")
    members = [_member(name, metrics, standard) for name in names]
    return "+".join(label for label, _ in members), tuple(dict.fromkeys(name for _, name in members))


def _member(word: str, metrics: Sequence[str], standard: Mapping[str, str]) -> tuple[str, str]:
    """The name of a metric in the label of its set, and in the table."""
    if not word:
        fix = "Write simple metrics as P@10, or several that count together as prec+st_rec."
        raise MetameterError("a set of simple metrics has an empty name", fix=fix)
    name = find_metric(word, metrics)
    for kind, known in standard.items():
        if name is None and same_name(kind, word):
            return kind, known
        if name is None and _is_called(word, kind):
            return known, known
    name = metric_of(word, metrics)
    return name, name


def _is_called(word: str, kind: str) -> bool:
    return _is_one_of(word, _STANDARD[kind])


def _is_one_of(metric: str, names: Iterable[str]) -> bool:
    """Whether a metric has one of these names, in any form: ``st-rec(form=corrected)`` is ``st_rec``."""
    plain = metric.partition("(")[0]
    return any(same_name(plain, name) for name in names)


def standard_dimensions(metrics: Sequence[str]) -> dict[str, str]:
    """Which metrics of a table stand for relevance, diversity and effort in Albahem et al. (2019).

    Examples
    --------
    >>> standard_dimensions(["act", "p", "strec", "ttime"])
    {'Rel': 'p', 'Div': 'strec', 'Eff': 'ttime'}
    """
    by_kind = {kind: [each for each in metrics if _is_called(each, kind)] for kind in _STANDARD}
    return {kind: names[0] for kind, names in by_kind.items() if names}


def complex_metrics(requested: Any, metrics: Sequence[str], simple: Sequence[str]) -> tuple[str, ...]:
    """The metrics under test: those that are named, or else all that are not simple.

    Parameters
    ----------
    requested : str or list of str
        Text is separated by commas.
    metrics, simple : sequence of str
        All metrics of the table; the simple ones that are used.

    Examples
    --------
    >>> complex_metrics("RBU,act", ["act", "nct", "RBU(p=0.99,e=0.05)", "p"], ["p"])
    ('RBU(p=0.99,e=0.05)', 'act')
    >>> complex_metrics((), ["act", "nct", "p", "r-it"], ["p"])
    ('act', 'nct')
    """
    names = [name for each in _listed(requested) for name in _names(each, metrics)]
    if names:
        return tuple(dict.fromkeys(metric_of(name, metrics) for name in names))
    return tuple(each for each in metrics if each not in simple and not _is_one_of(each, _SIMPLE))


def _names(value: Any, metrics: Sequence[str]) -> list[str]:
    text = spell_value(value)
    return [text] if find_metric(text, metrics) is not None else [each for each in split_outside(text, ",") if each]


def yardsticks(simple: Any, metrics: Sequence[str]) -> list[str]:
    """The metrics that measure one dimension: those named as simple, and the simple metrics of sessions.

    Examples
    --------
    >>> yardsticks(["P@10+R@100"], ["AP", "P@10", "R@100", "nCT", "neg-it"])
    ['P@10', 'R@100', 'neg-it']
    """
    named = DimensionSets.of(simple, metrics).metrics if _listed(simple) else ()
    return [name for name in metrics if name in named or _is_one_of(name, _SIMPLE)]


def weights_of(weights: Any, sets: DimensionSets) -> tuple[float, ...] | None:
    """The weight of each simple metric, in the order of ``sets.metrics``; None if none are given.

    Parameters
    ----------
    weights : str or mapping
        Simple metric, or ``rel``, ``div``, ``eff`` -> weight.
    sets : DimensionSets

    Examples
    --------
    >>> weights_of("rel=.5, st_rec=.3", DimensionSets(("p+st-rec",), (("p", "st-rec"),)))
    (0.5, 0.3)
    >>> weights_of({"RR": 1}, DimensionSets(("p",), (("p",),)))
    Traceback (most recent call last):
    metameter.errors.MetameterError: a weight is for no simple metric in use (given 'RR'). Known: p.
    """
    if weights is None or (isinstance(weights, Mapping | str) and not weights):
        return None
    by_name: dict[str, float] = {}
    for key, value in _pairs(weights):
        name = _metric(key, sets.metrics)
        if name in by_name:
            raise MetameterError("a simple metric has two weights", given=name, fix="Give each of them once.")
        by_name[name] = _weight(key, value)
    _refuse_useless_weights(by_name, sets)
    return tuple(by_name.get(name, 0.0) for name in sets.metrics)


def _pairs(weights: Any) -> list[tuple[str, Any]]:
    if isinstance(weights, Mapping):
        return [(str(key), value) for key, value in weights.items()]
    if not isinstance(weights, str):
        raise MetameterError("weights are neither a mapping nor a text", given=type(weights).__name__, fix=_FIX)
    parts = [part.rpartition("=") for part in split_outside(weights, ",")]
    for key, sign, value in parts:
        if not sign or not key.strip():
            raise MetameterError("a weight has no name", given=value, fix=_FIX)
    return [(key.strip(), value) for key, _, value in parts]


def _metric(key: str, simple: Sequence[str]) -> str:
    name = find_metric(key, simple)
    kinds = [metric for kind, metric in standard_dimensions(simple).items() if same_name(kind, key)]
    metric = name or (kinds[0] if kinds else None)
    if metric is None:
        what = "a weight is for no simple metric in use"
        raise MetameterError(what, given=key, fix=did_you_mean(key, list(simple)))
    return metric


def _weight(key: str, value: Any) -> float:
    try:
        weight = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        weight = math.nan
    if not 0 <= weight < math.inf:
        pair = f"{key}={value}"
        raise MetameterError("a weight is not a number from 0 on", given=pair, allowed="0 or more", fix=_FIX)
    return weight


def _refuse_useless_weights(weights: Mapping[str, float], sets: DimensionSets) -> None:
    for members in sets.members:
        lacking = [name for name in members if name not in weights]
        if lacking and len(members) > 1:
            fix = f"Add {lacking[0]}=0 if it should not count."
            raise MetameterError("a simple metric has no weight", given=lacking[0], fix=fix)
    useless = [members for members in sets.members if len(members) > 1 and not any(weights[name] for name in members)]
    if useless or not any(weights.values()):
        named = "+".join(useless[0]) if useless else ", ".join(weights)
        raise MetameterError("all weights of a set are zero", given=named, fix="Give one of its metrics a weight.")
