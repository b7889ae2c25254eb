"""Every number of cwl-eval 1.0.12: 36 configurations on eight lists, with residuals."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metameter.aggregate.total_gain import ERG, ETG
from metameter.browse.base import Browsing
from metameter.browse.page import Page
from metameter.judge.ranked import Ranked
from metameter.metric.product import Product
from metameter.metric.residual import bounds
from metameter.registry import get

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "cwl_eval.json").read_text())
TOLERANCE = GOLDEN["tolerance"]


def dropped(name: str, **numbers: float) -> Callable[[int], Browsing]:
    """Sums that end at max_n; the mass beyond is lost."""
    return lambda n: get("browse", name)(**numbers, k=n, closure="drop")


def stopped(name: str, before: int = 0, **numbers: float) -> Callable[[int], Browsing]:
    """TBG and U-measure set C to 0 at their last rank (U-measure one rank earlier), so nothing is lost there."""
    return lambda n: get("browse", name)(**numbers, k=n - before)


def at(name: str, k: int, **numbers: float) -> Callable[[int], Browsing]:
    """A last rank of their own."""
    return lambda n: get("browse", name)(**numbers, k=k)


GOAL, RATE = {"T": 2, "b1": 0.9, "R1": 1}, {"A": 0.2, "b2": 0.9, "R2": 10}
MODELS = {
    "P@1": at("Prec", 1),
    "P@3": at("Prec", 3),
    "P@10": at("Prec", 10),
    "RBP@0.5": dropped("RBP", p=0.5),
    "RBP@0.8": dropped("RBP", p=0.8),
    "RBP@0.95": dropped("RBP", p=0.95),
    "SDCG@3": at("DCG", 3),
    "SDCG@10": at("DCG", 10),
    "RR(first nonzero gain)": dropped("RRbin"),
    "AP1(run recall base)": dropped("AP1"),
    "INST@T=1": dropped("INST", T=1),
    "INST@T=2.25": dropped("INST", T=2.25),
    "INST@T=3": dropped("INST", T=3),
    "INSQ@T=1": dropped("INSQ", T=1),
    "INSQ@T=2.25": dropped("INSQ", T=2.25),
    "TBG@H=22": stopped("TBG", h=22),
    "TBG@H=224": stopped("TBG", h=224),
    "U@L=20": stopped("UMeasure", before=1, L=20),
    "U@L=1000": stopped("UMeasure", before=1, L=1000),
    "BPM-static@T=1,K=5": dropped("BPM", T=1, K=5),
    "BPM-static@T=2,K=10": dropped("BPM", T=2, K=10),
    "BPM-dynamic@T=1,K=5,hb=1,hc=1,med=0.5": dropped("BPM", T=1, K=5, dynamic=True),
    "BPM-dynamic@T=2,K=10,hb=0.3,hc=0.4,med=0.25": dropped("BPM", T=2, K=10, dynamic=True, hb=0.3, hc=0.4, med=0.25),
    "IFT-C1@T=2,b1=0.9,R1=1": dropped("IFTC1", **GOAL),
    "IFT-C2@A=0.2,b2=0.9,R2=10": dropped("IFTC2", **RATE),
    "IFT-C1C2@T=2,b1=0.9,R1=1,A=0.2,b2=0.9,R2=10": dropped("IFTC1C2", **GOAL, **RATE),
    "NERR8@k=5": at("NERR8", 5),
    "NERR8@k=10": at("NERR8", 10),
    "NERR9@k=5": at("NERR9", 5),
    "NERR9@k=10": at("NERR9", 10),
    "NERR10@phi=0.8": dropped("NERR10", p=0.8),
    "NERR10@phi=0.9": dropped("NERR10", p=0.9),
    "NERR11@T=1": dropped("NERR11", T=1),
    "NERR11@T=2.25": dropped("NERR11", T=2.25),
    "NPV@rate=0.25": dropped("NPV", rate=0.25),
    "SET@beta=0.5,k=10": at("SET", 10, beta=0.5),
}


@dataclass(frozen=True, eq=False)
class Costed(Ranked):
    """A run that was aligned with a table of costs."""

    costs: Any = None


def ranked_of(case: dict[str, Any]) -> Ranked:
    plain = Ranked.of_gains([case["gains"]])
    costs = None if case["costs"] is None else np.array([case["costs"]])
    return Costed(plain.system, plain.judgments, plain.grade, plain.status, plain.length, costs=costs)


def measured(model: Browsing, page: Page) -> dict[str, float]:
    state = model.browsing_state(page)
    costs = np.ones(page.depth) if page.costs is None else page.costs[0]
    found = {
        "EC": state.weight[0] @ costs,
        "ETC": state.last[0] @ np.cumsum(costs),
        "ED": state.viewed[0],
    }
    return {name: float(value) for name, value in found.items()}


def test_all_configurations_are_covered() -> None:
    assert all(set(case["expected"]) == set(MODELS) for case in GOLDEN["cases"].values())


@pytest.mark.parametrize("case", GOLDEN["cases"])
@pytest.mark.parametrize("name", MODELS)
def test_scores_residuals_and_vectors_match(case: str, name: str) -> None:
    given = GOLDEN["cases"][case]
    expected, n = given["expected"][name], given["max_n"]
    model, ranked = MODELS[name](n), ranked_of(given)
    utility, total = Product(model, ERG()), Product(model, ETG())
    page = utility.page(ranked)
    rate, sum_ = bounds(utility, ranked), bounds(total, ranked)
    ones = np.where(ranked.status == 2, ranked.grade, 1.0)
    best = Page(ones, costs=getattr(ranked, "costs", None)).resized(n, 1.0).resized(model.k or n)
    found = measured(model, page) | {
        "EU": rate.low[0],
        "ETU": sum_.low[0],
        "res_EU": rate.residual[0],
        "res_ETU": sum_.residual[0],
        "res_ED": measured(model, best)["ED"] - measured(model, page)["ED"],
    }
    for key, value in found.items():
        assert value == pytest.approx(expected[key], abs=TOLERANCE), key
    assert utility.score(ranked)[0] == rate.low[0]

    state = model.browsing_state(page)
    for key, values in {"C": state.continuation, "W": state.weight, "L": state.last}.items():
        first = np.zeros(6)
        first[: values.shape[1]] = values[0, :6]
        assert first == pytest.approx(np.array(expected[f"{key}_first6"]), abs=TOLERANCE), key
