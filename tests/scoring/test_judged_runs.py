"""Runs as the judgments see them: read once, the same by whichever way they were read."""

from __future__ import annotations

import numpy as np
import pytest

from metameter.errors import MetameterError
from metameter.scoring.judged_runs import judged_runs
from metameter.scoring.measures import measures_of
from metameter.scoring.policy import Policy
from metameter.simulation import simulate, write
from metameter.studies.collection import score_collection as scored


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    made = simulate(topics=5, systems=4, depth=15, grades=3, seed=2)
    return write(made, tmp_path_factory.mktemp("judged") / "collection")


def same(one, other):
    assert one.systems == other.systems
    for first, second in zip(one.runs, other.runs, strict=True):
        assert first.arrays.keys() == second.arrays.keys()
        for name, array in first.arrays.items():
            np.testing.assert_array_equal(array, second.arrays[name], err_msg=name)
    np.testing.assert_array_equal(one.index.grade, other.index.grade)


@pytest.mark.parametrize("options", [{}, {"ties": "docid-asc"}, {"costs": {"D0001": 3.0}}, {"pool_depth": 5}], ids=str)
def test_runs_judged_while_scoring_equal_those_read_later(options, collection, tmp_path):
    policy = Policy(max_grade=2, **options)
    given = (collection / "qrels.txt", collection / "runs")
    read = judged_runs(*given, policy)
    noted = [
        scored(*given, measures_of(["nDCG@10", "P@5"]), policy, judged=True, cache=tmp_path / "cache").judged
        for _ in range(2)  # the second time from the cache
    ]
    for each in noted:
        if "pool_depth" not in options:
            same(each, read)
        else:
            assert each.systems == read.systems


def test_threads_and_pickles_change_nothing(collection, pickling_workers):
    given = (collection / "qrels.txt", collection / "runs", Policy(max_grade=2))
    here = judged_runs(*given, jobs=1)
    same(judged_runs(*given, jobs=2), here)
    same(judged_runs(*given, jobs=pickling_workers), here)


def test_contributing_runs_are_named_or_read_separately(collection):
    runs = collection / "runs"
    names = [file.name.split(".")[0] for file in sorted(runs.iterdir())]
    files = sorted(runs.iterdir())
    named = judged_runs(collection / "qrels.txt", runs, Policy(contributing=[names[2], names[0]]))
    assert [run.system for run in named.contributing] == [names[2], names[0]]
    assert named.contributing[0] is named.runs[2]
    by_path = judged_runs(collection / "qrels.txt", runs, Policy(contributing=[str(files[2]), names[0]]))
    assert by_path.contributing == (by_path.runs[2], by_path.runs[0])
    assert "contributing" not in by_path.manifest["inputs"]
    away = judged_runs(collection / "qrels.txt", files[:2], Policy(contributing=[files[3]]))
    assert away.systems == tuple(names[:2])
    assert [run.system for run in away.contributing] == [names[3]]
    assert [entry["name"] for entry in away.manifest["inputs"]["contributing"]] == [files[3].name]
    assert "contributing" not in named.manifest["inputs"]


def test_progress_is_reported_for_every_run(collection):
    told = []
    judged_runs(collection / "qrels.txt", collection / "runs", Policy(), progress=lambda *each: told.append(each))
    assert told == [(done, 4, "reading") for done in (1, 2, 3, 4)]


def test_an_undefined_document_order_is_refused(collection):
    with pytest.raises(MetameterError, match=r"need one order of documents \(given 'ties = mean'\)"):
        judged_runs(collection / "qrels.txt", collection / "runs", Policy(ties="mean"))


def test_two_runs_of_one_name_are_refused(collection, tmp_path):
    file = next((collection / "runs").iterdir())
    twin = tmp_path / "elsewhere" / file.name
    twin.parent.mkdir()
    twin.write_bytes(file.read_bytes())
    with pytest.raises(MetameterError, match="two runs"):
        judged_runs(collection / "qrels.txt", [file, twin], Policy())
