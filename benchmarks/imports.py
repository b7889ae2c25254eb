"""What it costs to start: `import metameter`, `metameter --help` against `import numpy`; what scoring a run loads."""

import subprocess
import sys
import tempfile
from pathlib import Path

from clock import report, seconds

HEAVY = ("scipy", "polars", "altair")


def compare(data):
    python = sys.executable
    program = str(Path(python).parent / "metameter")
    bare, _ = seconds(lambda: subprocess.run([python, "-c", "pass"], check=True), repeat=7)
    times = {
        name: seconds(lambda command=command: subprocess.run(command, check=True, capture_output=True), repeat=7)[0]
        for name, command in {
            "numpy": [python, "-c", "import numpy"],
            "metameter": [python, "-c", "import metameter"],
            "help": [program, "--help"],
        }.items()
    }
    print(f"  bare python {bare:.3f} s; " + ", ".join(f"{name} {time:.3f} s" for name, time in times.items()))
    report("import metameter, of import numpy", times["metameter"] / times["numpy"], 2, at_most=True)
    report("metameter --help, of import numpy", times["help"] / times["numpy"], 5, at_most=True)
    code = f"import sys, metameter; print(*[m for m in {HEAVY} if m in sys.modules])"
    loaded = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    print(f"  import metameter loads of {', '.join(HEAVY)}: {', '.join(loaded) or 'none'}")
    print(f"  metameter score of one document loads {len(_loaded_by_scoring())} modules of ours")


def _loaded_by_scoring():
    """The modules of ours that are there when `metameter score` ends."""
    ours = "[name for name in sys.modules if name.startswith('metameter')]"
    code = f"import atexit, sys; from metameter.cli import main; atexit.register(lambda: print(*{ours})); main()"
    with tempfile.TemporaryDirectory() as place:
        qrels, run = Path(place) / "qrels", Path(place) / "run"
        qrels.write_text("1 0 d1 1\n")
        run.write_text("1 Q0 d1 1 1.0 t\n")
        command = [sys.executable, "-c", code, "score", qrels, run, "-m", "AP"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1].split()
