"""A process of its own: what the program may decide for all of it, and a library may not."""

from __future__ import annotations

import gc
import math
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from metameter.read.files.limits import memory_left

# Whoever has set one of these has told the C library what to do.
_MEMORY = ("MALLOC_", "GLIBC_TUNABLES")
# What malloc.h calls these options; how much is kept, and from which size on memory is a matter of the system.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _KEPT, _LARGE = -1, -3, 1 << 26, 1 << 25
# Whichever of these is set, OpenBLAS takes its number of threads from.
_THREADS = ("OPENBLAS_NUM_THREADS", "OPENBLAS_DEFAULT_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
#: Address space that commands with tables need, measured with one thread of Polars, and for each further thread: with
#: less, Polars ends the process or waits for ever, and no error can be caught.
_FOR_TABLES, _FOR_A_THREAD = 1_600_000_000, 120_000_000


#: What the drawing library reserves, however little it uses: it failed with a limit of 40 GB and worked with 100 GB.
_FOR_DRAWING = 100_000_000_000


class _RoomForLibraries:
    """Where memory is limited (``ulimit -v``): refuse to import libraries that would end the process for lack of it."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        """Refuse what does not fit, let Polars start only the threads that fit, and find nothing."""
        if name == "polars":
            room = _refuse_below(_FOR_TABLES, "there is not enough memory for this command")
            threads = max(1, min(os.cpu_count() or 1, int((room - _FOR_TABLES) // _FOR_A_THREAD)))
            os.environ.setdefault("POLARS_MAX_THREADS", str(threads))
        elif name == "vl_convert":
            _refuse_below(_FOR_DRAWING, "there is not enough memory to draw charts")


def _refuse_below(needed: int, what: str) -> float:
    """How much address space is left; refused if it is less than needed."""
    room = memory_left()
    if room < needed:
        from metameter.errors import MetameterError
        from metameter.read.files.limits import size_in_words

        allowed = f"at least {size_in_words(needed)} of address space, and {size_in_words(room)} are left"
        raise MetameterError(what, allowed=allowed, fix="Allow this process more (ulimit -v).")
    return room


def begin() -> None:
    """Before anything is imported that takes time.

    NumPy's OpenBLAS starts a thread a core, and these spin while they wait: a quarter of the CPU time of a start. The
    cores are for `Workers`. Whoever has set a number of threads gets it.

    Where memory is limited, Polars is given no more threads than fit, and is not imported where none does.

    What is imported stays: looking for garbage among it is in vain, and takes a tenth of the start.
    """
    if not any(name in os.environ for name in _THREADS):
        os.environ[_THREADS[0]] = "1"
    if memory_left() < math.inf:
        sys.meta_path.insert(0, _RoomForLibraries())
    gc.disable()
    if not any(name.startswith(_MEMORY) for name in os.environ):
        _keep_memory()


def _keep_memory() -> None:
    """Keep memory that is free again, up to a limit, where the C library is GNU's and can be told so.

    A run is arrays of some hundred kilobytes, over and over. The library hands such memory back to the system and asks
    for it again, which then clears every page of it: a tenth of the CPU time of scoring many runs.
    """
    import ctypes  # as NumPy does

    try:
        tell = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return  # another library, or another system
    tell(_TRIM_THRESHOLD, _KEPT)
    tell(_MMAP_THRESHOLD, _LARGE)


def ready() -> None:
    """Before the work: from now on there is garbage, and it is looked for among what comes from now on."""
    gc.freeze()
    gc.enable()


def end() -> None:
    """After the work: what is left goes with the process, and need not be taken apart piece by piece.

    DuckDB is the exception: it counts what is left of it, and prints that it has leaked.
    """
    if "duckdb" in sys.modules:
        gc.unfreeze()
    else:
        gc.freeze()
