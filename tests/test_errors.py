"""The one kind of error: it can say anything that it was given."""

import re
from pathlib import Path

import pytest

import metameter
from metameter.cli.program import run
from metameter.errors import MetameterError


class _Silent:
    def __repr__(self):
        raise RuntimeError("no")


@pytest.mark.parametrize(
    "given", [10**5000, [10**5000], {10**5000: 1}, _Silent()], ids=lambda each: type(each).__name__
)
def test_unprintable_values_are_named_by_type(given):
    message = str(MetameterError("trials is out of range", given=given, fix="Give fewer."))
    assert f"given a {type(given).__name__} that cannot be printed" in message


def test_messages_name_options_as_in_the_shell_too():
    """Messages are read by those who type a command and by those who call a function."""
    source = Path(metameter.__file__).parent
    said = [
        (option, sentence)
        for path in source.rglob("*.py")
        for sentence in re.findall(r'fix ?= ?f?"([^"]*)"', path.read_text(encoding="utf-8"))
        for option in re.findall(r"\b[Ss]et ([a-z_]+) ", sentence)
    ]
    assert len(said) > 5
    assert [each for each in said if each[0] != "it" and f"--{each[0].replace('_', '-')}" not in each[1]] == []


def test_a_document_listed_twice_names_the_option(tmp_path, capsys):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 x\n1 Q0 a 2 1 x\n")
    assert run(["score", str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "P@1"]) == 2
    assert capsys.readouterr().err.endswith("or set on_duplicate to first (--on-duplicate first).\n")
