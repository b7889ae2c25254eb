"""Labels of users in a study: where they are given, satisfaction and preference stand beside stability."""

import json
import warnings

import numpy as np
import polars as pl
import pytest

import metameter
from metameter import registry
from metameter.cli.program import run
from metameter.meta.base import Words, procedure
from metameter.meta.framework.declarations import declarations, stages
from metameter.reporting.glossary import glossary_of, with_meanings
from metameter.simulation.pages import simulate_pages
from metameter.studies.labels import Labels
from metameter.studies.plan import wanted_stages
from metameter.studies.study import rebuilt, study
from metameter.studies.study_file import plan_of_toml
from metameter.types import Scores
from metameter.types.labelled_pages import Pages
from metameter.view.result import Result

METRICS = ("RBP(p=0.8)*ERG", "RBP(p=0.8)*max", "RR")
QUICK = {"splits": 20, "trials": 40, "resamples": 20}
USERS = {"satisfaction", "preference", "tradeoff"}
# Studies of tables of scores leave it out, as they should.
pytestmark = pytest.mark.filterwarnings("ignore:the procedure volatility is left out")


@pytest.fixture
def unrendered(monkeypatch):
    """A study whose report is not drawn, which takes most of the time: for tests that do not read it."""
    monkeypatch.setattr("metameter.reporting.html.render", lambda report: "")


def pages(path, seed=0, count=40):
    """Pages whose satisfaction is the best of their grades."""
    lists = np.random.default_rng(seed).integers(0, 4, (count, 5))
    labels = {"grades": [json.dumps(each) for each in lists.tolist()], "satisfaction": lists.max(axis=1)}
    pl.DataFrame(labels).write_csv(path)
    return path


def pairs(path, seed=0, count=30):
    """Pairs of which users prefer the one with more to gain on the way down."""
    sides = np.random.default_rng(seed).integers(0, 4, (2, count, 5))
    lists = {name: [json.dumps(each) for each in side.tolist()] for name, side in zip("ab", sides, strict=True)}
    labels = {f"grades_{name}": each for name, each in lists.items()}
    gains = (2.0**sides - 1) @ 0.8 ** np.arange(5)
    pl.DataFrame({**labels, "preference": np.sign(gains[1] - gains[0]).astype(int)}).write_csv(path)
    return path


def scores(seed=0, metrics=METRICS):
    """The first metric is steadier than the others."""
    rng = np.random.default_rng(seed)
    noise = np.array([0.05, 0.5, 1.0])[: len(metrics), None, None]
    values = np.linspace(0, 0.5, 6)[:, None] + noise * rng.normal(size=(len(metrics), 6, 12))
    return Scores(tuple(metrics), tuple("abcdef"), tuple(map(str, range(12))), values)


def studied(out, source=None, **given):
    scale = {"pages_max_grade": 3} if {"serps", "pairs"} & {*given} else {}
    return study(source or scores(), out=out, by="all", **{**QUICK, **scale, **given})


def test_without_labels_nothing_mentions_users(tmp_path, recwarn):
    done = studied(tmp_path / "study")
    assert not USERS & {*done.tables, *done.manifest["stages"]}
    assert "Stability and users" not in (tmp_path / "study" / "report.html").read_text()
    assert not [each for each in recwarn if any(name in str(each.message) for name in USERS)]


def test_labels_put_stability_beside_agreement_with_users(tmp_path):
    serps = str(pages(tmp_path / "serps.csv", count=400))
    prefer = str(pairs(tmp_path / "pairs.csv", count=300))
    done = studied(tmp_path / "study", serps=serps, pairs=prefer, resamples=300)
    assert {*done.tables} >= USERS
    results = next(iter(done.results.values()))
    assert list(results)[:2] == ["recommendation", "tradeoff"]
    table = done.tables["tradeoff"]
    assert table["metric"].to_list() == list(METRICS)
    # Satisfaction is the best grade, preference what is gained on the way.
    assert table["satisfaction_leader"].to_list() == [False, True, False]
    assert table["preference_leader"].to_list() == [True, False, False]
    report = (tmp_path / "study" / "report.html").read_text()
    for key in USERS:
        assert f'<section id="{key}"' in report
    assert results["satisfaction"].manifest["labels"]["size"] == 400
    assert results["preference"].manifest["labels"]["size"] == 300
    assert "tradeoff" in rebuilt(tmp_path / "study").tables
    # The answer of the trade-off comes first; answers on labels are in their sections.
    answer = list(done.report.answer)
    assert answer[: len(told := results["tradeoff"].answer())] == told
    assert f"{METRICS[1]} agrees best with users: concordance" in told[0]
    assert "RBP(p=0.8) is shown to be more consistent" in told[0]
    said = {sentence for key in ("satisfaction", "preference") for sentence in results[key].answer()}
    assert said
    assert not said & {*answer}
    assert all(with_meanings(sentence, glossary_of(done.report).names) in report for sentence in said)


def test_the_manifest_lists_the_fingerprints_of_labels(tmp_path, unrendered):
    serps = str(pages(tmp_path / "serps.csv"))
    inputs = next(iter(studied(tmp_path / "study", serps=serps).manifest["inputs"].values()))
    assert inputs["serps"][0]["sha256"]
    assert "serps.csv" in inputs["serps"][0]["name"]
    assert "pairs" not in inputs


@pytest.mark.parametrize(("given", "there"), [("serps", "satisfaction"), ("pairs", "preference")])
def test_one_kind_of_label_is_sufficient(tmp_path, unrendered, given, there):
    made = pages(tmp_path / "l.csv") if given == "serps" else pairs(tmp_path / "l.csv")
    done = studied(tmp_path / "study", **{given: str(made)})
    assert USERS & {*done.tables} == {there, "tradeoff"}
    other = {"satisfaction", "preference"} - {there}
    assert not other & {*done.tables["tradeoff"].columns}


def test_other_labels_redo_only_dependent_stages(tmp_path, unrendered):
    first, same, other = (pages(tmp_path / f"{n}.csv", seed) for n, seed in (("a", 0), ("b", 0), ("c", 1)))
    prefer = str(pairs(tmp_path / "pairs.csv"))
    studied(tmp_path / "study", serps=str(first), pairs=prefer)
    # Another name for the same labels is no change.
    assert studied(tmp_path / "study", serps=str(same), pairs=prefer).made == ()
    again = studied(tmp_path / "study", serps=str(other), pairs=prefer)
    assert {each.split("/")[1] for each in again.made} == {"satisfaction", "tradeoff"}
    scaled = studied(tmp_path / "study", serps=str(other), pairs=prefer, pages_max_grade=4)
    assert {each.split("/")[1] for each in scaled.made} == USERS
    none = studied(tmp_path / "study")
    assert none.made == ()
    assert not (tmp_path / "study" / ".stages" / "tradeoff").exists()


def test_a_study_file_has_shared_or_separate_labels(collection, tmp_path, unrendered):
    pages(tmp_path / "all.csv")
    pages(tmp_path / "own.csv", seed=1, count=25)
    pairs(tmp_path / "pairs.csv")
    part = f'qrels = "{collection}/qrels.txt"\nruns = "{collection}/runs"\nmax_grade = 2\n'
    head = 'metrics = ["nDCG@10", "RR", "P@10"]\nserps = "all.csv"\npages_max_grade = 3\nby = "all"\n'
    head += "".join(f"{name} = {value}\n" for name, value in QUICK.items())
    text = f'{head}[[collection]]\nname = "one"\n{part}[[collection]]\nname = "two"\n{part}'
    text += 'serps = ["own.csv"]\npairs = "pairs.csv"\npages_max_grade = 5\n'
    file = tmp_path / "study.toml"
    file.write_text(text)
    one, two = plan_of_toml(file).collections
    assert (one.pages.size, one.pairs, two.pages.size, two.pairs.size) == (40, None, 25, 30)
    called = plan_of_toml(file, {"serps": str(tmp_path / "own.csv"), "pages_max_grade": 4.0})
    assert [each.pages.size for each in called.collections] == [25, 25]
    # What serves several collections is read once.
    assert called.collections[0].pages is called.collections[1].pages
    assert [each.labels.max_grade for each in called.collections] == [None, None]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        done = study(file, out=tmp_path / "study")
    # One has no pairs: without a word.
    assert not [each for each in said if "preference" in str(each.message)]
    assert [key in done.results["one"] for key in ("satisfaction", "preference", "tradeoff")] == [True, False, True]
    assert [key in done.results["two"] for key in ("satisfaction", "preference", "tradeoff")] == [True, True, True]
    scales = [done.results[name]["satisfaction"].manifest["options"]["max_grade"] for name in ("one", "two")]
    assert scales == [3, 5]
    # The level is shared by the collections where the stage is done.
    counts = [done.results["two"][key].manifest["options"]["collections"] for key in ("satisfaction", "preference")]
    assert counts == [2, 1]
    assert done.manifest["inputs"]["two"]["pages_max_grade"] == 5
    assert set(done.tables["tradeoff"]["collection"]) == {"one", "two"}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("serps = 3", "serps has the wrong type"),
        ('pages_max_grade = "high"', "pages_max_grade is (not a|no positive) number"),
        ("serp = 'a'", "Did you mean serps"),
    ],
)
def test_a_study_file_with_wrong_labels_is_refused(tmp_path, line, says):
    pages(tmp_path / "all.csv")
    more = "" if "serps" in line else 'serps = "all.csv"\n'
    (tmp_path / "s.toml").write_text(f'{line}\n{more}[[collection]]\nqrels = "q"\nruns = "r"\n')
    with pytest.raises(metameter.MetameterError, match=says):
        plan_of_toml(tmp_path / "s.toml")


def test_options_without_labels_are_refused(tmp_path):
    with pytest.raises(metameter.MetameterError, match=r"pages_max_grade is for satisfaction.*Give serps, too"):
        studied(tmp_path / "study", pages_max_grade=3)
    with pytest.raises(metameter.MetameterError, match="serps_input is the format of serps"):
        studied(tmp_path / "study", serps_input="tiangong")
    assert not (tmp_path / "study").exists()


def test_a_grade_above_the_scale_is_refused_before_scoring(collection, tmp_path):
    serps = str(pages(tmp_path / "serps.csv"))
    given = {"serps": serps, "pages_max_grade": 2, "max_grade": 2, "out": tmp_path / "study"}
    with pytest.raises(metameter.MetameterError, match="a grade is above pages_max_grade"):
        study(collection / "qrels.txt", collection / "runs", metrics=["AP", "RR"], **given)
    assert not (tmp_path / "study").exists()


def test_metrics_not_computable_on_pages_matter_only_with_labels(tmp_path, unrendered):
    foreign = scores(metrics=("foreign", "other"))
    assert "tradeoff" not in studied(tmp_path / "a", foreign).tables
    with pytest.raises(metameter.MetameterError, match="none of the metrics can be computed"):
        studied(tmp_path / "b", foreign, serps=str(pages(tmp_path / "serps.csv")))
    assert not list((tmp_path / "b").glob(".stages/*"))


def test_null_labels_favour_no_metric(tmp_path, unrendered):
    made = simulate_pages(pages=300, pairs=200, null=True, seed=4)
    done = studied(tmp_path / "study", serps=made.pages, pairs=made.pairs)
    users = [sentence for sentence in done.report.answer if "agree better with users" in sentence]
    assert len(users) == 1
    assert users[0].startswith("No metric is shown to agree better with users' satisfaction or preference than another")
    assert done.tables["tradeoff"]["satisfaction_beats"].to_list() == [0] * 3


def test_several_tables_of_scores_can_share_labels(tmp_path, unrendered):
    given = {"one": scores(1), "two": scores(2)}
    done = studied(tmp_path / "study", given, serps=str(pages(tmp_path / "serps.csv")))
    assert [done.results[name]["satisfaction"].manifest["options"]["collections"] for name in given] == [2, 2]
    assert any(sentence.startswith("two: ") and "users" in sentence for sentence in done.report.answer)
    # How sure that is, is said once.
    sure = [sentence for sentence in done.report.answer if "what is shown of users" in sentence]
    assert len(sure) == 1
    assert "in all 2 collections" in sure[0]
    assert done.report.answer[0].startswith("Stability and agreement with users: ")


def test_labels_are_identified_by_content():
    rows = pl.DataFrame({"grades": [[1, 0], [2, None]], "satisfaction": [1, 2]})
    one, again = Labels(Pages.of(rows)), Labels(Pages.of(rows.reverse(), source="elsewhere"))
    other = Labels(Pages.of(rows.with_columns(satisfaction=pl.Series([2, 1]))))
    assert one.digests() == again.digests() != other.digests()
    assert one.inputs() == {"serps": [{"name": "pages"}]}


@pytest.fixture
def forgotten():
    """Procedures declared in a test are gone after it."""
    registry.names("meta")
    before = dict(registry._classes["meta"])
    yield
    registry._classes["meta"] = before


def test_optional_inputs_run_first_and_are_none_when_absent(tmp_path, unrendered, forgotten):
    seen = []

    def toy(scores, satisfaction, preference):
        """Nothing."""
        seen.append((satisfaction is None, preference is None))
        return Result({"toy": pl.DataFrame({"metric": scores.metrics})})

    procedure(Words("Toy"), result=Result, uses=("satisfaction", "preference"), place=1)(toy)
    order = [each.key for each in stages()]
    assert order.index("toy") > max(order.index("satisfaction"), order.index("preference"))
    assert "toy" in [each.key for each in wanted_stages({})]
    studied(tmp_path / "study")
    labelled = studied(tmp_path / "study", serps=str(pages(tmp_path / "serps.csv")))
    assert seen == [(True, True), (False, True)]
    # What it uses is part of what it is kept under.
    assert any(each.endswith("/toy") for each in labelled.made)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"uses": ("toy",)}, "uses its own result"),
        ({"uses": ("scores",)}, "uses scores, which it needs already"),
        ({"uses": ("pages",)}, "uses pages, which is no result"),
        ({"uses": ("power",)}, "uses power, which its stage does not take"),
        ({"needs_one": True}, "needs one of what it uses, but uses nothing"),
    ],
)
def test_invalid_uses_are_refused(changed, says):
    def toy(scores, pages=None):
        """Nothing."""

    with pytest.raises(metameter.MetameterError, match=says):
        procedure(Words("Toy"), result=Result, place=1, **changed)(toy)
    assert "toy" not in declarations()


@pytest.mark.parametrize("option", ["serps", "serps_input", "pairs", "pages", "labels"])
def test_options_cannot_take_the_names_of_labels(option):
    def toy(scores):
        """Nothing."""

    with pytest.raises(metameter.MetameterError, match=f"declares the option {option}, a name that a study uses"):
        procedure(Words("Toy"), result=Result, options={option: None})(toy)


def test_the_command_accepts_several_label_files(tmp_path, capsys, unrendered):
    table, one, two = tmp_path / "scores.csv", pages(tmp_path / "1.csv"), pages(tmp_path / "2.csv", seed=1, count=9)
    scores().wide().write_csv(table)
    quick = [word for name, value in QUICK.items() for word in (f"--{name}", str(value))]
    labels = ["--serps", str(one), "--serps", str(two), "--pairs", str(pairs(tmp_path / "p.csv"))]
    scale = ["--pages-max-grade", "4"]
    given = ["study", str(table), *labels, *scale, "--by", "all", "--out", str(tmp_path / "study")]
    assert run([*given, *quick]) == 0
    printed = capsys.readouterr()
    assert "with users" in printed.out
    assert "the top of the grade scale" not in printed.err
    made = json.loads((tmp_path / "study" / "manifest.json").read_text())["stages"]
    assert "satisfaction" in json.dumps(made)
    assert run(["tradeoff", str(table), *labels, *scale, *quick, "--format", "csv"]) == 0
    alone = pl.read_csv(capsys.readouterr().out.encode())
    kept = pl.read_csv(tmp_path / "study" / "tradeoff.csv").drop("collection")
    assert alone.equals(kept)


@pytest.mark.parametrize("line", ['serps = ""', "serps = []", 'pairs = [" "]'])
def test_an_empty_path_in_a_study_file_is_refused(tmp_path, line):
    file = tmp_path / "study.toml"
    file.write_text(f'{line}\n[[collection]]\nqrels = "q"\nruns = "r"\n')
    with pytest.raises(metameter.MetameterError, match=rf"study\.toml: {line.split()[0]} is empty .*or leave it out"):
        study(file, out=tmp_path / "out")


@pytest.mark.parametrize("option", ["serps", "pairs"])
def test_a_grade_above_the_scale_names_its_line(option, collection, tmp_path, capsys):
    file = tmp_path / "labels.csv"
    rows = {"serps": "grades,satisfaction\n1 0,1\n9 0,2\n", "pairs": "grades_a,grades_b,preference\n1,0,-1\n0,9,1\n"}
    file.write_text(rows[option])
    inputs = [str(collection / "qrels.txt"), str(collection / "runs"), "-m", "AP", "-m", "RR"]
    words = [*inputs, f"--{option}", str(file), "--out", str(tmp_path / "study")]
    assert run(["study", *words, "--pages-max-grade", "3"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{file}:3: a grade is above pages_max_grade")
    assert "Raise pages_max_grade" in said
    plan = f'metrics = ["AP", "RR"]\n[[collection]]\nqrels = "{inputs[0]}"\nruns = "{inputs[1]}"\n'
    (tmp_path / "study.toml").write_text(f'{plan}{option} = "labels.csv"\npages_max_grade = 3\n')
    assert run(["study", str(tmp_path / "study.toml"), "--out", str(tmp_path / "study")]) == 2
    assert f"{file}:3: a grade is above pages_max_grade" in capsys.readouterr().err


def test_a_study_fits_the_requested_model(tmp_path):
    labels = pages(tmp_path / "pages.csv", count=120)
    options = {"by": "all", "serps": labels, "pages_max_grade": 3, "fit_model": "RBP*max", "folds": 3, **QUICK}
    made = study(scores(), **options, out=tmp_path / "out")
    assert made.tables["fit"]["parameter"].to_list() == ["p"]
    assert {"fit.csv", "fit_folds.csv", "fit_curve.csv"} <= {path.name for path in (tmp_path / "out").iterdir()}
    report = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "Parameters of your users" in report
    assert "The users are best described by" in report
    assert rebuilt(tmp_path / "out") is not None


def test_a_study_can_fit_to_pairs_alone(tmp_path, unrendered):
    liked, labels = pairs(tmp_path / "pairs.csv", count=80), pages(tmp_path / "pages.csv", count=120)
    asked = {"fit_model": "RBP*max", "folds": 3}
    alone = studied(tmp_path / "out", pairs=liked, **asked)
    direct = metameter.fit(liked, model="RBP*max", max_grade=3, folds=3, resamples=20)
    assert alone.tables["fit"].drop("collection").equals(direct.table)
    both = studied(tmp_path / "out", pairs=liked, serps=labels, **asked)
    pages_alone = metameter.fit(labels, model="RBP*max", max_grade=3, folds=3, resamples=20)
    assert both.tables["fit"].drop("collection").equals(pages_alone.table)
    # What is fitted to is no input of its own.
    assert {*Labels(Pages.of(pl.DataFrame({"grades": [[1]], "satisfaction": [1]}))).inputs()} == {"serps"}


def test_a_model_to_fit_needs_labels():
    with pytest.raises(metameter.MetameterError, match=r"fit_model is for fit, .* Give serps or pairs, too, or leave"):
        study(scores(), by="all", fit_model="RBP*max")


def test_a_model_without_free_parameters_is_refused_before_scoring(tmp_path):
    labels = pages(tmp_path / "pages.csv")
    with pytest.raises(metameter.MetameterError, match="no free parameter"):
        study(scores(), by="all", serps=labels, pages_max_grade=3, fit_model="RBP(p=0.8)*max")
