"""Reports to look at: small, with a name that would like to be a script, and one as large as TREC-8."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

import metameter
from metameter.meta.compare.procedure import compare
from metameter.meta.consistency.procedure import consistency
from metameter.meta.power.procedure import power
from metameter.meta.recommend.across_collections import forest_chart
from metameter.meta.recommend.procedure import Recommendation
from metameter.meta.similarity.procedure import similarity
from metameter.reporting.report import CollectionPart, Report
from metameter.types import Scores
from metameter.view.result import Result

ODD = "x</script><script>alert(1)</script>"
METRICS = [f"{model}*{how}" for model in ("RBP(p=0.8)@10", "ERR@10") for how in ("ERG", "ETG", "max", "fin")]
ANSWER = (
    "ERR@10*ERG tells more systems apart than ERR@10*max.",
    "For RBP there is no evidence that anything does.",
)


VERDICTS = ["no-evidence", "worse", "identical", "mixed", "same", "better-but-different", "better-and-similar"]
WHAT = ("consistency", "power")


class Verdicts(Recommendation):
    """A recommendation whose numbers are drawn at random."""

    def answer(self) -> list[str]:
        return []


def recommendation(metrics: tuple[str, ...], seed: int = 0) -> Verdicts:
    rng = np.random.default_rng(seed)
    count = len(metrics)
    middle = {what: rng.normal(0, 0.03, count) for what in WHAT}
    # One far from all others.
    middle["consistency"][0] -= 0.6
    shifts = {"difference": 0.0, "low": -0.1, "high": 0.1, "low_row": -0.05, "high_row": 0.05}
    numbers = {f"{what}_{end}": middle[what] + shift for what in WHAT for end, shift in shifts.items()}
    tau = rng.uniform(0.6, 0.95, count)
    verdicts = {
        "metric": list(metrics),
        "canonical": ["RBP(p=0.8)@10*ERG"] * count,
        "tau_to_canonical": tau,
        "tau_low": tau - 0.05,
        "tau_high": tau + 0.03,
        **numbers,
        "verdict": [VERDICTS[i % len(VERDICTS)] for i in range(count)],
        "close_call": [i % 3 == 1 for i in range(count)],
        "words": [f"{name}." for name in metrics],
        "group": ["RBP(p=0.8)"] * count,
    }
    tables = {
        "recommendation": pl.DataFrame(verdicts),
        "metrics": every(metrics, rng),
        "recommendation_terciles": thirds(metrics, rng),
    }
    options = {"level": "study", "alpha": 0.05, "topics": 50, "systems": 20, "collections": 1, "similar": 0.9}
    options |= {"units": 50}
    return Verdicts(tables, {"options": options}, ("A note.",))


def every(metrics: tuple[str, ...], rng: np.random.Generator) -> pl.DataFrame:
    count = len(metrics)
    consistency, power = np.sort(rng.random(count)), np.sort(rng.random(count))[::-1]
    letters = {f"{what}_group": ["ab"] * count for what in WHAT}
    counts = {"beats": range(count), "beaten_by": range(count)[::-1], "named": [i > 2 for i in range(count)]}
    front = {"front": [True] * count, "standing": ["open"] * count, "close_call": [False] * count}
    shares = {"top_share": [0.9] * count, "judged": [0.8] * count, "diagnostic": [False] * count}
    figures = {"metric": metrics, "consistency": consistency, "power": power, "constant": [False] * count}
    for what, value in (("consistency", consistency), ("power", power)):
        figures |= {f"{what}_low": np.maximum(value - 0.05, 0), f"{what}_high": np.minimum(value + 0.05, 1)}
    return pl.DataFrame({**figures, **front, **letters, **counts, **shares})


def thirds(metrics: tuple[str, ...], rng: np.random.Generator) -> pl.DataFrame:
    rows = [(name, third) for name in metrics[:4] for third in ("hard", "medium", "easy")]
    numbers = {name: rng.random(len(rows)) for name in ("mean_tau", "power", "mean_tau_se")}
    names = {"metric": [name for name, _ in rows], "tercile": [third for _, third in rows], "topics": [4] * len(rows)}
    about = {"group": ["RBP(p=0.8)"] * len(rows), "canonical": [metrics[0]] * len(rows)}
    return pl.DataFrame({**names, **numbers, **about, "is_canonical": [name == metrics[0] for name, _ in rows]})


def part(scores: Scores, name: str, *, splits: int = 40, compared: bool = True, seed: int = 0) -> CollectionPart:
    results: dict[str, Result] = {
        "similarity": similarity(scores),
        "consistency": consistency(scores, splits=splits, trials=100, resamples=10),
        "power": power(scores, trials=100),
        "recommendation": recommendation(scores.metrics, seed),
    }
    if compared:
        first = Scores(scores.metrics[:1], scores.systems, scores.topics, scores.values[:1])
        results["compare"] = compare(first, test="tukey")
    count = len(scores.systems)
    coverage = {
        "system": list(scores.systems),
        "topics": [len(scores.topics)] * count,
        "judged_at_10": np.linspace(1, 0.4, count),
        "tied": [0] * count,
        "residual": np.linspace(0, 0.3, count),
    }
    facts = {"topics": len(scores.topics), "systems": count, "judgments": 86830, "grades": {"0": 9, "1": 3}}
    return CollectionPart(name, facts, pl.DataFrame(coverage), results)


def small(*, collections: int = 1, odd: bool = True) -> Report:
    parts = []
    for seed in range(collections):
        made = metameter.simulate(topics=12, systems=6, depth=20, documents=120, seed=seed)
        scores = metameter.score(made.qrels, made.runs, METRICS, max_grade=3)
        if odd:
            systems, metrics = (ODD, *scores.systems[1:]), (*scores.metrics[:-1], ODD)
            scores = replace(scores, systems=systems, metrics=metrics)
        parts.append(part(scores, ODD if odd and not seed else f"Collection {seed + 1}", seed=seed))
    findings = pl.DataFrame({"finding": ["ERG is the most consistent"], "holds in": ["all"]})
    across = {"recommendation": {"findings": findings}} if collections > 1 else {}
    tables = {each.name: each.results["recommendation"].table for each in parts}
    charts = {"recommendation": {"forest": forest_chart(tables)}} if collections > 1 else {}
    manifest = {"metameter": "0.1.0", "versions": {"numpy": "2.4"}, "inputs": [ODD] if odd else []}
    return Report("Which ruler?", (*ANSWER, *([ODD] if odd else [])), tuple(parts), across, manifest, charts)


def large(systems: int = 129) -> Report:
    """As many systems and metrics as TREC-8 and Chen and Sakai (2023) have."""
    rng = np.random.default_rng(1)
    metrics = tuple(map(repr, metameter.preset("chen-sakai-2023")))
    values = rng.random((len(metrics), systems, 20)) + rng.normal(0, 0.3, (1, systems, 1))
    names = tuple(f"input.team{i:03}adhoc" for i in range(systems))
    scores = Scores(metrics, names, tuple(map(str, range(20))), values)
    return Report("Large", ("Nothing.",), (part(scores, "TREC-8", compared=True),), {}, {"seed": 0})
