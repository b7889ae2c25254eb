"""Does the answer of `recommend` survive another seed, or other topics?

By default 20 seeds on the same scores: how many verdicts and standings change that are no close calls, and how often
the two groups of the first sentence are the same. With ``--regret``: the first metric of the group is chosen on one
half of the topics and judged on the other, against always taking nDCG@10 (or the first metric where there is none).

python benchmarks/seeds.py [--seeds 20] [--data FOLDER] [--quick] [--only NAME...] [--metrics NAME...]
    [--regret [--halvings 20]]
"""

import argparse
import os
import warnings
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl

import metameter
from metameter.meta.recommend.candidate_groups import groups_of
from metameter.stats.consistency.resampled_metrics import approximate_power
from metameter.stats.consistency.split_half import split_taus
from metameter.types import Scores

MOST = 0.02
#: Simulated cases in which one metric is just shown to beat the two others, or just not.
BORDERS = 24


def main():
    asked = _arguments()
    warnings.simplefilter("ignore")
    if asked.regret:
        _regret(asked)
        return
    print(f"{'scores':12s} topics systems  rows | verdicts changed | standings changed | same groups | same sentence")
    total = np.zeros((4, 2), dtype=int)
    for name, scores in _sources(asked):
        found = [metameter.recommend(scores, seed=seed, splits=1000, trials=20) for seed in range(asked.seeds)]
        verdicts = _changes([result.table.select("verdict", "close_call").rows() for result in found])
        tables = [result.tables["metrics"] for result in found]
        standings = _changes([table.select(pl.col("standing") == "below", "close_call").rows() for table in tables])
        groups = _groups(found)
        # Seeds whose answer says that it is a close call are set apart.
        sentences = [
            (result.answer()[0], table.select(pl.any_horizontal("close_call", "close_lead").any()).item())
            for result, table in zip(found, tables, strict=True)
        ]
        sentence = _changes([[each] for each in sentences])
        total += np.array([verdicts, standings, groups, sentence])
        close = sum(int(table["close_call"].sum()) for table in tables) / asked.seeds
        print(
            f"{name:12s} {len(scores.topics):6d} {len(scores.systems):7d} {found[0].table.height:5d} | "
            f"{verdicts[0]} of {verdicts[1]} | {standings[0]} of {standings[1]} ({close:.1f} close) | "
            f"{groups[1] - groups[0]} of {groups[1]} | {sentence[1] - sentence[0]} of {sentence[1]}",
            flush=True,
        )
    for what, (changed, of) in zip(("verdicts", "standings", "groups", "first sentences"), total, strict=True):
        print(f"{what}: {changed} of {of} changed, {changed / max(of, 1):.2%} (at most {MOST:.0%} wanted)")


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--metrics", nargs="*")
    parser.add_argument("--regret", action="store_true")
    parser.add_argument("--halvings", type=int, default=20)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("METAMETER_DATA") or "../shared/data"))
    return parser.parse_args()


def _changes(runs):
    """Of every two seeds and every row that is a close call in neither: how often the verdict differs."""
    pairs = [(a, b) for one, other in combinations(runs, 2) for a, b in zip(one, other, strict=True)]
    sure = [(a[0], b[0]) for a, b in pairs if not a[1] and not b[1]]
    return sum(a != b for a, b in sure), len(sure)


def _groups(found):
    """Of every two seeds: how often the groups of the first sentence differ in a metric that is no close call."""
    sides = []
    for result in found:
        groups = groups_of(result.table, result.tables["metrics"])
        close = {name for name, row in groups.rows.items() if row["close_call"]}
        sides.append((set(groups.first), set(groups.below), close))
    differ = [
        any((one[part] ^ other[part]) - one[2] - other[2] for part in (0, 1)) for one, other in combinations(sides, 2)
    ]
    return sum(differ), len(differ)


def _regret(asked):
    print(f"{'scores':12s} halves | chosen: below, power, tau lost | always: below, power, tau lost | same choice")
    for name, scores in _sources(asked):
        rng = np.random.default_rng(0)
        rows = []
        for number in range(asked.halvings):
            order = rng.permutation(len(scores.topics))
            half = len(order) // 2
            parts = [_some(scores, np.sort(each)) for each in (order[:half], order[half : 2 * half])]
            options = {"splits": 200, "trials": 20, "resamples": 192, "most_resamples": 192, "seed": number}
            first, second = (metameter.recommend(part, **options) for part in parts)
            groups = groups_of(first.table, first.tables["metrics"])
            chosen = (groups.first or groups.pool)[0]
            always = "nDCG@10" if "nDCG@10" in scores.metrics else scores.metrics[0]
            told = {row["metric"]: row for row in second.tables["metrics"].rows(named=True)}
            power = dict(zip(scores.metrics, approximate_power(parts[1].matrix, 0.05), strict=True))
            taus = np.nan_to_num(split_taus(parts[1].matrix, 200, None, seed=number, jobs=1)).mean(axis=0)
            tau = dict(zip(scores.metrics, taus, strict=True))
            cells = [
                [told[each]["standing"] == "below", max(power.values()) - power[each], max(tau.values()) - tau[each]]
                for each in (chosen, always)
            ]
            rows.append([*cells[0], *cells[1], chosen == always])
        mean = np.mean(np.array(rows, dtype=float), axis=0)
        shown = " | ".join(f"{mean[at]:5.0%} {mean[at + 1]:6.3f} {mean[at + 2]:6.3f}" for at in (0, 3))
        print(f"{name:12s} {len(rows):6d} | {shown} | {mean[6]:.0%}", flush=True)


def _some(scores, topics):
    names = tuple(scores.topics[topic] for topic in topics)
    return replace(scores, topics=names, values=np.ascontiguousarray(scores.values[:, :, topics]))


def _sources(asked):
    every = {f"border-{seed}": lambda s=seed: _border(s) for seed in range(BORDERS)}
    for seed, topics, systems in ((1, 50, 30), (2, 25, 20), (3, 12, 16)):
        every[f"simulated-{seed}"] = lambda s=seed, t=topics, k=systems: _simulated(s, t, k)
    for name, make in every.items():
        if not asked.only or name in asked.only:
            yield name, make()
    if not asked.quick:
        yield from collections(asked.data, asked.only, asked.metrics)


def collections(data, only=None, metrics=()):
    """The collections at hand, by name, with their scores: of some metrics, or of the preset."""
    every = {}
    wanted = {"metrics": metrics} if metrics else {"preset": "everyday"}
    for name in ("adhoc5", "adhoc6", "web2010", "web2011"):
        files = sorted((data / "score-matrices").glob(f"{name}_*.csv"))
        if files:
            every[name] = lambda files=files: metameter.read_scores(files)
    runs = {
        "dl21": ("trec-dl21-judges", "qrels/*nist*", "runs", 3),
        "covid-1": ("trec-covid/round1", "qrels*", "runs_depth100", 2),
        "covid-2": ("trec-covid/round2", "qrels*", "runs_depth100", 2),
        "TREC-8": ("trec8-adhoc", "trec8.qrels.gz", "runs", None),
    }
    for name, (folder, qrels, folder_of_runs, top) in runs.items():
        place = data / folder
        if place.exists():
            given = sorted(place.glob(qrels))[0], place / folder_of_runs
            every[name] = lambda given=given, top=top: metameter.score(*given, max_grade=top, **wanted)
    for name, make in every.items():
        if not only or name in only:
            yield name, make()


def _border(seed):
    """Three metrics, the first of which is about as good as it takes to be named alone."""
    rng = np.random.default_rng(seed)
    noise, ratio = rng.uniform(0.4, 1.2), rng.uniform(1.4, 2.4)
    quality = np.linspace(0, 1, 12)[:, None]
    values = np.stack([quality + rng.normal(0, noise * by, (12, 40)) for by in (1.0, ratio, 1.1 * ratio)])
    names = tuple(f"s{number}" for number in range(12)), tuple(map(str, range(40)))
    return Scores(("nDCG@10", "AP", "RR"), *names, values)


def _simulated(seed, topics, systems):
    made = metameter.simulate(topics=topics, systems=systems, depth=100, seed=seed)
    return metameter.score(made.qrels, made.runs, preset="everyday", max_grade=3)


if __name__ == "__main__":
    main()
