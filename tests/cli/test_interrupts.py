"""Signals and kills: the program ends at once, leaves nothing behind, and goes on where it was."""

import importlib.util
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from metameter.parallel import Workers
from metameter.view import atomic_files as drafts
from metameter.view.atomic_files import write_whole

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
PROGRAM = [sys.executable, "-m", "metameter"]
# Tests may be run under nohup, which ignores SIGHUP for all that it starts.
HEARD = "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
WATCHED = "from metameter.cli.process import end_on_signals; end_on_signals()\n"


def start(words, **options):
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def python(code, *words, **options):
    return start([sys.executable, "-c", code, *map(str, words)], **options)


def signalled(process, number):
    """Send a signal as soon as the process says that it is ready; how it ended, and what it said."""
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    said = process.communicate()[1]
    return process.returncode, said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_drafts_are_removed_when_the_program_is_interrupted(tmp_path, number):
    code = (
        HEARD
        + WATCHED
        + """
import sys, time
from pathlib import Path
from metameter.view.atomic_files import all_or_nothing, write_whole
with all_or_nothing():
    write_whole(Path(sys.argv[1]) / "new" / "a.txt", "text")
    print("ready", flush=True)
    time.sleep(60)
"""
    )
    status, said = signalled(python(code, tmp_path), number)
    assert (status, said) == (130, "interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_finishes_renaming_a_set_of_files(tmp_path):
    code = (
        WATCHED
        + """
import os, sys, time
from pathlib import Path
from metameter.view.atomic_files import all_or_nothing, write_whole
replace = os.replace
def slowly(*paths):
    replace(*paths)
    if str(paths[1]).endswith("0"):
        print("ready", flush=True)
    time.sleep(0.05)
os.replace = slowly
with all_or_nothing():
    for i in range(10):
        write_whole(Path(sys.argv[1]) / f"{i}", "text")
time.sleep(60)
"""
    )
    status, said = signalled(python(code, tmp_path), signal.SIGTERM)
    assert (status, said) == (130, "interrupted\n")
    assert sorted(file.name for file in tmp_path.iterdir()) == list("0123456789")


def test_an_interrupt_does_not_wait_for_compiled_code():
    code = (
        WATCHED
        + """
import hashlib
print("ready", flush=True)
hashlib.pbkdf2_hmac("sha256", b"x", b"y", 2_000_000_000)
"""
    )
    # The step takes many minutes, longer than any child is waited for.
    assert signalled(python(code), signal.SIGINT) == (130, "interrupted\n")


def test_an_interrupt_during_import_prints_no_traceback():
    code = """
import builtins, os, signal, sys
sys.argv = ["metameter", "metrics"]
plain = builtins.__import__
def interrupted(name, *rest):
    if name.startswith("numpy."):
        os.kill(os.getpid(), signal.SIGINT)
    return plain(name, *rest)
builtins.__import__ = interrupted
from metameter.cli import main
main()
"""
    process = python(code)
    said = process.communicate()
    assert (process.returncode, said) == (130, ("", "interrupted\n"))


def test_ignored_signals_stay_ignored():
    code = WATCHED + "import time; print('ready', flush=True); time.sleep(0.5)"
    process = python(code, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    assert signalled(process, signal.SIGHUP) == (0, "")


@pytest.mark.parametrize("inputs", [("pipe", "run"), ("qrels", "pipe"), ("qrels", "run", "pipe")])
def test_an_interrupt_ends_reading_from_a_silent_pipe(tmp_path, inputs):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n")
    os.mkfifo(tmp_path / "pipe")
    process = start([*PROGRAM, "score", *inputs, "-m", "AP", "--jobs", "2"], cwd=tmp_path)
    writer = opened_by_a_reader(tmp_path / "pipe")
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]  # while the other end is open: nothing else would end the wait
    os.close(writer)
    assert (process.returncode, said) == (130, "interrupted\n")


def opened_by_a_reader(pipe):
    """The other end of a pipe, as soon as somebody reads from it."""
    for _ in range(6000):
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.005)
    raise TimeoutError("nobody opened the pipe")


def test_output_goes_to_a_file_when_standard_streams_are_closed(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n")
    line = f"exec {sys.executable} -m metameter score qrels run -m AP -m 'RBP(p=0.5)' --out o.csv <&- >&- 2>&-"
    assert subprocess.run(line, shell=True, cwd=tmp_path).returncode == 0
    assert len((tmp_path / "o.csv").read_text().splitlines()) == 5


def test_only_drafts_of_dead_processes_are_removed(tmp_path):
    alive = python("print('ready', flush=True); input()", stdin=subprocess.PIPE)
    assert alive.stdout.readline() == "ready\n"
    dead = python("")
    dead.communicate()
    home, started = drafts._home(), drafts._started(alive.pid)
    names = {
        "dead": f".metameter-{home}-{dead.pid}-12345-{12 * 'a'}.part",
        "dead folder": f".metameter-{home}-{dead.pid}-12345-{12 * 'b'}.part",
        "another of that number": f".metameter-{home}-{alive.pid}-5-{12 * 'c'}.part",
        "alive": f".metameter-{home}-{alive.pid}-{started}-{12 * 'd'}.part",
        "elsewhere": f".metameter-{8 * '0'}-{dead.pid}-12345-{12 * 'e'}.part",
        "somebody's": ".0123456789ab.part",
    }
    for what, name in names.items():
        if what == "dead folder":
            (tmp_path / name / "runs").mkdir(parents=True)
        else:
            (tmp_path / name).write_text("x")
    write_whole(tmp_path / "a.txt", "text")
    left = {names[what] for what in ("alive", "elsewhere", "somebody's")}
    assert {file.name for file in tmp_path.iterdir()} == left | {"a.txt"}
    alive.communicate("\n")


def test_an_interrupt_does_not_wait_for_running_work():
    released, ended = threading.Event(), []

    def piece(item):
        if item:
            released.wait(120)
            ended.append(item)

    def interrupted():
        for _ in Workers(2).map(piece, [0, 1, 2, 3]):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert ended == []
    released.set()


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_a_few_kills_and_resumes_give_the_same_bytes(tmp_path, monkeypatch):
    path = Path(__file__).parents[2] / "fuzz" / "kills.py"
    spec = importlib.util.spec_from_file_location("kills", path)
    kills = importlib.util.module_from_spec(spec)
    sys.modules["kills"] = kills
    spec.loader.exec_module(kills)
    monkeypatch.setattr(kills, "SIGNALS", (signal.SIGKILL,))
    for kind, moment in (("study", "torn/.stages/power/*"), ("simulation", ".metameter*/runs/S015")):
        (tmp_path / kind).mkdir()
        happened = getattr(kills, f"{kind}_killed")(tmp_path / kind, 1, random.Random(1), [moment])
        assert happened["resumed, same bytes"]
        assert happened["killed"] == 1
    assert happened["drafts left by -9"] == 1
