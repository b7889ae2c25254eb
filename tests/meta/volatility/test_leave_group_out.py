"""Leave one group out, by hand: strike from the qrels what only this group has in its top, and score again."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.stats import kendalltau

import metameter

POOL = 3
GROUPS = {"a": "us", "b": "us", "c": "them"}  # d is its own group
METRICS = ["AP", "nDCG"]


@pytest.fixture(scope="module")
def collection():
    rng = np.random.default_rng(6)
    docs = [f"d{number}" for number in range(14)]
    lists = {system: {topic: rng.permutation(docs).tolist() for topic in "123"} for system in "abcd"}
    judged = {topic: {doc for each in lists.values() for doc in each[topic][:POOL]} for topic in "123"}
    qrels = {topic: {doc: int(rng.integers(0, 3)) for doc in sorted(found)} for topic, found in judged.items()}
    return qrels, lists


def as_runs(lists):
    return {
        system: {topic: {doc: -float(rank) for rank, doc in enumerate(docs)} for topic, docs in by_topic.items()}
        for system, by_topic in lists.items()
    }


def own_documents(lists, group, topic):
    """What this group alone has in the top of its lists."""
    tops = {True: set(), False: set()}
    for system, by_topic in lists.items():
        tops[GROUPS.get(system, system) == group] |= set(by_topic[topic][:POOL])
    return tops[True] - tops[False]


@pytest.mark.parametrize("condensed", [False, True])
@pytest.mark.parametrize("given", [{}, {"pool_depth": POOL}], ids=["inferred", "given"])
def test_a_group_is_left_out_with_its_judgments(given, condensed, collection):
    qrels, lists = collection
    runs = as_runs(lists)
    options = {"max_grade": 2, **given}
    result = metameter.volatility(qrels, runs, METRICS, depths=[2, 8], groups=GROUPS, resamples=0, **options)
    assert result.pool_depth == POOL
    table = result.tables["volatility_groups"].filter(condensed=condensed)
    scoring = {"unjudged": "condense" if condensed else "zero", "max_grade": 2}
    for metric in METRICS:
        rows = table.filter(metric=metric)
        assert rows["group"].to_list() == ["us", "them", "d", "all"]
        full = dict(metameter.score(qrels, runs, f"{metric}@8", **scoring).means.iter_rows())
        reduced = {}
        counted = []
        for group, members in (("us", "ab"), ("them", "c"), ("d", "d")):
            struck = {topic: own_documents(lists, group, topic) for topic in qrels}
            left = {
                topic: {doc: grade for doc, grade in docs.items() if doc not in struck[topic]}
                for topic, docs in qrels.items()
            }
            scores = dict(metameter.score(left, runs, f"{metric}@8", **scoring).means.iter_rows())
            reduced |= {system: scores[system] for system in members}
            grades = [qrels[topic][doc] for topic in qrels for doc in struck[topic]]
            counted.append((len(members), len(grades), sum(grade > 0 for grade in grades)))
        counted.append(tuple(map(sum, zip(*counted, strict=True))))
        assert list(rows.select("systems", "judged", "relevant").iter_rows()) == counted
        assert counted[-1][1] > 4
        for row, members in zip(rows.iter_rows(named=True), ("ab", "c", "d", "abcd"), strict=True):
            changes = [reduced[system] - full[system] for system in members]
            assert row["change"] == pytest.approx(np.mean(changes), abs=1e-15)
            assert row["largest"] == pytest.approx(max(changes, key=abs), abs=1e-15)
            now = {**full, **{system: reduced[system] for system in members}}  # its mates lose their judgments, too
            falls = [place(now, system, now[system]) - place(full, system, full[system]) for system in members]
            assert row["places"] == max(falls)
        wanted = kendalltau(list(full.values()), [reduced[system] for system in full]).statistic
        assert rows["tau"][:3].to_list() == [None] * 3
        assert rows["tau"][3] == pytest.approx(wanted)


def place(full, system, score):
    return sum(other > score for name, other in full.items() if name != system)


def test_groups_of_unknown_systems_are_refused(collection):
    qrels, lists = collection
    with pytest.raises(metameter.MetameterError, match="nobody"):
        metameter.volatility(qrels, as_runs(lists), METRICS, groups={"nobody": "us"}, resamples=0, max_grade=2)


def test_groups_need_a_known_pool_depth(collection):
    qrels, lists = collection
    some = {topic: {lists["a"][topic][0]: 1, lists["b"][topic][1]: 0} for topic in qrels}
    with pytest.raises(metameter.MetameterError, match="the pool depth is unknown"):
        metameter.volatility(some, as_runs(lists), METRICS, groups=GROUPS, resamples=0, max_grade=2)


def test_groups_can_come_from_a_file(collection, tmp_path):
    qrels, lists = collection
    (tmp_path / "groups").write_text("".join(f"{system} {group}\n" for system, group in GROUPS.items()))
    options = {"depths": [8], "resamples": 0, "max_grade": 2}
    tables = [
        metameter.volatility(qrels, as_runs(lists), METRICS, groups=groups, **options).tables["volatility_groups"]
        for groups in (GROUPS, tmp_path / "groups")
    ]
    assert isinstance(tables[0], pl.DataFrame)
    assert tables[0].equals(tables[1])
