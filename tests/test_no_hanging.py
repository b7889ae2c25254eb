"""Tests cannot hang: whatever one of them waits for, it is ended, and the others go on."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
HANGING = """
import subprocess, sys, time

def test_child():
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"]) as child:
        child.wait()  # as a block does, too, when a signal has ended the first wait

def test_other():
    pass
"""


def test_every_test_has_a_timeout(pytestconfig):
    assert 0 < float(pytestconfig.getini("timeout")) <= 300
    assert pytestconfig.getini("timeout_method") == "thread"


@pytest.mark.slow
def test_a_hanging_test_is_stopped_and_others_run(tmp_path):
    (tmp_path / "test_hanging.py").write_text(HANGING)
    words = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), "-n", "1", "-o", "timeout=5"]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words, str(tmp_path / "test_hanging.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "1 failed, 1 passed" in done.stdout
    assert "crashed while running" in done.stdout  # and which test that was


@pytest.mark.parametrize("wait", [lambda child: child.wait(), lambda child: child.communicate()])
def test_waiting_for_a_child_has_a_limit(wait, child_limit):
    child_limit(0.5)
    with (
        pytest.raises(subprocess.TimeoutExpired),
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdout=subprocess.PIPE) as child,
    ):
        wait(child)
    assert child.returncode is not None
