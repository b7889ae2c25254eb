"""After a fork Polars would wait for ever for threads that only the parent has: work in such a child is refused."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
BEGIN = """
import multiprocessing, os, warnings
warnings.simplefilter("ignore")
import metameter as mm

QRELS = {topic: {"a": 1, "b": 0} for topic in "12"}
RUNS = {name: {topic: {"a": a, "b": 2.0} for topic in "12"} for name, a in (("s", 3.0), ("t", 1.0))}

def scored(*_):
    return mm.score(QRELS, RUNS, ["AP"]).values.tolist()

def in_fork(work):
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            said = str(work())
        except mm.MetameterError as error:
            said = f"{error}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        said = file.read()
    os.waitpid(child, 0)
    return said

if __name__ == "__main__":
"""
REFUSED = (
    "this process was forked from one that had used Polars, and lacks the threads of Polars. Start processes with "
    'spawn or forkserver: multiprocessing.get_context("spawn").'
)
SCORES = "[[[1.0, 1.0], [0.5, 0.5]]]"


def printed(tmp_path, code):
    path = tmp_path / "script.py"
    path.write_text(BEGIN + "".join(f"    {line}\n" for line in code.splitlines()))
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_forking_after_polars_started_threads_is_refused(tmp_path):
    code = """
    power = mm.power(mm.score(QRELS, RUNS, ["AP"]), trials=20)
    for work in (scored, lambda: mm.read_qrels(QRELS), lambda: mm.check(QRELS, RUNS), lambda: mm.simulate(topics=2),
                 lambda: power.write("out"), power.chart, lambda: in_fork(scored)):
        print(in_fork(work))
    print(scored())
    """
    assert printed(tmp_path, "if True:" + code) == [REFUSED] * 7 + [SCORES]


def test_forking_before_the_first_call_works(tmp_path):
    # As of a server that imports everything, then forks its workers.
    code = "mm.parse_metric('AP')\nimport polars\nprint(in_fork(scored))\nprint(in_fork(lambda: in_fork(scored)))"
    assert printed(tmp_path, code) == [SCORES] * 2


def test_other_start_methods_work(tmp_path):
    code = """
    scored()
    for method in ("spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            print(pool.map(scored, [0])[0])
    """
    assert printed(tmp_path, "if True:" + code) == [SCORES] * 2
