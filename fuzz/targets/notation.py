"""Names of metrics: read or refused; what is read prints as itself, and gives a number."""

import string
from dataclasses import fields
from functools import cache
from random import Random

from fuzz.draw import damaged, one_in
from fuzz.laws import Refused, outcome
from metameter.metric.compose import parse_metric
from metameter.registry import get, names

GROUP, SHARE = "notation", 3
METRICS, BROWSE, AGGREGATE = (list(names(kind)) for kind in ("metric", "browse", "aggregate"))
WORDS = ["map", "MAP", "P_10", "ndcg_cut.10", "recall_100", "iprec_at_recall_0.1", "hits", "11pt_avg", "recall"]
WORDS += ["SDCG", "ndcg", "alpha-nDCG", "os", "__import__", "lambda", "None", "x.y", "", "é", "ＡＰ", "1"]
KEYS = [
    "p",
    "T",
    "k",
    "rel",
    "gain",
    "norm",
    "beta",
    "delta",
    "alpha",
    "b1",
    "R1",
    "A",
    "L",
    "h",
    "e",
    "judged_only",
    "closure",
]
KEYS += [
    "continuation",
    "weight",
    "last",
    "discount",
    "recall_base",
    "rate",
    "K",
    "dynamic",
    "med",
    "x",
    "",
    "p p",
    "__class__",
]
VALUES = [
    "0",
    "1",
    "0.5",
    "0.8",
    "2",
    "10",
    "-1",
    "1e999",
    "1e-300",
    "1e300",
    "nan",
    "inf",
    "True",
    "None",
    "exp",
    "linear",
]
VALUES += [
    "binary(2)",
    "min",
    "pool",
    "run",
    "stop",
    "drop",
    "jk",
    "'x'",
    "[1,0.5]",
    "[0.5,0.4,0.3]",
    "[]",
    "{0:0,1:1}",
    "{}",
]
VALUES += [
    "10**9",
    "9" * 30,
    "9" * 400,
    "1" + "0" * 5000,
    "1j",
    "b'x'",
    "...",
    "x.y",
    "f(1)",
    "(1,2)",
    "0x10",
    "1_0",
    "-0",
    "1.",
]
VALUES += [
    ".5",
    "5e-1",
    "+1",
    "--1",
    "1-1",
    "[" * 60,
    "{" * 99,
    "(" * 300,
    "'" * 3,
    "1e-5",
    "0.1+0.2",
    "not 1",
    "[[1]]",
    "{1:{}}",
]
FITTING = ["0.5", "0.8", "1", "2", "10", "True", "exp", "[0.5,0.4,0.3]", "{0:0,1:1}"]
DEPTHS = [
    "@1",
    "@3",
    "@10",
    "@1000",
    "@0",
    "@-1",
    "@1.5",
    "@1e3",
    "@" + "9" * 30,
    "@" + "9" * 400,
    "@x",
    "@@",
    "@10@5",
    "@ 5",
    "@05",
    "@",
]


def make(draw: Random) -> bytes:
    """Names after the grammar, with odd parameters and depths; a quarter of them damaged."""
    if one_in(draw, 30):
        return "".join(draw.choices(string.printable, k=draw.randrange(40))).encode()
    text = _term(draw, METRICS + BROWSE + WORDS)
    if one_in(draw, 2):
        text = f"{_term(draw, BROWSE)}{draw.choice(['*'] * 9 + [' * ', '**', '×'])}{_term(draw, AGGREGATE)}"
    data = text.encode()
    return damaged(draw, data) if one_in(draw, 4) else data


def _term(draw: Random, known: list[str]) -> str:
    word = draw.choice(WORDS if one_in(draw, 40) else known)
    keys = KEYS if one_in(draw, 6) or not _own(word) else _own(word)
    values = VALUES if one_in(draw, 4) else FITTING
    pairs = [f"{draw.choice(keys)}={draw.choice(values)}" for _ in range(draw.choice([0, 0, 1, 1, 2, 3]))]
    arguments = f"({draw.choice([',', ', ']).join(pairs)})" if pairs else ""
    depth = draw.choice(DEPTHS if one_in(draw, 4) else DEPTHS[:4]) if one_in(draw, 2) else ""
    return word + arguments + depth


@cache
def _own(word: str) -> list[str]:
    """The parameters that a model, an aggregation or a metric really has."""
    kinds = [kind for kind in ("metric", "browse", "aggregate") if word in names(kind)]
    return [each.name for kind in kinds for each in fields(get(kind, word)) if each.init]


def hold(data: bytes) -> bool:
    """What is read prints as itself and scores, or says in one line why not."""
    text = data.decode("utf-8", errors="replace")
    measure = outcome(lambda: parse_metric(text))
    if isinstance(measure, Refused):
        return False
    again = parse_metric(repr(measure))
    assert repr(again) == repr(measure), f"{measure!r} reads as {again!r}"
    score = outcome(lambda: measure([1, 0, 0.5, None, 1]))
    assert isinstance(score, float | Refused), f"{measure!r} scores {score!r}"
    return True
