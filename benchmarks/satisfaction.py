"""56 metrics, their correlations with satisfaction and 1,000 resamples, against as many calls of scipy's kendalltau.

First as people start it: the command, a process of its own that reads, scores, correlates, compares and writes its
table, nothing kept but compiled files, by turns with the peer. The peer is given the scores, and its 56,000 calls are
timed on a part and scaled. Then, in one process, the function as a whole, and the resamples alone, also for pages of
which hardly two are alike. Wall time is what people wait; CPU is that of all cores.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from clock import report
from scipy.stats import kendalltau

from metameter.meta.satisfaction.procedure import satisfaction
from metameter.scoring.measures import measures_of
from metameter.scoring.pages import item_scores
from metameter.stats.labels.counted_taus import counted_taus, resampled_taus
from metameter.stats.labels.counts import LabelCounts, label_resamples
from metameter.stats.ties import tied_codes
from metameter.types.labelled_pages import Pages

PAGES, DISTINCT, TOP, RESAMPLES, ROUNDS, PART = 7479, 397, 3.0, 1000, 3, 4
PRESET = "moffat-2022"

# It says itself what its calls took.
PEER = f"""
import sys, time
import numpy as np
from scipy.stats import kendalltau
rows = np.load(sys.argv[1])
scores, label = rows["scores"], rows["label"]
rng = np.random.default_rng(0)
wall, cpu = time.perf_counter(), time.process_time()
for _ in range({PART}):
    drawn = rng.integers(0, len(label), len(label))
    for each in scores:
        kendalltau(each[drawn], label[drawn])
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


class Taken(NamedTuple):
    """What was taken, in seconds."""

    wall: float
    cpu: float

    def __str__(self):
        return f"{self.wall:.2f} s (CPU {self.cpu:.2f} s)"

    def times(self, number):
        """So many times as much."""
        return Taken(self.wall * number, self.cpu * number)


def compare(data):
    folder = data.resolve() / "satisfaction" / "tiangong-qref" if data else None
    real = folder is not None and folder.exists()
    frame = _qref(folder) if real else _simulated()
    print(
        f"  {'TianGong-QRef' if real else 'simulated pages'}: {Pages.of(frame)}, preset {PRESET}, {RESAMPLES} resamples"
    )
    with tempfile.TemporaryDirectory() as place:
        paths = Path(place) / "pages.parquet", Path(place) / "rows.npz"
        frame.write_parquet(paths[0])
        asked = [str(folder / "train_file.txt"), "--input", "tiangong"] if real else [str(paths[0])]
        codes, counts, pages = _counted(frame)
        _check(codes, counts, pages)
        _save_rows(paths[1], codes, pages)
        _round(asked, paths[1], len(codes))  # what is compiled late is compiled now
        rounds = [_round(asked, paths[1], len(codes)) for _ in range(ROUNDS)]
    for kind in Taken._fields:
        ratio = statistics.median(getattr(peer, kind) / getattr(ours, kind) for ours, peer in rounds)
        report(f"the command, of {len(codes) * RESAMPLES:,} calls: {kind}", ratio, 50)
    _function(frame)
    _kernel("resamples alone", frame)
    _kernel("resamples alone, pages hardly ever alike", _all_different())


def _qref(folder):
    rows = [line.split("\t") for line in (folder / "train_file.txt").read_text("utf-8").splitlines()]
    return _frame([json.loads(row[2]) for row in rows], [int(row[3]) for row in rows])


def _frame(grades, labels):
    return pl.DataFrame({"grades": grades, "satisfaction": labels}, schema_overrides={"satisfaction": pl.Float64})


def _labels(grades, rng):
    noisy = grades.max(axis=1) + grades[:, :3].mean(axis=1) / 3 + rng.normal(0, 1, len(grades))
    return np.clip(noisy.round(), 0, 4)


def _simulated():
    """As many pages as QRef has, and as few of them distinct: some lists are shown very often."""
    rng = np.random.default_rng(1)
    lists = rng.choice(4, (DISTINCT, 10), p=[0.7, 0.15, 0.1, 0.05])
    often = 1 / np.arange(1, DISTINCT + 1)
    grades = lists[rng.choice(DISTINCT, PAGES, p=often / often.sum())]
    return _frame(grades.tolist(), _labels(grades, rng))


def _all_different():
    rng = np.random.default_rng(2)
    grades = rng.integers(0, 4, (7000, 10))
    return _frame(grades.tolist(), _labels(grades, rng))


def _counted(frame):
    pages = Pages.of(frame)
    codes = tied_codes(item_scores(pages, measures_of((), PRESET), TOP))
    level = np.searchsorted(pages.levels, pages.table["satisfaction"].to_numpy())
    return codes, LabelCounts(pages.item, level, pages.table["count"].to_numpy()), pages


def _rows(pages):
    """The rows that the counts are of: which page, which label."""
    times = pages.table["count"].to_numpy()
    return np.repeat(pages.item, times), np.repeat(pages.table["satisfaction"].to_numpy(), times)


def _check(codes, counts, pages):
    item, label = _rows(pages)
    found = counted_taus(codes, counts).statistic
    known = [place for place, each in enumerate(codes) if each.any()]
    theirs = [kendalltau(codes[place][item], label).statistic for place in known]
    away = np.abs(found[known] - theirs).max()
    assert away < 1e-12, "the two differ"
    print(f"  {len(known)} correlations are scipy's to {away:.0e}; the others are constant")


def _save_rows(path, codes, pages):
    item, label = _rows(pages)
    np.savez(path, scores=codes[:, item], label=label)


def _round(asked, rows, metrics):
    command = ["satisfaction", *asked, "--max-grade", f"{TOP:g}", "--resamples", str(RESAMPLES)]
    ours, _ = _process("-m", "metameter", *command)
    whole, said = _process("-c", PEER, str(rows))
    calls = Taken(*map(float, said.split()))
    # Starting is done once, the calls are done for every resample.
    peer = Taken(*(all_of + (RESAMPLES / PART - 1) * part for all_of, part in zip(whole, calls, strict=True)))
    print(f"  metameter {ours}; scipy {peer}, {1000 * calls.cpu / (PART * metrics):.2f} ms of CPU a call", flush=True)
    return ours, peer


def _process(*arguments):
    # Files are compiled once, as on any machine where both are installed.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before, begun = _cpu(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True, env=kept)
    return Taken(time.perf_counter() - begun, _cpu(resource.RUSAGE_CHILDREN) - before), done.stdout


def _cpu(whose):
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


def _timed(work):
    before, begun = _cpu(resource.RUSAGE_SELF), time.perf_counter()
    work()
    return Taken(time.perf_counter() - begun, _cpu(resource.RUSAGE_SELF) - before)


def _function(frame):
    """All that the command does but start, read and print: scores, correlations, resamples, comparisons, tables."""
    _, _, pages = _counted(frame)
    item, label = _rows(pages)
    scores = item_scores(pages, measures_of((), PRESET), TOP)
    calls = _timed(lambda: [kendalltau(each[item], label) for each in scores]).times(RESAMPLES)
    runs = [_timed(lambda: satisfaction(frame, max_grade=TOP, resamples=RESAMPLES)) for _ in range(ROUNDS)]
    best = Taken(*map(min, zip(*runs, strict=True)))
    print(f"  warm, in one process: metameter {best}; scipy {calls}")
    for kind in Taken._fields:
        report(f"the function, warm: {kind}", getattr(calls, kind) / getattr(best, kind), 50)


def _kernel(what, frame):
    codes, counts, pages = _counted(frame)
    item, label = _rows(pages)
    calls = _timed(lambda: [kendalltau(each[item], label) for each in codes]).times(RESAMPLES)
    runs = [_timed(lambda: resampled_taus(codes, counts, label_resamples(counts, RESAMPLES))) for _ in range(ROUNDS)]
    best = Taken(*map(min, zip(*runs, strict=True)))
    print(f"  {pages}, {len(counts.cells):,} cells: metameter {best}; scipy {calls}")
    for kind in Taken._fields:
        report(f"{what}: {kind}", getattr(calls, kind) / getattr(best, kind), 100 if pages.items.height < 1000 else 20)


if __name__ == "__main__":
    compare(None)
