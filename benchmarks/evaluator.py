"""An evaluator against that of pytrec_eval on the same dictionary in memory: 50 topics x 1,000 documents."""

import time

import numpy as np
import pytrec_eval
from clock import report

import metameter

METRICS = {"AP": "map", "nDCG@10": "ndcg_cut_10", "P@10": "P_10"}
TOPICS, DEPTH, JUDGED, MANY, POOL = 50, 1000, 200, 1500, 3000
ROUNDS = 50


def compare(data):
    names = ", ".join(METRICS)
    print(f"  {TOPICS} topics x {DEPTH:,} documents; {names}; warm, CPU time, median of {ROUNDS} in turn")
    peer, dictionary = _milliseconds(JUDGED)
    _milliseconds(MANY)
    report("Evaluator.score of a dictionary, faster than pytrec_eval's evaluator", peer / dictionary, 2)
    report(f"Evaluator.score of a dictionary, {JUDGED} judged a topic, in 5 ms", dictionary / 5, 1, at_most=True)


def _milliseconds(judged):
    """Print the times with so many judgments, and return those of pytrec_eval and of a dictionary."""
    qrels, run = _collection(judged)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(METRICS.values()))
    ours = metameter.Evaluator(qrels, list(METRICS), max_grade=2)
    table = metameter.read_run(run)
    works = {
        "pytrec_eval": lambda: theirs.evaluate(run),
        "a dictionary": lambda: ours.score(run),
        "a Run": lambda: ours.score(table),
    }
    times = {name: [] for name in works}
    for _ in range(ROUNDS + 1):
        for name, work in works.items():
            begun = time.process_time()
            work()
            times[name].append(1e3 * (time.process_time() - begun))
    # The first round imports modules.
    medians = {name: np.median(each[1:]) for name, each in times.items()}
    shown = ", ".join(f"{name} {median:.1f} ms (best {min(times[name]):.1f})" for name, median in medians.items())
    print(f"  {judged:,} judged a topic: {shown}")
    return medians["pytrec_eval"], medians["a dictionary"]


def _collection(judged):
    rng = np.random.default_rng(0)
    qrels, run = {}, {}
    for topic in map(str, range(301, 301 + TOPICS)):
        docs = [f"FT{number:06d}-{topic}" for number in rng.choice(200_000, POOL, replace=False)]
        qrels[topic] = dict(zip(docs[:judged], rng.integers(0, 3, judged).tolist(), strict=True))
        listed = [docs[row] for row in rng.choice(POOL, DEPTH, replace=False)]
        run[topic] = dict(zip(listed, np.sort(rng.random(DEPTH))[::-1].tolist(), strict=True))
    return qrels, run
