"""Untrusted names, made harmless."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metameter.view.escape import escape_html, escape_latex, escape_markdown, visible


@given(st.text())
def test_no_unprintable_character_remains(text):
    for escape in (visible, escape_html, escape_latex, escape_markdown):
        assert escape(text).isprintable()


@given(st.text())
def test_escaped_html_has_no_markup(text):
    assert not re.search("[<>\"']", escape_html(text))


@given(st.text())
def test_escaped_latex_has_no_special_characters(text):
    mathematics = r"\$(\\[A-Za-z]+|-|'|\^(\\circ|\d))\$"
    accents = r"\\[`'^~=.\"uvHrdcb]\{(\\[ij]|[A-Za-z])\}"
    bare = re.sub(
        rf"{mathematics}|{accents}|\\[A-Za-z]+\{{\}}|\\[{{}}$&#_%]|\{{\\char34\}}|\{{\}}", "", escape_latex(text)
    )
    assert bare.isascii()
    assert not re.search(r'[\\{}$&#_%~^<>|"]', bare)


@pytest.mark.parametrize("name", ["\x1b[2J", "\u202eevil", "a\nb", "\x9b31m", "\x07", "\u2028"])
def test_terminal_commands_are_escaped(name):
    assert visible(name).isascii()
    assert "\\" in visible(name)


def test_plain_names_are_unchanged():
    for name in ("RBP(p=0.8)*max@10", "naïve", "検索", "st_rec"):
        assert visible(name) == name
        assert escape_html(name) == name
