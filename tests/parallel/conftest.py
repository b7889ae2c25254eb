"""A Dask cluster of processes of their own: a scheduler, and workers that nobody starts again once they are killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Workers find the package, and the pieces of work of these tests.
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "src", ROOT)))}


class Cluster:
    """A scheduler and its workers, which run in a folder of their own."""

    def __init__(self, folder: Path, workers: int = 2, source: Path = ROOT / "src") -> None:
        self.folder = folder
        self.environment = {**ENVIRONMENT, "PYTHONPATH": os.pathsep.join(map(str, (source, ROOT)))}
        self.log = (folder / "log").open("wb")
        # A free port is found by the scheduler, which writes it down.
        self.scheduler = self._start("dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", "file")
        self.workers = []
        file = folder / "file"
        wait_for(lambda: file.exists() and file.read_text().rstrip().endswith("}"))  # written whole
        self.address = json.loads(file.read_text())["address"]
        for _ in range(workers):
            self.add()
        wait_for(lambda: (folder / "log").read_bytes().count(b"Registered to:") == workers)

    def _start(self, program: str, *arguments: str) -> subprocess.Popen:
        line = [sys.executable, "-W", "ignore", "-m", f"distributed.cli.{program}", *arguments]
        return subprocess.Popen(line, cwd=self.folder, env=self.environment, stdout=self.log, stderr=self.log)

    def add(self) -> None:
        """Let one more worker join."""
        options = ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--memory-limit", "0"]
        self.workers.append(self._start("dask_worker", self.address, *options))

    def kill(self, worker: int) -> None:
        """End a worker as kill -9 does."""
        self.workers[worker].kill()
        self.workers[worker].wait()

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()
        self.log.close()


def wait_for(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Two workers; whoever kills one starts another."""
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.close()


@pytest.fixture
def mortal(tmp_path):
    """Two workers for one test alone."""
    (tmp_path / "cluster").mkdir()
    cluster = Cluster(tmp_path / "cluster")
    yield cluster
    cluster.close()
