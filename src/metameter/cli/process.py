"""What the program sets for its process, and a library must not set: memory, threads, garbage collection, signals.

On Ctrl-C, SIGTERM and SIGHUP the program removes its drafts, says so in one line, and ends at once with status 130. It
ends within the signal handler and not by an exception: an exception in the middle of an import becomes another one, has
to wait for threads at work, and its cleaning up may be interrupted by a second one.
"""

from __future__ import annotations

import gc
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any

from metameter.read.files.limits import memory_left

INTERRUPTED = 130

# Not all systems have all of them.
_SIGNALS = [number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]
# Seconds that the main thread has to react, before another thread ends the program instead.
_PATIENCE = 0.3
_ends = threading.Lock()

# If one of these is set, the user has configured the C library.
_MEMORY = ("MALLOC_", "GLIBC_TUNABLES")
# The numbers of these options in malloc.h; the free bytes that are kept; the least size that the system allocates.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _KEPT, _LARGE = -1, -3, 1 << 26, 1 << 25
# OpenBLAS reads its number of threads from these.
_THREADS = ("OPENBLAS_NUM_THREADS", "OPENBLAS_DEFAULT_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
#: Address space that commands with tables need, measured with one thread of Polars, and for each further thread: with
#: less, Polars aborts the process or hangs, and there is no error to catch.
_FOR_TABLES, _FOR_A_THREAD = 1_600_000_000, 120_000_000


#: Address space that vl-convert reserves, however little it uses: it failed with a limit of 40 GB, not with 100 GB.
_FOR_DRAWING = 100_000_000_000


class _RoomForLibraries:
    """An import hook for limited memory (``ulimit -v``): it refuses libraries that would abort the process."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        """Refuse what does not fit, and limit the threads of Polars; finding modules is left to other finders."""
        if name == "polars":
            room = _refuse_below(_FOR_TABLES, "there is not enough memory for this command")
            threads = max(1, min(os.cpu_count() or 1, int((room - _FOR_TABLES) // _FOR_A_THREAD)))
            os.environ.setdefault("POLARS_MAX_THREADS", str(threads))
        elif name == "vl_convert":
            _refuse_below(_FOR_DRAWING, "there is not enough memory to draw charts")


def _refuse_below(needed: int, what: str) -> float:
    """The address space that is left; an error if it is less than needed."""
    room = memory_left()
    if room < needed:
        from metameter.errors import MetameterError
        from metameter.read.files.limits import size_in_words

        allowed = f"at least {size_in_words(needed)} of address space, and {size_in_words(room)} are left"
        raise MetameterError(what, allowed=allowed, fix="Allow this process more (ulimit -v).")
    return room


def begin() -> None:
    """Prepare the process, before anything slow is imported.

    OpenBLAS starts one thread per core, and these spin while they wait: a quarter of the CPU time of a start. `Workers`
    use the cores, so OpenBLAS gets one thread, unless the user has set a number.

    If memory is limited, Polars gets no more threads than fit, and is not imported if not even one fits.

    The garbage collector is off during imports, which create no garbage: searching takes a tenth of the start.
    """
    if not any(name in os.environ for name in _THREADS):
        os.environ[_THREADS[0]] = "1"
    if memory_left() < math.inf:
        sys.meta_path.insert(0, _RoomForLibraries())
    gc.disable()
    if not any(name.startswith(_MEMORY) for name in os.environ):
        _keep_memory()


def _keep_memory() -> None:
    """Let the GNU C library keep freed memory, up to a limit; other C libraries are left alone.

    Scoring allocates arrays of some hundred kilobytes over and over. By default the library returns such memory to the
    system and asks for it again, and the system clears every page: a tenth of the CPU time of scoring many runs.
    """
    import ctypes  # as NumPy does

    try:
        tell = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return  # another library, or another system
    tell(_TRIM_THRESHOLD, _KEPT)
    tell(_MMAP_THRESHOLD, _LARGE)


def ready() -> None:
    """Turn the garbage collector on, before the work; it ignores the objects that imports created."""
    gc.freeze()
    gc.enable()


def end() -> None:
    """Exempt all objects from garbage collection at exit, after the work: the process ends anyway.

    Not with DuckDB, which counts its objects at exit and reports those left as leaked.
    """
    if "duckdb" in sys.modules:
        gc.unfreeze()
    else:
        gc.freeze()


def end_on_signals() -> None:
    """Let signals end the program from now on; signals that are ignored already (``nohup``) stay ignored."""
    if threading.current_thread() is not threading.main_thread():
        return  # only the main thread may handle signals
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _handle)
    if os.name == "posix":
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        threading.Thread(target=_watch, args=(reader,), daemon=True).start()


def _handle(number: int, frame: Any) -> None:
    """End the program; Python calls this in the main thread, between two bytecode instructions."""
    if not _is_placing():
        for each in _SIGNALS:
            signal.signal(each, signal.SIG_IGN)
        _end()


def _watch(reader: int) -> None:
    """End the program from a thread of its own, which sees a signal while the main thread is in compiled code."""
    while os.read(reader, 1)[0] not in _SIGNALS:
        pass
    time.sleep(_PATIENCE)
    while _is_placing():
        time.sleep(_PATIENCE)
    _end()


def _end() -> None:
    if not _ends.acquire(blocking=False):
        time.sleep(3600)  # the other thread is about to end the program
    if (drafts := _drafts()) is not None:
        drafts.discard_all()
    with suppress(OSError):
        # A bar of progress may have hidden the cursor.
        os.write(2, b"\r\x1b[K\x1b[?25hinterrupted\n" if os.isatty(2) else b"interrupted\n")
    os._exit(INTERRUPTED)


def _is_placing() -> bool:
    return (drafts := _drafts()) is not None and drafts.is_placing()


def _drafts() -> Any:
    """The module that keeps the list of drafts; None before it is fully imported: then there are none."""
    module = sys.modules.get("metameter.view.atomic_files")
    return module if hasattr(module, "is_placing") else None
