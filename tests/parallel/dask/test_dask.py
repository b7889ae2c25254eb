"""A Dask cluster of two worker processes gives the same bits as threads, whatever happens to the workers."""

from __future__ import annotations

import asyncio
import io
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from threading import Event
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from distributed import Client, KilledWorker

import metameter as mm
from metameter.cli.program import run
from metameter.parallel.dask.cluster import DaskCluster, in_thread
from metameter.simulation.folder import write
from metameter.types import Scores
from tests.parallel.conftest import ENVIRONMENT, wait_for
from tests.parallel.pieces import broken, large, told

METRICS = ["RBP(p=0.8)@10*ERG", "RBP(p=0.8)@10*max", "nDCG@10"]


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    made = mm.simulate(topics=12, systems=6, depth=20, grades=3, seed=5)
    return write(made, tmp_path_factory.mktemp("made") / "collection")


@pytest.fixture(scope="module")
def workers(cluster):
    with mm.Workers.dask(cluster.address, timeout=60) as workers:
        yield workers


@pytest.fixture(scope="module")
def scores():
    values = np.random.default_rng(3).random((3, 8, 20))
    names = tuple(f"s{number}" for number in range(8)), tuple(map(str, range(20)))
    return Scores(tuple(METRICS), *names, values)


def same(one, other):
    assert one.tables.keys() == other.tables.keys()
    assert all(one.tables[name].equals(other.tables[name]) for name in one.tables)
    assert one.manifest == other.manifest


@pytest.mark.slow
def test_workers_score_relative_paths_to_the_same_bits(collection, workers, monkeypatch):
    monkeypatch.chdir(collection)
    here = mm.score("qrels.txt", "runs", METRICS, max_grade=2, residual=True, jobs=1)
    there = mm.score("qrels.txt", "runs", METRICS, max_grade=2, residual=True, jobs=workers)
    assert here.values.tobytes() == there.values.tobytes()
    assert here.manifest == there.manifest


@pytest.mark.slow
def test_pipes_and_objects_in_memory_are_sent_as_bytes(collection, workers, monkeypatch):
    run = next(iter(sorted((collection / "runs").iterdir())))
    others = {"a": mm.read_run(run).table, "b": str(run)}
    here = mm.score(collection / "qrels.txt", [str(run), others], ["AP"], jobs=1, max_grade=2)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(run.read_bytes())))
    there = mm.score(collection / "qrels.txt", ["-", others], ["AP"], jobs=workers, max_grade=2)
    assert here.values.tobytes() == there.values.tobytes()


@pytest.mark.slow
def test_workers_give_the_same_bits_for_three_procedures(workers, scores):
    pages = mm.simulate_pages(400, pairs=1, users=20, depth=4, seed=1).pages
    for ask, given in [
        (mm.power, {"scores": scores, "trials": 500}),
        (mm.consistency, {"scores": scores, "splits": 200, "trials": 200, "resamples": 50}),
        (mm.recommend, {"scores": scores, "resamples": 60, "splits": 100, "trials": 200}),
        (mm.satisfaction, {"serps": pages, "metrics": METRICS, "max_grade": 3, "resamples": 100}),
    ]:
        same(ask(**given, jobs=1), ask(**given, jobs=workers))


@pytest.mark.slow
def test_workers_count_labels_alike_and_name_a_damaged_part(workers, tmp_path, monkeypatch):
    rows = mm.simulate_pages(400, pairs=1, users=20, depth=4, seed=1).rows
    (tmp_path / "pages").mkdir()
    for number in range(3):
        rows[number::3].write_parquet(tmp_path / "pages" / f"part-{number}.parquet")
    monkeypatch.chdir(tmp_path)
    given = {"serps": "pages", "metrics": METRICS[:2], "max_grade": 3, "resamples": 50}
    same(mm.satisfaction(**given, jobs=1), mm.satisfaction(**given, jobs=workers))
    (tmp_path / "pages" / "part-1.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(mm.MetameterError, match=r"^pages/part-1\.parquet: the Parquet file is damaged or cut short"):
        mm.satisfaction(**given, jobs=workers)


@pytest.mark.filterwarnings("ignore:.*the deepest click")
@pytest.mark.slow
def test_workers_count_views_alike_and_name_a_bad_row(workers, tmp_path, monkeypatch):
    rows = mm.simulate_pages(300, pairs=1, users=20, depth=4, seed=1).rows.with_columns(clicks=pl.lit([1, 3]))
    (tmp_path / "pages").mkdir()
    for number in range(3):
        rows[number::3].write_parquet(tmp_path / "pages" / f"part-{number}.parquet")
    monkeypatch.chdir(tmp_path)
    given = {"serps": "pages", "empirical": True, "max_grade": 3, "resamples": 20}
    same(mm.fit(**given, jobs=1), mm.fit(**given, jobs=workers))
    rows.head(9).with_columns(clicks=pl.lit([1, 5])).write_parquet(tmp_path / "pages" / "part-1.parquet")
    with pytest.raises(mm.MetameterError, match=r"^pages/part-1\.parquet: row 1: the rank viewed last is none of the"):
        mm.fit(**given, jobs=workers)


@pytest.mark.slow
def test_a_study_survives_a_killed_worker_bit_for_bit(collection, cluster, workers, tmp_path):
    given = {"metrics": METRICS, "max_grade": 2, "splits": 100, "trials": 200, "resamples": 40}
    given |= {"pool_depth": 10, "grid": True}
    killed = []

    def kill_once(done, of, what=""):
        # In the midst of scoring: one run of six is done.
        if not killed and done == 1:
            cluster.kill(0)
            killed.append(True)

    places = collection / "qrels.txt", collection / "runs"
    mm.study(*places, out=tmp_path / "here", jobs=1, **given)
    mm.study(*places, out=tmp_path / "there", jobs=workers, progress=kill_once, **given)
    cluster.add()
    assert killed
    written = {file.name: file.read_bytes() for file in (tmp_path / "here").iterdir() if file.is_file()}
    written.pop("run.json", None)
    for name, content in written.items():
        assert (tmp_path / "there" / name).read_bytes() == content


@pytest.mark.slow
def test_killing_a_worker_during_random_trials_changes_nothing(cluster, workers, scores):
    killed = []

    def kill_once(done, of, what=""):
        if not killed and done > 3:
            cluster.kill(len(cluster.workers) - 1)
            cluster.add()
            killed.append(True)

    here = mm.power(scores, trials=4000, jobs=1)
    same(here, mm.power(scores, trials=4000, jobs=workers, progress=kill_once))
    assert killed


@pytest.mark.slow
def test_shared_data_is_sent_again_after_its_workers_end(mortal):
    matrix = np.arange(1e5)  # too large to be part of a task
    with mm.Workers.dask(mortal.address, timeout=60) as workers:
        results = workers.map(large, range(10), matrix=matrix)
        found = [next(results)]
        for number in (0, 1):
            mortal.kill(number)
            mortal.add()
        assert [*found, *results] == list(range(10))


@pytest.mark.slow
def test_without_workers_a_one_line_error_follows(mortal, scores, tmp_path):
    source, out = tmp_path / "scores.csv", tmp_path / "out"
    scores.table.write_csv(source)
    line = [sys.executable, "-m", "metameter", "power", str(source), "--trials", "1000000", "--out", str(out)]
    line += ["--engine", "dask", "--scheduler", mortal.address, "--scheduler-timeout", "10"]
    process = subprocess.Popen(line, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with Client(mortal.address, set_as_default=False) as client:
        wait_for(lambda: client.run_on_scheduler(tasks_done) > 3)
    for number in (0, 1):
        mortal.kill(number)
    stdout, stderr = process.communicate()
    assert (process.returncode, stdout) == (2, "")
    line = f"the scheduler {mortal.address} has had no workers for 10 seconds. "
    assert stderr == line + "See that the cluster runs, then call again: what a study has finished is kept.\n"
    assert not out.exists()
    assert not list(tmp_path.glob("*draft*"))


def tasks_done(dask_scheduler):
    return dask_scheduler.transition_counter


@contextmanager
def patient_at_first(address):
    """Workers that are waited for as long as a busy machine needs to connect, and then for a second."""
    with mm.Workers.dask(address, timeout=60) as workers:
        workers._cluster.timeout = 1.0
        yield workers


SILENT = r"^the scheduler tcp://\S+ has not answered for 1 seconds\. "


@pytest.mark.slow
def test_a_lost_scheduler_gives_a_one_line_error(mortal):
    with patient_at_first(mortal.address) as workers:
        results = workers.map(large, range(20), matrix=np.arange(1e5))
        next(results)
        mortal.scheduler.kill()
        with pytest.raises(mm.MetameterError, match=SILENT):
            list(results)


@pytest.mark.slow
def test_a_stopped_scheduler_is_reported_within_the_timeout(mortal):
    with patient_at_first(mortal.address) as workers:
        results = workers.map(large, range(20), matrix=np.arange(1e5))
        next(results)
        mortal.scheduler.send_signal(signal.SIGSTOP)
        cluster = workers._cluster
        sent = partial(cluster.scatter, 1, everywhere=True)
        for ask in (partial(list, results), sent, partial(cluster.on_every_worker, print)):
            with pytest.raises(mm.MetameterError, match=SILENT):
                ask()


@pytest.mark.slow
def test_a_silent_service_is_refused_after_the_timeout():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(
            mm.MetameterError, match=rf"^no Dask scheduler answers within 0\.5 seconds \(given '{address}'"
        ):
            mm.Workers.dask(address, timeout=0.5)


@pytest.mark.slow
def test_a_client_that_connects_too_late_is_closed():
    closed, let = Event(), Event()
    late = in_thread(let.wait, unwanted=lambda _: closed.set())
    assert late.cancel()
    let.set()
    assert closed.wait(5)


@pytest.mark.slow
def test_a_wrong_scheduler_address_gives_a_one_line_error():
    line = [sys.executable, "-m", "metameter", "power", "nowhere.csv", "--engine", "dask", "--scheduler", "foo://x"]
    done = subprocess.run(line, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    fix = "Give the address that dask scheduler prints, such as tcp://10.0.0.1:8786.\n"
    assert done.stderr == f"not an address of a Dask scheduler (given 'foo://x'). {fix}"


@pytest.mark.slow
def test_a_file_unreadable_for_a_worker_is_named(collection, workers, monkeypatch):
    monkeypatch.chdir(collection / "runs")
    name = f"/proc/self/cwd/{min((collection / 'runs').iterdir()).name}"  # the workers' folder is another
    with pytest.raises(mm.MetameterError, match=rf"^{name}: the worker tcp://\S+ cannot open it: no such file"):
        mm.score(collection / "qrels.txt", name, ["AP"], jobs=workers, max_grade=2)


@pytest.mark.slow
def test_a_file_with_different_content_on_a_worker_is_named(cluster, workers, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    (cluster.folder / "one").write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n")
    name, qrels = "/proc/self/cwd/one", {"1": {"a": 1, "b": 0}}
    refused = rf"^{name}: the worker tcp://\S+ sees another file there, of the same size: its SHA-256 begins with "
    with pytest.raises(mm.MetameterError, match=refused):
        mm.score(qrels, name, ["AP"], jobs=workers)
    (cluster.folder / "one").write_text("1 Q0 a 1 2 t\n")
    with pytest.raises(mm.MetameterError, match=r"sees another file there, of 13 bytes: here it has 26\."):
        mm.score(qrels, name, ["AP"], jobs=workers)
    (cluster.folder / "one").write_bytes((tmp_path / "one").read_bytes())
    assert mm.score(qrels, name, ["AP"], jobs=workers).values.tolist() == [[[1.0]]]


@pytest.mark.slow
def test_errors_and_notices_of_workers_reach_the_caller(workers):
    with pytest.raises(mm.MetameterError, match=r"^file:0: this is wrong\. Correct it\.$"):
        list(workers.map(broken, range(3)))
    with pytest.warns(mm.MetameterWarning, match=r"^1 is odd$"):
        assert list(workers.map(told, [1])) == [1]


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (["--engine", "dask", "--scheduler", "tcp://127.0.0.1:9"], "no Dask scheduler answers within 1 seconds"),
        (["--engine", "dask", "--scheduler", "nonsense://x"], "not an address of a Dask scheduler"),
        (["--engine", "dask"], "--engine dask needs a scheduler. Start a scheduler"),
        (["--engine", "dask", "--jobs", "2", "--scheduler", "x"], "--jobs counts threads of this machine"),
        (["--scheduler", "tcp://127.0.0.1:9"], "a scheduler is for --engine dask"),
        (
            ["--engine", "dask", "--scheduler", "x", "--scheduler-timeout", "0"],
            "scheduler_timeout is out of range (given 0.0, allowed: a positive number of seconds)",
        ),
    ],
)
@pytest.mark.slow
def test_impossible_clusters_give_a_one_line_error(given, line, capsys, monkeypatch):
    monkeypatch.delenv("DASK_SCHEDULER_ADDRESS", raising=False)
    given = given if "--scheduler-timeout" in given else [*given, "--scheduler-timeout", "1"]
    assert run(["power", "nowhere.csv", *given]) == 2
    said = capsys.readouterr().err
    assert said.startswith(line)
    assert said.count("\n") == 1


@pytest.mark.slow
def test_without_dask_the_error_names_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(mm.MetameterError, match=r'Install it: pip install "metameter\[cluster\]"$'):
        mm.Workers.dask("tcp://127.0.0.1:9", timeout=1)


@pytest.mark.slow
def test_missing_packages_and_versions_give_a_one_line_error():
    lacking = Exception("ModuleNotFoundError(\"No module named 'metameter'\")")
    asked = SimpleNamespace(
        run=lambda *_, **__: {"tcp://10.0.0.7:4001": lacking, "tcp://10.0.0.8:4001": OSError("gone")}
    )
    cluster = DaskCluster.__new__(DaskCluster)
    cluster._client, cluster.timeout = asked, 5.0
    with pytest.raises(
        mm.MetameterError, match=r"^the worker tcp://10\.0\.0\.7:4001 cannot import what it needs: .*'metameter'"
    ):
        cluster.on_every_worker(print)

    def failed(problem):
        return SimpleNamespace(status="error", exception=lambda: problem)

    for problem, line in [
        (RuntimeError("Error during deserialization of the task graph"), "the scheduler cannot load what it is sent"),
        (KilledWorker("task", None, 3), "a task ended every worker that ran it"),
        (ImportError("No module named 'tired'"), "the worker that was used cannot import what it needs: No module"),
    ]:
        with pytest.raises(mm.MetameterError, match=f"^{line}"):
            cluster.outcome(failed(problem))


@pytest.mark.slow
def test_closed_clients_and_workers_are_refused(cluster, scores):
    client = Client(cluster.address, set_as_default=False)
    workers = mm.Workers.dask(client, timeout=60)
    client.close()
    with pytest.raises(mm.MetameterError, match=r"^the client is closed \(given .*\)\. Give one that is connected"):
        mm.Workers.dask(client, timeout=5)
    with mm.Workers.dask(cluster.address, timeout=60) as own:
        pass
    for closed in (workers, own):
        line = rf"^the connection with the scheduler {cluster.address} is closed\. Make new workers"
        with pytest.raises(mm.MetameterError, match=line):
            mm.power(scores, trials=200, jobs=closed)


@pytest.mark.slow
def test_closing_workers_leaves_the_callers_client_open(cluster):
    with Client(cluster.address, set_as_default=False) as client:
        with mm.Workers.dask(client, timeout=60) as workers:
            assert list(workers.map(round, [1.5])) == [2]
        assert client.status == "running"


@pytest.mark.filterwarnings("error")
@pytest.mark.slow
def test_an_asynchronous_client_is_refused(cluster):
    async def ask():
        async with Client(cluster.address, asynchronous=True, set_as_default=False) as client:
            with pytest.raises(mm.MetameterError, match=r"^the client is asynchronous \(given .*\)\. Make it without"):
                mm.Workers.dask(client, timeout=5)

    asyncio.run(ask())


@pytest.mark.slow
def test_a_stopped_worker_is_dropped_at_the_first_check(mortal):
    with mm.Workers.dask(mortal.address, timeout=60):
        mortal.workers[1].send_signal(signal.SIGSTOP)
        with pytest.raises(mm.MetameterError, match=r"^the worker tcp://\S+ has not answered for 10 seconds\. End it"):
            mm.Workers.dask(mortal.address, timeout=10)
        mortal.workers[1].send_signal(signal.SIGCONT)
    with mm.Workers.dask(mortal.address, timeout=60) as workers:
        assert list(workers.map(round, [1.5, 2.7])) == [2, 3]
