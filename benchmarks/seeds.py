"""Do verdicts survive another seed? Six seeds on the same scores: how many verdicts change that are no close calls.

python benchmarks/seeds.py [--seeds 6] [--data FOLDER] [--quick]
"""

import argparse
import os
import warnings
from itertools import combinations
from pathlib import Path

import metameter

MOST = 0.02


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("METAMETER_DATA") or "../shared/data"))
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'scores':16s} {'topics':>6s} {'systems':>7s} {'rows':>5s} {'close calls':>12s} {'others changed':>22s}")
    changed = of = 0
    for name, scores in _sources(asked):
        options = {"splits": 1000, "trials": 100}
        tables = [metameter.recommend(scores, seed=seed, **options).table for seed in range(asked.seeds)]
        some, all_ = _changes([table.select("verdict", "close_call").rows() for table in tables])
        changed, of = changed + some, of + all_
        close = sum(table["close_call"].sum() for table in tables) / asked.seeds
        sizes = f"{len(scores.topics):6d} {len(scores.systems):7d} {tables[0].height:5d}"
        print(f"{name:16s} {sizes} {close:12.1f} {some:10d} of {all_:6d} ({some / max(all_, 1):.2%})", flush=True)
    print(f"together {changed} of {of}: {changed / of:.2%} (at most {MOST:.0%} wanted)")


def _changes(runs):
    """Of every two seeds and every row that is a close call in neither: how often the verdict differs."""
    pairs = [(a, b) for one, other in combinations(runs, 2) for a, b in zip(one, other, strict=True)]
    sure = [(a[0], b[0]) for a, b in pairs if not a[1] and not b[1]]
    return sum(a != b for a, b in sure), len(sure)


def _sources(asked):
    for seed, topics, systems in ((1, 50, 30), (2, 25, 20), (3, 12, 16)):
        made = metameter.simulate(topics=topics, systems=systems, depth=100, seed=seed)
        names = ["everyday", "chen-sakai-2023"]
        yield f"simulated {seed}", metameter.score(made.qrels, made.runs, preset=names, max_grade=3)
    if asked.quick:
        return
    for name in ("adhoc5", "adhoc6", "web2010", "web2011"):
        files = sorted((asked.data / "score-matrices").glob(f"{name}_*.csv"))
        if files:
            yield name, metameter.read_scores(files)
    folder = asked.data / "trec8-adhoc"
    if folder.exists():
        runs = sorted((folder / "runs").glob("*.gz"))
        yield "TREC-8", metameter.score(folder / "trec8.qrels.gz", runs, preset=["everyday", "chen-sakai-2023"])


if __name__ == "__main__":
    main()
