"""Study files with odd values: one line that names the file, or a plan; nothing else."""

import re

import pytest

import metameter as mm
from metameter.studies.study_file import plan_of_toml
from metameter.studies.study_options import reading_options, stage_options

COLLECTION = '[[collection]]\nname = "a"\nqrels = "qrels"\nruns = ["runs"]\n'
NOBODYS = ("2020-01-01", "2020-01-01T00:00:00Z", "00:01:00", "[[1]]", "[{}]")
VALUES = [
    *NOBODYS,
    *("{a = 1}", '[1, "a"]', "[]", '""', '" "'),
    *("nan", "inf", "-1", "0", "1e308", "9" * 30, "9" * 400, "9" * 5000, "true", '"abc"', '"a\\u0000b"', '"٣"'),
]
NAMES = ["metrics", "preset", "serps", "serps_input", "pairs", '""', '"é"', *reading_options(), *stage_options()]
OF_COLLECTIONS = ["name", "qrels", "runs", "max_grade", "pool_depth", "contributing", "costs", "serps", "unknown"]
WHOLE = {
    "a number twice": f"seed = 1\nseed = 2\n{COLLECTION}",
    "a name twice": COLLECTION * 2,
    "collections that are none": 'collection = ["a", 1]\n',
    "a collection that is none": 'collection = "a"\n',
    "one table": '[collection]\nqrels = "q"\n',
    "nothing": "",
    "deep": f"a = {'[' * 3000}{']' * 3000}\n",
    "deeper": f"a = {'{a = ' * 2000}1{'}' * 2000}\n",
    "a null byte": 'a = "\0"\n',
}


def refused(tmp_path, text):
    path = tmp_path / "study.toml"
    path.write_text(text, encoding="utf-8")
    try:
        plan_of_toml(path)
    except mm.MetameterError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("value", VALUES)
def test_wrong_option_values_are_refused(value, tmp_path):
    # Every third name with every value, in turn: each name meets each kind of value.
    for name in NAMES[VALUES.index(value) % 3 :: 3]:
        wrong = refused(tmp_path, f"{name} = {value}\n{COLLECTION}")
        # Dates, times and nested lists are nobody's values.
        assert wrong.startswith(str(tmp_path)) or value not in NOBODYS


@pytest.mark.parametrize("name", OF_COLLECTIONS)
def test_wrong_values_of_a_collection_are_refused(name, tmp_path):
    others = "".join(f"{line}\n" for line in COLLECTION.splitlines() if not line.startswith(f"{name} "))
    wrong = [refused(tmp_path, f"{others}{name} = {value}\n") for value in VALUES]
    assert all(message.startswith(str(tmp_path)) for message in wrong[:5])


@pytest.mark.parametrize("what", WHOLE)
def test_wrong_study_files_are_refused(what, tmp_path):
    assert refused(tmp_path, WHOLE[what])


@pytest.mark.parametrize("name", ["metrics", "preset", *reading_options(), *stage_options()])
def test_the_suggested_line_is_accepted(name, tmp_path):
    advised = re.search(
        r"has the wrong type .* Write (.*), say\.$", refused(tmp_path, f"{name} = 00:01:00\n{COLLECTION}")
    )
    assert advised is not None
    line = advised[1]
    assert line.startswith(f"{name} = ")
    again = refused(tmp_path, f"{line}\n{COLLECTION}")
    assert "wrong type" not in again
    assert "not a TOML file" not in again


def test_a_byte_order_mark_is_skipped(tmp_path):
    assert refused(tmp_path, f"\ufeffseed = 7\n{COLLECTION}") == refused(tmp_path, COLLECTION) == ""
