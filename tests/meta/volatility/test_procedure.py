"""What a terminal shows of the curves: what is left out is said, and the depth to which marks refer stays."""

import re

import pytest

import metameter

DEPTHS = [1, 2, 3, 5, 10, 20, 30, 40, 50]


@pytest.fixture(scope="module")
def result():
    docs = [f"d{number:02}" for number in range(50)]
    runs = {
        name: {"1": {doc: float(50 - rank) for rank, doc in enumerate(order)}}
        for name, order in (("s", docs), ("t", docs[::-1]))
    }
    qrels = {"1": {doc: int(number % 3 == 0) for number, doc in enumerate(docs)}}
    return metameter.volatility(qrels, runs, ["AP"], depths=DEPTHS, condensed="no", resamples=0)


@pytest.mark.parametrize("width", [60, 80, 160])
def test_every_depth_is_shown_or_named_as_left_out(result, width):
    text = result.text(width=width)
    assert "@50" in text.splitlines()[0].split()
    assert {int(depth) for depth in re.findall(r"@(\d+)", text)} == set(DEPTHS) - {40}
    assert "1 more depth (40): --format csv" in text


def test_the_summary_names_the_depths_left_out(result):
    assert result.text("volatility_summary").endswith("1 more depth (40): --table volatility_summary --format csv")
    assert result.text(format="markdown").endswith("\n\n1 more depth (40): --format csv")
    assert "more depth" not in result.text(format="csv")
    assert "more depth" not in result.text("marked")
