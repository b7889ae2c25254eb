"""Systems named by what tells them apart: what all names begin and end with is left out, where words end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metameter.types.system_names import CommonAffixes

NAMES = st.lists(st.text("ab0.-_ ", min_size=1, max_size=8), min_size=1, max_size=6, unique=True)


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["input.acsys8al.txt", "input.acsys8amn.txt"], ["acsys8al", "acsys8amn"]),
        (["a-title.txt", "b-title.txt"], ["a", "b"]),
        (["my run a", "my run b"], ["a", "b"]),
        (["x.txt", "x.y.txt"], ["x", "x.y"]),  # nothing is left empty
        (["run10", "run11"], ["run10", "run11"]),  # no word ends there
        (["bm25_k1=0.7", "bm25_k1=0.9"], ["k1=0.7", "k1=0.9"]),  # no number is cut
        (["0.5", "1.5"], ["0.5", "1.5"]),
        (["a--b", "a-c"], ["a--b", "a-c"]),  # a run of separators stays whole
        (["bm25.run", "ql.run", "dfr.txt"], ["bm25.run", "ql.run", "dfr.txt"]),
        (["input.bm25.txt"], ["input.bm25.txt"]),  # one alone has nothing in common with others
        ([".txt", "a.txt"], [".txt", "a.txt"]),
    ],
)
def test_common_affixes_are_stripped(names, short):
    ends = CommonAffixes.of(names)
    assert [ends.short(name) for name in names] == short


@given(NAMES)
def test_stripped_names_stay_distinct(names):
    ends = CommonAffixes.of(names)
    short = [ends.short(name) for name in names]
    assert all(short)
    assert len(set(short)) == len(names)
    assert [ends.prefix + name + ends.suffix for name in short] == names
    # Whoever writes the whole name, or the short one, means the same system, unless another has that name.
    assert all(ends.known(name, short) in (name, ends.short(name)) for name in names)


def test_affixes_round_trip_through_the_manifest():
    ends = CommonAffixes("input.", ".txt")
    assert CommonAffixes.of_manifest(ends.entry()) == ends
    assert CommonAffixes().entry() == {}
    assert CommonAffixes.of_manifest({}) == CommonAffixes()
