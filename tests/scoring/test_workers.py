"""Pieces of work are functions of plain data: elsewhere they give the same."""

import pickle

import numpy as np
import pytest

import metameter
from metameter.scoring import cache
from metameter.scoring.measures import measures_of
from metameter.scoring.policy import Policy
from metameter.simulation import simulate, write
from metameter.studies.collection import score_collection as scored
from metameter.types.byte_strings import Names

NAMES = ["AP(norm=pool)@10", "nDCG@10", "RBP(p=0.8)*max", "INST(T=2.25)*avg", "Bpref"]


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    made = simulate(topics=6, systems=5, depth=20, grades=3, seed=4)
    return write(made, tmp_path_factory.mktemp("workers") / "collection")


@pytest.fixture
def elsewhere(pickling_workers, monkeypatch):
    """Workers at a place where names have other hashes."""
    here = Names.hashes

    class Elsewhere(type(pickling_workers)):
        def map(self, work, items, **shared):
            return super().map(at_another_place, [(work, item) for item in items], **shared)

    monkeypatch.setattr(Names, "hashes", lambda names, seed=0: here(names, seed + (1000 if PLACE else 0)))
    return Elsewhere(2)


PLACE = []


def at_another_place(given, **shared):
    work, item = given
    PLACE.append("elsewhere")
    try:
        # What arrives there is built there.
        return work(item, **pickle.loads(pickle.dumps(shared)))
    finally:
        PLACE.clear()


@pytest.mark.parametrize(
    "options",
    [{}, {"pool_depth": 5}, {"residual": True}, {"ties": "mean"}, {"costs": {"D0001": 3.0}}, {"unjudged": "condense"}],
    ids=str,
)
def test_workers_give_the_same_scores(options, collection, pickling_workers, recwarn):
    given = (collection / "qrels.txt", collection / "runs", NAMES)
    here = metameter.score(*given, max_grade=2, jobs=1, **options)
    there = metameter.score(*given, max_grade=2, jobs=pickling_workers, **options)
    assert here.values.tobytes() == there.values.tobytes()
    assert here.manifest == there.manifest
    if "residual" in options:
        assert (here.low.tobytes(), here.high.tobytes()) == (there.low.tobytes(), there.high.tobytes())


def test_pool_ranks_do_not_depend_on_hashes(collection, elsewhere):
    given = (collection / "qrels.txt", collection / "runs", NAMES)
    here = metameter.score(*given, max_grade=2, pool_depth=4, jobs=1)
    there = metameter.score(*given, max_grade=2, pool_depth=4, jobs=elsewhere)
    np.testing.assert_array_equal(here.values, there.values)


def test_workers_give_the_same_checks(collection, tmp_path, pickling_workers):
    (tmp_path / "bad").write_text("1 Q0 a 1 nan t\n1 Q0 D0001 2 1 t\n7x Q0 a\n")
    given = (collection / "qrels.txt", [collection / "runs", tmp_path / "bad"])
    for options in ({}, {"pool_depth": 3}, {"topics": "common"}):
        here = metameter.check(*given, jobs=1, **options)
        there = metameter.check(*given, jobs=pickling_workers, **options)
        # Two lines, no judged document, and the topics that it lacks.
        assert here.problems.height == (3 if options.get("topics") else 4)
        assert here.problems.equals(there.problems)
        assert here.coverage.equals(there.coverage)


def test_workers_write_no_cache(collection, tmp_path, elsewhere, monkeypatch):
    """The cache is read where the work is done, and written by who asked for it."""
    write_file, written = cache._write, []

    def only_by_the_caller(path, arrays):
        assert not PLACE
        written.append(path)
        write_file(path, arrays)

    monkeypatch.setattr(cache, "_write", only_by_the_caller)
    measures = measures_of(NAMES)
    given = (collection / "qrels.txt", collection / "runs", measures, Policy(max_grade=2))
    first = scored(*given, cache=tmp_path, jobs=elsewhere)
    again = scored(*given, cache=tmp_path, jobs=elsewhere)
    assert (first.computed, again.computed, len(written)) == (5, 0, 5)
    assert first.scores.values.tobytes() == again.scores.values.tobytes()
    assert first.coverage.equals(again.coverage)
    assert first.facts == again.facts
