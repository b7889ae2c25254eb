"""Faults of the machine: a full disk, a folder that cannot be written, two at once: `python -m fuzz.faults [TIMES]`.

Whatever happens: exit status 2 and one line on standard error; no part of a file under its own name; no litter; and the
same command, once the fault is gone, gives what it gives undisturbed, byte for byte. Mounting takes root and Linux;
elsewhere those faults are skipped. Kills are in kills.py.
"""

from __future__ import annotations

import hashlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

from fuzz.program import collection

SMALL = ["--trials", "10", "--splits", "4", "--resamples", "20", "--most-resamples", "20"]
COMMANDS = {
    "score": ["score", "q", "a", "b", "c", "-m", "AP", "--out", "{}/scores.csv"],
    "power": ["power", "scores.csv", "--trials", "10", "--out", "{}/power"],
    "simulate": ["simulate", "{}/collection", "--topics", "5", "--systems", "4", "--depth", "50"],
    "study": ["study", "q", "a", "b", "c", "-m", "AP", "-m", "P@2", *SMALL, "--out", "{}/study"],
}
_SPACE = 32 << 20
# Times and hosts, which are outside the promise; and who has the folder.
_OWN = ("run.json", "lock", "made.json")


@dataclass
class Fault:
    """How often a fault was put in, and what did not hold."""

    name: str
    command: str
    tried: int = 0
    refused: int = 0
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        if not self.tried:
            return f"{self.name:<16}{self.command:<10}skipped: only root may mount a disk of its own, and on Linux"
        counts = f"{self.tried:>4} times, refused {self.refused:>3}, wrong {len(self.wrong):>3}"
        return "\n    ".join([f"{self.name:<16}{self.command:<10}{counts}", *dict.fromkeys(self.wrong)])


def start(words: list[str], folder: Path, inputs: Path, **further: object) -> subprocess.Popen[str]:
    """The program as a process of its own, with ``folder`` for what it writes."""
    given = [word.format(folder) for word in words]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": inputs} | further
    return subprocess.Popen([sys.executable, "-m", "metameter", *given], **options)


def state(folder: Path) -> dict[str, str]:
    """What is in a folder, each file with its fingerprint; neither the program's own notes nor its stages."""
    files = [
        path for path in folder.rglob("*") if path.is_file() and path.name not in _OWN and ".stages" not in path.parts
    ]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def litter(folder: Path) -> list[str]:
    """Parts of files, and drafts."""
    return [str(path) for path in folder.rglob("*") if ".part" in path.name or "draft" in path.name]


def refused(process: subprocess.Popen[str]) -> str:
    """What is wrong with the way in which it ended, if it should have been refused; empty if nothing is."""
    _, said = process.communicate(timeout=120)
    if process.returncode == 2 and said.count("\n") == 1 and said.endswith("\n"):
        return ""
    return f"status {process.returncode}, {said[-300:]!r}"


@contextmanager
def mounted(size: int) -> Iterator[Path]:
    """A disk of this size."""
    folder = Path(tempfile.mkdtemp(prefix="disk-"))
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=True)  # noqa: S607  root's own PATH
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)  # noqa: S607  root's own PATH
        folder.rmdir()


def disk_full(fault: Fault, inputs: Path, whole: dict[str, str], draw: Random) -> None:
    """A disk that is full after some kilobytes, then has room again."""
    with mounted(_SPACE) as disk:
        room = [0, 4, 8, 16, 40, 200, 1000][fault.tried % 7] << 10
        (disk / "filler").write_bytes(bytes(_SPACE - room))
        process = start(COMMANDS[fault.command], disk, inputs)
        _judge(fault, process, disk, whole)
        (disk / "filler").unlink(missing_ok=True)
        _again(fault, disk, inputs, whole)


def read_only(fault: Fault, inputs: Path, whole: dict[str, str], draw: Random) -> None:
    """A disk that cannot be written, then can."""
    with mounted(_SPACE) as disk:
        if draw.random() < 0.5:  # with something in it
            start(COMMANDS[fault.command], disk, inputs).communicate(timeout=120)
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)  # noqa: S607  root's own PATH
        before = state(disk)
        process = start(COMMANDS[fault.command], disk, inputs)
        _judge(fault, process, disk, whole)
        if state(disk) != before:
            fault.wrong.append("written although it is read-only")
        subprocess.run(["mount", "-o", "remount,rw", disk], check=True)  # noqa: S607  root's own PATH
        _again(fault, disk, inputs, whole)


def file_too_large(fault: Fault, inputs: Path, whole: dict[str, str], draw: Random) -> None:
    """No file may grow beyond some bytes: what a full disk or a quota does, without being root."""
    folder = Path(tempfile.mkdtemp(prefix="quota-"))
    most = draw.choice([0, 10, 100, 300, 1000, 3000])
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (most, most))
    _judge(fault, start(COMMANDS[fault.command], folder, inputs, preexec_fn=limit), folder, whole)
    _again(fault, folder, inputs, whole)
    shutil.rmtree(folder)


def two_at_once(fault: Fault, inputs: Path, whole: dict[str, str], draw: Random) -> None:
    """Two processes that write the same: each does it, or one is refused; what is there in the end is whole."""
    folder = Path(tempfile.mkdtemp(prefix="two-"))
    both = [start(COMMANDS[fault.command], folder, inputs) for _ in "ab"]
    fault.tried += 1
    for process in both:
        what = refused(process)
        fault.refused += process.returncode == 2
        fault.wrong += [what] if process.returncode and what else []
    if all(process.returncode for process in both):
        fault.wrong.append("both were refused")
    _same(fault, folder, whole, "afterwards")
    shutil.rmtree(folder)


def _judge(fault: Fault, process: subprocess.Popen[str], folder: Path, whole: dict[str, str]) -> None:
    """It is refused, or was done before the fault; no file is there that is not whole."""
    fault.tried += 1
    what = refused(process)
    fault.refused += process.returncode == 2
    if what and process.returncode:
        fault.wrong.append(what)
    cut = [name for name, print_ in state(folder).items() if name != "filler" and whole.get(name) != print_]
    if cut or litter(folder):
        fault.wrong.append(f"left behind: {sorted({*cut, *litter(folder)})[:5]}")


def _again(fault: Fault, folder: Path, inputs: Path, whole: dict[str, str]) -> None:
    process = start(COMMANDS[fault.command], folder, inputs)
    _, said = process.communicate(timeout=120)
    if process.returncode and not (fault.command == "simulate" and "not empty" in said):
        fault.wrong.append(f"cannot be done again: {said[-300:]!r}")
    _same(fault, folder, whole, "done again")


def _same(fault: Fault, folder: Path, whole: dict[str, str], when: str) -> None:
    if (there := state(folder)) != whole or litter(folder):
        other = sorted({name for name, _ in there.items() ^ whole.items()} | set(litter(folder)))
        fault.wrong.append(f"{when}, not as undisturbed: {other[:5]}")


FAULTS: dict[str, Callable[[Fault, Path, dict[str, str], Random], None]] = {
    "disk full": disk_full,
    "read-only": read_only,
    "file too large": file_too_large,
    "two at once": two_at_once,
}
MOUNTS = ("disk full", "read-only")
MAY_MOUNT = sys.platform == "linux" and os.geteuid() == 0


def undisturbed(inputs: Path) -> dict[str, dict[str, str]]:
    """What each command writes where nothing is wrong."""
    found = {}
    for command, words in COMMANDS.items():
        folder = inputs / f"whole-{command}"
        folder.mkdir()
        _, said = start(words, folder, inputs).communicate(timeout=120)
        found[command] = state(folder) or sys.exit(f"{command} does not work even undisturbed: {said}")
    return found


def main() -> int:
    """Put every fault into every command, several times; 1 if anything did not hold."""
    times, draw, failed = int(sys.argv[1]) if sys.argv[1:] else 5, Random(0), False
    with tempfile.TemporaryDirectory(prefix="faults-") as place:
        inputs = Path(place)
        collection(inputs)
        for command, whole in undisturbed(inputs).items():
            for name, put in FAULTS.items():
                fault = Fault(name, command)
                for _ in range(0 if name in MOUNTS and not MAY_MOUNT else times):
                    put(fault, inputs, whole, draw)
                print(fault, flush=True)
                failed = failed or bool(fault.wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
