"""An evaluator against that of pytrec_eval on the same dictionary in memory: 50 topics x 1,000 documents."""

import numpy as np
import pytrec_eval
from clock import report, seconds

import metameter

METRICS = {"AP": "map", "nDCG@10": "ndcg_cut_10", "P@10": "P_10"}
TOPICS, DEPTH, JUDGED, POOL = 50, 1000, 200, 3000


def compare(data):
    qrels, run = _collection()
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(METRICS.values()))
    ours = metameter.Evaluator(qrels, list(METRICS), max_grade=2)
    table = metameter.read_run(run)
    ours.score(run), ours.score(table)  # what is imported late is imported now
    peer, _ = seconds(lambda: theirs.evaluate(run), 30)
    dictionary, _ = seconds(lambda: ours.score(run), 30)
    known, _ = seconds(lambda: ours.score(table), 30)
    names = ", ".join(METRICS)
    print(f"  {TOPICS} topics x {DEPTH:,} documents, {JUDGED} judged a topic; {names}; warm, best of 30")
    print(f"  pytrec_eval {peer * 1e3:.1f} ms, a dictionary {dictionary * 1e3:.1f} ms, a Run {known * 1e3:.1f} ms")
    report("Evaluator.score of a dictionary, faster than pytrec_eval's evaluator", peer / dictionary, 2)
    report("Evaluator.score of a dictionary, in 5 ms", dictionary / 5e-3, 1, at_most=True)


def _collection():
    rng = np.random.default_rng(0)
    qrels, run = {}, {}
    for topic in map(str, range(301, 301 + TOPICS)):
        docs = [f"FT{number:06d}-{topic}" for number in rng.choice(200_000, POOL, replace=False)]
        qrels[topic] = dict(zip(docs[:JUDGED], rng.integers(0, 3, JUDGED).tolist(), strict=True))
        listed = [docs[row] for row in rng.choice(POOL, DEPTH, replace=False)]
        run[topic] = dict(zip(listed, np.sort(rng.random(DEPTH))[::-1].tolist(), strict=True))
    return qrels, run
