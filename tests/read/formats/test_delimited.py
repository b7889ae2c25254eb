"""Text with a header: the fast way and the patient one find the same cells on the same lines."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.read.formats import delimited as separated
from metameter.read.formats.delimited import FORMAT


def outcome(data):
    try:
        table = FORMAT.table(data, "log")
    except MetameterError as problem:
        return str(problem)
    return table.header, [[cell or "" for cell in row] for row in table.cells.rows()], list(table.numbered)


@settings(deadline=None, max_examples=150)  # the first call pays for imports
@example("a,b\n1,2\n\n3,4")
@example("a,b\n1,\n,4\n")
@example("a\n1\n \n")
@example("a,b\n1,2\n3\n")
@example("a\tb\n1\t2\n#\t ,\n")
@example('a,b\n"1,2",3\n')
@example('a,b\n"1 ""2""",\n"",""\n')
@example('a,b\n1,2"3\n')
@example('a,b\n"1\n2",3\n')
@example("a,b\n1\n2,3,")
@given(st.text(st.sampled_from("ab,\n\t #é'\v\u2028"), max_size=30) | st.text(st.sampled_from('a ,\n"\r'), max_size=16))
def test_the_fast_reader_agrees_with_the_general_one(text):
    data = ("x,y\n" + text).encode()
    for each in (data, data.replace(b",", b"\t"), text.encode()):
        fast = outcome(each)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(separated, "_regular", lambda *_: None)
            assert outcome(each) == fast


@settings(deadline=None, max_examples=100)
@given(st.lists(st.lists(st.text(st.sampled_from('a ,"é'), max_size=4), min_size=2, max_size=2), min_size=1))
def test_the_fast_reader_reads_what_spreadsheets_write(rows):
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerows([["x", "y, z"], *rows])
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(separated, "_patient")
        patch.setattr(separated, "_BLOCK", 3)
        assert outcome(file.getvalue().encode())[:2] == (["x", "y, z"], rows)


def test_a_regular_log_uses_the_fast_reader(monkeypatch):
    monkeypatch.delattr(separated, "_patient")
    assert outcome("topic,doc\r\n1,é\r\n2,b".encode()) == (["topic", "doc"], [["1", "é"], ["2", "b"]], [2, 3])


@pytest.mark.parametrize(
    ("line", "headed"),
    [
        ("topic,doc", True),
        ('"Topic"\t"DOC"\r', True),
        ("\ufeff\n\ntopic,x,doc", True),
        ("topic doc", False),
        ("topic,rank", False),
        ("topic,doc,1e3", False),
        ("topic\t0\tdoc\t-9.5", False),
        ("", False),
    ],
)
def test_a_header_has_two_names_and_no_number(line, headed):
    assert FORMAT.recognises(f"{line}\n1,2\n".encode(), ("topic", "doc")) is headed
