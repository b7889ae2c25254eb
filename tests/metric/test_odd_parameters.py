"""Parameters of models and metrics that nobody would write: refused, whatever they are."""

import datetime
import math

import pytest

import metameter as mm
from metameter.parameters import Parametrised
from metameter.registry import get, names

ODD = [
    *(
        10**400,
        10**5000,
        -(10**5000),
        math.nan,
        math.inf,
        None,
        [],
        {},
        [1, "a"],
        {1: "a"},
        {math.nan: 1},
        object(),
        1j,
    ),
    *(datetime.date(2020, 1, 1), "", " ", "\0", {1, 2}, {1: 10**400}, [10**5000], {10**5000: 1}, {1: True}, [10**400]),
]
WORDS = [
    "9" * 400,
    "1e999",
    "None",
    "[1,[2]]",
    "{None:1}",
    "{9e999:1}",
    "binary(0)",
    f"binary({'9' * 400})",
    "1j",
    "...",
]


@pytest.mark.parametrize("kind", ["browse", "aggregate", "metric"])
def test_odd_parameters_in_python_are_refused_or_usable(kind):
    for name in names(kind):
        known = get(kind, name)
        for option in [*known.parameters(), *(["k"] if "k" in known.bounds() else [])]:
            for odd in ODD:
                try:
                    made = known(**{**known.example, option: odd})
                except mm.MetameterError:
                    continue
                assert isinstance(made, Parametrised)
                assert str(made)


@pytest.mark.parametrize("kind", ["browse", "aggregate", "metric"])
def test_odd_parameters_in_names_are_refused_or_usable(kind):
    for name in names(kind):
        texts = [f"{name}@{word}" for word in WORDS[:2]]
        texts += [f"{name}({option}={word})@5" for option in get(kind, name).parameters() for word in WORDS]
        for text in texts:
            try:
                metric = mm.parse_metric(text)
            except mm.MetameterError:
                continue
            assert metric.name
