"""Pools as one gets them by hand from the tops of lists, on small collections and on TREC-8."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict

import numpy as np
import pytest

from metameter.errors import MetameterError
from metameter.judge.contributed import Pool, commonest_depth, depths_judged, judged_at_least, judging_depth
from metameter.judge.judged_run import JudgedRun
from metameter.judge.ranked import NEVER
from metameter.scoring.judged_runs import judged_runs
from metameter.scoring.policy import Policy

# Judged: the top 2 of s and t, and one more document. The third of s and t is not judged.
QRELS = {"1": {"a": 1, "b": 0, "c": 2, "late": 1}, "2": {"a": 0, "d": 1, "pooled": -1}}
ORDERS = {
    "s": {"1": ["a", "b", "x", "late"], "2": ["a", "d", "y"]},
    "t": {"1": ["c", "a", "y"], "2": ["d", "a", "pooled"]},
    "other": {"1": ["z", "a"], "2": ["a", "d", "y"]},
}


def read(**options):
    runs = {
        name: {topic: {doc: -float(rank) for rank, doc in enumerate(docs)} for topic, docs in lists.items()}
        for name, lists in ORDERS.items()
    }
    return judged_runs(QRELS, runs, Policy(**options))


def test_pool_rank_is_the_best_rank_of_each_judged_document():
    judged = read()
    pool = Pool.of(judged.index, judged.runs[:2])
    assert pool.rank.tolist() == [1, 2, 1, 4, 1, 1, 3]
    assert pool.grade.tolist() == [1, 0, 2, 1, 0, 1, -1]
    assert pool.judged == 6  # what is only pooled is not judged
    assert [pool.judged_within(depth) for depth in (1, 2, 3, 4)] == [4, 5, 5, 6]
    assert Pool.of(judged.index, judged.runs[2:]).rank.tolist() == [2, NEVER, NEVER, NEVER, 1, 2, NEVER]


def test_shallower_pools_keep_the_higher_documents():
    judged = read()
    pool = Pool.of(judged.index, judged.runs[:2])
    top = pool.shallower(1)
    assert top.in_pool.tolist() == [True, False, True, False, True, True, False]
    assert top.judgments.ideal.tolist() == [[2, 1], [1, 0]]
    assert top.judgments.pool_depth == top.depth == 1
    assert pool.shallower(3).shallower(1).in_pool.tolist() == top.in_pool.tolist()
    assert Pool.of(judged.index, judged.runs[:2], 1).in_pool.tolist() == top.in_pool.tolist()
    assert pool.without(pool.grade == 2).judgments.relevant().tolist() == [2, 1]


def test_pool_depths_are_known_per_topic_and_overall():
    judged = read()
    s, t, other = judged.runs
    assert depths_judged([s, t]).tolist() == [2, 2]
    assert depths_judged([s]).tolist() == [2, 2]
    assert depths_judged([other]).tolist() == [0, 2]
    assert [run.system for run in judged_at_least(judged.runs, 2)] == ["s", "t"]
    assert commonest_depth(judged.runs) == ((2,), 2)
    assert commonest_depth([other]) == ((), 0)
    with pytest.raises(MetameterError, match=r"every run has an unjudged document in its first 3 .*at most 2"):
        judged_at_least(judged.runs, 3)
    with pytest.raises(MetameterError, match="a list of contributing runs"):
        judged_at_least([other], 1)


def runs_judged_to(*ends):
    """Runs whose first unjudged document is right below these depths, in lists of 99 documents."""
    empty = np.zeros(0, np.int32)
    return [JudgedRun("s", np.array([99]), empty, empty, np.array([end])) for end in ends]


def test_the_pool_depth_is_one_that_ten_runs_share():
    assert commonest_depth(runs_judged_to(*[7] * 10, *[3] * 9, *[0] * 50)).pool_depth == 7
    assert commonest_depth(runs_judged_to(*[7] * 10, *[3] * 10)).pool_depth is None  # no unique mode
    assert commonest_depth(runs_judged_to(*[7] * 7, *range(1, 7), 9, 11, 12, 13)).pool_depth is None  # 7 of 17 runs
    assert commonest_depth(runs_judged_to(*[0] * 40)).pool_depth is None
    assert commonest_depth(runs_judged_to(*[NEVER] * 10)).pool_depth == 99  # all judged: to the end of the lists


def judged_at(shares, runs=1):
    """Runs with one topic a percent, of which such a share has a judged document at each rank."""
    topics, width = 100, len(shares)
    cells = [topic * width + rank for rank, share in enumerate(shares) for topic in range(round(share * topics))]
    cell = np.array(cells)
    pool = Pool(("1",) * topics, 1.0, cell // width, np.ones(cell.size), cell, np.ones(cell.size, np.bool_))
    run = JudgedRun("s", np.full(topics, width), cell, np.arange(cell.size), np.zeros(topics, np.int64))
    return [run] * runs, pool, np.ones(topics, np.bool_)


@pytest.mark.parametrize(
    ("shares", "wanted"),
    [
        ([1.0] * 10 + [0.7] * 20, 10),
        ([0.99] * 9 + [0.98] + [0.8] * 20, 10),
        ([0.94, *[1.0] * 9, *[0.7] * 20], 10),  # judged@1 is below 95%, judged@10 is not
        ([1.0] * 30, 30),
        ([0.85] * 30, None),
    ],
)
def test_the_judging_depth_is_estimated_where_gaps_show_no_pool(shares, wanted):
    found = judging_depth(*judged_at(shares))
    assert found.depth == wanted
    assert found.shares == pytest.approx(np.cumsum(shares) / np.arange(1, len(shares) + 1))
    assert found.share(1000) == found.shares[-1]


def test_excluded_topics_do_not_affect_the_judging_depth():
    runs, pool, topics = judged_at([1.0] * 5 + [0.5] * 5)
    topics[50:] = False  # those that are not judged from rank 6 on
    assert judging_depth(runs, pool, topics).depth == 10


def lines(path):
    with gzip.open(path, "rt") as file:
        for line in file:
            yield line.split()


@pytest.mark.slow
@pytest.mark.realdata
def test_the_pool_of_trec_8_matches_a_plain_loop(data):
    """Of the runs that the table beside the data lists as contributing, the ten documents with the highest scores."""
    folder = data / "trec8-adhoc"
    with (folder / "pool-contribution.tsv").open() as file:
        table = csv.DictReader(file, delimiter="\t")
        names = [row["run"] for row in table if row["unjudged_in_top100"] == "0"]
    assert len(names) == 62
    names = names[::3]  # all of them take half a minute to read by hand
    lists = defaultdict(list)
    for name in names:
        for topic, _, doc, rank, score, _ in lines(folder / "runs" / f"input.{name}.gz"):
            lists[name, topic].append((-float(score), int(rank), doc))
    by_hand = {(topic, doc) for (_, topic), docs in lists.items() for _, _, doc in sorted(docs)[:10]}
    paths = [folder / "runs" / f"input.{name}.gz" for name in names]
    judged = judged_runs(folder / "trec8.qrels.gz", paths, Policy(ties="rank", pool_depth=10))
    pool = Pool.of(judged.index, judged.runs, 10)
    given = [(topic, doc, int(grade)) for topic, _, doc, grade in lines(folder / "trec8.qrels.gz")]
    wanted = [(topic, doc) in by_hand for topic, doc, _ in given]
    assert pool.in_pool.tolist() == wanted
    assert pool.judged == len(by_hand)  # everything in these runs' tops is judged
    relevant = sum(grade for (_, _, grade), kept in zip(given, wanted, strict=True) if kept)
    assert int(pool.judgments.relevant().sum()) == relevant
    assert depths_judged(judged.runs).min() == 100
