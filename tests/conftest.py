"""What every test may ask for."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from metameter.parallel import Workers


class PicklingExecutor(Executor):
    """Runs work at once, after it, its item and all it shares have been through pickle, as on another machine."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        work, items, shared = pickle.loads(pickle.dumps((fn, args, kwargs)))
        future: Future[Any] = Future()
        try:
            future.set_result(pickle.loads(pickle.dumps(work(*items, **shared))))
        except Exception as error:
            future.set_exception(error)
        return future


class PicklingWorkers(Workers):
    """Workers to whom nothing can be handed that is not plain data."""

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        yield PicklingExecutor()


@pytest.fixture
def pickling_workers() -> Workers:
    """Three workers that pickle every piece of work and its result: give them as ``jobs``."""
    return PicklingWorkers(3)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real collections; tests that ask for it are marked ``realdata``."""
    default = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    folder = Path(os.environ.get("METAMETER_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}; set METAMETER_DATA to the folder that holds them")
    return folder
