"""What `volatility` cannot do: one line that says what and how to fix it, status 2, nothing written."""

from __future__ import annotations

import pytest

from metameter.cli.program import run

TOPICS = ("1", "2", "3")
# Two documents of each list are judged, the third is not; t has a list of its own.
QRELS = "".join(f"{topic} 0 {doc} {grade}\n" for topic in TOPICS for doc, grade in (("a", 1), ("b", 0), ("c", 2)))
LISTS = {
    "s": ("a", "b", "x", "y"),
    "t": ("c", "a", "z", "b"),
    "u": ("b", "c", "y", "a"),
    "v": ("b", "a", "x", "z"),
    "w": ("c", "b", "x", "a"),
}


def lines(docs, topics=TOPICS):
    return "".join(
        f"{topic} Q0 {doc} {rank} {9 - rank} tag\n" for topic in topics for rank, doc in enumerate(docs, start=1)
    )


# What is wrong -> further arguments, and what the line must hold.
USAGE = {
    "contributing run unknown": (["--contributing", "stranger"], "stranger:1: a contributing run is neither"),
    "depth 0": (["--depths", "0"], "depths is out of range (given 0, allowed: 1 or more). Write depths as 1-10"),
    "depth 0 in a range": (["--depths", "0-10"], "allowed: 1 or more"),
    "a depth below 0": (["--depths=-1"], "depths is not a list of depths (given '-1')"),
    "depths in words": (["--depths", "ten"], "depths is not a list of depths (given 'ten')"),
    "no depth": (["--depths", ""], "depths is not a list of depths"),
    "half a rank": (["--depths", "1.5"], "(given '1.5')"),
    "a range that falls": (["--depths", "5-2"], "a range that falls (given '5-2')"),
    "a depth beyond counting": (["--depths", "1-99999999999"], "at most 1,000,000"),
    "pool deeper than the runs": (
        ["--pool-depth", "5"],
        "deeper than the contributing runs (given 5, allowed: at most 4)",
    ),
    "pool depth 0": (["--pool-depth", "0"], "pool_depth is out of range"),
    "judged to a depth to which no run is": (
        ["--judged-to", "3"],
        "an unjudged document in its first 3 (given 3, allowed: at most 2)",
    ),
    "judged to a depth that no run has": (["--judged-to", "5"], "deeper than the runs (given 5, allowed: at most 4)"),
    "judged to rank 0": (["--judged-to", "0"], "judged_to is out of range (given '0'"),
    "judged to in words": (["--judged-to", "deep"], "allowed: 1 to 1,000,000, or data"),
    "a rule and a list": (["--judged-to", "2", "--contributing", "own"], "Give contributing or judged_to."),
    "no one order of documents": (["--ties", "mean"], "Choose another order of ties."),
    "a typo in condensed": (["--condensed", "bth"], "'both', 'yes', 'no'"),
    "groups with an unknown system": (["--groups", "groups"], "groups:2: "),
    "a grid without a shallower pool": (
        ["--grid"],
        "no pool of the grid is shallower than the judgments (given '5, 10, 20, 50, 100'",
    ),
    "pools without a grid": (["--pools", "1"], "Add grid"),
    "pool 0 in a grid": (["--grid", "--pools", "0"], "pools is out of range (given 0"),
    "settled beyond 1": (["--settled", "1.5"], "settled is not a probability"),
    "alpha 0": (["--alpha", "0"], "alpha"),
    "one resample": (["--resamples", "1"], "at least 2, or 0 for no intervals"),
    "a seed below 0": (["--seed", "-1"], "seed"),
    "unknown metric": (["-m", "nDGC"], "Did you mean nDCG"),
    "unknown preset": (["--preset", "lu-2061"], "lu-2016"),
    "an unknown table": (["--table", "nope"], "volatility_summary"),
}


@pytest.fixture
def collection(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "runs").mkdir()
    for name, docs in LISTS.items():
        (tmp_path / "runs" / name).write_text(lines(docs))
    (tmp_path / "stranger").write_text("nobody\n")
    (tmp_path / "own").write_text("s\n")
    (tmp_path / "groups").write_text("s us\nnobody us\n")
    return tmp_path


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def refused(arguments, capsys, folder):
    before = contents(folder)
    status = run(["volatility", *arguments, "--out", "results"])
    said = capsys.readouterr()
    assert (status, said.out) == (2, "")
    assert said.err.count("\n") == 1
    assert "Traceback" not in said.err
    assert contents(folder) == before
    assert not (folder / "results").exists()
    return said.err


@pytest.mark.parametrize("kind", USAGE)
def test_wrong_options_are_refused(kind, collection, capsys):
    options, says = USAGE[kind]
    assert says in refused(["qrels", "runs", "--max-grade", "2", *options], capsys, collection)


def test_runs_without_judged_top_documents_are_refused(collection, capsys):
    (collection / "deep").mkdir()
    (collection / "deep" / "s").write_text(lines(("x", "y", "a")))
    message = refused(["qrels", "deep", "--depths", "1,2", "--max-grade", "2"], capsys, collection)
    assert message.startswith("no run has a judged document in its first 2. Give deeper depths")
    (collection / "other").write_text("1 0 elsewhere 1\n")
    message = refused(["other", "runs", "--max-grade", "2"], capsys, collection)
    assert message.startswith("no run has a judged document in its first 4. ")


def test_runs_without_a_common_topic_are_refused(collection, capsys):
    for name, topic in (("s", "1"), ("t", "2")):
        (collection / "runs" / name).write_text(lines(LISTS[name], [topic]))
    message = refused(["qrels", "runs", "--topics", "common", "--max-grade", "2"], capsys, collection)
    assert message.startswith("no topic is in the qrels and in every run. ")


def test_a_grid_needs_pairs_and_topics(collection, capsys):
    options = ["--grid", "--pools", "1", "--max-grade", "2"]
    few = [f"runs/{name}" for name in "stuv"]
    says = "a grid needs 5 systems and two topics or more"
    assert f"{says} (given '4 systems, 3 topics')" in refused(["qrels", *few, *options], capsys, collection)
    (collection / "single").write_text("1 0 a 1\n1 0 b 0\n1 0 c 2\n")
    assert f"{says} (given '5 systems, 1 topics')" in refused(["single", "runs", *options], capsys, collection)


def test_without_a_grid_one_system_or_topic_is_sufficient(collection, capsys):
    assert run(["volatility", "qrels", "runs/s", "-m", "AP", "--max-grade", "2", "--out", "alone"]) == 0
    (collection / "single").write_text("1 0 a 1\n1 0 b 0\n1 0 c 2\n")
    assert run(["volatility", "single", "runs", "-m", "AP", "--max-grade", "2", "--out", "topic"]) == 0
    capsys.readouterr()
    header, *rows = (collection / "alone" / "volatility_summary.csv").read_text().splitlines()
    at = header.split(",").index("tau_to_final")
    assert len(rows) == 8
    assert {row.split(",")[at] for row in rows} == {""}
    assert len((collection / "topic" / "volatility.csv").read_text().splitlines()) == 1 + len(LISTS) * 4 * 2


def test_contributing_runs_can_be_named_or_given_by_path(collection, capsys):
    given = ["volatility", "qrels", "runs", "-m", "AP", "--max-grade", "2", "--resamples", "0", "--contributing"]
    said = []
    for text in ("s\nu\n", "runs/s\nu\n", "runs/s\nruns/u\n"):
        (collection / "own").write_text(text)
        assert run([*given, "own", "--format", "csv"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] == said[2]
    assert {line.split(",")[2] for line in said[0].splitlines()[1:]} == {"s", "u"}


def test_runs_outside_the_pool_are_refused(collection, capsys):
    (collection / "own").write_text("runs/t\n")
    message = refused(["qrels", "runs/s", "--contributing", "own", "--max-grade", "2"], capsys, collection)
    assert message.startswith("none of the runs given contributed to the pool. ")


def test_tables_have_the_documented_columns(collection, capsys):
    wanted = {
        "volatility": "metric,condensed,system,depth,score",
        "volatility_summary": "metric,condensed,pool_depth,depth,tau_to_final,low,high,tau_to_previous,tau_ap_to_final,"
        "crossings,falls,range,drift,residual,discriminated,lost,reversed",
        "marked": "metric,condensed,system,mark",
    }
    given = ["volatility", "qrels", "runs", "-m", "AP", "-m", "nDCG", "--max-grade", "2", "--resamples", "20"]
    for name, columns in wanted.items():
        chosen = [] if name == "volatility" else ["--table", name]
        assert run([*given, *chosen, "--format", "csv"]) == 0
        header = capsys.readouterr().out.splitlines()[0]
        assert header == columns or (name == "volatility_summary" and header.startswith(f"{columns},"))
