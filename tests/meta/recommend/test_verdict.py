"""The rule that makes a verdict, as docs/recommend.md states it, and the sentence that gives its reasons."""

from __future__ import annotations

from itertools import product

import pytest

from metameter.meta.recommend.comparison_sentences import verdict_sentence
from metameter.meta.recommend.verdict import Assessment, Difference, Tau
from metameter.view.tables.cells import figure

UP, DOWN, NEITHER = Difference(0.2, 0.1, 0.3), Difference(-0.2, -0.3, -0.1), Difference(0.1, -0.1, 0.3)
SMALL, UNKNOWN = Difference(0.002, -0.006, 0.008), Difference(0.2)
TINY_GAIN = Difference(0.004, 0.001, 0.007)
ALIKE, OPEN, OTHER = Tau(0.95, 0.92, 0.97), Tau(0.92, 0.88, 0.95), Tau(0.7, 0.6, 0.8)


@pytest.mark.parametrize(
    ("tau", "half", "apart", "expected"),
    [
        (ALIKE, UP, UP, "better-and-similar"),
        (ALIKE, UP, NEITHER, "better-and-similar"),
        (ALIKE, NEITHER, UP, "better-and-similar"),
        (ALIKE, SMALL, UP, "better-and-similar"),
        # The interval of tau decides, not tau alone.
        (OPEN, UP, UP, "better-but-different"),
        (OTHER, UP, UP, "better-but-different"),
        (Tau(0.95, 0.9, 0.97), UP, UP, "better-and-similar"),
        (Tau(0.95), UP, UP, "better-but-different"),
        (Tau(None), UP, UP, "better-but-different"),
        (ALIKE, UP, DOWN, "mixed"),
        (ALIKE, DOWN, UP, "mixed"),
        (ALIKE, NEITHER, NEITHER, "no-evidence"),
        (ALIKE, UNKNOWN, UNKNOWN, "no-evidence"),
        (ALIKE, DOWN, NEITHER, "worse"),
        (ALIKE, NEITHER, DOWN, "worse"),
        (OTHER, DOWN, DOWN, "worse"),
        # Sameness is shown in both respects or not at all; a gain that does not matter is no gain.
        (ALIKE, SMALL, SMALL, "same"),
        (OTHER, SMALL, TINY_GAIN, "same"),
        (ALIKE, SMALL, NEITHER, "no-evidence"),
        (ALIKE, TINY_GAIN, NEITHER, "better-and-similar"),
        # An interval that ends at zero is no evidence.
        (ALIKE, Difference(0.1, 0.0, 0.2), Difference(-0.1, -0.2, 0.0), "no-evidence"),
    ],
)
def test_verdicts_follow_from_the_intervals(tau, half, apart, expected):
    assert Assessment(tau, half, apart).verdict() == expected
    assert Assessment(tau, half, apart, identical=True).verdict() == "identical"


def test_similar_and_margin_are_options():
    assert Assessment(OPEN, UP, UP, similar=0.85).verdict() == "better-and-similar"
    assert Assessment(ALIKE, UP, UP, similar=0.93).verdict() == "better-but-different"
    assert Assessment(ALIKE, SMALL, SMALL, margin=0.007).verdict() == "no-evidence"
    assert Assessment(ALIKE, SMALL, SMALL, margin=0).verdict() == "no-evidence"


@pytest.mark.parametrize(
    ("low", "high", "error"), list(product((-0.02, 0.0005, 0.011), (0.0009, 0.02), (0.0, 1e-4, 0.01)))
)
def test_two_monte_carlo_errors_can_change_a_close_call(low, high, error):
    if low > high:
        return
    assessment = Assessment(ALIKE, SMALL, Difference((low + high) / 2, low, high, error))
    moved = [
        Assessment(ALIKE, SMALL, Difference(0.0, low + 2 * a * error, high + 2 * b * error)).verdict()
        for a, b in product((-1, 1), repeat=2)
    ]
    assert assessment.close_call() == any(each != assessment.verdict() for each in moved)


def test_an_uncertain_difference_that_changes_nothing_is_no_close_call():
    uncertain = Difference(0.1, 0.001, 0.2, error=0.01)
    assert Assessment(ALIKE, NEITHER, uncertain).close_call()
    assert not Assessment(ALIKE, UP, uncertain).close_call()  # better in any assessment
    assert not Assessment(ALIKE, UNKNOWN, UNKNOWN).close_call()
    assert not Assessment(ALIKE, NEITHER, uncertain, identical=True).close_call()


@pytest.mark.parametrize(
    ("assessment", "said", "unsaid"),
    [
        (
            Assessment(ALIKE, NEITHER, UP),
            ["much as C does (tau .950, from .920 to .970) and separates more pairs"],
            ["consistent "],
        ),
        (
            Assessment(OTHER, UP, UP),
            ["differently from C (tau .700, from .600 to .800, below .9)"],
            ["much as"],
        ),
        (
            Assessment(OPEN, UP, UP),
            ["may rank the systems as C does (tau .920, from .880 to .950: on both sides of .9)"],
            ["much as"],
        ),
        (Assessment(ALIKE, DOWN, UP), ["separates more pairs", "but is less consistent"], []),
        (Assessment(ALIKE, DOWN, DOWN), ["separates fewer pairs", "and is less consistent"], ["more"]),
        (
            Assessment(Tau(1.0, 1.0, 1.0), SMALL, SMALL),
            ["exactly as C does (tau 1)", "equally consistent and discriminating, within .01"],
            ["more"],
        ),
        (
            Assessment(Tau(None), NEITHER, NEITHER),
            ["tau is undefined", "no evidence of a difference in power"],
            ["much as"],
        ),
        (Assessment(ALIKE, UNKNOWN, UNKNOWN), ["(+.200, no interval)"], ["more consistent", "more pairs"]),
        (Assessment(Tau(0.89996, 0.8, 0.89997), UP, NEITHER), ["tau .89996, from .800 to .900, below .9"], []),
        (Assessment(Tau(0.95), UP, NEITHER), ["may rank the systems as C does (tau .950, no interval)"], ["much as"]),
        (Assessment(ALIKE, UP, UP, identical=True), ["is identical to C"], ["tau"]),
        (Assessment(ALIKE, NEITHER, Difference(0.1, 0.001, 0.2, 0.01)), ["Close call: another seed"], []),
    ],
)
def test_sentences_agree_with_the_numbers(assessment, said, unsaid):
    text = verdict_sentence("M", "C", assessment)
    assert text.startswith("M ")
    assert text.endswith(".")
    assert all(part in text for part in said), text
    assert not any(part in text for part in unsaid), text


def test_figures_are_never_rounded_to_zero():
    assert figure(0.0004) == ".0004"
    assert figure(-0.25, sign=True) == "-.250"
    assert figure(1.5) == "1.500"
    assert figure(-0.0) == "0"
