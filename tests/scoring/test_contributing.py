"""The runs that made the pool: as names, paths or runs; what has no effect, or hardly any, is said."""

import warnings

import pytest

import metameter
from metameter.scoring.line_files import read_run_names

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
