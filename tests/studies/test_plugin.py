"""A procedure of another distribution is a command, a Python name, a stage, a section of the report, a page entry."""

import base64
import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import polars as pl
import pytest

from metameter.simulation import simulate
from metameter.simulation.folder import write

SOURCE = Path(__file__).parents[2] / "src"
PROCEDURE = '''"""Say how far apart the best and the worst system are."""

from dataclasses import dataclass

import polars as pl

from metameter.meta.base import Telling, Words, procedure
from metameter.parameters import Bounds
from metameter.types import Scores
from metameter.view.charts import scatter
from metameter.view.result import Result

WORDS = Words(
    "Toy spread",
    "How far apart are the best and the worst system?",
    "The lowest mean is taken from the highest, metric by metric, and multiplied by the stretch.",
    "Points far right are metrics that spread the systems widely.",
    columns={"spread": "the highest mean minus the lowest", "powerful": "the share of pairs told apart"},
    charts={"toy": Telling("spread", "Widest", "narrowest")},
)


@dataclass(frozen=True, eq=False, repr=False)
class Toy(Result):
    """The table ``toy``."""

    stretch: float = 1.0

    def answer(self):
        return [f"Toy: {self.table.height} metrics, stretch {self.stretch:g}."]

    def tally(self):
        return [("wide", self.table.height)]

    def charts(self):
        return {"toy": scatter(self.table, "spread", "powerful", "metric", "metric", title="Toy chart of the spread")}


def stage(scores, power, runs, *, stretch=1.0):
    shares = dict(power.table["metric", "power"].iter_rows())
    assert runs.policy.ties == "docid-desc"
    return result_of(scores, shares, stretch)


def result_of(scores, shares, stretch):
    means = scores.values.mean(axis=2)
    spread = (means.max(axis=1) - means.min(axis=1)) * stretch
    powerful = [shares.get(name, 0.0) for name in scores.metrics]
    table = pl.DataFrame({"metric": scores.metrics, "spread": spread, "powerful": powerful})
    return Toy({"toy": table}, {"options": {"stretch": stretch}}, ("A note by the toy.",), stretch)


@procedure(
    WORDS,
    result=Toy,
    needs=("scores", "power", "runs"),
    options={"stretch": Bounds(0, low_open=True)},
    place=15,
    stage=stage,
)
def toy(scores: Scores, *, stretch: float = 1.0) -> Toy:
    """Ask how far apart the best and the worst system are.

    Parameters
    ----------
    scores : Scores
        Without missing cells.
    stretch : float
        The spread is multiplied by it.

    References
    ----------
    chen2023
    """
    return result_of(scores, {}, stretch)
'''
FILES = {
    "toy_meter/__init__.py": '"""A toy."""\n',
    "toy_meter/procedure.py": PROCEDURE,
    "toy_meter-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: toy-meter\nVersion: 1.0\n",
    "toy_meter-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "toy_meter-1.0.dist-info/entry_points.txt": "[metameter.meta]\ntoy = toy_meter.procedure:toy\n",
}
METRICS = ["RBP(p=0.8)@10*ERG", "RBP(p=0.8)@10*max", "nDCG@10"]


def recorded(name, text):
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(text.encode())}"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    place = tmp_path_factory.mktemp("toy")
    wheel = place / "toy_meter-1.0-py3-none-any.whl"
    record = "toy_meter-1.0.dist-info/RECORD"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in FILES.items():
            archive.writestr(name, text)
        archive.writestr(record, "\n".join([*(recorded(*each) for each in FILES.items()), f"{record},,"]) + "\n")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--disable-pip-version-check"]
    subprocess.run([*pip, "--target", str(place / "site"), str(wheel)], check=True)
    return place / "site"


def python(installed, *words):
    path = os.pathsep.join([str(installed), str(SOURCE)])
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def studied(installed, tmp_path_factory):
    place = tmp_path_factory.mktemp("studied")
    made = write(simulate(topics=12, systems=5, depth=20, grades=3, seed=5), place / "collection")
    options = ["--splits", "100", "--trials", "200", "--resamples", "40", "--max-grade", "2", "--stretch", "2"]
    options += [word for metric in METRICS for word in ("-m", metric)]
    inputs = [str(made / "qrels.txt"), str(made / "runs"), "--out", str(place / "study")]
    python(installed, "-m", "metameter", "study", *inputs, *options)
    # Nothing has changed: all is found again.
    again = "import sys; from metameter.studies.study import study; "
    again += "print(study(*sys.argv[1:3], sys.argv[4:], out=sys.argv[3], max_grade=2, stretch=2, "
    again += "splits=100, trials=200, resamples=40).made)"
    assert python(installed, "-c", again, *inputs[:2], inputs[3], *METRICS) == "()\n"
    return place / "study"


def test_a_plug_in_is_a_command(installed, tmp_path):
    scores = tmp_path / "scores.csv"
    scores.write_text("metric,system,topic,score\nAP,a,1,0.75\nAP,b,1,0.25\n")
    table = python(installed, "-m", "metameter", "toy", str(scores), "--stretch", "3")
    assert table.splitlines()[:2] == ["metric,spread,powerful", "AP,1.5,0.0"]
    listed = python(installed, "-m", "metameter", "--help")
    assert "Say how far apart the best and the worst system" in " ".join(listed.split())
    assert "The spread is multiplied by it" in python(installed, "-m", "metameter", "study", "--help")


def test_a_plug_in_is_a_python_name(installed):
    code = "import metameter; print(metameter.toy.__name__, 'toy' in dir(metameter))"
    assert python(installed, "-c", code) == "toy True\n"


def test_a_plug_in_is_a_stage_of_a_study(studied):
    table = pl.read_csv(studied / "toy.csv")
    power = pl.read_csv(studied / "power.csv")
    assert table["metric"].to_list() == power["metric"].to_list()
    # It needed the result of another procedure, and got it.
    assert table["powerful"].to_list() == power["power"].to_list()
    assert (studied / "toy.tex").exists()
    assert '"stretch": 2' in (studied / "manifest.json").read_text()


def test_a_plug_in_is_a_section_of_the_report(studied):
    page = (studied / "report.html").read_text()
    assert '<h2 id="toy-title">Toy spread</h2>' in page
    for text in (
        "How far apart are the best and the worst system?",
        "The lowest mean is taken from the highest",
        "Points far right are metrics",
        "the highest mean minus the lowest",
        "Toy chart of the spread",
        "Widest: ",
        "A note by the toy.",
        "Toy: 3 metrics, stretch 2.",
        '<a href="#toy"><span class="badge">wide</span>',
    ):
        assert text in page, text
    # By its place after the recommendation, before the similarity.
    order = [page.index(f'id="{key}-title"') for key in ("recommendation", "toy", "similarity")]
    assert order == sorted(order)


def test_a_plug_in_is_an_entry_of_the_documentation(installed):
    code = f"import sys; sys.path.append({str(SOURCE.parent)!r}); from docs.made.procedures import procedures_pages; "
    code += "print(procedures_pages()['procedures/toy.md'])"
    page = python(installed, "-c", code)
    assert "# Toy spread" in page
    assert "| `spread` | the highest mean minus the lowest |" in page
    assert "- `stretch` (default `1.0`): The spread is multiplied by it." in page


def test_an_uninstalled_plug_in_is_left_out_with_a_notice(studied):
    words = [sys.executable, "-m", "metameter", "report", str(studied)]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    assert "notice: the procedure of the stage toy is not installed" in done.stderr
    assert "Toy spread" not in (studied / "report.html").read_text()
