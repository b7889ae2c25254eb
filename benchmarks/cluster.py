"""The same work in two threads and on a Dask cluster of two worker processes: time, CPU here and there, what travels.

What the client itself does (reading results, merging counts) bounds what any number of workers can gain: it is shown
apart, for the sizing table of docs/appendix/cluster.md.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
from distributed import LocalCluster

import metameter as mm
from metameter.simulation.folder import write
from metameter.types import Scores

RUNS, TOPICS, DEPTH = 60, 50, 1000
PAGES, PART = 1_000_000, 125_000
METRICS = ["nDCG@10", "AP", "RBP(p=0.8)*ERG", "INST(T=2.25)@10*ERG", "ERR@10"]


def busy(pids: list[int]) -> float:
    return sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in pids)


def idle(item: int) -> int:
    return item


def measure(name: str, unit: str, size: int, work, workers: mm.Workers, pids: list[int]) -> None:
    for where, jobs in (("two threads", 2), ("two workers", workers)):
        begun, here, there = time.perf_counter(), time.process_time(), busy(pids)
        work(jobs)
        wall, own = time.perf_counter() - begun, time.process_time() - here
        cpu = f"CPU of the client {own:.2f} s" + (f", of the workers {busy(pids) - there:.2f} s" if jobs != 2 else "")
        print(f"{name}, {where}: {wall:.2f} s, {size / wall:,.0f} {unit}/s; {cpu}", flush=True)


def main() -> None:
    rng = np.random.default_rng(0)
    names = tuple(f"s{n}" for n in range(100)), tuple(map(str, range(100)))
    scores = Scores(tuple(f"RBP(p=0.{n})@10*ERG" for n in range(10, 30)), *names, rng.random((20, 100, 100)))
    with tempfile.TemporaryDirectory() as place:
        folder = write(mm.simulate(topics=TOPICS, systems=RUNS, depth=DEPTH, seed=1), Path(place) / "collection")
        (Path(place) / "pages").mkdir()
        for number in range(PAGES // PART):
            rows = mm.simulate_pages(PART, pairs=1, users=1000, seed=number).rows
            rows.write_parquet(Path(place) / "pages" / f"part-{number}.parquet")
        options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "memory_limit": 0}
        with LocalCluster(**options) as cluster, mm.Workers.dask(cluster.scheduler_address) as workers:
            pids = [each.pid for each in cluster.workers.values()]
            pids = [child.pid for pid in pids for child in psutil.Process(pid).children(recursive=True)] or pids
            for _ in range(2):
                list(workers.map(idle, range(4)))  # workers import what they need
            measure(
                "nothing at all", "tasks", 300, lambda jobs: list(workers_of(jobs).map(idle, range(300))), workers, pids
            )
            given = {"max_grade": 3}
            judged = folder / "qrels.txt", folder / "runs"
            measure("score", "runs", RUNS, lambda jobs: mm.score(*judged, METRICS, jobs=jobs, **given), workers, pids)
            measure("power", "trials", 2000, lambda jobs: mm.power(scores, trials=2000, jobs=jobs), workers, pids)
            measure(
                "pages", "pages", PAGES, lambda jobs: mm.read_serps(Path(place) / "pages", jobs=jobs), workers, pids
            )


def workers_of(jobs) -> mm.Workers:
    return mm.Workers.of(jobs)


if __name__ == "__main__":
    sys.exit(main())
