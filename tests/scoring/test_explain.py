"""What `explain` says of the items of a list: which documents they are, and which of them nobody judged."""

import json

import polars as pl
import pytest

import metameter
from metameter.cli.program import run

QRELS = {"1": {"a": 2, "b": 0, "c": -1}, "2": {"z": 1}}
RUN = {"1": {"x": 9.0, "a": 8.0, "c": 7.0, "y": 7.0, "b": 6.0}, "2": {"z": 1.0}}
SHOWN = ["x", "a", "y", "c", "b"]  # equal scores by falling name


@pytest.mark.parametrize("metric", ["AP", "nDCG@4", "RBP(p=0.8)", "INST(T=2)*max@4", "Prec@7*ERG"])
def test_documents_and_judgments_of_a_run_are_shown(metric):
    ranks = metameter.explain(metric, qrels=QRELS, run=RUN, topic="1").ranks
    cut = [*SHOWN, None, None][: ranks.height]
    assert ranks["document"].to_list() == cut
    wanted = {"a": "judged", "b": "judged", None: None}
    assert ranks["judgment"].to_list() == [wanted.get(document, "unjudged") for document in cut]
    assert ranks.columns[:2] == ["rank", "document"]


@pytest.mark.parametrize("metric", ["AP", "RBP(p=0.8)"])
def test_condensed_lists_show_the_remaining_documents(metric):
    ranks = metameter.explain(metric, qrels=QRELS, run=RUN, topic="1", unjudged="condense").ranks
    assert ranks["document"].to_list() == ["a", "b", None, None, None]
    assert ranks["judgment"].to_list() == ["judged", "judged", None, None, None]


def test_a_tie_order_also_orders_unjudged_documents():
    tied = {"1": {"x": 1.0, "y": 1.0, "a": 1.0}}
    for ties, order in (("docid-asc", ["a", "x", "y"]), ("docid-desc", ["y", "x", "a"]), ("input", ["x", "y", "a"])):
        assert metameter.explain("AP", qrels=QRELS, run=tied, topic="1", ties=ties).ranks["document"].to_list() == order


def test_a_question_mark_means_unjudged(capsys):
    assert run(["explain", "nDCG@10", "--gains", "1 ? 0", "--format", "json"]) == 0
    ranks = json.loads(capsys.readouterr().out)["ranks"]
    assert [(each["grade"], each["gain"], each["judgment"]) for each in ranks] == [
        (1, 1, "judged"),
        (None, 0, "unjudged"),
        (0, 0, "judged"),
    ]
    assert "document" not in ranks[0]
    for metric in ("RBP(p=0.8)", "nDCG", "nCT", "alpha_nDCG"):
        assert run(["explain", metric, "--gains", "1 ? 0", "--format", "table"]) == 0
        assert capsys.readouterr().out.count("unjudged") == 1
    assert run(["explain", "AP", "--gains", "1 0", "--format", "table"]) == 0
    assert "judg" not in capsys.readouterr().out


def test_other_columns_keep_their_order():
    classic = ["rank", "grade", "gain", "discount", "contribution"]
    product = ["rank", "gain", "continuation", "view", "last", "weight", "aggregate", "contribution"]
    for metric, columns in (("nDCG", classic), ("RBP(p=0.8)", product)):
        ranks = metameter.explain(metric, qrels=QRELS, run=RUN, topic="1").ranks
        assert [name for name in ranks.columns if name not in ("document", "judgment")] == columns
        assert ranks.select(pl.col("contribution").sum()).item() >= 0


@pytest.mark.parametrize(("width", "kept"), [(80, {"document", "gain", "aggregate"}), (60, set())])
def test_contribution_is_shown_before_continuation(width, kept):
    shown = metameter.explain("RBP(p=0.8)", qrels=QRELS, run=RUN, topic="1").text(width=width)
    heading = set(shown.splitlines()[0].split())
    assert kept | {"rank", "judgment", "weight", "contribution"} <= heading
    assert "last" not in heading
