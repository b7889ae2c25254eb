"""Runs of thousands of topics: wall seconds and peak memory, cold, in turns with pytrec_eval.

The files have the shape of MS MARCO's: 7-digit topics and documents, 1,000 documents a topic, one or two judged
relevant. ``python benchmarks/large.py FOLDER [TOPICS [DOCUMENTS]]`` only writes them.
"""

import os
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
from clock import report
from cold import OURS, PEERS, THREE, measured

_COLLECTION = 8_841_823
_INDEXED = """
import sys
from metameter import read_qrels
from metameter.judge.index import index_judgments
index_judgments(read_qrels(sys.argv[1]))
"""


def compare(data, rounds=5):
    """One run and two, of MS MARCO's 6,980 topics; and the memory for ten times as many."""
    with tempfile.TemporaryDirectory() as place:
        qrels, runs = write_collection(Path(place))
        for some, bar, most in ((runs[:1], 4, 400), (runs, 6, 600)):
            ours = [*OURS, "score", qrels, *some, *THREE]
            theirs = [sys.executable, PEERS / "pytrec_eval_program.py", qrels, *some]
            laps = [(measured(ours), measured(theirs)) for _ in range(rounds)]
            wall = statistics.median(theirs[0] / ours[0] for ours, theirs in laps)
            report(f"6,980 topics x 1,000, runs: {len(some)}, against pytrec_eval: wall", wall, bar)
            for who, side in (("metameter", 0), ("pytrec_eval", 1)):
                seconds, cpu, peak = (statistics.median(lap[side][part] for lap in laps) for part in range(3))
                bound = f" (bar: {most} MB)" if side == 0 else ""
                print(f"    {who}: {seconds:.2f} s wall, {cpu:.2f} s CPU, {peak:.0f} MB{bound}", flush=True)
        _ten_times(qrels, runs)
        _many_judgments(Path(place) / "judgments")
        print(f"  load {os.getloadavg()[0]:.1f}", flush=True)


def _ten_times(qrels, runs):
    """The peak of memory for ten times the topics, in files that are ten times as large."""
    more = []
    for path in (qrels, *runs):
        more.append(path.with_name(f"{path.name}-more"))
        with path.open("rb") as source, more[-1].open("wb") as file:
            for digit in range(1, 11):
                source.seek(0)
                file.writelines(b"%d%b" % (digit, line) for line in source)
    for count, most in ((1, 400), (2, 600)):
        wall, _, peak = measured([*OURS, "score", *more[: count + 1], *THREE])
        print(f"  69,800 topics x 1,000, runs: {count}: {wall:.2f} s wall, {peak:.0f} MB (bar: {most} MB)", flush=True)


def _many_judgments(path):
    """Seconds and the peak of memory of seven million judgments, read and indexed."""
    rng = np.random.default_rng(0)
    with path.open("w", encoding="ascii") as file:
        for topic in range(70_000):
            docs, grades = rng.choice(_COLLECTION, 100, replace=False), rng.integers(0, 4, 100)
            file.writelines(f"{topic} 0 {doc} {grade}\n" for doc, grade in zip(docs, grades, strict=True))
    laps = [measured([sys.executable, "-c", _INDEXED, path]) for _ in range(3)]
    wall, cpu, peak = (statistics.median(part) for part in zip(*laps, strict=True))
    print(f"  7 million judgments: {wall:.2f} s wall, {cpu:.2f} s CPU, {peak:.0f} MB (bar: 700 MB)", flush=True)


def write_collection(folder, topics=6_980, documents=1_000, runs=2, seed=0):
    """Write qrels and runs, unless they are there; return their paths."""
    rng = np.random.default_rng(seed)
    names = np.sort(rng.choice(1_100_000, topics, replace=False))
    folder.mkdir(parents=True, exist_ok=True)
    qrels, paths = folder / "qrels", [folder / f"run{number + 1}" for number in range(runs)]
    if all(path.exists() for path in (qrels, *paths)):
        return qrels, paths
    judged = [rng.choice(_COLLECTION, 1 + int(rng.random() < 0.07), replace=False) for _ in names]
    with qrels.open("w", encoding="ascii") as file:
        file.writelines(f"{name} 0 {doc} 1\n" for name, docs in zip(names, judged, strict=True) for doc in docs)
    for path in paths:
        with path.open("w", encoding="ascii") as file:
            for name, docs in zip(names.tolist(), judged, strict=True):
                file.write(_ranked_list(rng, name, docs, documents, path.name))
    return qrels, paths


def _ranked_list(rng, topic, judged, documents, tag):
    docs = rng.choice(_COLLECTION, documents + 50)
    docs = docs[np.sort(np.unique(docs, return_index=True)[1])]
    docs = docs[~np.isin(docs, judged)][:documents]
    for doc in judged:
        rank = int(rng.geometric(0.05))
        if rank < documents and rng.random() < 0.8:
            docs[rank] = doc
    scores = np.sort(rng.gamma(20, 0.5, documents))[::-1]
    rows = zip(docs.tolist(), scores.tolist(), strict=True)
    return "".join(f"{topic} Q0 {doc} {rank} {score:.6f} {tag}\n" for rank, (doc, score) in enumerate(rows, start=1))


if __name__ == "__main__":
    folder, *shape = sys.argv[1:]
    write_collection(Path(folder), *map(int, shape))
