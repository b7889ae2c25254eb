"""Stability and agreement with users side by side: the sentences claim what the tables show, and no more."""

import numpy as np
import polars as pl
import pytest

import metameter
from metameter.meta.framework.declarations import declarations
from metameter.meta.recommend.procedure import recommend
from metameter.meta.satisfaction.procedure import Satisfaction
from metameter.meta.tradeoff.procedure import tradeoff, tradeoff_of
from metameter.meta.tradeoff.tables import tradeoff_rows
from metameter.meta.tradeoff.text import answer, how_sure, notes, outcome
from metameter.types import Scores

ERG, MAX = "RBP(p=0.8)*ERG", "RBP(p=0.8)*max"
METRICS = [ERG, MAX, "RR", "AP"]
OPTIONS = {"systems": 20, "level": "study", "collections": 1, "simple": [], "others": "other topics", "alpha": 0.05}
FIGURES = {"metric": METRICS, "consistency": [0.87, 0.79, 0.6, 0.86], "power": [0.6, 0.4, 0.2, 0.61]}
STABLE = pl.DataFrame({**FIGURES, "consistency_group": list("abca"), "power_group": list("abca")})
LEVEL = pl.DataFrame({**FIGURES, "consistency_group": ["a"] * 4, "power_group": ["a"] * 4})
UNKNOWN = STABLE.with_columns(pl.lit(None, pl.String).alias(name) for name in ("consistency_group", "power_group"))


def users(taus, beats, beaten_by, metrics=METRICS):
    columns = {"metric": metrics, "concordance": taus, "beats": beats, "beaten_by": beaten_by}
    table = pl.DataFrame(columns, schema_overrides={"concordance": pl.Float64})
    figure = pl.col("concordance")
    ends = {"concordance_low": figure - 0.02, "concordance_high": figure + 0.02}
    return table.with_columns(**ends, tau_b=figure / 2, ties=pl.lit(0.1), normalised_by_page=pl.lit(False))


MAX_AHEAD = users([0.33, 0.447, 0.3, 0.2], [1, 3, 1, 0], [1, 0, 1, 3])
NULL = users([0.03, 0.01, 0.0, 0.02], [0] * 4, [0] * 4)


def told(stable, satisfied=None, preferred=None, **options):
    table = tradeoff_rows(stable, satisfied, preferred, options.get("simple", []))
    return answer(table, {**OPTIONS, **options})


def test_the_table_names_the_leaders():
    table = tradeoff_rows(STABLE, MAX_AHEAD)
    assert table["metric"].to_list() == METRICS
    assert table["consistency_leader"].to_list() == [True, False, False, True]
    assert table["power_leader"].to_list() == [True, False, False, True]
    assert table["satisfaction_leader"].to_list() == [False, True, False, False]
    assert table["satisfaction_beaten_by"].to_list() == [1, 0, 1, 3]
    assert not [name for name in table.columns if name.startswith("preference")]


def test_no_metric_exceeds_the_front_in_all_figures():
    rng = np.random.default_rng(3)
    consistency, power, satisfied, preferred = rng.random((4, 30))
    names = [f"m{number}" for number in range(30)]
    groups = {"consistency_group": ["a"] * 30, "power_group": ["a"] * 30}
    metrics = pl.DataFrame({"metric": names, "consistency": consistency, "power": power, **groups})
    given = (users(each, [0] * 30, [0] * 30, names) for each in (satisfied, preferred))
    every = np.stack([consistency, power, satisfied, preferred], axis=1)
    expected = [not any((other > own).all() for other in every) for own in every]
    assert tradeoff_rows(metrics, *given)["front"].to_list() == expected
    assert 0 < sum(expected) < 30


def test_a_trade_off_is_described_with_its_figures():
    agreeing, stable, sure = told(STABLE, MAX_AHEAD)
    assert agreeing == (
        f"No metric leads both in stability and in agreement with users: {MAX} agrees best with users: "
        "concordance .447 with satisfaction (95% interval .427 to .467; shown to be above 3 of the other 3); but "
        f"{ERG} is shown to be more consistent (.87 against .79), and AP is shown to tell more pairs of systems apart "
        "(61% against 40%)."
    )
    # Of those that lead in stability, the one that gives up least.
    assert stable == (
        f"Nothing is shown to exceed {ERG} in stability (consistency .87, power 60%); but 1 of the other 3 metrics is "
        "shown to agree better with satisfaction than it does (concordance .330, 95% interval .310 to .350)."
    )
    assert sure.startswith("How sure: what is shown of users holds together at the 5% level")


def test_two_metrics_are_called_one_and_the_other():
    two = [pl.DataFrame(each[:2]) for each in (STABLE, MAX_AHEAD.with_columns(beats=pl.Series([0, 1, 0, 0])))]
    agreeing, stable, _ = told(*two)
    assert "shown to be above the other); but" in agreeing
    assert f"{ERG} is shown to be more consistent (.87 against .79) and to tell more pairs of systems" in agreeing
    assert "; but the other metric is shown to agree better" in stable


def test_one_metric_can_lead_in_both():
    first, *_ = told(STABLE, users([0.45, 0.447, 0.3, 0.2], [2, 2, 1, 0], [0, 0, 2, 3]))
    assert first.startswith("No trade-off between stability and users is shown: nothing is shown to exceed")
    assert f"exceed {ERG} in consistency" in first
    assert "concordance .450 with satisfaction" in first


@pytest.mark.parametrize(
    ("stable", "says"),
    [
        (STABLE, "Metrics differ in stability alone."),
        (LEVEL, "Nor is any shown to be more consistent, or to tell more systems apart."),
        (UNKNOWN, "Nor is anything shown of stability, for want of intervals."),
    ],
)
def test_null_labels_favour_no_metric(stable, says):
    assert told(stable, NULL, NULL) == [
        "No metric is shown to agree better with users' satisfaction or preference than another (highest: "
        f"{ERG}, concordance .030 with satisfaction, 95% interval .010 to .050; "
        f"{ERG}, concordance .030 with preference, 95% interval .010 to .050). {says}"
    ]


def test_an_unproven_maximum_is_not_called_best():
    sentences = told(LEVEL, users([0.33, 0.447, 0.44, 0.2], [1, 1, 1, 0], [0, 0, 0, 3]))
    assert not [each for each in sentences if "best" in each]
    assert sentences[0].startswith(f"No metric is shown to agree better with users than {MAX}: concordance .447")
    assert sentences[0].endswith(f"above 1 of the other 3). Not told apart from it: RR, {ERG}.")
    assert sentences[1].startswith("In stability no metric is shown to exceed another")


def test_a_coarse_metric_does_not_lead_by_its_ties():
    rng = np.random.default_rng(4)
    grades = rng.integers(0, 4, (600, 5)).tolist()
    labels = [int(np.clip(np.dot([4, 2, 1, 1, 1], each) // 4 + rng.integers(-3, 4), 0, 6)) for each in grades]
    pages = [{"grades": each, "satisfaction": label} for each, label in zip(grades, labels, strict=True)]
    found = metameter.satisfaction(pages, ["Prec@5*max", ERG], max_grade=3, resamples=100)
    coarse, fine = found.table.iter_rows(named=True)
    assert coarse["ties"] > 0.5 > fine["ties"]
    assert fine["concordance"] > coarse["concordance"]
    assert found.answer()[0].startswith(f"Agreement with satisfaction: {ERG}, which orders")


def test_metrics_normalised_by_the_page_have_no_user_figure():
    pages = metameter.simulate_pages(300, pairs=0, seed=2).rows
    names = ["nDCG@5", "R@100", MAX, ERG]
    found = metameter.satisfaction(pages, names, max_grade=3, resamples=100)
    assert found.table["normalised_by_page"].to_list() == [True, True, False, False]
    kept = found.of_any_list()
    assert kept["metric"].to_list() == [MAX, ERG]
    assert kept["beats"].to_list() == [1, 0]
    assert kept["beaten_by"].to_list() == [0, 1]
    figures = {"metric": names, "consistency": [0.9, 0.8, 0.7, 0.6], "power": [0.6, 0.5, 0.4, 0.3]}
    table = tradeoff_rows(
        pl.DataFrame({**figures, "consistency_group": list("abcd"), "power_group": list("abcd")}), kept
    )
    assert table["satisfaction"].is_null().to_list() == [True, True, False, False]
    assert table["satisfaction_leader"].to_list() == [None, None, True, False]
    first, *_, unknown, _ = answer(table, OPTIONS)
    assert first.startswith(
        "None of the 2 metrics with a figure for users leads both in stability and in agreement with users: "
        f"{MAX} agrees best with users"
    )
    assert "R@100" not in first
    assert unknown == "No figure for users: nDCG@5, R@100; how they agree with users is not known."
    noted = " ".join(notes(table, {"normalised_by_page": ["nDCG@5", "R@100"]}))
    assert (
        "normalised by the page itself and so are other metrics than those of these names here: nDCG@5, R@100." in noted
    )
    assert "constant" not in noted


def test_an_exceeded_simple_metric_makes_no_other_metric_best():
    # Two of those that MAX exceeds, one of them simple: the third, AP, it does not.
    given = users([0.33, 0.447, 0.3, 0.44], [0, 2, 0, 1], [1, 0, 2, 0])
    sentences = told(STABLE, given, simple=["RR"])
    assert not [each for each in sentences if "best" in each]
    table = tradeoff_rows(STABLE, given, simple=["RR"])
    assert table["consistency_leader"].to_list() == [True, False, None, True]


def test_unknown_figures_give_no_claim():
    table = tradeoff_rows(UNKNOWN, MAX_AHEAD)
    assert table["consistency_leader"].to_list() == [None] * 4
    assert any("Of stability nothing is shown" in each for each in told(UNKNOWN, MAX_AHEAD))
    without = MAX_AHEAD.with_columns(beats=pl.lit(None, pl.Int64), beaten_by=pl.lit(None, pl.Int64))
    assert told(STABLE, without)[0].startswith("Of users' satisfaction nothing is shown, for want of intervals")
    none = users([None] * 4, [0] * 4, [0] * 4)
    assert told(STABLE, none)[0].startswith("No metric here could be compared with users' satisfaction.")


def test_a_constant_metric_leads_nowhere():
    table = tradeoff_rows(STABLE, users([None, 0.4, 0.3, 0.2], [0, 2, 1, 0], [0, 0, 1, 2]))
    assert table["satisfaction_leader"].to_list() == [None, True, False, False]
    assert table["front"].to_list()[0] is None
    assert table["satisfaction_beats"].to_list()[0] is None


def test_canonical_spellings_join_metrics_and_pages():
    renamed = STABLE.with_columns(pl.col("metric").replace(ERG, "RBP(p=0.8)"))
    table = tradeoff_rows(renamed, MAX_AHEAD)
    assert table["metric"].to_list() == ["RBP(p=0.8)", *METRICS[1:]]
    assert table["satisfaction"].to_list() == MAX_AHEAD["concordance"].to_list()
    foreign = tradeoff_rows(STABLE.with_columns(pl.col("metric").replace(ERG, "somebody's")), MAX_AHEAD)
    assert foreign["satisfaction"].to_list()[0] is None


def test_two_kinds_of_labels_can_disagree():
    sentences = told(STABLE, MAX_AHEAD, users([0.4, 0.3, None, 0.39], [1, 0, 0, 1], [0, 2, 0, 0]))
    assert f"{MAX} agrees best with users: concordance .447 with satisfaction" in sentences[0]
    assert any("agree better with preference than it does" in each for each in sentences)


def test_two_agreeing_kinds_of_labels_give_one_sentence():
    sentences = told(STABLE, MAX_AHEAD, MAX_AHEAD)
    assert len(sentences) == 3
    assert "concordance .447 with satisfaction" in sentences[0]
    assert "and concordance .447 with preference" in sentences[0]


def test_an_outcome_is_a_short_phrase():
    level = users([0.45, 0.447, 0.3, 0.2], [2, 2, 1, 0], [0, 0, 2, 3])
    given = [
        (STABLE, MAX_AHEAD, "no metric leads in both"),
        (STABLE, level, "one metric leads in both"),
        (LEVEL, MAX_AHEAD, "only users tell metrics apart"),
        (STABLE, NULL, "only stability tells metrics apart"),
        (LEVEL, NULL, "nothing tells metrics apart"),
    ]
    assert [outcome(tradeoff_rows(*tables)) for *tables, _ in given] == [says for *_, says in given]


def test_the_statement_of_confidence_names_what_it_covers():
    assert "in all 3 collections" in how_sure({**OPTIONS, "collections": 3})
    assert "each comparison is tested separately" in how_sure({**OPTIONS, "level": "row"})
    assert "for other systems." in how_sure({**OPTIONS, "others": "other systems"})
    # Of several collections it is said once, for all of them.
    assert not [each for each in told(STABLE, MAX_AHEAD, collections=3) if each.startswith("How sure")]


@pytest.fixture(scope="module")
def recommended():
    rng = np.random.default_rng(1)
    noise = np.array([0.05, 0.4, 1.0])[:, None, None]
    values = np.linspace(0, 0.6, 8)[:, None] + noise * rng.normal(size=(3, 8, 20))
    scores = Scores((ERG, MAX, "RR"), tuple("abcdefgh"), tuple(map(str, range(20))), values)
    return scores, recommend(scores, splits=60, trials=100, resamples=200)


def result(taus, beats, beaten_by, **options):
    table = users(taus, beats, beaten_by, [ERG, MAX, "RR"])
    exceeds = np.array([[(mine or 0) > (theirs or 0) for theirs in beats] for mine in beats])
    return Satisfaction({"satisfaction": table}, {"options": {"alpha": 0.05, "resamples": 100, **options}}, (), exceeds)


def test_the_stage_joins_recommendation_and_labels(recommended):
    scores, stable = recommended
    made = tradeoff_of(scores, stable, satisfaction=result([0.3, 0.45, 0.2], [1, 2, 0], [1, 0, 2]))
    metrics = stable.tables["metrics"]
    assert made.table["consistency"].to_list() == metrics["consistency"].to_list()
    assert made.table["power"].to_list() == metrics["power"].to_list()
    assert made.table["satisfaction_leader"].to_list() == [False, True, False]
    # Its figures are steadier by design, and the recommendation shows it.
    assert made.table["consistency_leader"].to_list() == [True, False, False]
    assert any(f"{scores.names[ERG]} is shown to be more consistent" in each for each in made.answer())
    assert made.manifest["options"]["made_from"] == ["satisfaction"]
    assert not [name for name in made.readable().columns if name.endswith(("_group", "_beats"))]
    assert scores.names[ERG].replace("_", r"\_") in made.to_latex()
    assert set(made.table.columns) <= set(declarations()["tradeoff"].words.columns)


def test_without_label_resamples_users_show_no_difference(recommended):
    scores, stable = recommended
    made = tradeoff_of(scores, stable, satisfaction=result([0.3, 0.45, 0.2], [None] * 3, [None] * 3))
    assert made.table["satisfaction_leader"].to_list() == [None] * 3
    assert "nothing is shown, for want of intervals" in made.answer()[0]
    assert made.charts()


def test_missing_labels_are_refused(recommended):
    with pytest.raises(metameter.MetameterError, match="there are no labels of users"):
        tradeoff(recommended[0])


def test_the_stage_follows_the_recommendation():
    declared = declarations()["tradeoff"]
    assert declared.needs == ("scores", "recommendation")
    assert declared.uses == ("satisfaction", "preference")
    assert list(declarations())[:3] == ["compare", "recommendation", "tradeoff"]


def test_a_metric_without_one_kind_of_label_is_named():
    preferred = users([0.33, 0.447, None, 0.2], [1, 2, None, 0], [1, 0, None, 2])
    sentences = told(STABLE, MAX_AHEAD, preferred)
    assert "No figure for preference: RR; how it agrees with preference is not known." in sentences
    assert sentences[0].startswith("None of the 3 metrics with figures of all kinds of labels leads both in stability")


@pytest.mark.parametrize("without", ["figures", "intervals"])
def test_null_labels_do_not_hide_a_leader_in_both(without):
    leads = users([0.45, 0.40, 0.3, 0.2], [3, 1, 0, 0], [0, 1, 2, 1])
    silent = leads.with_columns(beats=pl.lit(None, pl.Int64), beaten_by=pl.lit(None, pl.Int64))
    if without == "figures":
        empty = [
            pl.lit(None, pl.Float64).alias(name) for name in ("concordance", "concordance_low", "concordance_high")
        ]
        silent = silent.with_columns(empty)
    alone, both = told(STABLE, leads)[0], told(STABLE, leads, silent)[0]
    assert alone.startswith(f"No trade-off between stability and users is shown: nothing is shown to exceed {ERG}")
    assert both.startswith(f"No trade-off between stability and users is shown: nothing is shown to exceed {ERG}")
    assert "no preference" not in both
    table = tradeoff_rows(STABLE, leads, silent)
    assert outcome(table) == "one metric leads in both"


def with_judged(table, **figures):
    """The table with a diagnostic that is highest in everything and shown to beat all others."""
    return pl.concat([table, pl.DataFrame({"metric": ["Judged@100"], **figures})], how="diagonal_relaxed")


LEFT_OUT = "Judged@100 is a diagnostic: it does not depend on relevance, so it is left out."


@pytest.mark.parametrize("agreeing", [MAX_AHEAD, users([0.45, 0.447, 0.3, 0.2], [2, 2, 1, 0], [0, 0, 2, 3])])
@pytest.mark.parametrize("own", ["a", "z"])
def test_a_diagnostic_competes_in_nothing(agreeing, own):
    stable = with_judged(STABLE, consistency=[0.99], power=[0.99], consistency_group=[own], power_group=[own])
    without, sentences = told(STABLE, agreeing), told(stable, agreeing)
    assert [each for each in sentences if each != LEFT_OUT] == without
    assert LEFT_OUT in sentences
    assert "Judged@100" not in "".join(without)
    table = tradeoff_rows(stable, agreeing)
    assert table.head(4).equals(tradeoff_rows(STABLE, agreeing))
    last = table.row(4, named=True)
    assert [last[name] for name in ("consistency_leader", "power_leader", "front")] == [None] * 3
    assert last["consistency"] == 0.99
    assert not any("Judged" in each for each in notes(table, OPTIONS))
    assert outcome(table) == outcome(tradeoff_rows(STABLE, agreeing))


def test_a_diagnostic_with_labels_counts_among_no_metrics():
    table = users([0.4, 0.3, 0.9], [1, 0, 2], [1, 2, 0], [ERG, MAX, "NumRet"])
    exceeds = np.array([[False, True, False], [False] * 3, [True, True, False]])
    comparable = Satisfaction({"satisfaction": table}, {"options": {}}, (), exceeds).of_any_list()
    assert comparable["metric", "beats", "beaten_by"].rows() == [(ERG, 1, 0), (MAX, 0, 1)]


def test_diagnostics_alone_give_no_leader():
    alone = with_judged(STABLE.clear(), consistency=[0.9], power=[0.9], consistency_group=["a"], power_group=["a"])
    sentences = told(alone, users([None], [0], [0], ["Judged@100"]))
    assert sentences == [
        "No metric here could be compared with users' satisfaction. "
        "Nor is anything shown of stability, for want of intervals.",
        LEFT_OUT,
    ]


FEW = "{} systems are too few to judge metrics by consistency, power, similarity or depth: that takes 5 or more."


@pytest.mark.parametrize("systems", [2, 4])
def test_few_systems_leave_out_stability(systems):
    rng = np.random.default_rng(1)
    noise = np.array([0.05, 0.4, 1.0])[:, None, None]
    values = np.linspace(0, 0.6, systems)[:, None] + noise * rng.normal(size=(3, systems, 20))
    scores = Scores((ERG, MAX, "RR"), tuple("abcd"[:systems]), tuple(map(str, range(20))), values)
    stable = recommend(scores, splits=20, trials=20, resamples=20)
    made = tradeoff_of(scores, stable, satisfaction=result([0.3, 0.45, 0.2], [1, 2, 0], [1, 0, 2]))
    for name in ("consistency", "power", "consistency_leader", "power_leader", "front"):
        assert made.table[name].to_list() == [None] * 3
    assert made.answer() == [
        f"{MAX} agrees best with users: concordance .450 with satisfaction (95% interval .430 to .470; shown to be "
        "above 2 of the other 2).",
        FEW.format(systems),
        "How sure: what is shown of users holds together at the 5% level, for other users or pages.",
    ]
    assert made.charts() == {}
    null = tradeoff_of(scores, stable, satisfaction=result([0.3, 0.45, 0.2], [0] * 3, [0] * 3))
    assert null.answer()[1:] == [FEW.format(systems)]
    assert null.answer()[0].startswith("No metric is shown to agree better with users' satisfaction than another")
    assert null.answer()[0].endswith("to .470).")
    across = declarations()["tradeoff"].across({"one": made, "two": made}).sentences
    assert across[1] == "How sure: what is shown of users holds together at the 5% level, for other users or pages."


def test_five_to_nine_systems_have_a_warning():
    [warning] = [each for each in told(STABLE, MAX_AHEAD, systems=7) if each.startswith("Warning")]
    assert warning.startswith("Warning: 7 systems are few")
