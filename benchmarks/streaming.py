"""Result pages in a folder of parts, reduced to counts: pages a second, peak memory, what ten times the pages cost.

Parts of simulated pages (10 results, 4 grades, 7 levels) are written to a temporary folder, a quarter of a million
pages each. Each reading is a process of its own, on so many cores as it has jobs, so that its peak is its own. Rounds
go in turn, one job, two jobs, one job ..., so that a busy moment meets both; medians are printed. Time should grow with
the pages, memory with the distinct ones alone; what a second core is worth depends on what else runs: see the load.
Views are the same pages with the rank viewed last, which a user leaves with a chance of a quarter, for `fit`.

    python benchmarks/streaming.py                             # 1 and 10 million pages, one round: minutes
    python benchmarks/streaming.py --pages 1000000 --jobs 1 2  # below a minute on a quiet machine: three rounds
    python benchmarks/streaming.py --of views
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl

import metameter as mm

PART, USERS = 250_000, 1000
MOST = 1_000  # MB

READER = """
import json, os, resource, sys, time
folder, cores, read = sys.argv[1], int(sys.argv[2]), sys.argv[3]
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
import metameter as mm
wall, cpu = time.perf_counter(), time.process_time()
pages = getattr(mm, read)(folder, jobs=cores)
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
print(json.dumps({"rows": pages.table.height, "wall": wall, "cpu": cpu, "peak": peak}))
"""


READ = {"pages": "read_serps", "views": "read_views"}


def viewed(number: int) -> pl.Series:
    """The rank viewed last of each page of a part."""
    return pl.Series("last", np.minimum(np.random.default_rng(number).geometric(0.25, PART), 10))


def write(folder: Path, size: int, form: str, users: bool, what: str) -> float:
    """Write the parts; how many MB they are."""
    folder.mkdir()
    for number in range(size // PART):
        rows = mm.simulate_pages(PART, pairs=1, users=USERS, seed=number).rows
        rows = rows if users else rows.drop("user")
        rows = rows if what == "pages" else rows.drop("satisfaction").with_columns(viewed(number))
        if form == "parquet":
            rows.write_parquet(folder / f"part-{number}.parquet")
        else:
            import zstandard

            lines = rows.write_ndjson().encode()
            (folder / f"part-{number}.jsonl.zst").write_bytes(zstandard.compress(lines))
    return sum(file.stat().st_size for file in folder.iterdir()) / 1e6


def read(folder: Path, jobs: int, what: str) -> dict[str, float]:
    line = [sys.executable, "-c", READER, str(folder), str(jobs), READ[what]]
    environment = {**os.environ, "POLARS_MAX_THREADS": str(jobs)}
    return json.loads(subprocess.run(line, check=True, stdout=subprocess.PIPE, env=environment).stdout)


def medians(folder: Path, jobs: list[int], rounds: int, what: str) -> dict[int, dict[str, float]]:
    """What is found with so many jobs, in rounds that go in turn: the median of each figure."""
    found: dict[int, list[dict[str, float]]] = {each: [] for each in jobs}
    for _ in range(rounds):
        for each in jobs:
            found[each].append(read(folder, each, what))
    return {each: {name: median(one[name] for one in all_of) for name in all_of[0]} for each, all_of in found.items()}


def said(found: dict[str, float], size: int) -> str:
    speed = f"{found['wall']:.2f} s (CPU {found['cpu']:.2f} s), {size / found['wall']:,.0f}/s"
    return f"{speed}, peak {found['peak']:,.0f} MB, {found['rows']:,.0f} distinct"


def main(sizes: list[int], jobs: list[int], rounds: int, forms: list[str], what: str) -> None:
    print(f"medians of rounds: {rounds}; load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as place:
        for name, form, users in [
            (f"{form}, {'with' if users else 'without'} users", form, users)
            for form in forms
            for users in (False, True)
        ]:
            walls: dict[int, list[float]] = {each: [] for each in jobs}
            for size in sizes:
                folder = Path(place) / f"{form}-{users}-{size}"
                stored = write(folder, size, form, users, what)
                for each, found in medians(folder, jobs, rounds, what).items():
                    print(f"{name}, {size:,} {what} ({stored:,.0f} MB), jobs {each}: {said(found, size)}", flush=True)
                    walls[each].append(found["wall"])
                    # Views have more distinct rows, ten ranks for seven levels: what they take is told, not promised.
                    assert what == "views" or found["peak"] < MOST, f"more than {MOST:,} MB"
                first, *others = (walls[each][-1] for each in jobs)
                for each, wall in zip(jobs[1:], others, strict=True):
                    print(f"{name}, {size:,} {what}: jobs {each} against {jobs[0]}: x{first / wall:.2f} as fast")
                for file in folder.iterdir():
                    file.unlink()
            for each in jobs if len(sizes) > 1 else ():
                times = f"{sizes[-1] / sizes[0]:g} times the {what} took {walls[each][-1] / walls[each][0]:.1f} times"
                print(f"{name}, jobs {each}: {times} as long")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pages", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, help="by default three up to a million pages, otherwise one")
    parser.add_argument("--forms", nargs="+", choices=["parquet", "jsonl"], default=["parquet"])
    parser.add_argument("--of", choices=list(READ), default="pages")
    given = parser.parse_args()
    main(given.pages, given.jobs, given.rounds or (3 if max(given.pages) <= 1_000_000 else 1), given.forms, given.of)
