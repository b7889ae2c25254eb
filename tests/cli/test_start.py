"""What the program decides for its process, and what it does not import."""

import ctypes
import gc
import os
import subprocess
import sys

import pytest

from metameter.cli import main
from metameter.cli import process as start
from metameter.cli import program as run_module
from metameter.errors import MetameterError

# What other commands need, and scoring a run does not.
UNUSED = (
    *("altair", "jinja2", "narwhals", "numpy.ma", "polars", "rich", "scipy", "vl_convert", "backports.zstd"),
    *("metameter.cli.inputs", "metameter.judge.costs", "metameter.judge.facets"),
    *("metameter.judge.passages", "metameter.judge.pool", "metameter.read.document_tables", "metameter.read.scores"),
    *("metameter.read.sessions.truth", "metameter.scoring.cache", "metameter.stats", "metameter.studies"),
    *(
        "metameter.types.labelled_pages",
        "metameter.types.subtopics",
        "metameter.view.atomic_files",
        "metameter.view.tables.terminal",
    ),
)
# The environment of somebody who has said nothing of threads and memory.
UNSET = {
    name: value
    for name, value in os.environ.items()
    if not (name.endswith("_NUM_THREADS") or name.startswith(start._MEMORY))
}


@pytest.fixture
def one_document(tmp_path):
    (tmp_path / "qrels").write_text("1 0 d1 1\n")
    (tmp_path / "run").write_text("1 Q0 d1 1 1.0 t\n")
    return tmp_path


def at_the_end(what, *words, **environment):
    """Run the program as a user does, and say what an expression is when it ends."""
    code = f"import atexit, gc, os, sys; from metameter.cli import main; atexit.register(lambda: print({what})); main()"
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**UNSET, **environment})
    return done.stdout.splitlines()[-1]


def test_scoring_a_run_imports_no_unused_library(one_document):
    words = ["score", str(one_document / "qrels"), str(one_document / "run"), "-m", "AP"]
    loaded = at_the_end(f"[name for name in {UNUSED} if name in sys.modules]", *words)
    assert loaded == "[]"


def test_writing_tsv_imports_no_table_library(one_document):
    words = ["score", str(one_document / "qrels"), str(one_document / "run"), "-m", "AP", "--format", "tsv"]
    assert at_the_end("{'polars', 'duckdb'} & set(sys.modules)", *words) == "set()"


def test_importing_the_study_imports_no_procedure():
    code = "import sys, metameter.studies.study; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=UNSET)
    loaded = done.stdout.split()
    assert "metameter.meta.base" in loaded
    assert not [name for name in loaded if name.startswith("metameter.meta.") and name.endswith(".procedure")]


def test_printing_the_version_imports_no_heavy_library():
    assert at_the_end("{'html', 'numpy', 'polars', 'importlib.metadata'} & set(sys.modules)", "--version") == "set()"


@pytest.mark.parametrize(
    ("own", "threads"),
    [
        ({}, "1"),
        ({"OPENBLAS_NUM_THREADS": "2"}, "2"),
        ({"OMP_NUM_THREADS": "3"}, "None"),
        ({"GOTO_NUM_THREADS": "3"}, "None"),
    ],
)
def test_blas_uses_one_thread_by_default(own, threads):
    assert at_the_end("os.environ.get('OPENBLAS_NUM_THREADS')", "--version", **own) == threads


def test_memory_is_kept_unless_malloc_variables_are_set(monkeypatch):
    told = []
    monkeypatch.setattr(start, "_keep_memory", lambda: told.append("kept"))
    monkeypatch.setattr("gc.disable", lambda: None)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    for name in list(os.environ):
        if name.startswith(start._MEMORY):
            monkeypatch.delenv(name)
    start.begin()
    monkeypatch.setenv("MALLOC_ARENA_MAX", "2")
    start.begin()
    assert told == ["kept"]


def test_another_c_library_is_left_unchanged(monkeypatch):
    monkeypatch.setattr("ctypes.CDLL", lambda name: object())
    start._keep_memory()


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="the C library is not GNU's")
def test_arrays_reuse_freed_memory():
    """Pages are asked for once, not for every array anew."""
    code = "import resource; from metameter.cli.process import begin; begin(); import numpy as np\n"
    code += "def faults():\n    some = [np.ones(100_000) for _ in range(9)]\n"
    code += "    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt\n"
    code += "faults(); before = faults(); [faults() for _ in range(20)]; print(faults() - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=UNSET)
    assert int(done.stdout) < 500  # of 36,000 pages


def test_importing_the_library_leaves_the_process_unchanged():
    code = "import gc, os, metameter; metameter.parse_metric('AP'); print(gc.isenabled(), gc.get_freeze_count())"
    code += "; print(os.environ.get('OPENBLAS_NUM_THREADS'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=UNSET)
    assert done.stdout.split() == ["True", "0", "None"]


def test_garbage_is_collected_while_a_command_works(monkeypatch):
    """Long studies must not grow: only the imports before the work are spared."""
    seen = []

    def run(arguments, ready):
        seen.append(gc.isenabled())
        ready()
        seen.append(gc.isenabled())
        return 0

    monkeypatch.setattr("metameter.cli.program.run", run)
    monkeypatch.setattr("metameter.cli.process.end_on_signals", lambda: None)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")  # so that what this process starts later has no other
    try:
        with pytest.raises(SystemExit) as ended:
            main()
    finally:
        gc.enable()
        gc.unfreeze()
    assert (seen, ended.value.code) == ([False, True], 0)


def test_imported_objects_are_excluded_from_garbage_collection():
    gc.disable()
    try:
        start.ready()
        assert gc.isenabled()
        assert gc.get_freeze_count() > 0
    finally:
        gc.enable()
        gc.unfreeze()


def test_a_command_calls_back_when_it_is_ready(one_document, capsys):
    from metameter.cli.program import run

    told = []
    run(["score", str(one_document / "qrels"), str(one_document / "run"), "-m", "AP"], lambda: told.append("ready"))
    run(["--help"], lambda: told.append("help"))
    assert told == ["ready"]


def limited(size, *words):
    """Run the program with so many bytes of address space, as after ``ulimit -v``."""
    resource = pytest.importorskip("resource")
    command = [sys.executable, "-m", "metameter", *map(str, words)]
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))  # noqa: E731
    return subprocess.run(command, capture_output=True, text=True, env=UNSET, preexec_fn=limit)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit address space")
@pytest.mark.parametrize("megabytes", [400, 600, 1000, 1500])
def test_too_little_memory_gives_a_one_line_error(megabytes):
    done = limited(megabytes << 20, "metrics")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("there is not enough memory for this command (allowed: at least ")
    assert done.stderr.endswith(" left). Allow this process more (ulimit -v).\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit address space")
def test_commands_that_need_less_memory_still_work(one_document):
    done = limited(400 << 20, "score", one_document / "qrels", one_document / "run", "-m", "AP")
    assert (done.returncode, done.stdout.splitlines()[1:]) == (0, ["AP,run,1,1.0"])
    assert limited(3 << 30, "metrics", "--format", "csv").returncode == 0


def test_charts_are_refused_when_memory_is_too_small(monkeypatch):
    monkeypatch.setattr(start, "memory_left", lambda: 3e9)
    monkeypatch.delenv("POLARS_MAX_THREADS", raising=False)
    room = start._RoomForLibraries()
    with pytest.raises(MetameterError, match=r"^there is not enough memory to draw charts \(allowed: at least 100 GB"):
        room.find_spec("vl_convert")
    room.find_spec("polars")
    assert 1 <= int(os.environ["POLARS_MAX_THREADS"]) <= 11  # (3 GB - 1.6 GB) / 120 MB
    room.find_spec("numpy")
    monkeypatch.delenv("POLARS_MAX_THREADS")


@pytest.mark.parametrize("error", [RuntimeError("can't start new thread"), ImportError("failed to map segment")])
def test_memory_errors_of_libraries_give_a_one_line_error(monkeypatch, capsys, error):
    def fail(arguments):
        raise error

    monkeypatch.setattr("metameter.cli.program.program", fail)
    with pytest.raises(type(error)):
        run_module.run(["metrics"])
    monkeypatch.setattr(run_module, "memory_left", lambda: 1000)
    assert run_module.run(["metrics"]) == 2
    assert capsys.readouterr().err.startswith("not enough memory. ")


def test_duckdb_prints_nothing_when_a_command_ends(one_document):
    """DuckDB prints what is left of it when the process ends, unless it is taken apart as any other."""
    code = "import duckdb; from metameter.cli import main; main()"
    command = [sys.executable, "-c", code, "score", one_document / "qrels", one_document / "run", "-m", "AP"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=UNSET)
    assert done.stderr == ""
