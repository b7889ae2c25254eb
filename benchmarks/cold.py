"""As users see it: whole programs started from the shell, in turns with the peers, wall and CPU seconds."""

import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from clock import report

PEERS = Path(__file__).parent / "peers"
THREE = ["-m", "AP", "-m", "nDCG@10", "-m", "P@10"]
OURS = [sys.executable, "-m", "metameter"]
#: Compiled modules are kept, as they are after the first call of an installed program.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def compare(data):
    _start()
    folder = data / "trec8-adhoc"
    if not folder.exists():
        print(f"  no TREC-8 data in {folder}: the rest is skipped")
        return
    qrels, runs = str(folder / "trec8.qrels.gz"), [str(path) for path in sorted((folder / "runs").glob("*.gz"))]
    pytrec_eval = [sys.executable, PEERS / "pytrec_eval_program.py", qrels, *runs]
    ir_measures = [sys.executable, PEERS / "ir_measures_program.py", qrels, *runs[::13]]
    cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    print(f"  {len(runs)} TREC-8 runs, three metrics, all scores as CSV; {cores} cores, load {load:.1f}")
    race("from .gz, against pytrec_eval", [*OURS, "score", qrels, *runs, *THREE], pytrec_eval, 4.5, 3.5)
    _where_time_goes(qrels, runs)
    some = [*OURS, "score", qrels, *runs[::13], *THREE]
    race(f"from .gz, {len(runs[::13])} runs, against ir_measures", some, ir_measures, 5, 5, rounds=3)
    with tempfile.TemporaryDirectory() as place:
        parquet = _as_parquet(runs, Path(place))
        ours = [*OURS, "score", qrels, *parquet, *THREE]
        race("from Parquet, against pytrec_eval", ours, pytrec_eval, None, None, rounds=3)
        half = [*OURS, "score", qrels, *parquet[:60], *THREE]
        wall, cpu = (statistics.median(part) for part in zip(*(spent(half) for _ in range(5)), strict=True))
        print(f"  60 runs from Parquet: {wall:.2f} s wall, {cpu:.2f} s CPU", flush=True)


def race(what, ours, theirs, wall_bar, cpu_bar, rounds=5, at_most=False):
    """Run two programs in turns; print the medians of the ratios, and whether they reach the bars that are given."""
    laps = [(spent(ours), spent(theirs)) for _ in range(rounds)]
    for clock, bar, position in (("wall", wall_bar, 0), ("CPU", cpu_bar, 1)):
        mine, other = ([lap[side][position] for lap in laps] for side in (0, 1))
        ratios = [a / b if at_most else b / a for a, b in zip(mine, other, strict=True)]
        seconds = f"{statistics.median(mine):.2f} s against {statistics.median(other):.2f} s"
        report(f"{what}: {clock}, {seconds}", statistics.median(ratios), bar, at_most=at_most)


def _where_time_goes(qrels, runs):
    """CPU milliseconds a run, warm and in one process, step by step: what is left to be cut."""
    import metameter
    from metameter.judge.align import align_blocks
    from metameter.judge.index import index_judgments
    from metameter.metric.compose import parse_metrics
    from metameter.read.files.content import Content
    from metameter.read.runs import run_of
    from metameter.read.trec.parse import RUN
    from metameter.read.trec.split import split_rows

    index, metrics = index_judgments(metameter.read_qrels(qrels)), parse_metrics(THREE[1::2])
    spent_on = dict.fromkeys(("checksum", "unpack", "split", "repeated documents, and the rest of reading"), 0.0)
    spent_on |= {"rank and look up judgments": 0.0, "metrics": 0.0}
    for path in runs:
        content, times = Content.of(path), [time.process_time()]
        assert content.fingerprint
        times.append(time.process_time())
        data = content.unpacked()
        times.append(time.process_time())
        split_rows(data, RUN)
        times.append(time.process_time())
        run = run_of(content)  # which unpacks and splits, too
        times.append(time.process_time())
        blocks = list(align_blocks(run, index))
        times.append(time.process_time())
        for metric in metrics:
            metric.score(blocks[0][1])
        times.append(time.process_time())
        hashed, unpacked, divided, read, *rest = (b - a for a, b in itertools.pairwise(times))
        steps = (hashed, unpacked, divided, read - unpacked - divided, *rest)
        spent_on = {name: spent_on[name] + step for name, step in zip(spent_on, steps, strict=True)}
    told = ", ".join(f"{name} {1000 * step / len(runs):.1f}" for name, step in spent_on.items())
    print(f"  warm, CPU ms a run: {told}; besides the start of the program, once", flush=True)


def spent(command):
    """Wall and CPU seconds of a program and whatever it starts."""
    return measured(command)[:2]


def measured(command):
    """The same, and the peak of its memory in megabytes."""
    begun = time.perf_counter()
    child = subprocess.Popen(
        list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"exit {child.returncode}: {' '.join(map(str, command[:4]))} ...")
    return time.perf_counter() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def _start():
    with tempfile.TemporaryDirectory() as place:
        qrels, run = Path(place) / "qrels", Path(place) / "run"
        qrels.write_text("1 0 d1 1\n")
        run.write_text("1 Q0 d1 1 1.0 t\n")
        tiny = [*OURS, "score", qrels, run, "-m", "AP"]
        spent(tiny)  # which compiles what was changed
        race("one document, against import polars", tiny, [sys.executable, "-c", "import polars"], 2.2, 2.2, 11, True)


def _as_parquet(runs, place):
    import metameter

    paths = []
    for path in runs:
        run = metameter.read_run(path)
        paths.append(place / f"{run.name}.parquet")
        run.table.write_parquet(paths[-1])
    return paths
