"""The command that looks before anyone scores."""

import json

import polars as pl
import pytest

import metameter
from metameter.cli.program import run

QRELS = "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 a 1\n3 0 z 1\n"
GOOD = "1 Q0 a 1 2 t\n1 Q0 b 2 2 t\n1 Q0 x 3 1 t\n2 Q0 a 1 1 t\n9 Q0 a 1 1 t\n"
WHOLE = "1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 a 1 1 t\n3 Q0 z 1 1 t\n"
BAD = "# mine\n1 Q0 a 1 nan t\n1 Q0 b 2 2\n1 Q0 c 3 1 t\n1 Q0 c 4 0 t\n1 Q0 c 5 -1 t\n\n2 Q0 a 1 1,5 t\n"


@pytest.fixture
def collection(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"qrels": QRELS, "good": GOOD, "whole": WHOLE, "bad": BAD}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_clean_input_gives_status_0_and_an_empty_table(collection, capsys):
    assert run(["check", "qrels", "whole"]) == 0
    # An empty table says nothing to a person who sends it to a file.
    assert capsys.readouterr() == ("file,line,what,fix\n", "No problems.\n")
    assert run(["check", "qrels", "whole", "--table", "coverage", "--format", "json"]) == 0
    assert capsys.readouterr().err == "No problems.\n"
    assert run(["check", "qrels", "whole", "--format", "table"]) == 0
    assert capsys.readouterr().err.startswith("No problems.\ncoverage\n")


def test_judgments_can_be_a_folder(collection, capsys):
    (collection / "judged").mkdir()
    lines = QRELS.splitlines(keepends=True)
    (collection / "judged" / "a").write_text("".join(lines[:2]))
    (collection / "judged" / "b").write_text("".join(lines[2:]))
    assert run(["check", "judged", "whole", "--table", "coverage"]) == 0
    whole = capsys.readouterr()
    assert run(["check", "qrels", "whole", "--table", "coverage"]) == 0
    assert capsys.readouterr() == whole


def test_check_lists_every_problem_with_its_line(collection, capsys):
    (collection / "qrels").write_text(QRELS + "3 0 y\n3 0 z 0\n")
    assert run(["check", "qrels", "whole", "bad", "--max-grade", "1"]) == 2
    said = capsys.readouterr()
    problems = pl.read_csv(said.out.encode())
    lines = {("qrels", 1), ("qrels", 6), ("qrels", 7), ("bad", 2), ("bad", 3), ("bad", 5), ("bad", 6), ("bad", 8)}
    lines |= {("bad", None)}  # of the topics that are left it lacks some
    assert set(problems.select("file", "line").rows()) == lines
    assert problems.height == len(lines)
    assert "first at bad:4" in problems.filter((pl.col("file") == "bad") & (pl.col("line") == 6))["what"][0]
    assert said.err == "9 problems in 2 files. The table of problems says where, and how to fix them.\n"


def test_check_reports_the_coverage_of_runs(collection, capsys):
    assert run(["check", "qrels", "good", "--table", "coverage", "--format", "json"]) == 2
    (row,) = json.loads(capsys.readouterr().out)["coverage"]
    assert (row["system"], row["topics"], row["missing"], row["tied"], row["extra_topics"]) == ("good", 2, 1, 2, 1)
    assert row["judged_at_10"] == pytest.approx((2 / 3 + 1) / 2)
    assert (row["documents"], row["unjudged"], row["metric"]) == (4, 1, "nDCG@10")
    assert row["tied_low"] < row["tied_high"]


def test_the_range_of_ties_is_attainable(collection):
    lists = "1 Q0 {} 1 2 t\n1 Q0 {} 2 {} t\n1 Q0 x 3 1 t\n2 Q0 a 1 1 t\n"
    (collection / "first").write_text(lists.format("a", "b", 1.5))
    (collection / "last").write_text(lists.format("b", "a", 1.5))
    for metric in ("nDCG@10", "AP", "RBP(p=0.5)"):
        found = metameter.check("qrels", "good", metric=metric, max_grade=2).coverage
        scores = metameter.score("qrels", ["first", "last"], metric, max_grade=2)
        high, low = scores.means[metric if metric != "RBP(p=0.5)" else "RBP(p=0.5)*ERG"]
        assert found.select("tied_low", "tied_high").row(0) == pytest.approx((low, high))
        mean = metameter.score("qrels", "good", metric, max_grade=2, ties="mean")
        assert mean.values.mean() == pytest.approx((low + high) / 2)


def test_coverage_covers_the_readable_files(collection):
    found = metameter.check("qrels", ["good", "bad"])
    assert found.coverage["system"].to_list() == ["good", "bad"]
    assert found.coverage["topics"].to_list() == [2, 1]
    (collection / "qrels").write_bytes(b"\x1f\x8b\x08cut")
    found = metameter.check("qrels", ["good", "bad"])
    assert found.problems["file"].to_list()[0] == "qrels"
    assert found.coverage.height == 0
    assert found.coverage.columns[:5] == ["system", "topics", "missing", "judged_at_10", "tied"]


def test_conflicting_names_and_topics_are_reported(collection):
    (collection / "other").mkdir()
    (collection / "other" / "good").write_text("77 Q0 a 1 1 t\n")
    (collection / "good").write_text(WHOLE)
    problems = metameter.check("qrels", ["good", "other"]).problems
    assert problems["file"].to_list() == ["other/good", "other/good"]
    assert "two runs have the name" in problems["what"][0]
    assert "no topic in common" in problems["what"][1]
    assert problems["line"].null_count() == 2


def test_a_wrong_kind_of_file_reports_at_most_1000_problems(collection):
    (collection / "bad").write_text("x\n" * 5000)
    problems = metameter.check("qrels", "bad").problems
    assert problems.height == 1001
    assert problems["what"][-1] == "4,000 more problems"


def test_a_terminal_shows_coverage_below_the_problems(collection, capsys):
    assert run(["check", "qrels", "whole", "--format", "table"]) == 0
    said = capsys.readouterr()
    assert said.out == ""  # of no problem there is no table
    assert said.err.startswith("No problems.\ncoverage\n")
    assert "judged" in said.err


def test_check_writes_both_tables(collection, capsys):
    assert run(["check", "qrels", "bad", "--out", "found"]) == 2
    assert {"problems.csv", "coverage.csv", "manifest.json"} <= {path.name for path in (collection / "found").iterdir()}
    assert capsys.readouterr().out.startswith("file,line,what,fix\n")


def test_check_reads_standard_input_and_parquet(collection, capsys, monkeypatch):
    pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "a"], "score": [1.0, 2.0]}).write_parquet("run.parquet")
    problems = metameter.check("qrels", "run.parquet").problems
    assert problems.select("file", "line").rows() == [("run.parquet", 2), ("run.parquet", None)]
