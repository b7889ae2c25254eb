"""The program as a person or a script meets it."""

import inspect
import json
import os
import re
import subprocess
import sys

import polars as pl
import pytest

from metameter.cli.inputs import collections_from, scores_from
from metameter.cli.options import Execution, Output
from metameter.cli.program import commands, help_line, load, run
from metameter.docstrings import parameters
from metameter.meta.collections import Collections
from metameter.metric.presets import PRESETS
from metameter.scoring.policy import POLICY_OPTIONS, Policy

PAPER_GAINS = "0.7 0.4 0 1 0.5 0.3"
PAPER_USER = "Empirical(continuation=[0.8,1,1,0.7,0.4,0])"


@pytest.fixture
def collection(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 2\n1 0 b 0\n2 0 a 1\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "one").write_text("1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0 t\n2 Q0 x 1 1.0 t\n")
    (tmp_path / "runs" / "two.gz").write_bytes(
        __import__("gzip").compress(b"1\tQ0\tb\t1\t2.0\tt2\n2\tQ0\ta\t1\t1.0\tt2\n")
    )
    return tmp_path


def test_score_prints_a_long_table(collection, capsys):
    status = run(["score", str(collection / "qrels"), str(collection / "runs"), "-m", "P@1", "-m", "RR"])
    assert status == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "metric,system,topic,score"
    assert lines[1:5] == ["P@1,one,1,1.0", "P@1,one,2,0.0", "P@1,two,1,0.0", "P@1,two,2,1.0"]
    assert len(lines) == 1 + 2 * 2 * 2


def test_score_prints_means_and_names_by_tag(collection, capsys):
    arguments = [
        "score",
        str(collection / "qrels"),
        str(collection / "runs"),
        "-m",
        "P@1",
        "--mean",
        "--name-by",
        "tag",
    ]
    assert run(arguments) == 0
    assert capsys.readouterr().out.splitlines() == ["metric,system,score", "P@1,t,0.5", "P@1,t2,0.5"]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "json"])
def test_score_writes_one_file_and_its_manifest(collection, suffix, capsys):
    out = collection / f"scores.{suffix}"
    assert run(["score", str(collection / "qrels"), str(collection / "runs"), "-m", "RR", "--out", str(out)]) == 0
    manifest = json.loads((collection / f"scores.{suffix}.manifest.json").read_text())
    assert [file["name"] for file in manifest["inputs"]["runs"]] == ["one", "two.gz"]
    if suffix == "parquet":
        assert pl.read_parquet(out).columns == ["metric", "system", "topic", "score"]
    if suffix == "json":
        assert len(json.loads(out.read_text())["scores"]) == 4
    assert not [file for file in collection.iterdir() if file.name.endswith(".part")]


def test_notices_stand_on_standard_error_and_are_withheld_on_error(collection, capsys):
    assert run(["score", str(collection / "qrels"), str(collection / "runs"), "-m", "RBP(p=0.5)"]) == 0
    assert "notice: the top of the grade scale" in capsys.readouterr().err
    (collection / "runs" / "three").write_text("1 Q0 a 1 nan t\n")
    assert run(["score", str(collection / "qrels"), str(collection / "runs"), "-m", "RBP(p=0.5)"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "three:1: " in captured.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["scroe"], "Did you mean score"),
        (["score"], "QRELS"),
        (["score", "nowhere", "nothing", "-m", "P@1"], "nothing"),
        (["score", "{qrels}", "{runs}", "-m", "nDGC@10"], "Did you mean nDCG"),
        (["score", "{qrels}", "{runs}", "-m", "P@0"], "depth"),
        (["score", "{qrels}", "{runs}", "-m", "P@1", "--ties", "coin"], "coin"),
        (["score", "{qrels}", "{runs}", "-m", "P@1", "--jobs", "0"], "jobs"),
        (["score", "{qrels}", "{runs}", "-m", "P@1", "--out", "{qrels}.xlsx"], ".xlsx"),
        (["score", "{qrels}", "{runs}", "-m", "P@1", "--table", "nope"], "nope"),
        (["explain", "P@5", "--gains", "1 two"], "two"),
        (["explain", "P@5", "--gains", "1 2"], "outside"),
        (["metrics", "NOPE"], "NOPE"),
        (["metrics", "--kind", "nope"], "nope"),
    ],
)
def test_bad_usage_gives_one_line_and_status_2(collection, arguments, says, capsys):
    filled = [word.format(qrels=collection / "qrels", runs=collection / "runs") for word in arguments]
    before = sorted(collection.rglob("*"))
    assert run(filled) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert says in captured.err
    assert sorted(collection.rglob("*")) == before


def test_explain_matches_table_1_of_moffat_2022_exactly(capsys):
    arguments = ["explain", f"{PAPER_USER}*ERG", "--gains", PAPER_GAINS, "--format", "markdown", "--digits", "3"]
    assert run(arguments) == 0
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()]
    header = [cell.strip() for cell in rows[0]]
    assert header == ["rank", "gain", "continuation", "view", "last", "weight", "aggregate", "contribution"]
    wanted = {"view": 3, "last": 4, "weight": 5, "contribution": 7}
    printed = [[row[i].strip() for i in wanted.values()] for row in rows[2:]]
    assert printed == [
        ["1.000", "0.200", "0.239", "0.167"],
        ["0.800", "0.000", "0.191", "0.076"],
        ["0.800", "0.000", "0.191", "0.000"],
        ["0.800", "0.240", "0.191", "0.191"],
        ["0.560", "0.336", "0.134", "0.067"],
        ["0.224", "0.224", "0.054", "0.016"],
    ]


def test_explain_matches_the_sums_of_table_1(capsys):
    arguments = ["explain", f"{PAPER_USER}*ERG", "--gains", PAPER_GAINS, "--format", "csv", "--table", "sums"]
    assert run(arguments) == 0
    header, values = (line.split(",") for line in capsys.readouterr().out.splitlines())
    sums = dict(zip(header, values, strict=True))
    assert sums["bounds"] == "exact"
    printed = [f"{float(sums[name]):.3f}" for name in ("view", "last", "weight", "score")]
    assert printed == ["4.184", "1.000", "1.000", "0.518"]


def test_explain_matches_table_2_of_moffat_2022_exactly(capsys):
    assert run(["explain", f"{PAPER_USER}*avg", "--gains", PAPER_GAINS, "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [f"{row['aggregate']:.3f}" for row in answer["ranks"]] == [
        "0.700",
        "0.550",
        "0.367",
        "0.525",
        "0.520",
        "0.483",
    ]
    assert [f"{row['contribution']:.3f}" for row in answer["ranks"]] == [
        "0.140",
        "0.000",
        "0.000",
        "0.126",
        "0.175",
        "0.108",
    ]
    assert f"{answer['score']:.3f}" == "0.549"
    assert set(answer) == {"ranks", "score", "low", "high"}


def test_explain_shows_a_list_of_a_run(collection, capsys):
    arguments = ["explain", "nDCG@2", "--qrels", str(collection / "qrels"), "--run", str(collection / "runs" / "one")]
    assert run([*arguments, "--topic", "1", "--format", "json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["score"] == 1.0
    assert [row["grade"] for row in answer["ranks"]] == [2.0, 0.0]
    assert run([*arguments, "--topic", "77"]) == 2


def test_metrics_lists_every_registered_class(capsys):
    assert run(["metrics", "--kind", "browse"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "kind,name,parameters,defaults,range,reference,meaning"
    assert any(line.startswith("browse,RBP,") for line in lines)


def test_every_command_has_a_help_line():
    assert {"score", "explain", "metrics", "simulate", "demo"} <= set(commands())
    for module in commands().values():
        assert help_line(module).endswith((".", "?"))


# How the command line spells what is no plain --option: arguments, and -m.
SPELLED = {
    "qrels": "QRELS",
    "truth": "TRUTH",
    "runs": "RUN...",
    "inputs": "INPUT...",
    "metrics": "--metric",
    "name": "NAME",
    "folder": "FOLDER",
    "serps": "SERPS...",
    "pairs": "PAIRS...",
}


def spelled(function, parameter):
    positional = inspect.signature(function).parameters[parameter].kind is not inspect.Parameter.KEYWORD_ONLY
    if positional and parameter in ("out", "metric"):
        return {"out": "OUT", "metric": "EXPR"}[parameter]
    if not positional and parameter in SPELLED and parameter != "metrics":
        return f"--{parameter}"
    return SPELLED.get(parameter, f"--{parameter.replace('_', '-')}")


@pytest.mark.parametrize("name", commands())
def test_help_of_every_command_names_every_option(name, capsys):
    """Each parameter of the command's function, and of what it shares with others, with what its docstring says."""
    assert run([name, "--help"]) == 0
    # Lines may break after a hyphen.
    text = re.sub(r"-\n +", "-", capsys.readouterr().out)
    text = " ".join(text.split())
    assert f"Usage: metameter {name}" in text
    function = load(name)
    own = set(inspect.signature(function).parameters)
    taken = inspect.signature(function, eval_str=True).parameters.get("scores")
    several = taken is not None and taken.annotation == Collections
    functions = [function, *([collections_from if several else scores_from] if "scores" in own else [])]
    if inspect.signature(function, eval_str=True).return_annotation is not None:
        functions.append(Output)
    functions += [Policy] if any("policy" in inspect.signature(each).parameters for each in functions) else []
    functions += [Execution] if "jobs" in own else []
    checked = 0
    from_a_study = function.procedure.study_parameters if hasattr(function, "procedure") else ()
    for each in functions:
        meanings = parameters(each)
        for parameter in inspect.signature(each).parameters:
            if parameter in ("scores", "progress", "policy", "default_metric", *from_a_study) or (
                each is not Execution and parameter == "jobs"
            ):
                continue
            if each in (collections_from, Policy) and parameter in own and "scores" in own:
                continue  # the command's own option of that name takes its place
            if each is Output and "out" in own and parameter in ("out", "figures"):
                continue  # the command says itself where it writes
            if each is Output and "out" in own and "figures" not in own and parameter in ("title", "width"):
                continue  # it writes no charts
            assert spelled(each, parameter) in text.split() or f"[{spelled(each, parameter)}]" in text.split()
            assert len(meanings[parameter]) > 10  # whatever reads the docstrings: an option without help is a defect
            assert meanings[parameter].replace("``", "") in text
            checked += 1
    assert checked or name == "taxonomy"


@pytest.mark.parametrize(
    "name", ["score", "check", "explain", "compare", "similarity", "consistency", "power", "recommend"]
)
def test_help_shows_the_same_options_for_runs_everywhere(name, capsys):
    assert run([name, "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for option in POLICY_OPTIONS:
        assert f"--{option.replace('_', '-')}" in text.split()
        assert parameters(Policy)[option].replace("``", "") in text


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("score", "Documents without judgment count as not relevant (zero), or are removed first (condense)."),
        ("power", "Pairs with p below it count as significant."),
        ("check", "The top of the grade scale; by default the highest grade of the qrels."),
        ("study", "Write charts as HTML, SVG and PDF files too."),
        ("simulate", "The same seed gives the same collection."),
    ],
)
def test_help_quotes_the_written_description(name, sentence, capsys):
    assert run([name, "--help"]) == 0
    assert sentence in " ".join(capsys.readouterr().out.split())


def test_standard_input_is_read_and_a_closed_reader_ends_quietly(collection):
    program = [sys.executable, "-m", "metameter", "score", "-", str(collection / "runs"), "-m", "RR"]
    done = subprocess.run(program, input=(collection / "qrels").read_bytes(), capture_output=True, check=True)
    assert done.stdout.startswith(b"metric,system,topic,score\n")
    piped = subprocess.run(f"{sys.executable} -m metameter metrics | head -1", shell=True, capture_output=True)
    assert piped.stdout.startswith(b"kind,")
    assert piped.stderr == b""


def test_importing_metameter_loads_no_heavy_library():
    code = "import sys, metameter; print([m for m in ('scipy', 'polars', 'altair') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.slow
def test_the_demo_runs_a_study_and_names_its_report(tmp_path, capsys):
    assert run(["demo", "--out", str(tmp_path / "demo"), "--format", "table"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("simulated: 39 systems, 80 topics, judged to depth 50.")
    assert [line for line in lines if line.startswith("Use any of: nDCG@10, nDCG, AP, ")]
    assert [line for line in lines if line.startswith("How sure: ")]
    assert f"Report: {tmp_path / 'demo' / 'study-0' / 'report.html'}" in lines
    assert (tmp_path / "demo" / "study-0" / "report.html").stat().st_size < 5_000_000


@pytest.mark.parametrize("name", [name for name in commands() if name != "session"])
def test_help_names_every_preset_of_runs(name, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "120")
    assert run([name, "--help"]) == 0
    text = capsys.readouterr().out
    if "--preset" in text.split("Options:")[1]:
        told = " ".join(text.replace("-\n", "-").split())
        assert [preset for preset in PRESETS if preset not in told] == ["albahem-2019"]


@pytest.mark.parametrize(("columns", "widest"), [(80, 80), (120, 120), (300, 120)])
def test_help_fits_the_terminal_up_to_a_readable_width(columns, widest, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    for words in (["score", "--help"], ["--help"]):
        assert run(words) == 0
        assert widest - 15 < max(map(len, capsys.readouterr().out.splitlines())) <= widest


EVERY_HELP = """
import contextlib, io, json, sys
from metameter.cli.program import commands
from metameter.cli.program import run
texts = {}  # no assertions here: -OO drops them, too
for name in commands():
    with contextlib.redirect_stdout(io.StringIO()) as text:
        status = run([name, "--help"])
    texts[name] = status, text.getvalue()
for words in (["score", "qrels", "one", "-m", "AP"], ["taxonomy", "--format", "csv"], ["metrics", "--format", "csv"]):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        status = run(words)
    texts[words[0] + " answer"] = status, text.getvalue()
print(json.dumps(texts))
"""


@pytest.mark.slow
def test_help_and_output_do_not_need_docstrings(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "one").write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n")
    told = []
    for level in ("", "2"):
        environment = {**os.environ, "PYTHONOPTIMIZE": level, "COLUMNS": "100"}
        words = [sys.executable, "-c", EVERY_HELP]
        done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        told.append(json.loads(done.stdout))
    assert all(status == 0 for status, _ in told[1].values())
    assert "AP,one,1,0.5" in told[1]["score answer"][1]
    assert "--scheduler-timeout" in told[1]["power"][1]
    assert told[0] == told[1]
