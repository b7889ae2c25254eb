"""Stages that a study does only where its options ask for them, and stages that see all iterations of sessions."""

import json
import warnings
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

import metameter
from docs.made.procedures import procedures_pages
from metameter import registry
from metameter.meta.base import Across, Words, procedure
from metameter.meta.collections import collections_of
from metameter.parameters import Bounds
from metameter.read.scores import read_scores
from metameter.studies.study import rebuilt, study
from metameter.studies.study_file import plan_of_toml
from metameter.types import Scores
from metameter.types.scores import as_sessions
from metameter.view.result import Result

METRICS = ["RBP(p=0.8)@10*ERG", "RBP(p=0.8)@10*max", "nDCG@10"]
QUICK = {"splits": 20, "trials": 40, "resamples": 20}
OURS = {"compare", "similarity", "consistency", "power", "recommendation"}
SEEN: list[Scores] = []
# Studies of tables of scores leave it out, as they should.
pytestmark = pytest.mark.filterwarnings("ignore:the procedure volatility is left out")


@pytest.fixture(autouse=True)
def _as_before():
    registry.names("meta")
    before = dict(registry._classes["meta"])
    SEEN.clear()
    yield
    registry._classes["meta"] = before


def turns(scores, *, against: str | Sequence[str] = (), stretch: float = 1.0):
    """Count the turns of sessions.

    Parameters
    ----------
    scores : Scores or mapping
        Of one collection or of several.
    against : str or list of str
        Metrics.
    stretch : float
        A number.
    """
    tables = [
        counted(each).select(pl.lit(name).alias("collection"), pl.all())
        for name, each in collections_of(scores).items()
    ]
    return Result({"turns": pl.concat(tables)})


def counted(sessions):
    missing = np.isnan(sessions.values).sum(axis=(0, 1, 2))
    return pl.DataFrame({"turn": sessions.iterations, "missing": missing})


def turns_stage(sessions, *, against=(), stretch=1.0):
    SEEN.append(sessions)
    return Result({"turns": counted(sessions)}, {"options": {"against": list(against)}})


def together(results):
    table = pl.DataFrame({"collection": list(results), "turns": [each.table.height for each in results.values()]})
    return Across((f"Turns in {len(results)} collections.",), {"turns_everywhere": table})


def echo(turns):
    """Say it again."""
    return Result({"echo": turns.table.select("turn")})


def declared(**changed):
    """A procedure over sessions that a study does where against is given, and one that needs its result."""
    given = {"needs": ("sessions",), "stage": turns_stage, "place": 60, "wanted": "against", "across": together}
    given |= {"options": {"against": None, "stretch": Bounds(0)}, **changed}
    words = {"columns": {"turn": "its number", "missing": "cells"}}
    procedure(Words("Turns of sessions", **words), result=Result, **given)(turns)
    procedure(Words("Echo"), result=Result, needs=("turns",), place=61)(echo)


@pytest.fixture
def sessions():
    """Scores of three iterations: 5 systems, 8 topics; in the first one a cell is missing."""
    rng = np.random.default_rng(11)
    quality = np.linspace(0.2, 0.8, 5)[:, None, None]
    values = np.clip(quality + rng.normal(0, 0.2, (3, 5, 8, 3)), 0, 1).round(4)
    values[1, 2, 3, 0] = np.nan
    return Scores(tuple(METRICS), tuple("abcde"), tuple("12345678"), values, iterations=(1, 2, 5))


def csv(scores, path):
    scores.wide().write_csv(path)
    return path


def inputs(collection):
    return collection / "qrels.txt", collection / "runs", METRICS


def test_stages_not_requested_are_silently_absent(collection, tmp_path):
    given = {"max_grade": 2, **QUICK}
    before = study(*inputs(collection), out=tmp_path / "before", **given)
    declared()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        after = study(*inputs(collection), out=tmp_path / "after", **given)
    assert not [each for each in said if "turns" in str(each.message) or "echo" in str(each.message)]
    names = {file.name for file in (tmp_path / "before").iterdir()}
    assert {file.name for file in (tmp_path / "after").iterdir()} == names
    assert after.manifest == before.manifest
    for name in ("report.html", "recommendation.csv"):
        assert (tmp_path / "after" / name).read_bytes() == (tmp_path / "before" / name).read_bytes()
    assert not {"qrels/turns", "qrels/echo"} & {*after.made, *after.kept}
    # A study that is finished already is found again as it was.
    assert study(*inputs(collection), out=tmp_path / "before", **given).made == ()


def test_requested_stages_run_with_their_needs(collection, tmp_path):
    declared()
    result = study(*inputs(collection), out=tmp_path / "study", max_grade=2, against=["nDCG@10"], stretch=2, **QUICK)
    assert {"turns", "echo", "power"} <= set(result.tables)
    assert result.manifest["stages"]["turns"] == {"against": ["nDCG@10"], "stretch": 2.0}
    assert "Turns of sessions" in (tmp_path / "study" / "report.html").read_text()
    # Runs have scores of one iteration.
    np.testing.assert_array_equal(SEEN[0].values[..., 0], result.parts["qrels"].scores.values)
    assert result.tables["turns"].rows() == [("qrels", 1, 0)]
    assert "turns" in rebuilt(tmp_path / "study").tables


def test_the_page_of_procedures_states_the_condition():
    name = "procedures/turns.md"
    declared()
    assert "; in a study where `against` is given the stage `turns`, made from sessions" in procedures_pages()[name]
    declared(wanted=lambda options: False)
    assert "; in a study, where its options ask for it, the stage `turns`" in procedures_pages()[name]


def test_options_without_a_requested_stage_are_refused(collection, tmp_path):
    declared()
    with pytest.raises(metameter.MetameterError) as refused:
        study(*inputs(collection), out=tmp_path / "study", stretch=2)
    assert str(refused.value) == (
        "the option stretch is for turns, which this study does not ask for (given 2.0). "
        "Give against, too, or leave stretch out."
    )
    assert not (tmp_path / "study").exists()
    with pytest.raises(metameter.MetameterError, match="the option stretch is for turns"):
        study(as_sessions(scores_of_two()), out=tmp_path / "study", stretch=2)
    declared(wanted=lambda options: bool(options["against"]))
    with pytest.raises(metameter.MetameterError, match=r"given 2\.0\)\. Leave stretch out\."):
        study(*inputs(collection), out=tmp_path / "study", stretch=2)


def scores_of_two():
    rng = np.random.default_rng(3)
    return Scores(("AP", "RR"), tuple("abcd"), tuple("123456"), rng.random((2, 4, 6)))


@pytest.mark.parametrize("given", [{}, {"against": []}, {"against": ()}, {"stretch": 1}, {"stretch": None}])
def test_an_explicit_default_requests_no_stage(tmp_path, given):
    declared()
    result = study(scores_of_two(), out=tmp_path / "study", by="all", **QUICK, **given)
    assert "turns" not in result.tables


def test_stages_not_requested_give_no_error_or_notice(tmp_path):
    def before(metrics, options):
        raise metameter.MetameterError("asked", fix="Stop.")

    declared(before=before)
    assert "turns" not in study(scores_of_two(), out=tmp_path / "a", by="all", **QUICK).tables
    with pytest.raises(metameter.MetameterError, match="asked"):
        study(scores_of_two(), out=tmp_path / "b", by="all", against="AP", **QUICK)

    def pageful(pages, *, leaf=""):
        """Nothing."""

    procedure(Words("Pages"), result=Result, needs=("pages",), place=70, options={"leaf": None}, wanted="leaf")(pageful)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        study(scores_of_two(), out=tmp_path / "a", by="all", **QUICK)
    assert not [each for each in said if "pageful" in str(each.message)]


def test_a_declaration_with_impossible_options_is_refused():
    with pytest.raises(metameter.MetameterError, match="is wanted where simplest is given, which is none of its opt"):
        declared(wanted="simplest")
    for option in ("missing", "iteration", "collection_from", "sessions"):
        with pytest.raises(metameter.MetameterError, match=f"declares the option {option}, a name that a study uses"):
            procedure(Words("Toy"), result=Result, options={option: None})(echo)


def test_metrics_can_be_given_as_objects(tmp_path):
    declared()
    result = study(scores_of_two(), out=tmp_path / "study", by="all", against=[metameter.AP, "RR"], **QUICK)
    assert json.loads((tmp_path / "study" / "manifest.json").read_text())["stages"]["turns"]["against"] == ["AP", "RR"]
    assert result.tables["turns"].height == 1


def test_sessions_have_all_iterations_and_other_stages_one(sessions, tmp_path):
    declared()
    path = csv(sessions, tmp_path / "dd.csv")
    result = study(path, out=tmp_path / "study", against="nDCG@10", **QUICK)
    assert SEEN[0].iterations == (1, 2, 5)
    np.testing.assert_array_equal(SEEN[0].values, sessions.values)
    assert result.tables["turns"].rows() == [("dd", 1, 1), ("dd", 2, 0), ("dd", 5, 0)]
    assert SEEN[0].manifest == result.parts["dd"].scores.manifest
    # To the others it is a table of the last iteration: the same numbers, kept under the same keys.
    alone = study(csv(sessions.at(5), tmp_path / "last.csv"), out=tmp_path / "alone", name="dd", **QUICK)
    same = {*OURS, "collection"}
    assert {key: each for key, each in result.parts["dd"].digests.items() if key in same} == alone.parts["dd"].digests
    chosen = study(path, out=tmp_path / "chosen", against="nDCG@10", iteration=2, **QUICK)
    np.testing.assert_array_equal(chosen.parts["dd"].scores.values, sessions.at(2).values)
    np.testing.assert_array_equal(SEEN[-1].values, sessions.values)
    np.testing.assert_array_equal(
        study(sessions, out=tmp_path / "c", **QUICK).parts["scores"].scores.values, sessions.at(5).values
    )


def test_a_change_in_an_iteration_remakes_only_dependent_stages(sessions, tmp_path):
    declared()
    given = {"out": tmp_path / "study", "against": "nDCG@10", **QUICK}
    study(csv(sessions, tmp_path / "dd.csv"), **given)
    assert study(tmp_path / "dd.csv", **given).made == ()
    sessions.values[0, 0, 0, 1] = 0.125
    again = study(csv(sessions, tmp_path / "dd.csv"), **given)
    assert again.made == ("dd/turns", "dd/echo")
    assert {f"dd/{key}" for key in OURS} <= set(again.kept)
    sessions.values[0, 0, 0, 2] = 0.125
    assert {f"dd/{key}" for key in OURS} <= set(study(csv(sessions, tmp_path / "dd.csv"), **given).made)


def test_relabelled_iterations_remake_the_stages(sessions, tmp_path):
    declared()
    given = {"out": tmp_path / "study", "against": "nDCG@10", **QUICK}
    study(csv(sessions, tmp_path / "dd.csv"), **given)
    other = Scores(sessions.metrics, sessions.systems, sessions.topics, sessions.values, iterations=(1, 3, 5))
    assert study(csv(other, tmp_path / "dd.csv"), **given).made == ("dd/turns", "dd/echo")


def test_missing_cells_of_other_iterations_can_stay(sessions, tmp_path):
    declared()
    path = csv(sessions, tmp_path / "dd.csv")
    given = {"against": "nDCG@10", **QUICK}
    study(path, out=tmp_path / "zero", missing="zero", **given)
    assert SEEN[-1].values[1, 2, 3, 0] == 0
    sessions.values[0, 0, 5, 2] = np.nan
    path = csv(sessions, tmp_path / "dd.csv")
    with pytest.raises(metameter.MetameterError, match="one of 1 missing cells"):
        study(path, out=tmp_path / "none", **given)
    # The topic goes that lacks a score in the iteration of all stages; what else is missing stays.
    result = study(path, out=tmp_path / "drop", missing="drop-topic", **given)
    assert result.parts["dd"].scores.topics == SEEN[-1].topics == tuple("1234578")
    assert result.tables["turns"]["missing"].to_list() == [1, 0, 0]


def test_a_system_that_stops_early_appears_only_in_sessions(sessions, tmp_path):
    declared()
    early = sessions.wide().filter((pl.col("system") != "a") | (pl.col("iteration") < 5))
    early.write_csv(tmp_path / "dd.csv")
    result = study(tmp_path / "dd.csv", out=tmp_path / "study", against="nDCG@10", **QUICK)
    assert result.parts["dd"].scores.systems == tuple("bcde")
    assert SEEN[0].systems == tuple("abcde")
    assert result.tables["turns"]["missing"].to_list() == [1, 0, 3 * 8]


def test_several_collections_can_be_files_or_a_mapping(sessions, tmp_path):
    declared()
    shorter = Scores(
        sessions.metrics,
        sessions.systems,
        sessions.topics,
        sessions.values[..., 1:],
        iterations=sessions.iterations[1:],
    )
    files = [csv(sessions, tmp_path / "one.csv"), csv(shorter, tmp_path / "two.csv")]
    given = {"against": "nDCG@10", **QUICK}
    by_file = study(files, out=tmp_path / "files", collection_from="file", **given)
    by_name = study({"one": sessions, "two": shorter}, out=tmp_path / "names", **given)
    for result in (by_file, by_name):
        assert result.tables["turns_everywhere"].rows() == [("one", 3), ("two", 2)]
        assert result.tables["turns"]["collection"].to_list() == ["one", "one", "one", "two", "two"]
        assert "Turns in 2 collections." in result.report.answer
    assert by_file.tables["power"].equals(by_name.tables["power"])
    with pytest.raises(metameter.MetameterError, match="the tables hold 2 collections"):
        study(files, out=tmp_path / "c", collection_from="file", name="x")


def test_collection_from_does_not_apply_to_runs(collection, tmp_path):
    with pytest.raises(metameter.MetameterError, match=r"does not apply to runs \(given 'collection_from'\)"):
        study(*inputs(collection), out=tmp_path / "study", collection_from="file")


def test_a_study_file_can_request_stages(tmp_path):
    declared()
    plan = tmp_path / "plan.toml"
    table = '[[collection]]\nqrels = "q"\nruns = "r"\n'
    for text, expected in (
        ("", None),
        ('against = ["P@10", "P@10+R@10"]\n', ["P@10", "P@10+R@10"]),
        ('against = "P@10"\nstretch = 2\n', "P@10"),
    ):
        plan.write_text(f"{text}{table}")
        found = plan_of_toml(plan)
        assert found.options.get("against") == expected
        assert ("turns" in [stage.key for stage in found.stages]) == (expected is not None)
    plan.write_text(f"against = 3\n{table}")
    with pytest.raises(metameter.MetameterError, match=r"plan\.toml: against has the wrong type"):
        plan_of_toml(plan)
    plan.write_text(f"stretch = 2\n{table}")
    with pytest.raises(metameter.MetameterError, match="Give against, too, or leave stretch out"):
        plan_of_toml(plan)


@pytest.mark.realdata
def test_real_sessions_can_be_studied(data, tmp_path):
    declared()
    path = data / "trec-dd" / "2016" / "trec-all-2016-evals.csv"
    with pytest.warns(metameter.MetameterWarning):
        every = read_scores(path, iteration="all")
    few = Scores(
        *(("act", "nct", "p"), every.systems, every.topics),
        every.values[[every.position(name) for name in ("act", "nct", "p")]],
        iterations=every.iterations,
    )
    given = {"against": "p", "missing": "drop-topic", "by": "all", "reference": ["act"], **QUICK}
    result = study(few, out=tmp_path / "study", **given)
    assert result.tables["turns"]["turn"].to_list() == list(range(1, 11))
    assert len(SEEN[0].topics) == len(result.parts["scores"].scores.topics) == 51
