"""What a user of pytrec_eval writes to score runs: QRELS.gz RUN.gz... to CSV."""

import csv
import gzip
import sys
from pathlib import Path

import pytrec_eval

qrels, *runs = sys.argv[1:]
with gzip.open(qrels, "rt") as file:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {"map", "ndcg_cut_10", "P_10"})
rows = csv.writer(sys.stdout)
for path in runs:
    with gzip.open(path, "rt") as file:
        scores = evaluator.evaluate(pytrec_eval.parse_run(file))
    rows.writerows((name, Path(path).name, topic, value) for topic, of in scores.items() for name, value in of.items())
