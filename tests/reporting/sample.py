"""Reports to look at: small, with a name that would like to be a script, and one as large as TREC-8."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

import metameter
from metameter.meta.compare.procedure import compare
from metameter.meta.consistency.procedure import consistency
from metameter.meta.power.procedure import power
from metameter.meta.recommend.procedure import Recommendation
from metameter.meta.similarity.procedure import similarity
from metameter.reporting.model import CollectionPart, Report
from metameter.types import Scores
from metameter.view.charts import scatter
from metameter.view.result import Result

ODD = "x</script><script>alert(1)</script>"
METRICS = [f"{model}*{how}" for model in ("RBP(p=0.8)@10", "ERR@10") for how in ("ERG", "ETG", "max", "fin")]
ANSWER = (
    "ERR with ERG tells more systems apart than ERR with ERR.",
    "For RBP there is no evidence that anything does.",
)


class Verdicts(Recommendation):
    """A recommendation whose numbers are drawn at random, with a simpler chart."""

    def charts(self) -> dict[str, Any]:
        x, y = "consistency_difference", "power_difference"
        return {"recommendation": scatter(self.table, x, y, "metric", "verdict", title="Better than canonical?")}


def recommendation(metrics: tuple[str, ...]) -> Verdicts:
    rng = np.random.default_rng(0)
    verdicts = ["better-and-similar", "better-but-different", "no-evidence", "worse"]
    numbers = {
        f"{what}_{part}": rng.normal(0, 0.03, len(metrics)) + shift
        for what in ("consistency", "power")
        for part, shift in (("difference", 0.0), ("low", -0.1), ("high", 0.1))
    }
    names = {"metric": list(metrics), "canonical": ["RBP(p=0.8)@10*ERG"] * len(metrics)}
    tau = {"tau_to_canonical": rng.uniform(0.6, 1.0, len(metrics))}
    verdict = {"verdict": [verdicts[i % 4] for i in range(len(metrics))], "words": [f"{name}." for name in metrics]}
    return Verdicts({"recommendation": pl.DataFrame({**names, **tau, **numbers, **verdict})}, {}, ("A note.",))


def part(scores: Scores, name: str, *, splits: int = 40, compared: bool = True) -> CollectionPart:
    results: dict[str, Result] = {
        "similarity": similarity(scores),
        "consistency": consistency(scores, splits=splits, trials=100, resamples=10),
        "power": power(scores, trials=100),
        "recommendation": recommendation(scores.metrics),
    }
    if compared:
        first = Scores(scores.metrics[:1], scores.systems, scores.topics, scores.values[:1])
        results["compare"] = compare(first, test="tukey")
    count = len(scores.systems)
    coverage = {
        "system": list(scores.systems),
        "topics": [len(scores.topics)] * count,
        "judged_at_10": np.linspace(1, 0.6, count),
        "tied": [0] * count,
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
        parts.append(part(scores, ODD if odd and not seed else f"Collection {seed + 1}"))
    findings = pl.DataFrame({"finding": ["ERG is the most consistent"], "holds in": ["all"]})
    across = {"recommendation": {"findings": findings}} if collections > 1 else {}
    manifest = {"metameter": "0.1.0", "versions": {"numpy": "2.4"}, "inputs": [ODD] if odd else []}
    return Report("Which ruler?", (*ANSWER, *([ODD] if odd else [])), tuple(parts), across, manifest)


def large(systems: int = 129) -> Report:
    """As many systems and metrics as TREC-8 and Chen and Sakai (2023) have."""
    rng = np.random.default_rng(1)
    metrics = tuple(map(repr, metameter.preset("chen-sakai-2023")))
    values = rng.random((len(metrics), systems, 20)) + rng.normal(0, 0.3, (1, systems, 1))
    names = tuple(f"input.team{i:03}adhoc" for i in range(systems))
    scores = Scores(metrics, names, tuple(map(str, range(20))), values)
    return Report("Large", ("Nothing.",), (part(scores, "TREC-8", compared=True),), {}, {"seed": 0})
