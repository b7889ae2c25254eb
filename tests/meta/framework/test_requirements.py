"""Every procedure refuses what it cannot use in one line, and reads scores that it is given as a file or a frame."""

import inspect
import json

import numpy as np
import pytest

import metameter as mm
from metameter.types import Scores

OF_SCORES = ["compare", "consistency", "power", "recommend", "similarity"]
FEW = {"trials": 70, "splits": 20, "resamples": 20, "seed": 3, "interval": "bootstrap"}


def options_of(name, given):
    return {
        option: value for option, value in given.items() if option in inspect.signature(getattr(mm, name)).parameters
    }


@pytest.fixture(params=OF_SCORES)
def name(request):
    return request.param


def refused(name, *arguments, **options):
    with pytest.raises(mm.MetameterError) as error:
        getattr(mm, name)(*arguments, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_scores_of_several_iterations_are_refused(name):
    values = np.random.default_rng(0).random((2, 3, 5, 2))
    scores = Scores(("RBP(p=0.8)*ERG", "RBP(p=0.8)*max"), tuple("abc"), tuple("12345"), values, iterations=(1, 2))
    assert "Take one iteration: scores.at()." in refused(name, scores)


@pytest.mark.parametrize(
    "given", [None, 3, [], [0.5, 0.4], np.zeros((3, 3)), {"AP": 1}, {"a.csv"}, b"a.csv"], ids=lambda given: repr(given)
)
def test_objects_that_are_no_scores_are_refused(name, given):
    assert "Give what score or read_scores returns" in refused(name, given)


def test_a_missing_file_is_named(name):
    assert "nowhere.csv" in refused(name, "nowhere.csv")


def test_files_and_frames_are_read(name, small_scores, tmp_path):
    path = tmp_path / "scores.csv"
    small_scores.table.write_csv(path)
    options = options_of(name, FEW)
    wanted = getattr(mm, name)(small_scores, **options)
    for source in (path, str(path), [path], small_scores.table, small_scores.wide()):
        assert getattr(mm, name)(source, **options).table.equals(wanted.table)


def test_missing_cells_are_refused_with_the_fix(name, small_scores, tmp_path):
    table = small_scores.table[1:]
    assert refused(name, table).endswith("Read the scores with missing='zero' or 'drop-topic'.")
    getattr(mm, name)(mm.read_scores(table, missing="drop-topic"), **options_of(name, FEW))


@pytest.mark.parametrize("value", ["a", 1.5, None, True, -1])
@pytest.mark.parametrize("option", ["trials", "splits", "resamples", "seed"])
def test_counts_and_seeds_are_checked(name, small_scores, option, value):
    if option in inspect.signature(getattr(mm, name)).parameters:
        assert option in refused(name, small_scores, **{option: value})


@pytest.mark.parametrize("option", ["alpha", "until", "similar"])
def test_numbers_are_checked(name, small_scores, option):
    if option in inspect.signature(getattr(mm, name)).parameters:
        assert f"{option} is not a number" in refused(name, small_scores, **{option: "a"})


@pytest.mark.parametrize("value", ["x", None, 3, ["t"]])
@pytest.mark.parametrize("option", ["by", "test", "correction", "coefficient", "interval"])
def test_choices_are_checked(name, small_scores, option, value):
    if option in inspect.signature(getattr(mm, name)).parameters:
        message = refused(name, small_scores, **{option: value})
        assert message.startswith("unknown ")
        assert message.count("Known: ") == 1


@pytest.mark.parametrize("kind", [np.int64, np.uint8])
def test_numpy_integers_work_as_options(name, small_scores, kind):
    plain = options_of(name, FEW)
    numpy = {option: kind(value) if isinstance(value, int) else value for option, value in plain.items()}
    one, other = (getattr(mm, name)(small_scores, **options) for options in (plain, numpy))
    assert all(other.tables[table].equals(frame) for table, frame in one.tables.items())
    assert json.dumps(other.manifest["options"]) == json.dumps(one.manifest["options"])


def test_baselines_that_are_no_names_are_refused(small_scores):
    for baseline in (3, [3]):
        assert "no system has this name (given '3')" in refused("compare", small_scores, baseline=baseline)
