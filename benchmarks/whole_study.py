"""The whole study against pytrec_eval's mere scoring of the same runs with three measures."""

import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import scoring
from clock import report, seconds

CODE = """
import sys, time, warnings
warnings.simplefilter("ignore")
begun = time.perf_counter()
import metameter
laps = []
def progress(done, of, what=""):
    if done == of and (not laps or laps[-1][1] != what):
        laps.append((time.perf_counter() - begun, what))
metameter.study(sys.argv[1], sys.argv[3:], out=sys.argv[2], progress=progress)
laps.append((time.perf_counter() - begun, "everything"))
print("; ".join(f"{what} after {at:.1f} s" for at, what in laps))
"""


def compare(data):
    folder = data / "trec8-adhoc"
    if not folder.exists():
        print(f"  no TREC-8 data in {folder}: skipped")
        return
    qrels, runs = folder / "trec8.qrels.gz", sorted((folder / "runs").glob("*.gz"))
    warnings.simplefilter("ignore")

    def study():
        # A process of its own and an empty folder: nothing is imported, nothing is kept.
        with tempfile.TemporaryDirectory() as place:
            command = [sys.executable, "-c", CODE, str(qrels), str(Path(place) / "study"), *map(str, runs)]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    ours, laps = seconds(study)
    theirs, _ = seconds(lambda: scoring.pytrec_eval_scores(qrels, runs), repeat=2)
    print(f"  study {ours:.2f} s, pytrec_eval {theirs:.2f} s. {laps}")
    report("the whole study, of pytrec_eval scoring three measures", ours / theirs, 1, at_most=True)
