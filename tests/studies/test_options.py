"""A study takes the options of reading that `score` takes, and those that its stages declare, by every door."""

import inspect
import json
import subprocess
import sys
from dataclasses import fields

import polars as pl
import pytest

import metameter
from metameter.cli.program import load, run
from metameter.meta.framework.declarations import declaration
from metameter.metric.compose import parse_metric
from metameter.scoring.policy import Policy
from metameter.studies.study import study
from metameter.studies.study_file import plan_of_toml
from metameter.studies.study_options import stage_options

METRICS = ["RBP(p=0.8)@10*ERG", "RBP(p=0.8)@10*max", "nDCG@10"]
QUICK = {"splits": 100, "trials": 200, "resamples": 40}
READING = {
    "ties": "docid-asc",
    "precision": "single",
    "unjudged": "condense",
    "pool_depth": 5,
    "topics": "common",
    "name_by": "tag",
    "on_duplicate": "first",
    "qrels_duplicates": "max",
}


def test_the_command_has_every_option_of_policy_and_stages():
    taken = inspect.signature(load("study")).parameters
    assert {each.name for each in fields(Policy)} <= set(taken)
    declared = {name for key in ("consistency", "power", "recommend") for name in declaration(key).options}
    assert {"seed", *declared} <= set(taken)


def test_defaults_come_from_the_signatures():
    options = stage_options()
    for name in ("consistency", "power", "recommend"):
        declared = declaration(name)
        assert all(options[option].default == declared.default(option) for option in declared.options)


def test_function_command_and_file_give_the_same_tables(collection, tmp_path, capsys):
    inputs = collection / "qrels.txt", collection / "runs"
    given = {**READING, **QUICK, "max_grade": 2}
    study(*inputs, METRICS, out=tmp_path / "python", **given)
    words = [word for name, value in given.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    words += [word for metric in METRICS for word in ("-m", metric)]
    assert run(["study", *map(str, inputs), *words, "--out", str(tmp_path / "command")]) == 0, capsys.readouterr().err
    lines = [f"{name} = {json.dumps(value)}" for name, value in {**given, "metrics": METRICS}.items()]
    table = ["[[collection]]", f'qrels = "{inputs[0]}"', f'runs = "{inputs[1]}"']
    (tmp_path / "plan.toml").write_text("\n".join([*lines, *table]) + "\n")
    study(tmp_path / "plan.toml", out=tmp_path / "file")
    folders = [tmp_path / name for name in ("python", "command", "file")]
    for file in [*(tmp_path / "python").glob("*.csv"), tmp_path / "python" / "manifest.json"]:
        assert len({(folder / file.name).read_bytes() for folder in folders}) == 1, file.name
    options = json.loads((tmp_path / "file" / "manifest.json").read_text())["options"]
    assert options | READING == options


def test_presets_and_metric_objects_are_accepted(collection, tmp_path):
    inputs = collection / "qrels.txt", collection / "runs"
    metrics = [parse_metric(name) for name in METRICS]
    by_object = study(*inputs, metrics, out=tmp_path / "a", max_grade=2, **QUICK)
    assert by_object.tables["power"]["metric"].to_list() == [repr(metric) for metric in metrics]
    plan = tmp_path / "plan.toml"
    plan.write_text('preset = ["lu-2016", "moffat-2022"]\n[[collection]]\nqrels = "q"\nruns = "r"\n')
    assert plan_of_toml(plan).presets == ("lu-2016", "moffat-2022")


def test_collection_tables_override_shared_options(tmp_path):
    plan = tmp_path / "plan.toml"
    same = 'qrels = "q"\nruns = "r"\n'
    plan.write_text(f'max_grade = 4\n[[collection]]\n{same}[[collection]]\nname = "b"\n{same}max_grade = 2\n')
    assert [each.policy.max_grade for each in plan_of_toml(plan).collections] == [4, 2]
    for text in ('ties = "rang"\n', "pool_depth = 0\n"):
        plan.write_text(f'{text}[[collection]]\nqrels = "q"\nruns = "r"\n')
        with pytest.raises(metameter.MetameterError, match=r"plan\.toml: "):
            plan_of_toml(plan)


def test_unknown_options_and_values_are_refused_before_reading(tmp_path):
    for given, says in (({"trails": 3}, "trials"), ({"unjuged": "zero"}, "unjudged"), ({"alpha": "x"}, "alpha")):
        with pytest.raises(metameter.MetameterError, match=says):
            study("missing.txt", "missing", METRICS, out=tmp_path / "study", **given)
    assert not (tmp_path / "study").exists()


def test_a_study_can_be_written_to_another_folder(collection, tmp_path):
    result = study(collection / "qrels.txt", collection / "runs", METRICS, out=tmp_path / "a", max_grade=2, **QUICK)
    result.write(tmp_path / "b")
    names = {file.name for file in (tmp_path / "a").iterdir() if file.is_file()}
    assert {file.name for file in (tmp_path / "b").iterdir()} == names
    assert {"power.csv", "power.tex", "report.html", "manifest.json", "scores.parquet"} <= names
    for name in names - {"run.json"}:
        assert (tmp_path / "b" / name).read_bytes() == (tmp_path / "a" / name).read_bytes(), name
    assert pl.read_csv(tmp_path / "b" / "power.csv").height == len(METRICS)


def test_the_signature_shows_every_option():
    taken = inspect.signature(metameter.study).parameters
    assert {"ties", "max_grade", "seed", "trials", "similar"} <= set(taken)
    assert "options" not in taken
    assert (
        "Bootstrap samples of topics, systems, users or pages, for each interval; by default 1000."
        in metameter.study.__doc__
    )
    assert "**options" not in metameter.study.__doc__


@pytest.mark.parametrize("module", ["metameter.studies.study", "metameter"])
def test_values_are_refused_with_and_without_the_signature(module):
    given = ["trials=2.5", 'ties="rang"', "seed=-1", "max_grade=-1", "trails=3"]
    calls = (f"try: study('missing', 'missing', 'AP', {each})\nexcept MetameterError as e: print(e)" for each in given)
    code = "\n".join([f"from {module} import study", "from metameter import MetameterError", *calls])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    begins = ["trials is not a whole number", "ties ", "seed is out", "max_grade is", "unknown option of a study"]
    for line, begin in zip(done.stdout.splitlines(), begins, strict=True):
        assert begin in line


def test_metrics_of_the_call_replace_those_of_the_file(tmp_path):
    plan = tmp_path / "plan.toml"
    table = '[[collection]]\nqrels = "q"\nruns = "r"\n'
    plan.write_text(f'preset = "lu-2016"\nmetrics = ["AP"]\n{table}')
    assert (plan_of_toml(plan).metrics, plan_of_toml(plan).presets) == (("AP",), ("lu-2016",))
    by_metric, by_preset = plan_of_toml(plan, {"metrics": ("RR",)}), plan_of_toml(plan, {"preset": "moffat-2022"})
    assert (by_metric.metrics, by_metric.presets) == (("RR",), ())
    assert (by_preset.metrics, by_preset.presets) == ((), ("moffat-2022",))


def test_contributing_can_be_a_file_or_a_list(tmp_path):
    plan = tmp_path / "plan.toml"
    (tmp_path / "pool.txt").write_text("S001\nS002\n")
    table = '[[collection]]\nqrels = "q"\nruns = "r"\n'
    for text, expected in (
        ('"pool.txt"', ["S001", "S002"]),
        ('["S001", "pool.txt"]', ["S001", str(tmp_path / "pool.txt")]),
    ):
        for line in (f"contributing = {text}\n{table}", f"{table}contributing = {text}\n"):
            plan.write_text(line)
            assert plan_of_toml(plan).collections[0].policy.contributing == expected
    plan.write_text(f'contributing = "nowhere.txt"\n{table}')
    with pytest.raises(metameter.MetameterError, match=r"nowhere\.txt"):
        plan_of_toml(plan)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, r"cannot read the study file: no such file or directory\. Give"),
        (b"\xff", "not in UTF-8"),
        (b'collection = ["a"]', r"not a \[\[collection\]\] table"),
        (b'[[collection]]\nqrels = "q"\nruns = 3\n', "runs of a .* is not a path"),
    ],
)
def test_an_invalid_plan_gives_a_one_line_error(tmp_path, text, says):
    plan = tmp_path / "plan.toml"
    if text is not None:
        plan.write_bytes(text)
    with pytest.raises(metameter.MetameterError, match=says):
        plan_of_toml(plan)
