"""Intuitiveness, unanimity and agreement as stages of a study: where simple metrics are named, and only there."""

import numpy as np
import polars as pl
import pytest

import metameter
from metameter.studies.study import study
from metameter.types import Scores

METRICS = ["RBP(p=0.8)@10*ERG", "RBP(p=0.8)@10*max", "nDCG@10", "P@10"]
QUICK = {"splits": 20, "trials": 40, "resamples": 20}
STAGES = {"intuitiveness", "unanimity", "agreement"}
# Studies of tables of scores leave it out, as they should.
pytestmark = pytest.mark.filterwarnings("ignore:the procedure volatility is left out")


def sessions(seed, iterations=3):
    rng = np.random.default_rng(seed)
    prec = rng.random((5, 7, iterations)) + np.linspace(0, 0.5, 5)[:, None, None]
    values = np.stack([prec + noise * rng.random(prec.shape) for noise in (0.1, 0.5, 2.0)] + [prec])
    return Scores(
        ("a", "b", "c", "prec"), tuple("vwxyz"), tuple("1234567"), values, iterations=tuple(range(1, iterations + 1))
    )


def test_simple_metrics_add_the_dimension_stages(collection, tmp_path):
    inputs = (collection / "qrels.txt", collection / "runs")
    done = study(*inputs, metrics=METRICS, simple=["P@10"], max_grade=2, out=tmp_path / "study", **QUICK)
    for name in ("intuitiveness", "intuitiveness_ranking", "unanimity", "unanimity_ranking", "agreement"):
        table = pl.read_csv(tmp_path / "study" / f"{name}.csv")
        assert table.columns[0] == "collection"
        assert table["simple"].unique().to_list() == ["P@10"]
    scored = metameter.score(*inputs, METRICS, max_grade=2)
    alone = metameter.intuitiveness(scored, simple="P@10", trials=40, resamples=20)
    assert done.tables["intuitiveness"].drop("collection").equals(alone.table.drop("collection"))
    report = (tmp_path / "study" / "report.html").read_text()
    assert "Where two metrics prefer different systems" in report
    assert "Which metric follows" in report


def test_without_simple_metrics_the_dimension_stages_are_absent(collection, tmp_path):
    done = study(
        collection / "qrels.txt", collection / "runs", metrics=METRICS, max_grade=2, out=tmp_path / "study", **QUICK
    )
    assert not STAGES & set(done.tables)
    assert "Metric unanimity" not in (tmp_path / "study" / "report.html").read_text()


def test_an_unscored_simple_metric_is_refused_early(collection, tmp_path):
    with pytest.raises(metameter.MetameterError, match=r"given 'R@5'.* Add it to the metrics\."):
        study(collection / "qrels.txt", collection / "runs", metrics=METRICS, simple=["R@5"], out=tmp_path / "study")
    assert not (tmp_path / "study" / "scores.parquet").exists()


def test_dimension_stages_use_all_iterations_and_collections(tmp_path):
    given = {"one": sessions(1), "two": sessions(2, iterations=2)}
    done = study(given, simple=["prec"], by="all", out=tmp_path / "study", **QUICK)
    assert set(done.tables["intuitiveness"]["iteration"]) == {1, 2, 3}
    together = metameter.intuitiveness(given, simple="prec", trials=40, resamples=20)
    wanted = together.tables["intuitiveness_ranking"].filter(pl.col("collection") == "All").drop("collection")
    assert done.tables["intuitiveness_ranking_all"].equals(
        wanted.drop("sure_wins").with_columns(done.tables["intuitiveness_ranking_all"]["sure_wins"])
    )
    unanimous = metameter.unanimity(given, simple="prec", resamples=20).tables["unanimity_ranking"]
    assert done.tables["unanimity_ranking_all"].equals(
        unanimous.filter(pl.col("collection") == "All").drop("collection")
    )
    agreed = metameter.agreement({"one": given["one"]}, simple="prec", trials=40, resamples=20).table
    alone = pl.col("collection") == "one"
    assert done.tables["agreement"].filter(alone).equals(agreed.filter(alone))


def test_a_study_file_can_name_simple_metrics(collection, tmp_path):
    lines = ['metrics = ["RBP(p=0.8)@10*ERG", "RBP(p=0.8)@10*max", "nDCG@10", "P@10", "R@20"]']
    lines += ['simple = ["P@10", "P@10+R@20"]', 'weights = "P@10=0.75,R@20=0.25"', "max_grade = 2"]
    lines += [f"{name} = {value}" for name, value in QUICK.items()]
    lines += ["[[collection]]", f'qrels = "{collection / "qrels.txt"}"', f'runs = "{collection / "runs"}"']
    (tmp_path / "plan.toml").write_text("\n".join(lines) + "\n")
    done = study(tmp_path / "plan.toml", out=tmp_path / "study")
    table = done.tables["intuitiveness"]
    assert table["simple"].unique(maintain_order=True).to_list() == ["P@10", "P@10+R@20"]
    assert "weighted_p" in table.columns
    assert set(table["metric_a"]) == {"RBP(p=0.8)@10*ERG", "RBP(p=0.8)@10*max"}


def test_a_second_study_reuses_the_stages(collection, tmp_path):
    given = {"metrics": METRICS, "simple": ["P@10"], "max_grade": 2, "out": tmp_path / "study", **QUICK}
    first = study(collection / "qrels.txt", collection / "runs", **given)
    again = study(collection / "qrels.txt", collection / "runs", **given)
    for name in ("intuitiveness", "intuitiveness_ranking", "unanimity_ranking", "agreement"):
        assert first.tables[name].equals(again.tables[name])
