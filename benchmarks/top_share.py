"""Is `top_share` right: how often is a metric really not shown to be below another in new samples?

Many samples of topics, of systems, or of both are drawn from one large simulated collection. The share that `recommend`
predicts on each is compared with how often the metric is not below in all other samples. With ``--halves``: the share
predicted on one half of the topics, or of the systems, of a real collection, against the standing on the other half.

python benchmarks/top_share.py [--samples 24] [--seed 11] [--halves [--data FOLDER] [--only NAME...]]
"""

import argparse
import os
import warnings
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import seeds

import metameter

BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1.01)
FAST = {"splits": 300, "trials": 20, "resamples": 320, "most_resamples": 320}
FEW = ("nDCG@10", "AP", "P@10")
#: Topics and systems of a sample, and the metrics (all, or a few) or the null (metrics swapped within topics).
CASES = ((50, 30, "all"), (25, 20, "all"), (50, 15, "all"), (30, 40, "all"), (40, 20, "few"), (40, 20, "null"))
SYSTEMS = 120


def main():
    asked = _arguments()
    warnings.simplefilter("ignore")
    parts = ("topics", "systems") if asked.halves else ("topics", "systems", "both")
    predicted = {part: [] for part in parts}
    really = {part: [] for part in parts}
    for name, pairs in _halves(asked) if asked.halves else _simulated(asked):
        shown = []
        for part in parts:
            share, actual = (np.concatenate(each) for each in zip(*pairs[part], strict=True))
            predicted[part].append(share)
            really[part].append(actual)
            shown.append(f"{part} {share.mean():.2f} / {actual.mean():.2f}")
        print(f"{name:24s} predicted / real: {'; '.join(shown)}", flush=True)
    print("share      | " + " | ".join(f"{part}: cases, real" for part in parts))
    every = [(np.concatenate(predicted[part]), np.concatenate(really[part])) for part in parts]
    for low, high in pairwise(BINS):
        cells = []
        for share, actual in every:
            inside = (share >= low) & (share < high)
            cells.append(f"{inside.sum():5d} {actual[inside].mean():6.0%}" if inside.any() else "    0      –")
        print(f"{low:.2f}-{min(high, 1):.2f}  | " + " | ".join(cells))


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--samples", type=int, default=24)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--halves", action="store_true")
    parser.add_argument("--halvings", type=int, default=4)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("METAMETER_DATA") or "../shared/data"))
    return parser.parse_args()


def _simulated(asked):
    for number, (topics, systems, kind) in enumerate(CASES):
        rng = np.random.default_rng(asked.seed + number)
        scores = _population(topics * asked.samples, kind, asked.seed + number)
        order = rng.permutation(len(scores.topics)).reshape(asked.samples, topics)
        chosen = np.array([rng.choice(SYSTEMS, systems, replace=False) for _ in range(asked.samples)])
        drawn = {
            "topics": [(each, chosen[0]) for each in order],
            "systems": [(order[0], each) for each in chosen],
            "both": list(zip(order, chosen, strict=True)),
        }
        pairs = {}
        for part, samples in drawn.items():
            column = "top_share" if part == "both" else f"top_share_{part}"
            tables = [_metrics(_some(scores, *each), at) for at, each in enumerate(samples)]
            above = np.array([(table["standing"] != "below").to_numpy() for table in tables], dtype=float)
            others = (above.sum(axis=0) - above) / (len(above) - 1)
            pairs[part] = [(table[column].to_numpy(), own) for table, own in zip(tables, others, strict=True)]
        yield f"{topics} x {systems}, {kind}", pairs


def _population(topics, kind, seed):
    made = metameter.simulate(topics=topics, systems=SYSTEMS, depth=100, seed=seed)
    given = {"metrics": list(FEW)} if kind == "few" else {"preset": "everyday"}
    scores = metameter.score(made.qrels, made.runs, max_grade=3, **given)
    if kind != "null":
        return scores
    rng = np.random.default_rng(seed)
    values = scores.values.copy()
    for topic in range(topics):
        values[:, :, topic] = values[rng.permutation(len(values)), :, topic]
    return replace(scores, values=values)


def _halves(asked):
    for name, scores in seeds.collections(asked.data, asked.only):
        rng = np.random.default_rng(asked.seed)
        pairs = {"topics": [], "systems": []}
        for number in range(asked.halvings):
            for part, whole in (("topics", len(scores.topics)), ("systems", len(scores.systems))):
                order = rng.permutation(whole)
                halves = np.sort(order[: whole // 2]), np.sort(order[whole // 2 : 2 * (whole // 2)])
                rest = np.arange(len(scores.systems if part == "topics" else scores.topics))
                sides = [(half, rest) if part == "topics" else (rest, half) for half in halves]
                tables = [_metrics(_some(scores, *side), number) for side in sides]
                for one, other in (tables, tables[::-1]):
                    actual = (other["standing"] != "below").to_numpy().astype(float)
                    pairs[part].append((one[f"top_share_{part}"].to_numpy(), actual))
        yield name, pairs


def _metrics(scores, seed):
    return metameter.recommend(scores, seed=seed, jobs=1, **FAST).tables["metrics"]


def _some(scores, topics, systems):
    topics, systems = np.sort(topics), np.sort(systems)
    return replace(
        scores,
        topics=tuple(scores.topics[at] for at in topics),
        systems=tuple(scores.systems[at] for at in systems),
        values=np.ascontiguousarray(scores.values[:, systems][:, :, topics]),
    )


if __name__ == "__main__":
    main()
