"""Every public function, every option, odd values: a MetameterError or a result, and never anything else."""

import datetime
import inspect
import math
import warnings

import numpy as np
import polars as pl
import pytest

import metameter as mm
from metameter.cli.derive import command_of
from metameter.cli.program import commands, load, run
from metameter.registry import names
from metameter.simulation import simulate, simulate_pages, simulate_sessions

SMALL = {"trials": 4, "resamples": 2, "splits": 2}
# Made anew for each call: a generator is empty after its first use.
ODD = {
    "None": lambda: None,
    "nan": lambda: math.nan,
    "NumPy's nan": lambda: np.float64("nan"),
    "infinity": lambda: math.inf,
    "-1": lambda: -1,
    "1.5": lambda: 1.5,
    "10^11": lambda: 10**11,
    "10^23": lambda: 10**23,
    "400 digits": lambda: 10**400,
    "5000 digits": lambda: 10**5000,
    "an empty text": lambda: "",
    "a blank": lambda: " ",
    "a word": lambda: "abc",
    "a null byte": lambda: "a\0b",
    "a digit of Arabic": lambda: "٣",
    "a date": lambda: datetime.date(2020, 1, 1),
    "bytes": lambda: b"abc",
    "a set": lambda: {1, "a"},
    "a generator": lambda: (each for each in ("a", 1)),
    "a mapping": lambda: {1: {2: "x"}},
    "a list of None": lambda: [None],
    "a mixed list": lambda: [1, "a"],
    "an object": object,
    "an array": lambda: np.ones((1, 2)),
    "a frame": lambda: pl.DataFrame({"a": [1]}),
    "objects in a frame": lambda: pl.DataFrame({"topic": pl.Series([1, "a"], dtype=pl.Object), "doc": ["a", "b"]}),
}


@pytest.fixture(scope="module")
def calls():
    """Function -> how it is called: as little as makes it answer."""
    made = simulate(topics=3, systems=3, depth=4, documents=20)
    pages = simulate_pages(12, pairs=12, users=2, depth=3)
    sessions = simulate_sessions(topics=2, systems=2, iterations=2, documents=30, relevant=5, subtopics=2)
    scores = mm.score(made.qrels, made.runs, ["P@2", "R@2", "AP"])
    inputs = {"scores": scores, "qrels": made.qrels, "runs": made.runs, "serps": pages.pages, "pairs": pages.pairs}
    told = SMALL | {"simple": ["P@2"], "metrics": ["P@2", "AP"]}
    every = {name: _taken(getattr(mm, name), inputs | told) for name in names("meta")}
    every |= {name: _taken(getattr(mm, name), inputs | {"metrics": "AP"}) for name in ("check", "score")}
    return every | {
        "explain": {"metric": "AP", "gains": [1, 0]},
        "parse_metric": {"metric": "AP"},
        "preset": {"name": "everyday"},
        "read_pairs": {"source": pages.pair_rows},
        "read_qrels": {"source": made.qrels.table},
        "read_run": {"source": made.runs[0].table},
        "read_scores": {"source": scores.table},
        "read_serps": {"source": pages.rows},
        "read_session_run": {"source": sessions.runs[0]},
        "read_truth": {"source": sessions.truth},
        "register": {"kind": "metric"},
        "session": {"truth": sessions.truth, "runs": sessions.runs, "metrics": "prec"},
        "simulate": {"topics": 2, "systems": 2, "depth": 3, "documents": 20},
        "simulate_pages": {"pages": 5, "pairs": 5, "users": 2},
        "simulate_sessions": {"topics": 2, "systems": 2, "iterations": 2, "documents": 30, "relevant": 5},
        "Workers": {},
    }


def _taken(function, given):
    return {name: value for name, value in given.items() if name in inspect.signature(function).parameters}


@pytest.mark.parametrize("odd", ODD)
def test_odd_arguments_give_an_error_or_a_result(odd, calls, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, given in calls.items():
            function = getattr(mm, name)
            for option in inspect.signature(function).parameters:
                if option == "progress":
                    continue
                try:
                    function(**{**given, option: ODD[odd]()})
                except mm.MetameterError:
                    pass
                except Exception as error:  # which is what is looked for
                    wrong.append(f"{name}({option}={odd}): {type(error).__name__}: {error}"[:200])
    assert wrong == []
    assert list(tmp_path.iterdir()) == []


NUMBERS = {"alpha", "splits", "trials", "resamples", "most_resamples", "settled", "similar", "margin", "seed", "jobs"}
NUMBERS |= {"max_grade", "pool_depth", "until", "digits"}
OF = {
    name: NUMBERS & {each.name for each in command_of(load(name)).params} for name in commands() if name != "simulate"
}
INPUTS = {"score": ["absent", "absent"], "check": ["absent", "absent"], "session": ["absent", "absent"]}
INPUTS |= {"volatility": ["absent", "absent"], "explain": ["AP", "--gains", "1 0"], "metrics": [], "demo": []}
INPUTS |= {"taxonomy": [], "report": ["absent"], "study": ["absent", "absent", "-m", "AP"]}


@pytest.mark.parametrize("name", [name for name, numbers in OF.items() if numbers])
def test_a_command_refuses_numbers_before_reading_inputs(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for option in sorted(OF[name]):
        for value in ("nan", "-1", "100000000000000000000000", "9" * 400, "abc", ""):
            if value != "nan" and option == "max_grade":
                continue  # there is no highest grade that could be
            words = [name, *INPUTS.get(name, ["absent"]), f"--{option.replace('_', '-')}={value}"]
            assert run(words) == 2, words
            said = capsys.readouterr()
            assert said.err.count("\n") == 1
            assert "absent" not in said.err, words
    assert list(tmp_path.iterdir()) == []
