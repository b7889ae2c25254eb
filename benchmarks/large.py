"""Runs of thousands of topics: wall seconds and peak memory, cold, in turns with pytrec_eval.

The files have the shape of MS MARCO's: 7-digit topics and documents, 1,000 documents a topic, one or two judged
relevant. A command of its own writes them: ``python benchmarks/large.py FOLDER [TOPICS [DOCUMENTS]]``.
"""

import sys
from pathlib import Path

import numpy as np

_COLLECTION = 8_841_823


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
