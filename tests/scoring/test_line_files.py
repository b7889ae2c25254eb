"""Files that say which systems come from one group."""

from __future__ import annotations

import gzip

import pytest

from metameter.errors import MetameterError
from metameter.scoring.line_files import read_system_groups


def test_tab_comma_and_space_separate_fields(tmp_path):
    file = tmp_path / "groups"
    file.write_bytes("\ufeff# team\r\na b\tx y\r\n c,d\r\n\r\ne   f \na,b\tx y\n".encode())
    groups = read_system_groups(file)
    assert groups == {"a b": "x y", "c": "d", "e": "f", "a,b": "x y"}
    assert [system.where for system in groups] == [f"{file}:{line}" for line in (2, 3, 5, 6)]


def test_compressed_files_are_read(tmp_path):
    file = tmp_path / "groups.gz"
    file.write_bytes(gzip.compress(b"a us\nb us\nb us\n"))
    assert read_system_groups(file) == {"a": "us", "b": "us"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a us\nb\n", r"groups:2: not a system and its group \(given 'b'\)"),
        ("a b c\n", r"groups:1: not a system and its group \(given 'a b c'\)"),
        ("a,b,c\n", "groups:1: not a system and its group"),
        ("\tus\n", "groups:1: not a system and its group"),
        ("a us\n# b\na them\n", r"groups:3: a system is in two groups \(given 'a'\)"),
        ("# nothing\n\n", "groups: no system is named"),
    ],
)
def test_malformed_lines_are_refused_by_number(tmp_path, text, message):
    file = tmp_path / "groups"
    file.write_text(text)
    with pytest.raises(MetameterError, match=message) as refusal:
        read_system_groups(file)
    assert "\n" not in str(refusal.value)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(MetameterError):
        read_system_groups(tmp_path / "nowhere")
