"""Result pages in a folder of Parquet parts, reduced to counts, beside DuckDB's bare query: time and memory.

Parts of simulated pages (10 results, 4 grades, 7 levels) are written to a temporary folder, a quarter of a million
pages each. Each reading is a process of its own, so that it is cold and its peak is its own. The bare query (``SELECT
grades, satisfaction[, user], count(*) ... GROUP BY ALL`` into a table, 500 MB allowed) and ours go in turn. The median
of the ratios is printed, of wall time and of CPU, which a busy machine changes less. Imports are part of both.

Views are the same pages with the rank viewed last, which a user leaves with a chance of a quarter. With ``--fit``
models are fitted to views of pages whose ten grades are drawn at random: most of them are distinct.

    python benchmarks/streaming.py                       # ten million pages: five rounds, about a minute
    python benchmarks/streaming.py --pages 100000000 --rounds 1
    python benchmarks/streaming.py --of views
    python benchmarks/streaming.py --fit --pages 500000 1000000 --rounds 1
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
READ = {"pages": ("read_serps", "satisfaction"), "views": ("read_views", "last")}

MEASURED = """
import json, sys, time
folder, columns, read = sys.argv[1:]
wall, cpu = time.perf_counter(), time.process_time()
{prepare}
{work}
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) * 1024 / 1e6
print(json.dumps({{"rows": rows, "wall": wall, "cpu": cpu, "peak": peak}}))
"""
OURS = MEASURED.format(prepare="import metameter as mm", work="rows = getattr(mm, read)(folder).tally.count.size")
FITTED = MEASURED.format(
    prepare="import metameter as mm",
    work='rows = mm.fit(folder, empirical=True, max_grade=3).manifest["views"]["distinct"]',
)
BARE = MEASURED.format(
    prepare="import duckdb",
    work="""
with duckdb.connect() as database:
    database.execute("SET memory_limit = '500MB'")
    database.execute("SET enable_progress_bar = false")
    database.execute("SET temp_directory = $folder", {"folder": folder + ".spilled"})
    query = f"SELECT {columns}, count(*) FROM read_parquet($files) GROUP BY ALL"
    database.execute(f"CREATE TEMP TABLE counted AS {query}", {"files": folder + "/*.parquet"})
    [(rows,)] = database.execute("SELECT count(*) FROM counted").fetchall()
""",
)


def write(folder: Path, size: int, users: bool, what: str) -> float:
    """Write the parts; how many MB they are."""
    folder.mkdir()
    for number in range(size // PART):
        rows = mm.simulate_pages(PART, pairs=1, users=USERS, seed=number).rows
        rows = rows if users else rows.drop("user")
        if what == "grades":
            grades = np.random.default_rng(number).integers(0, 4, (PART, 10))
            rows = rows.with_columns(pl.Series("grades", grades).arr.to_list())
        if what != "pages":
            last = pl.Series("last", np.minimum(np.random.default_rng(number).geometric(0.25, PART), 10))
            rows = rows.drop("satisfaction").with_columns(last)
        rows.write_parquet(folder / f"part-{number}.parquet")
    return sum(file.stat().st_size for file in folder.iterdir()) / 1e6


def measure(program: str, folder: Path, users: bool, what: str) -> dict[str, float]:
    """Run one reading in a process of its own."""
    read, label = READ[what]
    columns = f"grades, {label}" + ", user" * users
    line = [sys.executable, "-c", program, str(folder), columns, read]
    return json.loads(subprocess.run(line, check=True, stdout=subprocess.PIPE).stdout)


def main(sizes: list[int], rounds: int, what: str) -> None:
    print(f"medians of rounds: {rounds}; load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as place:
        for users in (False, True):
            for size in sizes:
                folder = Path(place) / f"{users}-{size}"
                stored = write(folder, size, users, what)
                pairs = [[measure(each, folder, users, what) for each in (BARE, OURS)] for _ in range(rounds)]
                assert all(bare["rows"] == ours["rows"] for bare, ours in pairs)
                rows = pairs[0][0]["rows"]
                print(f"{size:,} {what} ({stored:,.0f} MB), {'with' if users else 'without'} users, {rows:,} distinct")
                for at, name in enumerate(("bare query", "metameter")):
                    wall, cpu, peak = (median(pair[at][each] for pair in pairs) for each in ("wall", "cpu", "peak"))
                    print(f"  {name}: {wall:.2f} s, CPU {cpu:.2f} s, peak {peak:,.0f} MB")
                wall, cpu = (median(ours[each] / bare[each] for bare, ours in pairs) for each in ("wall", "cpu"))
                print(f"  ratio: wall {wall:.2f}, CPU {cpu:.2f}", flush=True)
                for file in folder.iterdir():
                    file.unlink()


def fit(sizes: list[int], rounds: int) -> None:
    """Print what fitting to views takes."""
    with tempfile.TemporaryDirectory() as place:
        for size in sizes:
            folder = Path(place) / str(size)
            write(folder, size, False, "grades")
            parts = [measure(FITTED, folder, False, "views") for _ in range(rounds)]
            wall, cpu, peak = (median(part[each] for part in parts) for each in ("wall", "cpu", "peak"))
            pages = f"{size:,} pages, {parts[0]['rows']:,} distinct"
            print(f"fit, {pages}: {wall:.1f} s, CPU {cpu:.1f} s, peak {peak:,.0f} MB", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pages", type=int, nargs="+", default=[10_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--of", choices=list(READ), default="pages")
    parser.add_argument("--fit", action="store_true", help="fit browsing models to views")
    given = parser.parse_args()
    if given.fit:
        fit(given.pages, given.rounds)
    else:
        main(given.pages, given.rounds, given.of)
