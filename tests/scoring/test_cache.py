"""Kept scores: never wrong, whatever became of files, names, code or the cache itself."""

import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import numpy as np
import polars as pl
import pytest

import metameter
from metameter.metric.product import Product
from metameter.scoring import cache
from metameter.scoring.cache import ScoreCache
from metameter.scoring.engine import score_runs
from metameter.scoring.measures import measures_of
from metameter.scoring.policy import Policy
from metameter.scoring.run_observers import RunObserver
from metameter.studies.collection import score_collection as scored

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n"
GOOD = "1 Q0 a 1 2 good\n1 Q0 b 2 1 good\n2 Q0 a 1 1 good\n"
POOR = "1 Q0 b 1 2 poor\n1 Q0 a 2 1 poor\n2 Q0 x 1 1 poor\n"


@pytest.fixture
def collection(tmp_path):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "A").write_text(GOOD)
    (tmp_path / "runs" / "B").write_text(POOR)
    return tmp_path


def score_again(collection, metrics=("RR", "P@1"), jobs=1, **policy):
    given = (collection / "qrels", collection / "runs", measures_of(metrics), Policy(**policy))
    return scored(*given, cache=collection / "cache", jobs=jobs)


def means(result):
    return dict(zip(result.scores.systems, result.scores["RR"].mean(axis=1).tolist(), strict=True))


def test_scored_runs_are_found_in_the_cache(collection):
    first, second = score_again(collection), score_again(collection)
    assert (first.computed, second.computed) == (2, 0)
    assert first.coverage.equals(second.coverage)
    assert score_again(collection, ["RR", "AP"]).computed == 2
    assert score_again(collection, ["AP", "P@1", "RR"]).computed == 0
    assert score_again(collection, ties="docid-asc").computed == 2


@pytest.mark.parametrize("jobs", [1, 2])
def test_renamed_and_swapped_files_keep_their_scores(collection, jobs):
    assert means(score_again(collection, jobs=jobs)) == {"A": 1.0, "B": 0.25}
    (collection / "runs" / "A").rename(collection / "runs" / "C")
    assert means(score_again(collection, jobs=jobs)) == {"B": 0.25, "C": 1.0}
    (collection / "runs" / "B").rename(collection / "runs" / "A")
    (collection / "runs" / "C").rename(collection / "runs" / "B")
    renamed = score_again(collection, jobs=jobs)
    assert (means(renamed), renamed.computed) == ({"A": 0.25, "B": 1.0}, 0)


@pytest.mark.parametrize("jobs", [1, 2])
def test_two_systems_can_return_identical_runs(collection, jobs):
    (collection / "runs" / "B").write_text(GOOD)
    for computed in ({1, 2}, {0}):  # two workers may both be first
        result = score_again(collection, jobs=jobs)
        assert means(result) == {"A": 1.0, "B": 1.0}
        assert result.computed in computed


def test_a_name_by_tag_comes_from_its_own_run(collection):
    for _ in range(2):
        assert means(score_again(collection, name_by="tag")) == {"good": 1.0, "poor": 0.25}
    (collection / "runs" / "B").write_text(GOOD)
    with pytest.raises(metameter.MetameterError, match="two runs have the name 'good'"):
        score_again(collection, name_by="tag")


class FirstLook(RunObserver):
    names = ("length",)
    reaches = (None,)

    def arrays(self, ranked):
        return {"length": ranked.length}


class SecondLook(RunObserver):
    names = ("length", "depth")
    reaches = (None,)

    def arrays(self, ranked):
        return {"length": ranked.length, "depth": np.array(ranked.depth)}


def test_a_new_observation_is_added_to_an_old_cache(collection):
    def seen(observer):
        given = (collection / "qrels", collection / "runs", measures_of("RR"), Policy())
        return score_runs(*given, observer=observer, cache=collection / "cache", jobs=1)[1]

    assert [row.computed for row in seen(FirstLook())] == [
        ("RR", "retrieved", "first_reordered", "length", "judged by RR")
    ] * 2
    rows = seen(SecondLook())
    assert [int(row.arrays["depth"]) for row in rows] == [2, 2]
    assert all("RR" not in row.computed for row in rows)
    assert [row.computed for row in seen(SecondLook())] == [(), ()]


def test_a_change_of_code_changes_its_key(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    keys = set()
    for step in (1, 2, 2):
        (tmp_path / "looks.py").write_text(f"def helper(): return {step}\n\n\nclass Look:\n    step = helper()\n")
        for known in (cache._source, cache._file):
            known.cache_clear()
        monkeypatch.delitem(sys.modules, "looks", raising=False)
        module = import_module("looks")
        keys.add(cache.source_of(module.Look))
        assert cache.source_of(module.helper) != cache.source_of(module.Look)
    assert len(keys) == 2  # also a change of what the class calls


def test_code_without_a_file_has_a_key_per_session():
    made = [type("Glance", (), {"__module__": module}) for module in ("__main__", __name__, "nowhere")]
    made.append(eval("lambda ranked: {}"))
    keys = {cache.source_of(each) for each in made}
    for known in (cache._source, cache._file):
        known.cache_clear()
    assert not keys & {cache.source_of(each) for each in made}
    assert cache.source_of(FirstLook) not in keys


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: b"junk" * 99,
        lambda data: data[:-200] + b"x" * 200,
    ],
    ids=["empty", "cut", "junk", "overwritten"],
)
def test_a_damaged_file_is_computed_again(collection, damage):
    first = score_again(collection)
    for file in (collection / "cache").iterdir():
        file.write_bytes(damage(file.read_bytes()))
    second = score_again(collection)
    assert second.computed == 2
    assert first.scores.values.tobytes() == second.scores.values.tobytes()
    assert score_again(collection).computed == 0


def test_a_file_of_another_kind_is_computed_again(collection):
    score_again(collection)
    for file in (collection / "cache").iterdir():
        with file.open("wb") as opened:
            np.savez(opened, keys=np.array(["RR"]), values=np.zeros((1, 2)), system=np.array("old"))
    assert score_again(collection).computed == 2


def test_cached_scores_of_another_run_are_not_used(collection):
    before = means(score_again(collection))
    first, second = sorted((collection / "cache").iterdir())
    second.write_bytes(first.read_bytes())
    after = score_again(collection)
    assert (means(after), after.computed) == (before, 1)
    first.unlink()
    (first / "mine").mkdir(parents=True)
    assert means(score_again(collection)) == before
    assert score_again(collection).computed == 0
    assert [file.name for file in (collection / "cache").glob("*.damaged-1/*")] == ["mine"]


def test_concurrent_writers_do_no_harm(tmp_path):
    keys = {f"m{i}": f"key{i}" for i in range(40)}
    kept = ScoreCache(tmp_path, "policy", keys)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: kept.write("run", {name: np.full(3, float(name[1:]))}), keys))
    arrays = kept.read("run")
    assert arrays
    assert all(array.tolist() == [float(name[1:])] * 3 for name, array in arrays.items())
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


def test_a_score_does_not_depend_on_the_other_metrics():
    """Gains are shared by the metrics of a run: by those that have the same gain map, and by no others."""
    qrels = {"1": {"a": 1234567, "b": 1234568}}
    run = {"s": {"1": {"a": 2.0, "b": 1.0}}}
    for pattern in ("RBP(p=0.5,gain={})", "nDCG(gain={})"):
        names = [pattern.format(f"binary({level})") for level in (1234567, 1234568)]
        if pattern.startswith("nDCG"):
            names = [pattern.format(f"{{1234567:{gain!r},1234568:1}}") for gain in (0.1234567, 0.1234568)]
        alone = [metameter.score(qrels, run, name).values.item() for name in names]
        together = metameter.score(qrels, run, names)
        assert together.values[:, 0, 0].tolist() == alone
        assert alone[0] != alone[1]


def test_different_gain_maps_as_objects_stay_separate():
    from metameter.aggregate.total_gain import ERG
    from metameter.browse.rbp import RBP
    from metameter.judge.gain import GainMap

    qrels = {"1": {"a": 1234567, "b": 1234568}}
    run = {"s": {"1": {"a": 2.0, "b": 1.0}}}
    metrics = [Product(RBP(p=0.5, gain=GainMap("binary", level)), ERG()) for level in (1234567, 1234568)]
    assert metameter.score(qrels, run, metrics).values[:, 0, 0].tolist() == [0.75, 0.25]


def test_judged_at_10_is_the_same_everywhere(tmp_path):
    """The mean over the topics retrieved of the metric Judged@10: the same in a study and in a check."""
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n3 0 c 1\n")
    (tmp_path / "run").write_text(
        "1 Q0 a 1 2 t\n2 Q0 b 1 9 t\n" + "".join(f"2 Q0 x{i} 1 {8 - i} t\n" for i in range(7))
    )
    given = (tmp_path / "qrels", [tmp_path / "run"])
    # Whatever metrics are scored: the coverage looks at ten ranks even if they look at one.
    row = scored(*given, measures_of("P@1"), Policy()).coverage.row(0, named=True)
    checked = metameter.check(*given).coverage.row(0, named=True)
    judged = metameter.score(*given, "Judged@10", topics="common").values.mean()
    assert row["judged_at_10"] == checked["judged_at_10"] == judged == pytest.approx((1 + 1 / 8) / 2)
    assert {name: row[name] for name in ("topics", "missing", "tied")} == {"topics": 2, "missing": 1, "tied": 0}
    assert isinstance(scored(*given, measures_of("P@1"), Policy()).coverage, pl.DataFrame)
