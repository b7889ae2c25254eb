"""One study: stages, resume, tables, several collections."""

import json
import re

import polars as pl
import pytest

import metameter
from metameter.cli.program import run
from metameter.errors import MetameterError
from metameter.meta.framework.declarations import stages
from metameter.notices import MetameterWarning
from metameter.simulation import simulate
from metameter.simulation.folder import write
from metameter.studies.study import study
from metameter.studies.study_file import plan_of_toml

METRICS = ["RBP(p=0.8)@10*ERG", "RBP(p=0.8)@10*max", "ERR*ERR@10", "ERR@10*ERG", "nDCG@10"]
QUICK = {"splits": 100, "trials": 200, "resamples": 40}
OPTIONS = [word for metric in METRICS for word in ("-m", metric)]
OPTIONS += [word for name, value in QUICK.items() for word in (f"--{name}", str(value))]


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    made = simulate(topics=12, systems=6, depth=20, grades=3, seed=5)
    return write(made, tmp_path_factory.mktemp("made") / "collection")


def tables(folder):
    return {file.name: file.read_bytes() for file in sorted(folder.glob("*.csv")) + sorted(folder.glob("*.tex"))}


def made_by(result):
    return {stage.partition("/")[2] for stage in result.made}


def test_a_study_folder_holds_the_documented_files(collection, tmp_path):
    result = study(collection / "qrels.txt", collection / "runs", metrics=METRICS, out=tmp_path, max_grade=2, **QUICK)
    for name in ("similarity", "consistency", "consistency_pairs", "power", "power_pairs", "recommendation"):
        frame = pl.read_csv(tmp_path / f"{name}.csv")
        assert frame.columns[0] == "collection"
        assert frame.height == result.tables[name].height
        assert (tmp_path / f"{name}.tex").exists()
    assert pl.read_parquet(tmp_path / "scores.parquet").columns == ["collection", "metric", "system", "topic", "score"]
    assert "<html" in (tmp_path / "report.html").read_text()
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert len(manifest["inputs"]["qrels"]["runs"]) == 6
    assert result.table.columns[:4] == ["collection", "metric", "canonical", "tau_to_canonical"]


def test_the_report_has_a_leaderboard_before_other_sections(collection, tmp_path):
    result = study(collection / "qrels.txt", collection / "runs", metrics=METRICS, out=tmp_path, max_grade=2, **QUICK)
    assert next(iter(result.tables)) == "recommendation"
    frame = pl.read_csv(tmp_path / "leaderboard.csv")
    assert frame.columns[:3] == ["collection", "rank", "system"]
    assert frame.height == 6
    assert r"\label{tab:leaderboard}" in (tmp_path / "leaderboard.tex").read_text()
    page = (tmp_path / "report.html").read_text()
    sections = re.findall(r'<section id="(\w+)"', page)
    assert sections[:4] == ["answer", "collection", "compare", "recommendation"]
    assert '<h2 id="compare-title">Leaderboard</h2>' in page
    again = study(collection / "qrels.txt", collection / "runs", metrics=METRICS, out=tmp_path, max_grade=2, **QUICK)
    assert "compare" not in made_by(again)
    assert page == (tmp_path / "report.html").read_text()


def test_python_and_the_command_line_give_the_same_tables(collection, tmp_path, capsys):
    arguments = ["study", str(collection / "qrels.txt"), str(collection / "runs"), *OPTIONS, "--max-grade", "2"]
    assert run([*arguments, "--out", str(tmp_path / "cli")]) == 0
    out = capsys.readouterr().out
    assert out.startswith("qrels: 6 systems, 12 topics, ")
    assert out.splitlines()[-1] == "All rows: --table recommendation --format csv; every sentence: --notes."
    assert run([*arguments, "--out", str(tmp_path / "cli"), "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("collection,metric,canonical,")
    study(
        collection / "qrels.txt", str(collection / "runs"), metrics=METRICS, out=tmp_path / "py", max_grade=2, **QUICK
    )
    assert tables(tmp_path / "cli") == tables(tmp_path / "py")
    assert (tmp_path / "cli" / "manifest.json").read_bytes() == (tmp_path / "py" / "manifest.json").read_bytes()


def test_a_change_redoes_only_dependent_stages(collection, tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    for file in (collection / "runs").iterdir():
        (runs / file.name).write_bytes(file.read_bytes())

    def rerun(**changed):
        given = {"metrics": METRICS, "out": tmp_path / "study", "max_grade": 2, **QUICK, **changed}
        return study(collection / "qrels.txt", str(runs), **given)

    # No simple metric is named, and there are no labels.
    unasked = {"intuitiveness", "unanimity", "agreement", "satisfaction", "preference", "tradeoff", "fit"}
    every = {"score", "collection", *(stage.key for stage in stages())} - unasked
    assert made_by(rerun()) == every
    assert made_by(rerun()) == set()
    assert made_by(rerun(similar=0.8)) == {"recommendation"}
    assert made_by(rerun(similar=0.8, trials=300)) == {"consistency", "power", "volatility", "recommendation"}
    lines = (runs / "S001").read_text().splitlines(keepends=True)
    (runs / "S001").write_text("".join(lines[: len(lines) // 2]))
    changed = rerun()
    assert made_by(changed) == every
    # The files that did not change were not scored again.
    assert sum(1 for _ in (tmp_path / "study" / ".stages" / "score").glob("*.scores")) == 7


@pytest.mark.filterwarnings("ignore::metameter.notices.MetameterWarning")  # both runs score alike, which is the point
def test_the_report_is_rebuilt_with_the_latest_coverage(tmp_path):
    """An unjudged document moves from one run to the other, below all metrics' depth: the scores stay as they are."""
    docs = [f"d{number:02d}" for number in range(10)]
    qrels = {topic: dict.fromkeys(docs, 1) for topic in ("1", "2", "3", "4")}
    metrics, out = ["Prec@5*ERG", "Prec@5*max"], tmp_path / "study"

    def studied(unjudged):
        for name in ("a", "b"):
            lines = [
                f"{topic} Q0 {'zz' if place == 9 and name == unjudged else doc} 1 {10 - place} {name}\n"
                for topic in qrels
                for place, doc in enumerate(docs)
            ]
            (tmp_path / name).write_text("".join(lines))
        runs = [str(tmp_path / "a"), str(tmp_path / "b")]
        return study(qrels, runs, metrics, out=out, name="c", max_grade=1, **QUICK).tables["coverage"]

    assert not studied("a").equals(studied("b"))
    last = (out / "coverage.csv").read_bytes()
    assert run(["report", str(out)]) == 0
    assert (out / "coverage.csv").read_bytes() == last


def test_the_report_is_rebuilt_without_the_inputs(collection, tmp_path, capsys):
    study(collection / "qrels.txt", collection / "runs", metrics=METRICS, out=tmp_path, max_grade=2, **QUICK)
    before = tables(tmp_path) | {"report": (tmp_path / "report.html").read_bytes()}
    for file in tmp_path.glob("*.*"):
        if file.is_file():
            file.unlink()
    assert run(["report", str(tmp_path)]) == 0
    assert tables(tmp_path) | {"report": (tmp_path / "report.html").read_bytes()} == before
    assert run(["report", str(collection)]) == 2


def test_several_collections_are_answered_together(collection, tmp_path, capsys):
    write(simulate(topics=10, systems=5, depth=20, grades=3, seed=6), tmp_path / "other")
    plan = tmp_path / "plan.toml"
    plan.write_text(
        f"metrics = {json.dumps(METRICS)}\nsplits = 100\ntrials = 200\nresamples = 40\n"
        f'[[collection]]\nname = "one"\nqrels = "{collection / "qrels.txt"}"\nmax_grade = 2\n'
        f'runs = ["{collection / "runs"}"]\n'
        f'[[collection]]\nname = "two"\nqrels = "other/qrels.txt"\nruns = "other/runs"\nmax_grade = 2\n'
    )
    result = study(plan, out=tmp_path / "study")
    assert result.tables["power"]["collection"].unique(maintain_order=True).to_list() == ["one", "two"]
    assert set(result.tables["findings"]["holds_in"].to_list()) <= {"all", "some"}
    assert (tmp_path / "study" / "consistency-two.tex").exists()
    assert ": in both collections none of them is shown to be below another. " in result.report.answer[0]
    assert result.report.answer[1].startswith("How sure: ")
    assert result.report.answer[2].startswith("Two collections are too few to pool differences: ")
    assert result.report.answer[3].startswith("In both collections: of ")
    assert result.report.answer[4].startswith("Stability is not validity: ")
    assert result.report.answer[5].startswith("one: ")
    assert sum("How sure" in sentence for sentence in result.report.answer) == 1


def test_invalid_plans_are_refused(tmp_path):
    plan = tmp_path / "plan.toml"
    for text, says in (
        ("not toml", "TOML"),
        ("seed = 1\n", "no collection"),
        ("[[collection]]\nqrels = 'q'\n", "runs"),
        ("sead = 1\n[[collection]]\nqrels='q'\nruns='r'\n", "seed"),
        ("seed = 'x'\n[[collection]]\nqrels='q'\nruns='r'\n", "wrong type"),
        ("[[collection]]\nname='a'\nqrels='q'\nruns='r'\n[[collection]]\nname='a'\nqrels='q'\nruns='r'\n", "same name"),
    ):
        plan.write_text(text)
        with pytest.raises(metameter.MetameterError, match=says):
            plan_of_toml(plan)


def test_a_folder_that_is_no_study_is_left_unchanged(collection, tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(metameter.MetameterError, match="not a study"):
        study(collection / "qrels.txt", collection / "runs", metrics=METRICS, out=tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_damaged_stage_is_made_again(collection, tmp_path, capsys):
    given = {"metrics": METRICS, "out": tmp_path, "max_grade": 2, **QUICK}
    study(collection / "qrels.txt", collection / "runs", **given)
    before = tables(tmp_path)
    (table,) = tmp_path.glob(".stages/power/*/power.parquet")
    table.write_bytes(table.read_bytes()[:50])
    assert run(["report", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    with pytest.warns(metameter.MetameterWarning, match="the stage power could not be read"):
        again = study(collection / "qrels.txt", collection / "runs", **given)
    assert made_by(again) == {"power"}
    assert tables(tmp_path) == before


def test_options_of_the_call_override_the_file(collection, tmp_path, capsys):
    plan = tmp_path / "plan.toml"
    table = f'[[collection]]\nqrels = "{collection / "qrels.txt"}"\nruns = "{collection / "runs"}"\nmax_grade = 2\n'
    plan.write_text(f"metrics = {json.dumps(METRICS)}\nseed = 7\nsplits = 100\ntrials = 200\nresamples = 40\n{table}")
    assert study(plan, out=tmp_path / "a").manifest["options"]["seed"] == 7
    assert study(plan, out=tmp_path / "b", seed=0).manifest["options"]["seed"] == 0
    for words in (["--max-grade", "3"], ["--name", "x"]):
        assert run(["study", str(plan), "--out", str(tmp_path / "c"), *words]) == 2
    assert run(["study", str(plan), str(collection / "runs"), "--out", str(tmp_path / "c")]) == 2
    assert not (tmp_path / "c").exists()
    with pytest.raises(metameter.MetameterError, match="trials"):
        study(plan, out=tmp_path / "c", trails=3)


@pytest.mark.filterwarnings("ignore::metameter.MetameterWarning")
def test_the_manifest_lists_defaults(collection, tmp_path):
    few = sorted((collection / "runs").iterdir())[:3]
    manifest = study(collection / "qrels.txt", few, out=tmp_path, max_grade=2, **QUICK).manifest
    assert manifest["options"]["preset"] == "everyday"
    assert len(manifest["options"]["metrics"]) == 11
    assert manifest["inputs"]["qrels"]["max_grade"] == 2.0
    assert (tmp_path / "run.json").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--alpha", "2"], "alpha"),
        (["--similar", "0"], "similar"),
        (["--trials", "1"], "trials"),
        (["--splits", "0"], "splits"),
        (["--seed", "-1"], "seed"),
        (["-m", "P@1"], "two metrics"),
    ],
)
def test_wrong_input_leaves_no_folder(collection, tmp_path, capsys, words, says):
    metrics = [] if words[0] == "-m" else ["-m", "P@1", "-m", "P@5"]
    inputs = [str(collection / "qrels.txt"), str(collection / "runs")]
    assert run(["study", *inputs, *metrics, *words, "--out", str(tmp_path / "study")]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert says in captured.err
    assert not (tmp_path / "study").exists()


def test_an_unscored_reference_is_refused_before_scoring(collection, tmp_path):
    with pytest.raises(MetameterError, match="not among the metrics"):
        metameter.study(
            collection / "qrels.txt", collection / "runs", ["AP", "RR"], out=tmp_path / "s", reference=["nDCG"]
        )
    assert not (tmp_path / "s").exists()


def test_tables_of_scores_are_sufficient(collection, tmp_path):
    scores = metameter.score(collection / "qrels.txt", collection / "runs", ["AP", "nDCG@5", "P@5"], max_grade=2)
    scores.table.write_csv(tmp_path / "scores.csv")
    quick = {"splits": 60, "trials": 100, "resamples": 64}
    with pytest.warns(metameter.MetameterWarning, match="volatility is left out for scores: there are scores only"):
        found = metameter.study(tmp_path / "scores.csv", out=tmp_path / "a", **quick)
    with pytest.warns(metameter.MetameterWarning, match="volatility is left out"):
        direct = metameter.study(scores, out=tmp_path / "b", name="scores", **quick)
    assert "volatility" not in found.tables
    runs = metameter.study(
        collection / "qrels.txt",
        collection / "runs",
        ["AP", "nDCG@5", "P@5"],
        name="scores",
        max_grade=2,
        out=tmp_path / "c",
        **quick,
    )
    for name in ("recommendation", "metrics", "power", "consistency", "similarity"):
        # What is judged is known of runs only.
        own = runs.tables[name].drop("judged", strict=False)
        assert found.tables[name].drop("judged", strict=False).equals(own), name
        assert direct.tables[name].drop("judged", strict=False).equals(own), name
    assert found.manifest["inputs"]["scores"]["scores"][0]["name"] == "scores.csv"
    assert not found.tables["coverage"].height
    with pytest.raises(MetameterError, match="tables of scores have their metrics already"):
        metameter.study(tmp_path / "scores.csv", metrics=["AP"], out=tmp_path / "d")
    with pytest.raises(MetameterError, match="option for runs"):
        metameter.study(tmp_path / "scores.csv", ties="rank", out=tmp_path / "d")


def test_unknown_groups_give_a_notice(collection, tmp_path):
    write(simulate(topics=10, systems=6, depth=20, grades=3, seed=6), tmp_path / "other")
    (tmp_path / "groups.txt").write_text("NOSUCH a\n")
    (tmp_path / "plan.toml").write_text(
        'metrics = ["AP", "nDCG"]\nsplits = 50\ntrials = 50\nresamples = 40\n'
        'resample = "systems"\ngroups = "groups.txt"\n'
        f'[[collection]]\nname = "one"\nqrels = "{collection / "qrels.txt"}"\n'
        f'runs = "{collection / "runs"}"\nmax_grade = 2\n'
        '[[collection]]\nname = "two"\nqrels = "other/qrels.txt"\nruns = "other/runs"\nmax_grade = 2\n'
    )
    with pytest.warns(MetameterWarning, match="no collection has: NOSUCH"):
        study(tmp_path / "plan.toml", out=tmp_path / "study")


FEW = "{} systems are too few to judge metrics by consistency, power, similarity or depth: that takes 5 or more."
LEFT_OUT = ("recommendation", "similarity", "consistency", "power")


@pytest.fixture(scope="module", params=[2, 4])
def few(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("few")
    made = write(simulate(topics=12, systems=request.param, depth=20, grades=3, seed=5), folder / "made")
    return study(made / "qrels.txt", made / "runs", METRICS, out=folder / "study", max_grade=2, **QUICK), request.param


def test_a_report_on_few_systems_leaves_out_other_sections(few):
    result, _ = few
    page = (result.folder / "report.html").read_text()
    assert not [key for key in LEFT_OUT if f'<section id="{key}"' in page or f'href="#{key}"' in page]
    assert '<section id="volatility"' in page
    drawn = set(re.findall(r'class="drawing"[^>]* data-name="(\w+)"', page))
    assert drawn == {"leaderboard", "volatility", "volatility_difference"}
    assert set(result.charts()) == drawn
    assert 'class="tally"' not in page
    assert not re.search("Fieller|split halves", page)


def test_the_answer_on_few_systems_starts_with_the_comparison(few):
    result, systems = few
    assert result.report.title == "How the systems compare: qrels"
    answer = result.report.answer
    assert answer[0].startswith("By nDCG@10 ")
    assert [each for each in answer if "too few" in each] == [FEW.format(systems)]
    assert answer[-1] == FEW.format(systems)
    [along] = [each for each in answer if each.startswith("On these topics")]
    assert "nDCG: " in along


def test_the_terminal_on_few_systems_leaves_out_recommendations(few, capsys):
    result, systems = few
    made = result.folder.parent / "made"
    words = ["study", str(made / "qrels.txt"), str(made / "runs"), *OPTIONS, "--max-grade", "2"]
    assert run([*words, "--out", str(result.folder)]) == 0
    out, told = capsys.readouterr()
    assert out.startswith(f"qrels: {systems} systems, 12 topics.")
    assert out.count(FEW.format(systems)) == 1
    assert out.splitlines()[-1].startswith("All rows: --table volatility")
    assert not re.search("Use any of|Avoid|close call|How sure", out + told)


def test_few_systems_have_no_tables_that_judge_metrics(few):
    result, _ = few
    stems = {file.stem for pattern in ("*.csv", "*.tex") for file in result.folder.glob(pattern)}
    assert stems == {*result.tables, *result.latex()}
    assert {"volatility", "volatility_difference", "coverage"} <= stems
    assert not [name for name in stems if name.startswith((*LEFT_OUT, "metrics"))]


def test_only_collections_with_enough_systems_share_the_level(collection, tmp_path):
    write(simulate(topics=10, systems=3, depth=20, grades=3, seed=6), tmp_path / "few")
    write(simulate(topics=10, systems=5, depth=20, grades=3, seed=7), tmp_path / "third")
    made = {"one": collection, "few": tmp_path / "few", "third": tmp_path / "third"}

    def planned(*names):
        plan = tmp_path / "plan.toml"
        head = f"metrics = {json.dumps(METRICS)}\nsplits = 60\ntrials = 100\nresamples = 40\n"
        plan.write_text(
            head
            + "".join(
                f'[[collection]]\nname = "{name}"\nqrels = "{made[name] / "qrels.txt"}"\n'
                f'runs = "{made[name] / "runs"}"\nmax_grade = 2\n'
                for name in names
            )
        )
        return study(plan, out=tmp_path / "-".join(names))

    def shares(result):
        return {
            name: part.results["recommendation"].manifest["options"]["collections"]
            for name, part in result.parts.items()
        }

    assert shares(planned("one", "few")) == {"one": 1, "few": 1}
    both = planned("one", "few", "third")
    assert shares(both) == {"one": 2, "few": 2, "third": 2}
    assert both.tables["consistency"]["collection"].unique(maintain_order=True).to_list() == ["one", "third"]
    alone = planned("one")
    mixed = planned("one", "few")
    rows = mixed.tables["recommendation"]
    assert rows["collection"].unique().to_list() == ["one"]
    assert rows.equals(alone.tables["recommendation"])
    answer = mixed.report.answer
    assert sum("How sure" in sentence for sentence in answer) == 1
    assert sum("Stability is not validity" in sentence for sentence in answer) == 1
    assert "one is the only collection in which metrics can be judged: see its own answer." in answer


def test_five_systems_have_all_sections(tmp_path):
    made = write(simulate(topics=12, systems=5, depth=20, grades=3, seed=5), tmp_path / "made")
    result = study(made / "qrels.txt", made / "runs", METRICS, out=tmp_path / "study", max_grade=2, **QUICK)
    page = (result.folder / "report.html").read_text()
    assert result.report.title == "Which metrics are stable here: qrels"
    assert all(f'<section id="{key}"' in page for key in LEFT_OUT)
