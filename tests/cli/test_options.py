"""The options for reading and scoring runs: every command that reads runs takes all of them, and means the same."""

import click
import polars as pl
import pytest

import metameter
from metameter.cli.derive import command_of
from metameter.cli.program import commands, load, run
from metameter.scoring.policy import POLICY_OPTIONS
from metameter.simulation import simulate

METRICS = ["-m", "RBP(p=0.8)@10*ERG", "-m", "RBP(p=0.8)@10*max", "-m", "TBG(h=2)*ETG"]
QUICK = {
    "compare": ["--trials", "20", "--resamples", "20"],
    "similarity": ["--by", "all"],
    "consistency": ["--splits", "5", "--trials", "20", "--resamples", "5"],
    "power": ["--trials", "20"],
    "recommend": ["--splits", "5", "--trials", "20", "--resamples", "5"],
}
# Option -> words on the command line, and whether scores change. The runs have ties of every kind.
OPTIONS = {
    "ties": (["--ties", "docid-asc"], True),
    "precision": (["--precision", "single"], True),
    "unjudged": (["--unjudged", "condense"], True),
    "pool_depth": (["--pool-depth", "3"], True),
    "contributing": (["--pool-depth", "3", "--contributing", "names"], True),
    "topics": (["--topics", "common"], True),
    "max_grade": (["--max-grade", "4"], True),
    "costs": (["--costs", "costs"], True),
    "name_by": (["--name-by", "tag"], True),
    "strip_names": (["--strip-names"], False),
    "on_duplicate": (["--on-duplicate", "first"], False),
    "qrels_duplicates": (["--qrels-duplicates", "max"], False),
}


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("options")
    made = simulate(topics=10, systems=4, depth=12, grades=3, documents=120, seed=2, pool_depth=8)
    rows = made.qrels.table.select("topic", pl.lit("0"), "doc", pl.col("grade").cast(int))
    rows.write_csv(folder / "qrels", include_header=False, separator=" ")
    (folder / "runs").mkdir()
    for number, one in enumerate(made.runs):
        lines = []
        for row, (topic, doc, score) in enumerate(one.table.iter_rows()):
            if number == 0 and topic == "7":
                continue  # this run lacks a topic
            # Pairs with equal scores; and some that differ only in double precision.
            score = round(score, 0) + (1e-12 * (row % 3) if topic in "123" else 0)
            lines.append(f"{topic} Q0 {doc} {row} {score!r} {'dcba'[number]}\n")
        (folder / "runs" / one.name).write_text("".join(lines))
    (folder / "names").write_text("S001\nS003\n")
    (folder / "costs").write_text(
        "".join(f"{doc} {1 + row % 5}\n" for row, doc in enumerate(made.qrels.table["doc"].unique()))
    )
    return folder


@pytest.fixture
def there(collection, monkeypatch):
    monkeypatch.chdir(collection)
    return collection


def printed(capsys, *words):
    # In check it is a problem that a run lacks a topic, and that ties decide its score.
    assert run([*words, "--format", "csv"]) in ((0, 2) if words[0] == "check" else (0,)), capsys.readouterr().err
    return capsys.readouterr().out


def test_the_table_lists_every_policy_option():
    assert set(OPTIONS) == set(POLICY_OPTIONS)


@pytest.mark.parametrize("option", OPTIONS)
def test_options_change_scores_as_documented(option, there, capsys):
    words, changes = OPTIONS[option]
    plain, other = (printed(capsys, "score", "qrels", "runs", *METRICS, *more) for more in ([], words))
    assert (plain != other) == changes
    if option == "contributing":
        assert other != printed(capsys, "score", "qrels", "runs", *METRICS, "--pool-depth", "3")


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("command", QUICK)
def test_a_procedure_scores_like_the_score_command(command, option, there, tmp_path, capsys):
    words, _ = OPTIONS[option]
    printed(capsys, "score", "qrels", "runs", *METRICS, *words, "--out", str(tmp_path / "scores.csv"))
    from_runs = printed(capsys, command, "qrels", "runs", *METRICS, *words, *QUICK[command])
    assert from_runs == printed(capsys, command, str(tmp_path / "scores.csv"), *QUICK[command])


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("command", QUICK)
def test_options_for_runs_are_refused_with_tables(command, option, there, tmp_path, capsys):
    printed(capsys, "score", "qrels", "runs", *METRICS, "--out", str(tmp_path / "scores.csv"))
    words, _ = OPTIONS[option]
    status = run([command, str(tmp_path / "scores.csv"), *words, *QUICK[command]])
    # Systems have names in tables, too.
    assert status == (0 if option == "strip_names" else 2)
    if not status:
        return
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "does not apply to tables of scores" in said.err
    assert words[0] in said.err


# Whether the coverage changes.
CHECKED = {
    "ties": True,
    "precision": True,
    "unjudged": True,
    "pool_depth": True,
    "contributing": True,
    "topics": True,
    "name_by": True,
}


@pytest.mark.parametrize("option", OPTIONS)
def test_check_applies_options_for_runs(option, there, capsys):
    words = ["check", "qrels", "runs", "--table", "coverage", "--metric", "RBP(p=0.8)@10*ERG"]
    more = OPTIONS[option][0]
    changes = CHECKED.get(option, option == "max_grade")
    if option == "costs":
        words, changes = [*words[:-1], "TBG(h=2)*ETG"], True
    assert (printed(capsys, *words) != printed(capsys, *words, *more)) == changes


# Whether the list of topic 4 in the first run is explained differently.
EXPLAINED = {"ties", "unjudged", "pool_depth", "contributing", "max_grade", "costs"}


@pytest.mark.parametrize("option", OPTIONS)
def test_explain_applies_options_for_runs(option, there, capsys):
    metric = "TBG(h=2)*ETG" if option == "costs" else "RBP(p=0.8)@10*ERG"
    words = ["explain", metric, "--qrels", "qrels", "--run", "runs/S002", "--topic", "4"]
    more = OPTIONS[option][0]
    if option == "contributing":
        (there / "alone").write_text("S002\n")
        more = ["--pool-depth", "3", "--contributing", "alone"]
    elif option == "precision":
        words[-1] = "1"
    assert (printed(capsys, *words) != printed(capsys, *words, *more)) == (option in EXPLAINED | {"precision"})


@pytest.mark.parametrize("command", ["score", "check", "explain", *QUICK])
def test_duplicates_are_refused_or_kept_by_every_command(command, there, tmp_path, monkeypatch, capsys):
    """A document twice in a run and in the qrels: each is refused unless the option says which one counts."""
    (tmp_path / "runs").mkdir()
    for file in (there / "runs").iterdir():
        lines = file.read_text()
        first = lines.splitlines()[0].split()
        (tmp_path / "runs" / file.name).write_text(lines + f"{first[0]} Q0 {first[2]} 99 -50.0 {first[5]}\n")
    judged = (there / "qrels").read_text()
    (tmp_path / "qrels").write_text(judged + judged.splitlines()[0][:-1] + "2\n")
    monkeypatch.chdir(tmp_path)
    words = {
        "score": ["score", "qrels", "runs", *METRICS],
        "check": ["check", "qrels", "runs"],
        "explain": ["explain", "AP", "--qrels", "qrels", "--run", "runs/S002", "--topic", "1"],
    }.get(command, [command, "qrels", "runs", *METRICS, *QUICK.get(command, [])])
    assert run([*words, "--qrels-duplicates", "max"]) == 2
    assert run([*words, "--on-duplicate", "first"]) == 2
    capsys.readouterr()
    status = run([*words, "--on-duplicate", "first", "--qrels-duplicates", "last"])
    # What is left of problems is about no line.
    listed = capsys.readouterr().out.splitlines()[1:]
    assert status == 0 or (command == "check" and all(",," in line for line in listed))


def test_contributing_accepts_names_runs_and_files_in_python(there):
    def scored(contributing):
        return metameter.score("qrels", "runs", "R@10", pool_depth=3, contributing=contributing).values.tobytes()

    wanted = scored(["S001", "S003"])
    assert wanted == scored([there / "runs" / "S001", there / "runs" / "S003"])
    assert wanted == scored([metameter.read_run(there / "runs" / name) for name in ("S001", "S003")])
    assert wanted != scored(None)
    with pytest.raises(metameter.MetameterError, match="S009"):
        scored(["S009"])
    with pytest.raises(metameter.MetameterError, match="contributing"):
        scored([])


def test_several_presets_are_combined(there, capsys):
    words = ["score", "qrels", "runs", "--preset", "lu-2016", "--preset", "moffat-2022-preference", "--mean"]
    both = pl.read_csv(printed(capsys, *words).encode())["metric"].unique().len()
    names = {*metameter.preset("lu-2016"), *metameter.preset("moffat-2022-preference")}
    assert both == len({repr(metameter.parse_metric(name)) for name in names})
    scores = metameter.score("qrels", "runs", preset=["lu-2016", "moffat-2022-preference"], max_grade=2)
    assert len(scores.metrics) == both
    assert len(metameter.score("qrels", "runs", preset="lu-2016", max_grade=2).metrics) == 7


def test_help_mentions_the_contributing_file_only_where_runs_are_read(capsys):
    for command, says in (("score", True), ("study", True), ("simulate", False)):
        assert run([command, "--help"]) == 0
        assert ("a file with their names or paths, one per line" in " ".join(capsys.readouterr().out.split())) is says


def test_omitted_study_options_have_no_default_on_the_command_line():
    """A study's file may say it: an option that nobody gave must not say no."""
    study = {each.name: each for each in command_of(load("study")).params}
    assert study["strip_names"].get_default(click.Context(command_of(load("study")))) is None
    score = {each.name: each for each in command_of(load("score")).params}
    assert score["mean"].get_default(click.Context(command_of(load("score")))) is False


def test_choices_are_listed_and_unknown_ones_refused(capsys):
    """A choice that may be left out is one still, and a default of 0 is shown."""
    assert run(["score", "--help"]) == 0
    help_text = " ".join(capsys.readouterr().out.split())
    assert "--format [table|csv|tsv|json|markdown|latex]" in help_text
    assert run(["score", "q", "r", "--format", "xml"]) == 2
    assert "'xml' is not one of 'table', 'csv'" in capsys.readouterr().err
    assert run(["power", "--help"]) == 0
    assert "The same seed gives the same numbers. [default: 0]" in " ".join(capsys.readouterr().out.split())


def number_options():
    """Every option of every command that takes a number: command, arguments, option."""
    for name in commands():
        parameters = command_of(load(name), name).params
        words = ["nothing.csv" for each in parameters if isinstance(each, click.Argument)]
        yield from ((name, words, each.opts[-1]) for each in parameters if each.type is click.FLOAT)


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_number_options_refuse_values_that_are_not_finite(value, capsys):
    tried = list(number_options())
    assert ("score", "--scheduler-timeout") in [(name, option) for name, _, option in tried]
    for name, words, option in tried:
        assert run([name, *words, f"{option}={value}"]) == 2
        said = capsys.readouterr().err
        assert option.removeprefix("--").replace("-", "_") in said, (name, option, said)
        assert said.count("\n") == 1
