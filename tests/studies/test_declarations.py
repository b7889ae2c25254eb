"""Procedures of others, well declared and badly: a mistake is one line that names the procedure, at the earliest."""

import subprocess
import sys
from importlib.metadata import EntryPoint

import numpy as np
import polars as pl
import pytest

import metameter
from metameter import registry
from metameter.meta.base import Words, procedure
from metameter.meta.framework.declarations import declaration, declarations, stages
from metameter.meta.framework.options import SHARED
from metameter.parameters import Bounds
from metameter.studies import stages as source
from metameter.studies.plan import CollectionPlan
from metameter.studies.stages import _digest_of_runs
from metameter.studies.study import study
from metameter.studies.study_options import stage_options
from metameter.view.result import Result

METRICS = ["RBP(p=0.8)@10*ERG", "RBP(p=0.8)@10*max", "nDCG@10"]
QUICK = {"metrics": METRICS, "max_grade": 2, "splits": 100, "trials": 200, "resamples": 40}


@pytest.fixture(autouse=True)
def _as_before():
    registry.names("meta")
    before = dict(registry._classes["meta"])
    yield
    registry._classes["meta"] = before


def inputs(collection):
    return collection / "qrels.txt", collection / "runs"


def toy(scores, *, alpha: float = 0.5):
    return Result({"toy": pl.DataFrame({"metric": scores.metrics, "alpha": alpha})})


def declared(function=toy, **changed):
    return procedure(Words("Toy"), **{"result": Result, "place": 15, **changed})(function)


def test_an_option_of_the_stage_keeps_default_and_type():
    def stage(scores, *, stretch: float = 2.0):
        """Do it.

        Parameters
        ----------
        stretch : float
            How far.
        """

    declared(silent, stage=stage, options={"stretch": Bounds(0)})
    option = stage_options()["stretch"]
    assert (option.default, option.annotation, option.text) == (2.0, float, "How far.")


def silent(scores):
    """Nothing."""


@pytest.mark.parametrize("option", ["name", "out", "jobs", "metrics", "format", "ties", "max_grade", "scores"])
def test_an_option_with_a_name_of_the_study_is_refused(option):
    with pytest.raises(metameter.MetameterError, match=f"procedure toy of .* declares the option {option}"):
        declared(options={option: None})
    assert "toy" not in registry.names("meta")


def needy(scores, *, stretch):
    return None


@pytest.mark.parametrize(
    ("function", "changed", "says"),
    [
        (toy, {"options": {"stretch": None}}, "which its stage does not take"),
        (needy, {"options": {"stretch": None}}, "which has no default"),
        (toy, {"needs": ("scores", "power")}, "needs power, which its stage does not take"),
        (toy, {"needs": ("scores", "toy")}, "needs its own result"),
        (toy, {"key": "a/b"}, "no name for a folder"),
    ],
)
def test_an_unusable_declaration_is_refused(function, changed, says):
    with pytest.raises(metameter.MetameterError, match=says):
        declared(function, **changed)


def test_a_function_without_declaration_is_named():
    registry.register("meta")(toy)
    toy.__dict__.pop("procedure", None)
    for ask in (lambda: declaration("toy"), declarations):
        with pytest.raises(metameter.MetameterError, match=r"toy of .* has no declaration"):
            ask()


def test_an_unreadable_annotation_names_its_procedure():
    def toy(scores, *, stretch: "Unheard" = 1):  # noqa: F821
        """Nothing."""

    declared(toy, options={"stretch": None})
    with pytest.raises(metameter.MetameterError, match=r"the procedure toy of .*Unheard"):
        stage_options()


def test_an_unknown_need_gets_a_suggestion():
    def toy(scores, pwer):
        """Nothing."""

    declared(toy, needs=("scores", "pwer"))
    with pytest.raises(metameter.MetameterError, match="Did you mean power"):
        stages()


def test_a_procedure_that_needs_labels_is_silently_left_out(collection, tmp_path, recwarn):
    def toy(pages):
        """Nothing."""

    declared(toy, needs=("pages",))
    result = study(*inputs(collection), out=tmp_path / "study", **QUICK)
    assert "toy" not in result.manifest["stages"]
    assert not [each for each in recwarn if "toy" in str(each.message)]


def test_plug_ins_change_no_default_and_the_manifest_lists_options(collection, tmp_path):
    declared(options={"alpha": None}, place=5)
    assert stage_options()["alpha"].default == 0.05
    assert stage_options()["alpha"].text == SHARED["alpha"]
    manifest = study(*inputs(collection), out=tmp_path / "study", seed=3, **QUICK).manifest
    assert manifest["options"]["alpha"] == 0.05
    assert manifest["stages"]["toy"] == {"alpha": 0.5}
    drawn = {"resamples": 40, "resample": "topics", "groups": None}
    assert manifest["stages"]["power"] == {"trials": 200, "alpha": 0.05, "seed": 3, **drawn}


def test_a_table_with_a_column_collection_is_refused(collection, tmp_path):
    def toy(scores):
        return Result({"toy": pl.DataFrame({"collection": ["a"]})})

    declared(toy)
    with pytest.raises(metameter.MetameterError, match=r"toy of .* has a column collection in the table toy"):
        study(*inputs(collection), out=tmp_path / "study", **QUICK)


def test_a_result_of_another_type_is_refused(collection, tmp_path):
    declared(silent)
    with pytest.raises(metameter.MetameterError, match=r"silent of .* gave no Result"):
        study(*inputs(collection), out=tmp_path / "study", **QUICK)


def test_a_late_error_keeps_finished_stages(collection, tmp_path):
    problem: list[Exception] = [metameter.MetameterError("too few moons", fix="Wait.")]

    def toy(scores, power):
        if problem:
            raise problem[0]
        return Result({"toy": pl.DataFrame({"x": [1]})}, {"moons": np.int64(2)})

    declared(toy, needs=("scores", "power"))
    with pytest.raises(metameter.MetameterError, match="moons"):
        study(*inputs(collection), out=tmp_path / "study", **QUICK)
    problem[:] = [ZeroDivisionError("no moon")]
    with pytest.raises(ZeroDivisionError) as raised:
        study(*inputs(collection), out=tmp_path / "study", **QUICK)
    assert "in the stage toy" in raised.value.__notes__[0]
    problem.clear()
    result = study(*inputs(collection), out=tmp_path / "study", **QUICK)
    assert {stage.partition("/")[2] for stage in result.made} <= {"toy", "recommendation"}
    assert "qrels/toy" in result.made


def test_bad_input_leaves_no_folder(collection, tmp_path):
    with pytest.raises(metameter.MetameterError):
        study(collection / "qrels.txt", tmp_path / "nowhere", out=tmp_path / "study", **QUICK)
    assert not (tmp_path / "study").exists()


def test_a_change_in_any_plug_in_file_changes_its_key(tmp_path, monkeypatch):
    package = tmp_path / "plugged_in_for_a_test"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "rows.py").write_text("ROWS = 1\n")
    (package / "procedure.py").write_text("from .rows import ROWS\n\ndef toy(scores): ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    from plugged_in_for_a_test.procedure import toy as plugged

    declared(plugged)
    stage = declaration("toy")
    keys = set()
    for rows in ("ROWS = 1\n", "ROWS = 2\n", "ROWS = 1\n"):
        (package / "rows.py").write_text(rows)
        source._source.cache_clear()
        keys.add(source.source_of_plugin(stage))
    assert len(keys) == 2
    assert source.source_of_plugin(declaration("power")) == ""


AT_A_PROMPT = """
import sys, polars as pl, metameter as mm
from metameter.meta.base import Words, procedure
from metameter.view.result import Result

@procedure(Words("Toy"), result=Result, place=15)
def toy(scores):
    return Result({"toy": pl.DataFrame({"x": [1]})})

made = [mm.study(*sys.argv[1:4:2], sys.argv[4:], out=sys.argv[2], max_grade=2, splits=100, trials=200,
                 resamples=40).made for _ in range(2)]
print([stage for stage in made[0] if "toy" in stage], made[1])
"""


def test_a_procedure_declared_interactively_is_rerun_every_session(collection, tmp_path):
    qrels, runs = map(str, inputs(collection))
    for _ in range(2):
        words = [sys.executable, "-c", AT_A_PROMPT, qrels, str(tmp_path / "study"), runs, *METRICS]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout == "['qrels/toy'] ()\n"


def test_runs_in_memory_never_share_keys_with_files(collection):
    def toy(scores, runs):
        """Nothing."""

    declared(toy, needs=("scores", "runs"))
    known, unknown = [{"name": "a", "sha256": "0a"}] * 3, [{"name": "b"}]
    options = {"ties": "rank"}

    class Scored:
        def __init__(self, qrels, runs):
            self.systems = ("a", "b")
            self.manifest = {"inputs": {"qrels": qrels, "runs": runs}, "options": options}

    def keys(qrels, runs):
        return {_digest_of_runs(Scored(qrels, runs), CollectionPlan("c", None, None)) for _ in range(2)}

    assert len(keys(known, known[:2])) == 1
    assert len(keys(known, [*known[:1], *unknown])) == 2
    assert len(keys(unknown, known)) == 2


@pytest.mark.parametrize("name", ["toys", "power"])
def test_an_entry_point_must_have_the_procedures_name(name):
    declared()
    entry = EntryPoint(name, f"{__name__}:toy", "metameter.meta")
    with pytest.raises(metameter.MetameterError, match=f"registers no procedure of the name {name}"):
        registry._enter("meta", entry)
    registry._enter("meta", EntryPoint("toy", f"{__name__}:toy", "metameter.meta"))
