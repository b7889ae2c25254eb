"""What every test may ask for."""

from __future__ import annotations

import importlib.util
import inspect
import os
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import settings

from metameter.parallel import Workers

# No test fails because a machine is busy: what hangs is stopped by the timeout of all tests.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


#: No child is waited for longer than this many seconds, less than the timeout of all tests: then it is ended, too.
CHILD_LIMIT = {"seconds": 240.0}


def _limited(wait: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(wait)

    @wraps(wait)
    def called(*args: Any, **given: Any) -> Any:
        bound = signature.bind(*args, **given)
        if bound.arguments.get("timeout") is not None:
            return wait(*args, **given)
        try:
            return wait(**{**bound.arguments, "timeout": CHILD_LIMIT["seconds"]})
        except subprocess.TimeoutExpired:
            bound.arguments["self"].kill()
            raise

    return called


@pytest.fixture(scope="session", autouse=True)
def _children_end() -> Iterator[None]:
    """Every wait for a child process has an end, whether or not a test has thought of it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("wait", "communicate"):
            patch.setattr(subprocess.Popen, name, _limited(getattr(subprocess.Popen, name)))
        yield


@pytest.fixture(scope="session", autouse=True)
def _same_output_in_continuous_integration() -> Iterator[None]:
    """A log of CI would get tables where others get CSV."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CI", "GITHUB_ACTIONS"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(autouse=True)
def _own_draws(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a test that draws from its module's ``RNG`` a stream of its own: the same whichever tests ran before it."""
    if hasattr(request.module, "RNG"):
        monkeypatch.setattr(request.module, "RNG", np.random.default_rng(crc32(request.node.name.encode())))


@pytest.fixture
def child_limit(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Set how long children are waited for."""
    return lambda seconds: monkeypatch.setitem(CHILD_LIMIT, "seconds", seconds)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real collections; tests that ask for it are marked ``realdata``."""
    folder = real_data()
    if folder is None:
        pytest.skip("no real data; set METAMETER_DATA to the folder that holds them")
    return folder


def real_data() -> Path | None:
    """The folder that METAMETER_DATA names, by default the one beside the checkout; None if it is absent or empty."""
    default = str(Path(__file__).resolve().parents[1].parent / "shared" / "data")
    named = os.environ.get("METAMETER_DATA", default).strip()
    folder = Path(named)
    return folder if named and folder.is_dir() and any(folder.iterdir()) else None


@pytest.fixture(scope="session")
def evidence() -> ModuleType:
    """What makes evidence by subtopic and by iteration for tests: the module `evidence` beside this file."""
    spec = importlib.util.spec_from_file_location("evidence", Path(__file__).with_name("evidence.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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


_OPENED: Counter[str] = Counter()
_WATCHED: list[str] = []


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    # An audit hook sees every way to open a file, and cannot be removed.
    if event == "open" and _WATCHED and isinstance(arguments[0], str) and arguments[0].startswith(_WATCHED[0]):
        _OPENED[arguments[0][len(_WATCHED[0]) + 1 :]] += 1


sys.addaudithook(_watch)


@pytest.fixture
def opened_under() -> Iterator[Callable[[Path], Counter[str]]]:
    """Given a folder: how often each file in it is opened from then on, by its name within."""

    def watched(folder: Path) -> Counter[str]:
        _OPENED.clear()
        _WATCHED[:] = [str(folder)]
        return _OPENED

    yield watched
    _WATCHED.clear()
