"""Tables fit the terminal, whatever is in them; what does not fit is left out by importance, and said."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metameter.view.tables.terminal import to_terminal
from metameter.view.tables.wrapping import cells_wide, wrapped, wrapped_lines

WIDTHS = [20, 40, 80, 120, 1000]


def widest(text: str) -> int:
    return max(map(cells_wide, text.split("\n")))


def headings(text: str) -> set[str]:
    """The words above the rule."""
    lines = text.split("\n")
    rule = next(number for number, line in enumerate(lines) if line.startswith("─"))
    return set(" ".join(lines[:rule]).split())


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"name": ["n" * 300], **{f"x{i}": [i + 0.12345] for i in range(8)}}),
        pl.DataFrame({"system": [f"system-{i}" for i in range(129)], **{f"m{i}": [0.5] * 129 for i in range(40)}}),
        pl.DataFrame({"system": ["検索" * 30, "e\u0301" * 90, "한국어 검색"], "mean": [0.5, 1e6, -2.0]}),
        pl.DataFrame({"x": [1e300]}),
        pl.DataFrame({f"INST(T=2.25)@{k}*PE(beta=0.5)": [0.5] for k in range(10, 20)}),
        pl.DataFrame({"metric_a": ["INST(T=2.25)@10*PE(beta=0.5)"], "metric_b": ["a" * 40], "tau": [0.25]}),
        pl.DataFrame({"what": ["one sentence of many words " * 9], "fix": ["another " * 30]}),
        pl.DataFrame({"x": range(3000)}),
    ],
)
def test_every_table_fits_every_terminal(frame, width):
    assert widest(to_terminal(frame, width=width)) <= width


cells = st.lists(st.text(max_size=60), min_size=2, max_size=2)
figures = st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=2)


@given(st.dictionaries(st.text(min_size=1, max_size=30), st.one_of(cells, figures), min_size=1), st.integers(20, 130))
def test_a_table_of_any_content_fits(columns, width):
    assert widest(to_terminal(pl.DataFrame(columns), width=width)) <= width


@given(st.text(max_size=200), st.integers(2, 60))
def test_wrapping_loses_only_blanks(text, width):
    lines = wrapped(text, width)
    assert all(cells_wide(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_numbers_are_never_cut_but_names_are_folded():
    frame = pl.DataFrame({"name": ["n" * 100], **{f"x{i}": [i + 0.12345] for i in range(8)}})
    text = to_terminal(frame, width=90)
    assert text.count("n") >= 100
    for i in range(8):
        assert f"{i + 0.12345:.4f}" in text


def test_omitted_columns_are_counted_and_named_if_possible():
    frame = pl.DataFrame({"metric": ["AP"], **{f"figure_{i}": [0.5] for i in range(9)}})
    assert to_terminal(frame, width=75).split("\n")[-1] == "1 more column (figure_8): --format csv"
    assert to_terminal(frame, width=30).split("\n")[-1] == "7 more columns: --format csv"
    assert "more column" not in to_terminal(frame, width=120)
    assert to_terminal(frame, width=120, unshown=["seed"]).endswith("1 more column (seed): --format csv")


def test_a_wider_terminal_shows_more_columns():
    frame = pl.DataFrame({"metric": ["AP"], **{f"figure{i}": [0.5] for i in range(20)}})
    assert len(headings(to_terminal(frame, width=120))) > len(headings(to_terminal(frame, width=80)))


def test_important_columns_are_kept_wherever_they_are():
    frame = pl.DataFrame({"metric": ["AP"], **{f"figure{i}": [0.5] for i in range(20)}, "verdict": ["better"]})
    shown = headings(to_terminal(frame, width=40, first=["metric", "verdict"]))
    assert {"metric", "verdict"} <= shown


def test_monte_carlo_errors_are_dropped_before_whole_intervals():
    frame = pl.DataFrame({"metric": ["AP"], "mean": [0.5], "se": [0.1], "low": [0.2], "high": [0.7], "p": [0.05]})
    assert headings(to_terminal(frame, width=42)) == {"metric", "mean", "low", "high", "p"}
    assert headings(to_terminal(frame, width=27)) == {"metric", "mean", "p"}


def test_names_are_folded_before_the_answer_is_dropped():
    frame = pl.DataFrame({"metric_a": ["a" * 30], "metric_b": ["b" * 30], "tau": [0.25]})
    assert "0.2500" in to_terminal(frame, width=40)


def test_long_tables_show_their_first_rows():
    text = to_terminal(pl.DataFrame({"x": range(3000)}), width=40)
    assert text.split("\n")[-2:] == [" 39", "... and 2,960 more rows: --format csv"]
    assert "more rows" not in to_terminal(pl.DataFrame({"x": range(200)}), width=40)


def test_sentences_are_wrapped_between_words_with_their_indent():
    assert wrapped_lines("notice: one two\n  three four", 10) == "notice:\none two\n  three\n  four"


def test_both_columns_of_a_pair_are_shown_or_neither():
    frame = pl.DataFrame({"simple": ["p"], "tau": [0.5], "correct_a": [7], "correct_b": [3], "cases": [100]})
    assert headings(to_terminal(frame, width=31)) == {"simple", "tau", "cases"}
    assert headings(to_terminal(frame, width=44)) == {"simple", "tau", "correct", "a", "b", "cases"}


def test_less_important_columns_do_not_replace_needed_ones():
    names = {name: ["better-but-different"] for name in ("metric", "verdict", "canonical")}
    frame = pl.DataFrame({**names, "tau": [0.5], "consistency_difference": [0.25]})
    shown = headings(to_terminal(frame, width=60, first=[*names, "consistency_difference"]))
    assert shown == {"metric", "verdict", "compared", "with", "consistency", "difference"}


@pytest.mark.parametrize("width", range(20, 60, 3))
def test_wins_ties_and_losses_are_shown_together(width):
    frame = pl.DataFrame({"system": ["a"], "mean": [0.5], "wins": [1], "ties": [2], "losses": [3], "effect": [0.1]})
    counts = {"wins", "ties", "losses"}
    assert headings(to_terminal(frame, width, first=["system", "mean", *counts])) & counts in (set(), counts)


def test_empty_error_columns_take_no_room():
    frame = pl.DataFrame({"system": ["a"], "baseline": ["b"], "p": [0.5], "p_error": [None]})
    assert "error" in headings(to_terminal(frame, 40))
    narrow = to_terminal(frame, 24, first=["system", "p"], elsewhere="x")
    assert headings(narrow) == {"system", "p"}
    assert narrow.endswith("2 more columns: x")
    assert "wins" in headings(to_terminal(frame.with_columns(wins=None), 24, first=["system", "p"]))
