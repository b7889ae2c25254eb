"""The taxonomy that the code derives is Table 3 of Moffat et al. (2022), and the groups are those of the papers."""

import json
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

from metameter.browse.base import Browsing
from metameter.browse.page import Page
from metameter.cli.program import run
from metameter.meta.taxonomy.procedure import taxonomy
from metameter.metric.compose import parse_metric
from metameter.metric.examples import example
from metameter.metric.taxonomy.classification import Probes, class_of, finite_of, user_of
from metameter.metric.taxonomy.table import left_out
from metameter.parameters import number
from metameter.registry import _classes, get, names, register

# As printed: a dash is a combination that has no name.
TABLE_3 = """
      ETG       ERG        ERR        avg        max     fin
Prec  RelRet@k  Prec@k     X          Prec@k     Succ@k  -
RBP   -         RBP        X          -          -       RBP
DCG   DCG@k     SDCG@k     X          -          -       -
AP1   -         AP*,grAP   -          -          -       -
ERR   -         RR*        RR*,ERR    RR*        -       -
INST  -         INST       -          -          -       -
AP2   XX        -          -          AP*,grAP   -       XX
"""
SIGNS = {"X": "constant", "XX": "order-insensitive"}
MONOTONE = {"ETG": "non-decreasing", "ERG": "non-decreasing", "ERR": "non-increasing", "max": "non-decreasing"}
CARTERETTE = {"fin": 1, "ETG": 2, "ERR": 3, "avg": 4}


def printed():
    header, *rows = [line.split() for line in TABLE_3.strip().splitlines()]
    for browse, *cells in rows:
        for aggregate, cell in zip(header, cells, strict=True):
            yield browse, aggregate, cell


@pytest.fixture(scope="module")
def result():
    return taxonomy()


@pytest.fixture(scope="module")
def cells(result):
    return {(row["browse"], row["aggregate"]): row for row in result.table.iter_rows(named=True)}


@pytest.mark.parametrize(("browse", "aggregate", "cell"), list(printed()))
def test_the_taxonomy_matches_table_3_cell_by_cell(cells, browse, aggregate, cell):
    row = cells[browse, aggregate]
    assert row["class"] == SIGNS.get(cell, "metric")
    assert row["name"] == (None if cell in SIGNS or cell == "-" else cell.replace(",", ", "))
    assert row["monotone"] == MONOTONE.get(aggregate, "no")
    assert row["carterette"] == CARTERETTE.get(aggregate)


def test_rank_equivalent_groups_match_the_papers(result):
    groups = {}
    for group, metric, _ in result.tables["equivalent"].iter_rows():
        groups.setdefault(group, set()).add(metric)
    of_table_3 = {"Prec", "RBP", "DCG", "AP1", "AP2", "INST"}
    shown = [
        group for group in groups.values() if {parse_metric(name).model.registered_name for name in group} <= of_table_3
    ]
    assert sorted(map(sorted, shown)) == sorted(
        map(
            sorted,
            [
                {"Prec@5*ETG", "Prec@5*ERG", "Prec@5*avg"},
                {"DCG@5*ETG", "DCG@5*ERG"},
                {f"RBP(p=0.8)*{a}" for a in ("ETG", "ERG", "fin", "fgt(delta=0.8)")},
                {"AP1*ERG", "AP2*avg"},
            ],
        )
    )


def test_a_group_holds_multiples_and_names_their_base(result):
    gains = [0.25, 0, 1, 0.5, 0, 0, 1, 0.75]
    for row in result.tables["equivalent"].iter_rows(named=True):
        because = row["because"]
        if " x " in because:
            factor, _, first = because.partition(" x ")
            assert parse_metric(row["metric"])(gains) == pytest.approx(
                float(factor) * parse_metric(first)(gains), rel=1e-5
            )
        elif because.startswith("the same scores as "):
            other = parse_metric(because.removeprefix("the same scores as "))
            assert parse_metric(row["metric"])(gains) == pytest.approx(other(gains))


@pytest.mark.parametrize("name", names("browse"))
def test_the_user_type_is_the_declared_one(cells, name):
    assert cells[name, "ERG"]["user"] == get("browse", name).user


def test_the_taxonomy_states_whether_expected_depth_is_finite(cells):
    finite = {browse: row["finite"] for (browse, _), row in cells.items()}
    assert {name for name, value in finite.items() if value == "no"} == {"ERR", "RRbin"}
    assert {name for name, value in finite.items() if value == "only with @k"} == {
        *("Prec", "DCG", "Cart1", "Cart2", "NERR8", "NERR9", "SET")
    }


def test_total_gain_of_users_who_never_leave_ignores_order():
    """1 - (1 + G) times the product of 1 - r: a set of gains has one score, which Table 3 does not say."""
    literal = parse_metric("ERR*ETG")
    assert class_of(literal, Probes(longest=5)) == "order-insensitive"
    gains = np.array([0.3, 0, 0.5, 0.25])
    assert literal(gains) == pytest.approx(1 - (1 + gains.sum()) * np.prod(1 - gains))


def test_every_registered_class_is_in_the_taxonomy(result):
    assert left_out() == []
    assert set(result.table.select("browse", "aggregate").iter_rows()) == {
        (browse, aggregate) for browse in names("browse") for aggregate in names("aggregate")
    }
    assert result.table["metric"].is_unique().all()


@dataclass(frozen=True, repr=False)
class Foreseeing(Browsing):
    """A user who leaves where the next item is worse."""

    def continuation(self, page: Page):
        """Go on if the next item is as good."""
        after = np.concatenate([page.gains[..., 1:], np.zeros_like(page.gains[..., :1])], axis=-1)
        return np.where(after >= page.gains, 1.0, 0.0) * 0.5


@dataclass(frozen=True, repr=False)
class Asking(Foreseeing):
    """A user with a parameter that has neither default nor example."""

    h: float = number(low=0)


def test_a_newly_registered_model_is_in_the_taxonomy(result):
    register("browse")(Foreseeing)
    try:
        assert taxonomy().table.height == result.table.height + len(names("aggregate"))
        assert taxonomy().tables["table3"].filter(pl.col("browse") == "Foreseeing")["ERG"].to_list() == ["Foreseeing"]
    finally:
        del _classes["browse"]["Foreseeing"]
    probes = Probes(longest=5)
    assert user_of(Foreseeing(), probes) == "clairvoyant"
    assert finite_of(Foreseeing(), probes) == "yes"


def test_a_model_without_an_example_gives_a_notice():
    register("browse")(Asking)
    try:
        assert left_out() == ["Asking"]
        assert any("Asking is left out" in note for note in taxonomy().notes)
        with pytest.raises(ValueError, match="Asking has no example value for h"):
            example("browse", "Asking")
    finally:
        del _classes["browse"]["Asking"]


def test_command_prints_and_writes_tables_latex_and_chart(tmp_path, capsys):
    assert run(["taxonomy", "--out", str(tmp_path), "--figures", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["taxonomy"]
    assert list(rows[0])[:7] == ["browse", "aggregate", "class", "name", "user", "monotone", "carterette"]
    assert pl.read_csv(tmp_path / "equivalent.csv").columns == ["group", "metric", "because"]
    assert r"AP1 & $\cdot$ & AP*, grAP" in (tmp_path / "table3.tex").read_text()
    for file in ("taxonomy.csv", "taxonomy.tex", "taxonomy.html", "taxonomy.svg", "taxonomy.pdf", "manifest.json"):
        assert (tmp_path / file).stat().st_size
    assert run(["taxonomy", "--format", "markdown", "--table", "table3"]) == 0
    assert "| DCG       | DCG@k    | SDCG@k " in capsys.readouterr().out
