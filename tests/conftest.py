"""What every test may ask for."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from metameter.parallel import Workers


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real collections; tests that ask for it are marked ``realdata``."""
    default = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    folder = Path(os.environ.get("METAMETER_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}; set METAMETER_DATA to the folder that holds them")
    return folder


class PicklingExecutor(Executor):
    """Sends work, its arguments and its results through pickle, as a cluster would; then works on the spot."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        work, args, kwargs = pickle.loads(pickle.dumps((fn, args, kwargs)))
        future: Future[Any] = Future()
        try:
            future.set_result(pickle.loads(pickle.dumps(work(*args, **kwargs))))
        except Exception as error:
            future.set_exception(pickle.loads(pickle.dumps(error)))
        return future


class PicklingWorkers(Workers):
    """Workers to whom nothing can be handed that cannot be pickled."""

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        yield PicklingExecutor()


@pytest.fixture
def pickling_workers() -> Workers:
    """Workers elsewhere, as it were: what they are given and give back goes through pickle."""
    return PicklingWorkers(2)
