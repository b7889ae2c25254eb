"""Scoring the 129 TREC-8 ad hoc runs (6.4 million lines) straight from .gz."""

import gzip
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from clock import report, seconds

THREE = ["AP", "nDCG@10", "P@10"]


def compare(data):
    folder = data / "trec8-adhoc"
    if not folder.exists():
        print(f"  no TREC-8 data in {folder}: skipped")
        return
    qrels, runs = folder / "trec8.qrels.gz", sorted((folder / "runs").glob("*.gz"))
    warnings.simplefilter("ignore")
    ours, _ = seconds(lambda: _metameter(qrels, runs, THREE))
    theirs, expected = seconds(lambda: pytrec_eval_scores(qrels, runs), repeat=2)
    # pytrec_eval compares scores in single precision, which decides ties.
    agreed = _largest_difference(_metameter(qrels, runs, THREE, precision="single"), expected)
    print(
        f"  {len(runs)} runs: metameter {ours:.2f} s, pytrec_eval {theirs:.2f} s; means differ by at most {agreed:.1e}"
    )
    report("faster than pytrec_eval, three metrics from .gz", theirs / ours, 3)
    some = runs[::13]
    part, _ = seconds(lambda: _ir_measures(qrels, some), repeat=1)
    report(f"faster than ir_measures (from {len(some)} runs)", part / len(some) * len(runs) / ours, 5)
    with tempfile.TemporaryDirectory() as place:
        parquet = _as_parquet(runs, Path(place))
        columns, _ = seconds(lambda: _metameter(qrels, parquet, THREE))
        report("faster than pytrec_eval, three metrics from Parquet", theirs / columns, 10)
    grid, _ = seconds(lambda: _metameter(qrels, runs, [], preset="moffat-2022"))
    report("the 7 x 8 grid of moffat-2022, of the three metrics", grid / ours, 2, at_most=True)
    report("per metric and run faster than cwl-eval", _cwl_eval(qrels, runs[0]) / (grid / 56 / len(runs)), 100)
    _memory(qrels, runs)


def _metameter(qrels, runs, metrics, **options):
    import metameter

    return metameter.score(qrels, runs, metrics, **options)


def pytrec_eval_scores(qrels, runs):
    import pytrec_eval

    with gzip.open(qrels, "rt") as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {"map", "ndcg_cut_10", "P_10"})
    results = {}
    for path in runs:
        with gzip.open(path, "rt") as file:
            results[path.name.removesuffix(".gz")] = evaluator.evaluate(pytrec_eval.parse_run(file))
    return results


def _largest_difference(scores, expected):
    names = {"AP": "map", "nDCG@10": "ndcg_cut_10", "P@10": "P_10"}
    worst = 0.0
    for ours, theirs in names.items():
        for system, mean in zip(scores.systems, scores.means[ours], strict=True):
            values = [topic[theirs] for topic in expected[system].values()]
            worst = max(worst, abs(mean - sum(values) / len(scores.topics)))
    return worst


def _ir_measures(qrels, runs):
    import ir_measures
    from ir_measures import AP, P, nDCG

    with gzip.open(qrels, "rt") as file:
        judged = list(ir_measures.read_trec_qrels(file.read()))
    evaluator = ir_measures.evaluator([AP, nDCG @ 10, P @ 10], judged)
    for path in runs:
        with gzip.open(path, "rt") as file:
            list(evaluator.iter_calc(ir_measures.read_trec_run(file.read())))


def _cwl_eval(qrels, run):
    """Seconds that cwl-eval takes for one metric and one run of 50 topics; reading is not counted against it."""
    import numpy as np
    from cwl.ruler.cwl_ruler import CWLRuler
    from cwl.ruler.ranking import Ranking

    import metameter
    from metameter.judge.align import align
    from metameter.judge.index import index_judgments

    ranked = align(metameter.read_run(run), index_judgments(metameter.read_qrels(qrels)))
    costs = np.ones(ranked.depth)
    rankings = [
        Ranking(topic, gains, costs) for topic, gains in zip(ranked.judgments.topics, ranked.grade, strict=True)
    ]
    ruler = CWLRuler()
    time, _ = seconds(lambda: [ruler.measure(ranking) for ranking in rankings], repeat=1)
    return time / len(ruler.metrics)


def _as_parquet(runs, place):
    import metameter

    paths = []
    for path in runs:
        run = metameter.read_run(path)
        paths.append(place / f"{run.name}.parquet")
        run.table.write_parquet(paths[-1])
    return paths


def _memory(qrels, runs):
    for count in (len(runs) // 4, len(runs)):
        code = (
            "import sys, metameter, resource; metameter.score(sys.argv[1], sys.argv[2:], ['AP', 'nDCG@10', 'P@10']);"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        )
        command = [sys.executable, "-c", code, str(qrels), *map(str, runs[:count])]
        peak = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(f"  peak memory with {count:3} runs: {peak / 1024:.0f} MB (bar: below 1024 MB, flat)", flush=True)
