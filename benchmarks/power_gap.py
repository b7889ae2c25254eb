"""How far power by the normal approximation is from power by the randomised test itself, on real and simulated scores.

python benchmarks/power_gap.py [--data FOLDER]
"""

import argparse
import os
import warnings
from pathlib import Path

import numpy as np

import metameter
from metameter.meta.recommend.references import comparisons
from metameter.stats.consistency.resampled_metrics import approximate_power

PRESETS = ["everyday", "chen-sakai-2023"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("METAMETER_DATA") or "../shared/data"))
    data = parser.parse_args().data
    warnings.simplefilter("ignore")
    print(
        f"{'scores':16s} {'topics':>6s} {'systems':>7s} {'metrics':>7s} {'largest gap: power':>19s} {'difference':>11s}"
    )
    for name, scores in _sources(data):
        tested = metameter.power(scores, resamples=0).table["power"].to_numpy()
        gap = approximate_power(scores.matrix, 0.05) - tested
        first, second = np.array([row[:2] for row in comparisons(scores.metrics)]).T
        sizes = f"{len(scores.topics):6d} {len(scores.systems):7d} {len(scores.metrics):7d}"
        print(
            f"{name:16s} {sizes} {np.abs(gap).max():19.3f} {np.abs(gap[first] - gap[second]).max():11.3f}", flush=True
        )


def _sources(data):
    made = metameter.simulate(seed=1)
    yield "simulated", metameter.score(made.qrels, made.runs, preset=PRESETS, max_grade=3)
    for name in ("adhoc5", "adhoc6", "web2010", "web2011"):
        files = sorted((data / "score-matrices").glob(f"{name}_*.csv"))
        if files:
            yield name, metameter.read_scores(files)
    for number in (1, 2):
        folder = data / "trec-covid" / f"round{number}"
        if folder.exists():
            qrels, runs = folder / f"qrels.covid-round{number}.txt", folder / "runs_depth100"
            yield f"COVID {number}", metameter.score(qrels, str(runs), preset=PRESETS, max_grade=2)
    folder = data / "trec8-adhoc"
    if folder.exists():
        yield "TREC-8", metameter.score(folder / "trec8.qrels.gz", str(folder / "runs"), preset=PRESETS)


if __name__ == "__main__":
    main()
