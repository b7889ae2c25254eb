"""What is shown of scores that go into a file."""

import numpy as np
import pytest

from metameter.scoring.table import score_table
from metameter.types import Scores
from metameter.view.presentation import files_sentence


@pytest.fixture
def many():
    systems = tuple(f"s{number}" for number in range(30))
    return Scores(("AP", "RR"), systems, ("1", "2", "3"), np.full((2, 30, 3), 0.5))


def test_a_terminal_shows_the_means_of_some_systems(many):
    table = score_table(many, file="scores.csv")
    shown = table.text(format="table", width=80)
    assert len(shown.splitlines()) == 22
    said = files_sentence(table, "scores.csv")
    assert said.startswith("Written to scores.csv: 180 rows, 2 metrics x 30 systems x 3 topics.")
    assert "first 20 systems" in said
    assert len(table.text(format="csv").splitlines()) == 181


def test_a_pipe_gets_rows_unless_a_file_does(many):
    assert score_table(many).command_output.piped_format == "csv"
    assert score_table(many, file="scores.csv").command_output.piped_format == "table"
    assert score_table(many, mean=True, file="scores.csv").command_output.piped_format == "csv"


def test_many_rows_are_cut_with_a_hint():
    scores = Scores(("AP",), ("a",), tuple(map(str, range(1000))), np.full((1, 1, 1000), 0.5))
    last = score_table(scores).text(format="table", width=80).splitlines()[-1]
    assert last == "... and 960 more rows: --mean, --format csv or --out FILE"
