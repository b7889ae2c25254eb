"""Result pages in a folder of parts, reduced to counts: pages a second, peak memory, what ten times the pages cost.

Parts of simulated pages (10 results, 4 grades, 7 levels) are written to a temporary folder, a quarter of a million
pages each. Each reading is a process of its own, on one core or on two, so that its peak is its own. Time should grow
with the pages, memory with the distinct ones alone; a second core should help.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import metameter as mm

PART, USERS = 250_000, 1000
SIZES = [int(word) for word in sys.argv[1:] if word.isdigit()] or [1_000_000, 10_000_000]
FORMS = [word for word in sys.argv[1:] if not word.isdigit()] or ["parquet"]
MOST = 1_000  # MB

READER = """
import json, os, resource, sys, time
folder, cores = sys.argv[1], int(sys.argv[2])
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
import metameter as mm
wall, cpu = time.perf_counter(), time.process_time()
pages = mm.read_serps(folder, jobs=cores)
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
print(json.dumps({"pages": pages.size, "rows": pages.table.height, "wall": wall, "cpu": cpu, "peak": peak}))
"""


def write(folder: Path, size: int, form: str, users: bool) -> None:
    folder.mkdir()
    for number in range(size // PART):
        rows = mm.simulate_pages(PART, pairs=1, users=USERS, seed=number).rows
        rows = rows if users else rows.drop("user")
        if form == "parquet":
            rows.write_parquet(folder / f"part-{number}.parquet")
        else:
            import zstandard

            lines = rows.write_ndjson().encode()
            (folder / f"part-{number}.jsonl.zst").write_bytes(zstandard.compress(lines))


def read(folder: Path, cores: int) -> dict[str, float]:
    line = [sys.executable, "-c", READER, str(folder), str(cores)]
    done = subprocess.run(
        line, check=True, stdout=subprocess.PIPE, env={**os.environ, "POLARS_MAX_THREADS": str(cores)}
    )
    return json.loads(done.stdout)


def main() -> None:
    taken: dict[tuple[str, bool, int], list[float]] = {}
    with tempfile.TemporaryDirectory() as place:
        for form in FORMS:
            for users in (False, True):
                for size in SIZES:
                    folder = Path(place) / f"{form}-{users}-{size}"
                    write(folder, size, form, users)
                    stored = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
                    for cores in (1, 2):
                        found = read(folder, cores)
                        taken.setdefault((form, users, cores), []).append(found["wall"])
                        whose = "with users" if users else "without users"
                        print(
                            f"{form} {whose}, {size:,} pages ({stored:,.0f} MB), {cores} core{'s' * (cores > 1)}: "
                            f"{found['wall']:.1f} s (CPU {found['cpu']:.1f} s), {size / found['wall']:,.0f} pages/s, "
                            f"peak {found['peak']:,.0f} MB, {found['rows']:,} distinct",
                            flush=True,
                        )
                        assert found["peak"] < MOST, f"more than {MOST:,} MB"
                    for file in folder.iterdir():
                        file.unlink()
    for (form, users, cores), walls in taken.items():
        if len(walls) > 1:
            times = f"{SIZES[-1] / SIZES[0]:g} times the pages took {walls[-1] / walls[0]:.1f} times as long"
            print(f"{form}, {'with' if users else 'without'} users, cores {cores}: {times}")
        if cores == 2:
            ratios = [one / two for one, two in zip(taken[form, users, 1], walls, strict=True)]
            print(f"{form}, {'with' if users else 'without'} users: a second core is worth x", end="")
            print(", x".join(f"{ratio:.2f}" for ratio in ratios))


if __name__ == "__main__":
    main()
