"""A test's name is a short sentence that says what holds."""

import re
from pathlib import Path

TESTS = Path(__file__).parent
MOST_WORDS = 10


def test_names_of_tests_have_at_most_ten_words():
    names = {
        f"{path.relative_to(TESTS)}: {name}": len(name.split("_"))
        for path in TESTS.rglob("test_*.py")
        for name in re.findall(r"^ *(?:async )?def test_(\w+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert len(names) > 1000
    assert sorted(name for name, words in names.items() if words > MOST_WORDS) == []
