"""What a user of pytrec_eval writes to score runs: QRELS RUN... to CSV, plain or .gz."""

import csv
import gzip
import sys
from pathlib import Path

import pytrec_eval


def opened(path):
    return gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8")


qrels, *runs = sys.argv[1:]
with opened(qrels) as file:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {"map", "ndcg_cut_10", "P_10"})
rows = csv.writer(sys.stdout)
for path in runs:
    with opened(path) as file:
        scores = evaluator.evaluate(pytrec_eval.parse_run(file))
    rows.writerows((name, Path(path).name, topic, value) for topic, of in scores.items() for name, value in of.items())
