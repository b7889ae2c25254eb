"""What was built to follow a dimension is found to follow it; between copies of one metric nothing is found."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from metameter import intuitiveness, unanimity
from metameter.cli.program import run as program
from metameter.scoring.sessions import session, session_table
from metameter.simulation import simulate_sessions
from metameter.types import Scores

SIMPLE = ("prec", "st_rec", "tot_time")
EVERY = "prec+st_rec+tot_time"


def simple_scores(seed: int, *, topics: int, systems: int, null: bool = False) -> Scores:
    made = simulate_sessions(topics=topics, systems=systems, iterations=3, seed=seed, null=null)
    return session(made.truth, made.runs, SIMPLE, lengths=made.lengths, iterations=[1, 3])


def standardised(scores: Scores) -> np.ndarray:
    """Each simple metric on one scale, among the systems of a topic."""
    spread = scores.values.std(axis=1, keepdims=True)
    return (scores.values - scores.values.mean(axis=1, keepdims=True)) / np.where(spread > 0, spread, 1)


def with_metrics(scores: Scores, more: dict[str, np.ndarray]) -> Scores:
    values = np.concatenate([scores.values, np.stack(list(more.values()))])
    return Scores((*scores.metrics, *more), scores.systems, scores.topics, values, iterations=scores.iterations)


def followers(seed: int, *, topics: int = 30, systems: int = 12) -> Scores:
    """Metrics that follow one dimension each, and one that follows all of them, but for noise."""
    scores = simple_scores(seed, topics=topics, systems=systems)
    known, random = standardised(scores), np.random.default_rng(seed)
    noise = random.standard_normal((4, systems, topics, 1))
    more = {f"like_{name}": known[each] + 0.5 * noise[each] for each, name in enumerate(SIMPLE)}
    return with_metrics(scores, more | {"balanced": known.mean(axis=0) + 0.2 * noise[3]})


def first_by(table: pl.DataFrame, simple: str) -> set[str]:
    """Who comes first in the ranking by a set of simple metrics, at any iteration or over all of them."""
    return set(table.filter((pl.col("simple") == simple) & (pl.col("rank") == 1))["metric"])


@pytest.mark.parametrize("seed", range(5))
def test_both_procedures_find_the_metric_that_follows_a_dimension(seed):
    scores, asked = followers(seed), {"simple": list(SIMPLE), "complex": [f"like_{name}" for name in SIMPLE]}
    tested = intuitiveness(scores, **asked, trials=200, resamples=0).tables["intuitiveness_ranking"]
    unanimous = unanimity(scores, **asked, resamples=0).tables["unanimity_ranking"]
    for name in SIMPLE:
        assert first_by(tested, name) == {f"like_{name}"}
        assert first_by(unanimous, name) == {f"like_{name}"}
    # Two iterations, two others to beat, and none of it by chance: sure for other topics, too.
    effort = tested.filter((pl.col("simple") == "tot_time") & (pl.col("iteration") == "All"))
    assert dict(effort.select("metric", "sure_wins").rows())["like_tot_time"] == 4


@pytest.mark.parametrize("seed", range(5))
def test_both_procedures_find_the_metric_that_follows_all_dimensions(seed):
    scores, asked = (
        followers(seed, topics=60, systems=16),
        {"simple": EVERY, "complex": ["balanced", *(f"like_{name}" for name in SIMPLE)]},
    )
    tested = intuitiveness(scores, **asked, trials=200, resamples=0).tables["intuitiveness_ranking"]
    unanimous = unanimity(scores, **asked, resamples=0).tables["unanimity_ranking"]
    assert first_by(tested, EVERY) == first_by(unanimous, EVERY) == {"balanced"}


def test_two_commands_find_the_dimension_from_files(tmp_path, capsys):
    scores = followers(0)
    folder, answer = tmp_path / "scores", tmp_path / "answer"
    folder.mkdir()
    session_table(scores).table.write_csv(folder / "session.csv")
    options = ["--simple", "st-rec", "--complex", "like_prec,like_st_rec,like_tot_time", "--resamples", "0"]
    assert program(["intuitiveness", str(folder / "session.csv"), *options, "--out", str(answer)]) == 0
    assert "follows st-rec most, where metrics disagree: like_st_rec" in capsys.readouterr().err
    ranking = pl.read_csv(answer / "intuitiveness_ranking.csv")
    assert first_by(ranking, "st-rec") == {"like_st_rec"}


def copies(seed: int, *, topics: int, systems: int) -> Scores:
    """Systems that are equally good, and three metrics that are noisy copies of one: which is which says nothing."""
    scores = simple_scores(seed, topics=topics, systems=systems, null=True)
    known, random = standardised(scores).mean(axis=0), np.random.default_rng(10_000 + seed)
    noise = random.standard_normal((3, systems, topics, 1))
    return with_metrics(scores, {f"copy_{each}": known + 0.5 * noise[each] for each in range(3)})


@pytest.mark.slow
def test_copies_of_a_metric_mark_no_table_but_many_rows():
    marked = {"p": 0, "p_table": 0}
    for seed in range(30):
        scores = copies(seed, topics=12, systems=6)
        asked = {"simple": [*SIMPLE, EVERY], "complex": ["copy_0", "copy_1", "copy_2"]}
        table = intuitiveness(scores, **asked, trials=200, resamples=0, seed=seed).table
        assert table.height == 2 * 4 * 3
        marked = {name: count + bool((table[name] < 0.05).any()) for name, count in marked.items()}
    # If it were 5% of the tables, 6 or more of 30 would come once in 300 times.
    assert marked["p_table"] <= 5
    # The cases of a topic depend on each other, which the sign test of the paper does not know.
    assert marked["p"] > 15
