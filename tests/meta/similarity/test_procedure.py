from __future__ import annotations

import json
import warnings
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from metameter.errors import MetameterError
from metameter.meta.framework.metric_groups import groups, rows_of_groups
from metameter.meta.framework.metric_names import is_canonical
from metameter.meta.similarity.procedure import similarity
from metameter.metric.compose import parse_metric
from metameter.metric.presets import preset
from metameter.notices import MetameterWarning
from metameter.stats.ties import tied_codes
from metameter.types import Scores

COLUMNS = ["group", "metric_a", "metric_b", "coefficient", "statistic", "low", "high", "systems"]


def scores_of(values, names=None) -> Scores:
    values = np.asarray(values, dtype=float)
    names = names or [f"m{number}" for number in range(len(values))]
    systems = tuple(f"s{number}" for number in range(values.shape[1]))
    return Scores(tuple(names), systems, tuple(str(number + 1) for number in range(values.shape[2])), values)


@pytest.fixture(scope="module")
def random() -> Scores:
    rng = np.random.default_rng(3)
    return scores_of(rng.random((1, 25, 1)) + rng.normal(0, 0.4, (4, 25, 12)))


@pytest.fixture(scope="module")
def scored() -> Scores:
    """All of a paper's metrics on lists of graded gains."""
    rng = np.random.default_rng(5)
    grades = np.clip(np.round(rng.normal(0.8 * rng.random((12, 1, 1)) + 0.4, 1, (12, 8, 10))), 0, 3)
    names = preset("chen-sakai-2023")
    values = np.array([[[parse_metric(name)(list(page / 3)) for page in pages] for pages in grades] for name in names])
    return scores_of(values, [str(parse_metric(name)) for name in names])


def rows(result) -> dict[tuple[str, str], dict]:
    return {(row["metric_a"], row["metric_b"]): row for row in result.table.iter_rows(named=True)}


def test_kendall_matches_scipy(random):
    found = rows(similarity(random))
    means = random.means
    assert list(found) == list(combinations(random.metrics, 2))
    for (a, b), row in found.items():
        assert row["statistic"] == pytest.approx(kendalltau(means[a], means[b]).statistic, abs=1e-12)
        assert row["low"] < row["statistic"] < row["high"]
        assert row["systems"] == 25


def test_spearman_matches_scipy(random):
    for (a, b), row in rows(similarity(random, coefficient="rho")).items():
        assert row["statistic"] == pytest.approx(spearmanr(random.means[a], random.means[b]).statistic, abs=1e-12)


def test_columns_are_in_the_promised_order(random):
    assert similarity(random).table.columns[: len(COLUMNS)] == COLUMNS


def test_metrics_are_compared_within_their_browsing_model(scored):
    table = similarity(scored).table
    assert table["group"].unique(maintain_order=True).to_list() == [
        *("Prec", "DCG", "RBP(p=0.8)", "INST(T=2.25)", "AP1", "ERR")
    ]
    assert table.height == 3 * 15 + 3 * 21
    assert similarity(scored, by="all").table.height == 39 * 38 // 2


@pytest.mark.parametrize("coefficient", ["tau_b", "rho", "rbo"])
@pytest.mark.parametrize("interval", ["fieller", "bootstrap"])
def test_rank_equivalent_metrics_give_exactly_one(scored, coefficient, interval):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MetameterWarning)
        found = rows(similarity(scored, coefficient=coefficient, interval=interval, resamples=20))
    for a, b in [
        ("Prec@10*ERG", "Prec@10*ETG"),
        ("Prec@10*ERG", "Prec@10*avg"),
        ("DCG@10*ERG", "DCG@10*ETG"),
        ("RBP(p=0.8)@10*ERG", "RBP(p=0.8)@10*ETG"),
    ]:
        assert found[a, b]["statistic"] == 1.0
        if found[a, b]["interval"] != "none":
            assert (found[a, b]["low"], found[a, b]["high"]) == (1.0, 1.0)


def test_the_papers_printed_intervals_are_reproduced():
    # Figure 1, WWW3: tau .784 (580/741 + ...) among 39 runs has the interval (.684, .855).
    x = np.arange(39)
    y = x.copy()
    # Each exchange of neighbours makes one more discordant pair; tau = (741 - 2 * 80) / 741 = .784.
    swaps = 0
    while swaps < 80:
        for i in range(38):
            if y[i] < y[i + 1] and swaps < 80:
                y[[i, i + 1]] = y[[i + 1, i]]
                swaps += 1
    row = similarity(scores_of([x[:, None], y[:, None]])).table.row(0, named=True)
    assert row["statistic"] == pytest.approx(0.784, abs=5e-4)
    assert (row["low"], row["high"]) == (pytest.approx(0.684, abs=1.1e-3), pytest.approx(0.855, abs=1.1e-3))


def test_any_number_of_jobs_gives_the_same_bits(random):
    tables = [similarity(random, interval="bootstrap", resamples=200, jobs=jobs).table for jobs in (1, 2, 3)]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


def test_the_bootstrap_interval_contains_the_statistic(random):
    for row in similarity(random, interval="bootstrap", resamples=200).table.iter_rows(named=True):
        assert row["low"] <= row["statistic"] <= row["high"]
        assert 0 < row["low_se"] < 0.1


@pytest.mark.parametrize(("topics", "empty", "said"), [(4, True, "too few to resample"), (5, False, "rough")])
def test_few_topics_have_no_bootstrap_interval(random, topics, empty, said):
    few = Scores(random.metrics, random.systems, random.topics[:topics], random.values[:, :, :topics])
    result = similarity(few, interval="bootstrap", resamples=20)
    for end in ("low", "high", "low_se", "high_se"):
        assert result.table[end].is_null().to_list() == [empty] * result.table.height
    assert result.table["interval"].unique().to_list() == ["none" if empty else "bootstrap"]
    assert said in result.remark
    assert similarity(few).table["low"].null_count() == 0, "Fieller's formula does not need topics"


def test_fifteen_topics_give_no_warning():
    scores = scores_of(np.random.default_rng(0).random((2, 6, 15)))
    assert "rough" not in similarity(scores, interval="bootstrap", resamples=20).remark
    assert "rough" in similarity(scores_of(scores.values[:, :, :14]), interval="bootstrap", resamples=20).remark


def test_fiellers_intervals_do_not_depend_on_the_topics(scored):
    table = similarity(scored).table
    some = table.filter(table["statistic"].abs() < 1)
    z, half = np.arctanh(some["statistic"]), 1.959964 * np.sqrt(0.437 / (12 - 4))
    assert some["low"].to_numpy() == pytest.approx(np.tanh(z - half), abs=1e-6)
    assert some["high"].to_numpy() == pytest.approx(np.tanh(z + half), abs=1e-6)


def test_top_weighted_coefficients_have_no_formula_interval(random):
    for coefficient in ("tau_ap", "rbo"):
        result = similarity(random, coefficient=coefficient)
        assert result.table["low"].null_count() == result.table.height
        assert "bootstrap" in result.notes[0]
        assert (
            similarity(random, coefficient=coefficient, interval="bootstrap", resamples=20).table["low"].null_count()
            == 0
        )


def test_a_constant_metric_has_no_statistic_and_a_notice(random):
    values = np.concatenate([random.values[:2], np.full((1, *random.values.shape[1:]), 0.4)])
    with pytest.warns(MetameterWarning, match="m2: every system has the same mean"):
        result = similarity(scores_of(values))
    assert result.table["statistic"].is_null().to_list() == [False, True, True]
    assert result.table["low"].is_null().to_list() == [False, True, True]
    json.dumps(result.chart().to_dict(), allow_nan=False)


def test_few_systems_have_no_interval():
    result = similarity(scores_of([[[0.1], [0.2], [0.3]], [[0.1], [0.3], [0.2]]]))
    assert result.table["statistic"].item() == pytest.approx(1 / 3)
    assert result.table["low"].item() is None


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([[[0.1, np.nan], [0.2, 0.3]], [[0.1, 0.1], [0.2, 0.3]]], {}, "missing='zero' or 'drop-topic'"),
        ([[[0.1, 0.2]], [[0.1, 0.3]]], {}, "too few systems"),
        ([[[0.1], [0.2]]], {}, "no two metrics.*Score two metrics"),
        ([[[0.1], [0.2]]] * 2, {"coefficient": "tau"}, "unknown value of coefficient"),
        ([[[0.1], [0.2]]] * 2, {"interval": "exact"}, "unknown value of interval"),
        ([[[0.1], [0.2]]] * 2, {"interval": "bootstrap", "resamples": 1}, "too few resamples"),
    ],
)
def test_impossible_options_give_a_one_line_error(values, options, message):
    with pytest.raises(MetameterError, match=message) as refusal:
        similarity(scores_of(values), **options)
    assert "\n" not in str(refusal.value)


def test_single_metrics_of_several_models_are_refused():
    scores = scores_of([[[0.1], [0.2]]] * 2, ["RBP(p=0.8)*ERG", "AP1*ERG"])
    with pytest.raises(MetameterError, match="Set by to all"):
        similarity(scores, by="browse")
    assert similarity(scores).table["statistic"].item() == 1.0


def test_the_heat_map_has_a_square_for_every_ordered_pair(scored):
    chart = similarity(scored).chart().to_dict()
    assert len(chart["concat"]) == 6
    squares = [chart["datasets"][part["data"]["name"]] for part in chart["concat"]]
    assert [len(each) for each in squares] == [36, 36, 36, 49, 49, 49]
    text = json.dumps(chart)
    assert '"ERG*"' in text
    assert '"ERR*"' in text
    assert '"low"' in text


def test_odd_names_are_escaped(random):
    names = ["<b>&", "a_b%$", "q\\{}~^", "</script>"]
    result = similarity(scores_of(random.values, names))
    tex = result.to_latex()
    assert r"a\_b\%\$" in tex
    assert result.table["metric_a"][0] == "<b>&"
    assert "<b>" in json.dumps(result.chart().to_dict())


def test_latex_is_a_triangle_for_every_model():
    names = [f"RBP(p=0.8)*{part}" for part in ("ERG", "ETG", "max")] + ["Prec@5*ERG", "Prec@5*max"]
    values = np.random.default_rng(0).random((5, 9, 12))
    scores = Scores(tuple(names), tuple("abcdefghi"), tuple(map(str, range(12))), values)
    result = similarity(scores, by="browse")
    lines = result.to_latex().splitlines()
    assert [line for line in lines if "tabular}{" in line] == [r"\begin{tabular}{lcc}", r"\begin{tabular}{lc}"]
    assert lines[3] == r"RBP(p=0.8) & ERG* & ETG \\"
    value, low, high = result.table.row(1)[4:7]
    assert lines[7].replace("$", "").startswith(f"max & {value:.3f} & ")
    assert lines[8].replace("$", "").startswith(rf" & {{\scriptsize [{low:.2f}, {high:.2f}]}} & ")
    assert sum(line.count("[") for line in lines) == 4
    wide = similarity(scores_of(np.random.default_rng(1).random((10, 6, 8)), [f"m{i}" for i in range(10)]))
    assert wide.to_latex().count(r"\\") == 46


@pytest.fixture(scope="module")
def many() -> Scores:
    """The 49 metrics of two presets' size, of several browsing models and of none."""
    models = ["Prec@10", "DCG@10", "RBP(p=0.8)@10", "INST(T=2.25)@10", "RBP(p=0.95)", "RBP(p=0.5)"]
    names = [f"{model}*{part}" for model in models for part in ("ERG", "ETG", "avg", "max", "fin", "PE(beta=0.5)")]
    names += [f"nDCG@{depth}" for depth in range(1, 14)]
    return scores_of(np.random.default_rng(8).random((49, 9, 12)), names)


def test_forty_nine_metrics_stay_legible(many):
    result = similarity(many, by="all")
    chart = result.chart().to_dict()
    text = json.dumps(chart)
    assert chart["config"]["axis"]["labelFontSize"] >= 11
    # A name within a matrix of all metrics has a star of its own: the mark stands apart.
    assert text.count('"metric": "RBP(p=0.8)@10*ERG *"') == 49
    assert '"RBP(p=0.8)@10*max *"' not in text
    (panel,) = chart["concat"]
    # Slanted lettering of 11 pixels overlaps in columns narrower than 11 / sin 45 degrees.
    assert panel["width"] / 49 >= 11 / np.sin(np.pi / 4)
    assert panel["height"] / 49 >= 11


def test_latex_of_49_metrics_is_a_list(many):
    tex = similarity(many, by="all").to_latex()
    assert tex.count(r"\begin{tabular}") == 1
    assert tex.count(r"\\") == 1 + 49 * 48 // 2


def test_a_study_takes_by_from_python_command_and_file(tmp_path, monkeypatch):
    import metameter
    from metameter.cli.program import run

    monkeypatch.chdir(tmp_path)
    assert run(["simulate", "made", "--topics", "10", "--systems", "5", "--depth", "10"]) == 0
    metrics = ["AP", "RBP(p=0.8)*ERG", "RBP(p=0.8)*max"]
    few = {"splits": 10, "trials": 20, "resamples": 10, "max_grade": 3}
    qrels, runs = "made/qrels.txt", "made/runs"
    metameter.study(qrels, runs, metrics, by="all", out="python", **few)
    words = [word for name, value in few.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    named = [word for name in metrics for word in ("-m", name)]
    assert run(["study", qrels, runs, *named, "--by", "all", "--out", "words", *words]) == 0
    lines = [f"{name} = {value}" for name, value in few.items()]
    head = [f"metrics = {json.dumps(metrics)}", 'by = "all"', *lines]
    table = ["[[collection]]", f'qrels = "{qrels}"', f'runs = ["{runs}"]']
    (tmp_path / "study.toml").write_text("\n".join([*head, *table]))
    metameter.study("study.toml", out="file")
    tables = [(tmp_path / door / "similarity.csv").read_text() for door in ("python", "words", "file")]
    assert tables[0] == tables[1] == tables[2]
    assert tables[0].count(",all,") == 3
    # Metrics given by name are compared all with all without a word, too.
    metameter.study(qrels, runs, metrics, out="auto", **few)
    assert (tmp_path / "auto" / "similarity.csv").read_text() == tables[0]
    metameter.study(qrels, runs, metrics, by="browse", out="browse", **few)
    assert (tmp_path / "browse" / "similarity.csv").read_text().count(",RBP(p=0.8),") == 1
    for door, by in (("python", "all"), ("browse", "browse"), ("auto", "auto")):
        told = json.loads((tmp_path / door / "manifest.json").read_text())["options"]
        assert told["by"] == by


def test_unknown_groupings_of_a_study_are_refused(tmp_path):
    import metameter

    made = metameter.simulate(topics=6, systems=3, depth=5, documents=50, seed=1)
    with pytest.raises(
        MetameterError, match=r"unknown value of by \(given 'al'\)\. Did you mean all\? Known: all, auto, browse"
    ):
        metameter.study(made.qrels, made.runs, ["AP", "RR"], by="al", out=tmp_path / "study")


@pytest.mark.realdata
@pytest.mark.parametrize(("stem", "systems"), [("adhoc5", 61), ("adhoc6", 74), ("web2010", 88), ("web2011", 62)])
def test_real_matrices_run_unchanged(data, stem, systems):
    from metameter.read.scores import read_scores

    scores = read_scores(sorted((data / "score-matrices").glob(f"{stem}_*.csv")))
    table = similarity(scores).table
    assert table["systems"].unique().to_list() == [systems]
    for row in table.iter_rows(named=True):
        # Means that are equal on paper differ in their last bits: scipy needs to be told.
        places = [tied_codes(scores.means[row[side]]) for side in ("metric_a", "metric_b")]
        assert row["statistic"] == pytest.approx(kendalltau(*places).statistic, abs=1e-12)


def known_taus(systems=80, noises=(0.04, 0.04, 3.0)):
    """Three metrics, the first two of which rank the systems alike, and the third at random."""
    rng = np.random.default_rng(6)
    return scores_of(np.linspace(0, 1, systems)[:, None] + np.stack([rng.normal(0, n, (systems, 10)) for n in noises]))


@pytest.mark.parametrize(
    ("interval", "basis"),
    [("fieller", "Fieller's intervals for other systems"), ("bootstrap", "intervals for other topics")],
)
def test_the_conclusion_names_metrics_that_rank_alike(interval, basis):
    result = similarity(known_taus(), interval=interval, resamples=100)
    assert result.table["alike"].to_list() == [True, False, False]
    said = (
        "Shown to rank the systems nearly alike (tau_b of 0.9 or more): m0 and m1. Shown not to: 2 pairs of 3; "
        f"neither is shown for 0. Based on {basis} that hold for all 3 pairs at once (95%)."
    )
    assert result.conclusion() == [said]
    assert result.conclusion()[-1] == said


def test_pairs_are_judged_simultaneously():
    scores = known_taus(noises=[0.08] * 12)
    result = similarity(scores)
    alone = (result.table["low"] >= 0.9).sum()
    assert alone > result.table["alike"].sum() > 0
    assert (
        f"Shown to rank the systems nearly alike (tau_b of 0.9 or more): {result.table['alike'].sum()} of 66 pairs"
        in (result.conclusion()[0])
    )


def test_only_multiples_are_alike_among_few_systems():
    values = np.linspace(0, 1, 5)[:, None] + np.zeros((3, 5, 6))
    values[1] = 2 * values[0]
    values[2] = values[0] ** 2
    result = similarity(scores_of(values))
    assert result.table["statistic"].to_list() == [1.0, 1.0, 1.0]
    assert result.table["alike"].to_list() == [True, None, None]
    first, warning = result.conclusion()
    assert first.startswith("Shown to rank the systems nearly alike (tau_b of 0.9 or more): m0 and m1. Shown not to: 0")
    assert warning.startswith("Warning: 5 systems are few")


@pytest.mark.parametrize("options", [{}, {"interval": "bootstrap"}, {"coefficient": "rho"}])
def test_fewer_than_five_systems_show_no_similarity(random, options):
    result = similarity(scores_of(random.values[:, :4]), **options)
    assert result.table["low", "high", "alike"].null_count().row(0) == (6, 6, 6)
    assert result.remark == (
        "4 systems are too few to judge metrics by consistency, power, similarity or depth: that takes 5 or more."
    )


def test_metrics_given_by_name_are_all_compared():
    names = ["nDCG@10", "AP", "RBP(p=0.8)*ERG", "RBP(p=0.8)*max", "INST(T=2.25)*ERG"]
    table = similarity(scores_of(np.random.default_rng(0).random((5, 8, 9)), names)).table
    assert table.height == 10
    assert table["group"].unique().to_list() == ["all"]


def test_named_metrics_are_compared_with_canonical_metrics_of_a_grid(scored):
    both = scores_of(
        np.concatenate([scored.values, np.random.default_rng(0).random((2, 12, 8))]), [*scored.metrics, "nDCG", "RR"]
    )
    result = similarity(both)
    sizes = dict(result.table["group"].value_counts().rows())
    assert sizes == {
        "by name": 28,
        **dict.fromkeys(("Prec", "DCG", "RBP(p=0.8)"), 15),
        **dict.fromkeys(("INST(T=2.25)", "AP1", "ERR"), 21),
    }
    assert result.latex()
    assert result.charts()


def test_presets_of_browsing_models_keep_their_groups():
    everyday, grid = ([str(parse_metric(each)) for each in preset(name)] for name in ("everyday", "chen-sakai-2023"))
    models = ["Prec", "DCG", "RBP(p=0.8)", "INST(T=2.25)", "AP1", "ERR"]
    assert list(groups(tuple(everyday))) == ["all"]
    assert list(groups(tuple(grid))) == models
    assert len(groups(tuple(str(parse_metric(each)) for each in preset("moffat-2022")))) == 7
    both = tuple(dict.fromkeys([*everyday, *grid]))
    found = groups(both)
    assert set(found) == {"by name", *models}
    named = [both[place] for place in found["by name"]]
    assert set(named) == {*everyday, *(name for name in grid if is_canonical(name))}
    # Each metric has one row, that of its browsing model where it is of the grid.
    rows = rows_of_groups(found)
    assert sorted(place for _, place in rows) == list(range(len(both)))
    assert ("RBP(p=0.8)", both.index("RBP(p=0.8)@10*ERG")) in rows
