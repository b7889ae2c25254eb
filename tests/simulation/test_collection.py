"""Simulated collections: the same bits, nested, pooled as said, with the truth that is claimed."""

import hashlib

import numpy as np
import polars as pl
import pytest

from metameter.errors import MetameterError
from metameter.simulation import simulate

SMALL = {"topics": 6, "systems": 5, "depth": 20, "documents": 120, "pool_depth": 8}


def fingerprint(frame: pl.DataFrame) -> str:
    return hashlib.sha256(frame.write_csv().encode()).hexdigest()[:16]


def test_same_seed_gives_the_same_bits():
    one, two = simulate(**SMALL, seed=7), simulate(**SMALL, seed=7)
    assert one.qrels.table.equals(two.qrels.table)
    assert all(a.table.equals(b.table) for a, b in zip(one.runs, two.runs, strict=True))
    assert one.truth.equals(two.truth)
    assert not one.runs[0].table.equals(simulate(**SMALL, seed=8).runs[0].table)


def test_the_bits_match_the_first_release():
    # A change here is a change of every published simulation: say so in the changelog.
    made = simulate(**SMALL, seed=7)
    assert fingerprint(made.runs[3].table) == "1e3d1c4eb9e634e4"
    assert fingerprint(made.qrels.table) == "903d3ecd1a3ecb61"


@pytest.mark.parametrize("families", [None, 2])
def test_more_systems_and_topics_keep_earlier_rankings(families):
    small = simulate(**SMALL, families=families)
    large = simulate(**{**SMALL, "systems": 9, "topics": 8}, families=families)
    for few, many in zip(small.runs, large.runs, strict=False):
        assert few.name == many.name
        assert few.table.equals(many.table.head(few.table.height))
    assert small.truth.equals(large.truth.head(5))
    assert small.topics.equals(large.topics.head(6))


def test_runs_are_ranked_without_duplicates():
    for run in simulate(**SMALL).runs:
        assert run.table.group_by("topic").len()["len"].unique().to_list() == [20]
        assert run.table.select("topic", "doc").is_unique().all()
        falling = run.table.select(pl.col("score").diff().over("topic")).to_series().drop_nulls()
        assert (falling <= 0).all()


def test_the_pool_is_the_union_of_contributing_tops():
    made = simulate(**SMALL, contributing=3)
    tops = [run.table.group_by("topic", maintain_order=True).head(8).select("topic", "doc") for run in made.runs[:3]]
    expected = pl.concat(tops).unique().sort("topic", "doc")
    assert made.qrels.table.select("topic", "doc").sort("topic", "doc").equals(expected)


def test_judgments_match_the_truth():
    made = simulate(**SMALL)
    both = made.qrels.table.join(made.full_qrels.table, on=["topic", "doc"], how="left", suffix="_true")
    assert (both["grade"] == both["grade_true"].fill_null(0)).all()
    counts = made.full_qrels.table.group_by("topic", maintain_order=True).len()
    assert counts["len"].to_list() == made.topics["relevant"].to_list()


def test_grades_include_zero():
    assert set(simulate(topics=20, systems=2, grades=4).full_qrels.table["grade"]) == {1, 2, 3}
    assert set(simulate(**SMALL, grades=2).full_qrels.table["grade"]) == {1}


def pairs(table: pl.DataFrame) -> set[tuple[str, str]]:
    return set(table.select("topic", "doc").iter_rows())


def test_sampled_pools_are_nested_and_complete_at_the_top():
    full, half, fifth = (simulate(**SMALL, pool_sample=s, sample_below=3) for s in (1.0, 0.5, 0.2))
    assert full.qrels.table.equals(simulate(**SMALL).qrels.table)
    unjudged = [
        set(c.qrels.table.filter(pl.col("grade") < 0).select("topic", "doc").iter_rows()) for c in (half, fifth)
    ]
    assert unjudged[0] < unjudged[1]
    assert set(fifth.qrels.table["grade"].unique()) >= {-1.0, 0.0}
    tops = set().union(*(pairs(run.table.group_by("topic").head(3)) for run in fifth.runs))
    assert not tops & unjudged[1]


def overlap(one, two) -> float:
    return one.table.join(two.table, on=["topic", "doc"]).height / one.table.height


def test_variants_of_a_family_retrieve_similar_documents():
    made = simulate(topics=20, systems=4, depth=50, families=2, likeness=0.9)
    assert made.truth["family"].to_list() == ["F001", "F002", "F001", "F002"]
    assert overlap(made.runs[0], made.runs[2]) > overlap(made.runs[0], made.runs[1]) + 0.1


def precision(collection, k=10) -> np.ndarray:
    """Systems x topics: the share of truly relevant documents among the first k."""
    good = collection.full_qrels.table.select("topic", "doc", good=pl.lit(1))
    found = []
    for run in collection.runs:
        top = run.table.group_by("topic", maintain_order=True).head(k).join(good, on=["topic", "doc"], how="left")
        found.append(top.group_by("topic", maintain_order=True).agg(pl.col("good").sum() / k)["good"].to_numpy())
    return np.array(found)


def test_better_systems_find_more():
    made = simulate(topics=60, systems=20)
    scores = precision(made).mean(axis=1)
    assert np.corrcoef(scores, made.truth["quality"])[0, 1] > 0.9


def test_harder_topics_yield_less():
    made = simulate(topics=60, systems=20)
    assert np.corrcoef(precision(made).mean(axis=0), made.topics["difficulty"])[0, 1] < -0.6


def range_pvalue(scores: np.ndarray, trials: int, random: np.random.Generator) -> float:
    """Randomised Tukey HSD: how often permuted systems lie as far apart as the observed extremes."""
    observed = np.ptp(scores.mean(axis=1))
    spread = [np.ptp(random.permuted(scores, axis=0).mean(axis=1)) for _ in range(trials)]
    return float(np.mean(np.array(spread) >= observed - 1e-12))


def test_null_systems_are_exchangeable():
    random = np.random.default_rng(0)
    sizes = {"topics": 15, "systems": 5, "depth": 10, "documents": 100, "null": True}
    pvalues = [range_pvalue(precision(simulate(**sizes, seed=seed)), 99, random) for seed in range(80)]
    # 80 draws from a uniform distribution: the mean has a standard error of .032, a twentieth is 4 +- 2.
    assert abs(np.mean(pvalues) - 0.5) < 0.1
    assert np.sum(np.array(pvalues) <= 0.05) <= 10


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"topics": 0}, "topics is out of range"),
        ({"grades": 1}, "grades"),
        ({"depth": 5000, "documents": 100}, "depth"),
        ({"pool_depth": 200}, "pool_depth"),
        ({"pool_sample": 1.5}, "pool_sample is not a share"),
        ({"likeness": float("nan")}, "likeness"),
        ({"seed": -1}, "seed"),
        ({"systems": 2.0}, "systems"),
        ({"null": True, "families": 3}, "exchangeable"),
        ({"null": True, "contributing": 3}, "exchangeable"),
        ({"contributing": 40}, "contributing"),
        ({"grades": 200}, "grades"),
    ],
)
def test_wrong_sizes_are_refused(wrong, says):
    with pytest.raises(MetameterError, match=says):
        simulate(**wrong)


@pytest.mark.slow
def test_the_default_looks_like_www3():
    made = simulate()
    relevant = made.qrels.table.filter(pl.col("grade") > 0).height / 80
    assert 130 < relevant < 180
    scores = precision(made)
    random, taus = np.random.default_rng(0), []
    from scipy.stats import kendalltau

    for _ in range(30):
        order = random.permutation(80)
        taus.append(kendalltau(scores[:, order[:40]].mean(axis=1), scores[:, order[40:]].mean(axis=1)).statistic)
    assert 0.65 < np.mean(taus) < 0.85
