"""Every input is opened once, hashed from what was read, and written down the same by whichever door."""

import hashlib
import io
import json
import sys
import warnings
from collections import Counter

import pandas as pd
import pytest

import metameter
from metameter.cli.program import run as run_program
from metameter.scoring.line_files import read_run_names
from metameter.scoring.measures import measures_of
from metameter.scoring.policy import Policy
from metameter.simulation import simulate, write
from metameter.studies.collection import score_collection as scored


@pytest.fixture
def collection(tmp_path):
    folder = write(simulate(topics=4, systems=3, depth=10, grades=3, seed=1), tmp_path / "c", compress=True)
    (folder / "costs").write_text("D0001 2\n")
    return folder


@pytest.fixture
def opened(collection, opened_under):
    return opened_under(collection)


def print_of(path):
    data = path.read_bytes()
    return {"name": path.name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def inputs_of(folder, *, costs=True):
    runs = [print_of(file) for file in sorted((folder / "runs").iterdir())]
    return {
        "qrels": [print_of(folder / "qrels.txt")],
        "runs": runs,
        "costs": [print_of(folder / "costs")] if costs else [],
    }


def test_each_file_is_opened_once(collection, opened):
    given = (collection / "qrels.txt", collection / "runs")
    once = {"qrels.txt": 1, "costs": 1, "runs/S001.gz": 1, "runs/S002.gz": 1, "runs/S003.gz": 1}
    metameter.score(*given, ["nDCG@10"], costs=collection / "costs")
    assert {name: opened[name] for name in once} == once
    opened.clear()
    for _ in range(2):
        scored(*given, measures_of("nDCG@10"), Policy(), cache=collection / "cache", jobs=1)
        assert {name: opened[name] for name in once} == once | {"costs": 0}
        opened.clear()
    out = str(collection / "scores.csv")
    words = ["score", *map(str, given), "-m", "nDCG@10", "--costs", str(collection / "costs"), "--out", out]
    assert run_program(words) == 0
    assert {name: opened[name] for name in once} == once


def test_a_pool_reads_runs_twice_and_hashes_them_once(collection, opened, monkeypatch):
    hashed = []
    sha256 = hashlib.sha256
    monkeypatch.setattr(hashlib, "sha256", lambda data=b"": hashed.append(bytes(data)) or sha256(data))
    scores = metameter.score(collection / "qrels.txt", collection / "runs", ["nDCG@10"], pool_depth=5)
    assert opened["runs/S001.gz"] == 2
    assert opened["qrels.txt"] == 1
    assert Counter(hashed).most_common(1)[0][1] == 1
    assert scores.manifest["inputs"] == inputs_of(collection, costs=False)


def test_python_command_and_study_give_the_same_manifest(collection, tmp_path):
    given = (collection / "qrels.txt", collection / "runs")
    wanted = inputs_of(collection)
    in_python = metameter.score(*given, ["nDCG@10"], costs=collection / "costs", max_grade=2).manifest
    out = tmp_path / "scores.csv"
    words = ["score", *map(str, given), "-m", "nDCG@10", "--costs", str(collection / "costs"), "--max-grade", "2"]
    assert run_program([*words, "--out", str(out)]) == 0
    by_command = json.loads((tmp_path / "scores.csv.manifest.json").read_text())
    policy = Policy(costs=collection / "costs", max_grade=2)
    in_study = scored(*given, measures_of("nDCG@10"), policy, cache=tmp_path / "cache").scores.manifest
    again = scored(*given, measures_of("nDCG@10"), policy, cache=tmp_path / "cache").scores.manifest
    assert in_python["inputs"] == by_command["inputs"] == in_study["inputs"] == again["inputs"] == wanted
    assert in_python == by_command
    assert metameter.score(metameter.read_qrels(given[0]), [metameter.read_run(collection / "runs" / "S001.gz")], "P@1")


def test_objects_keep_the_fingerprint_of_their_file(collection):
    run = metameter.read_run(collection / "runs" / "S001.gz")
    scores = metameter.score(metameter.read_qrels(collection / "qrels.txt"), [run], "P@1")
    assert scores.manifest["inputs"]["runs"] == inputs_of(collection)["runs"][:1]
    assert scores.manifest["inputs"]["qrels"] == inputs_of(collection)["qrels"]


def test_inputs_without_a_file_have_a_name(monkeypatch):
    frame = pd.DataFrame({"topic": ["1"], "doc": ["a"], "score": [1.0]})
    scores = metameter.score({"1": {"a": 1}}, {"mine": frame}, "P@1", costs={"a": 2.0})
    assert scores.manifest["inputs"] == {
        "qrels": [{"name": "qrels"}],
        "runs": [{"name": "mine"}],
        "costs": [{"name": "costs"}],
    }
    data = b"1 Q0 a 1 1 t\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    piped = metameter.score({"1": {"a": 1}}, "-", "P@1").manifest["inputs"]["runs"]
    assert piped == [{"name": "-", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}]


def test_additional_contributing_runs_are_listed_as_inputs(collection):
    runs = collection / "runs"
    scores = metameter.score(
        collection / "qrels.txt", [runs / "S001.gz"], "P@1", pool_depth=3, contributing=[runs / "S002.gz"]
    )
    assert scores.manifest["inputs"]["contributing"] == [print_of(runs / "S002.gz")]
    named = metameter.score(collection / "qrels.txt", runs, "P@1", pool_depth=3, contributing=["S002"])
    assert "contributing" not in named.manifest["inputs"]
    assert named.manifest["options"]["contributing"] == scores.manifest["options"]["contributing"] == ["S002"]


QRELS = {"1": {"a": 1, "b": 1, "c": 1}}
RUNS = {"one": {"1": {"a": 2.0, "x": 1.0}}, "two": {"1": {"b": 2.0, "a": 1.0}}}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, lists in RUNS.items():
        lines = [f"1 Q0 {doc} 1 {score} t" for doc, score in lists["1"].items()]
        (tmp_path / name).write_text("\n".join(lines))
    return tmp_path


def test_a_file_of_names_can_hold_paths(folder):
    (folder / "names").write_text("one\ntwo\n")
    assert metameter.score(QRELS, RUNS, "NumRel", pool_depth=1)["NumRel"].tolist() == [[2], [2]]
    for runs in (RUNS, {"one": RUNS["one"]}):  # the second is known by its path only
        scores = metameter.score(QRELS, runs, "NumRel", pool_depth=1, contributing=read_run_names("names"))
        assert set(scores["NumRel"].ravel()) == {2}


@pytest.mark.parametrize("options", [{"pool_depth": 1}, {}])
def test_explain_uses_the_runs_of_a_pool(folder, options):
    metric = "P@2" if options else "AP(norm=pool)@1"
    given = {"qrels": QRELS, "run": "two", "topic": "1", **options}
    with pytest.warns(metameter.MetameterWarning, match="the pool is this one run"):
        alone = metameter.explain(metric, **given)
    with pytest.warns(metameter.MetameterWarning, match="the pool is this one run"):
        metameter.explain(metric, **given, contributing=["two"])
    among = metameter.explain(metric, **given, contributing=["one", "two"])
    assert alone.score != among.score
    assert among.score == metameter.score(QRELS, RUNS, metric, **options).values[0, 1, 0]


@pytest.mark.parametrize("name", ["nope", "on"])
def test_an_unknown_contributing_run_is_refused(folder, name):
    wanted = rf"neither a run given nor a file \(given '{name}'\)\. .*Known: one, two\."
    with pytest.raises(metameter.MetameterError, match=wanted):
        metameter.score(QRELS, RUNS, "P@1", pool_depth=1, contributing=["one", name])
    (folder / "names").write_text(f"one\n{name}\n")
    with pytest.raises(metameter.MetameterError, match=f"^names:2: .*{wanted}"):
        metameter.score(QRELS, RUNS, "P@1", pool_depth=1, contributing=read_run_names("names"))


def test_contributing_without_effect_gives_a_notice():
    for function, given in ((metameter.score, ("P@1",)), (metameter.check, ())):
        with pytest.warns(metameter.MetameterWarning, match="contributing has no effect"):
            function(QRELS, RUNS, *given, contributing=["one"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metameter.score(QRELS, RUNS, "AP(norm=pool)@2", contributing=["one"])
        metameter.score(QRELS, RUNS, "P@1", contributing=["one"], pool_depth=2)
