"""What a user of ir_measures writes to score runs: QRELS.gz RUN.gz... to CSV."""

import csv
import gzip
import sys
from pathlib import Path

import ir_measures
from ir_measures import AP, P, nDCG

qrels, *runs = sys.argv[1:]
with gzip.open(qrels, "rt") as file:
    evaluator = ir_measures.evaluator([AP, nDCG @ 10, P @ 10], list(ir_measures.read_trec_qrels(file.read())))
rows = csv.writer(sys.stdout)
for path in runs:
    with gzip.open(path, "rt") as file:
        scores = evaluator.iter_calc(ir_measures.read_trec_run(file.read()))
    rows.writerows((each.measure, Path(path).name, each.query_id, each.value) for each in scores)
