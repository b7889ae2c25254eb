"""Which kinds of values the options in a study file take, told by their defaults, and how such a line is written."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["example_of", "fits", "is_word", "kind_of"]

#: What to write where the default is nothing, and so no example.
_EXAMPLES = {
    "preset": "chen-sakai-2023",
    "costs": "path",
    "contributing": "path",
    "groups": "path",
    "depths": "1-10",
    "iterations": "1-10",
    "weights": "rel=.5,div=.3,eff=.2",
    "pool_depth": 100,
    "max_grade": 3,
    "pages_max_grade": 3,
    "most_resamples": 100_000,
}


def example_of(name: str, default: Any) -> str:
    """A line that would be taken, in TOML.

    Examples
    --------
    >>> example_of("metrics", ""), example_of("ties", "docid-desc"), example_of("seed", 0), example_of("grid", False)
    ('metrics = ["nDCG@10"]', 'ties = "docid-desc"', 'seed = 0', 'grid = false')
    """
    # Of single values and lists of texts, JSON is TOML. What else has no default names metrics.
    value = ["nDCG@10"] if default in ("", (), None) else default
    return f"{name} = {json.dumps(_EXAMPLES.get(name, value))}"


def kind_of(default: Any) -> str:
    """What a value may be, in words.

    Examples
    --------
    >>> kind_of(False), kind_of(0.05), kind_of("")
    ('true or false', 'a number', 'a text, or a list of texts')
    """
    if isinstance(default, bool):
        return "true or false"
    if isinstance(default, int | float):
        return "a number"
    return "a number, a text, a list of them or a table" if default is None else "a text, or a list of texts"


def fits(value: Any, default: Any) -> bool:
    """Whether a value is of the kind of an option's default.

    Examples
    --------
    >>> fits(7, 0), fits("7", 0), fits(["nDCG@10"], ""), fits([[1]], None)
    (True, False, True, False)
    """
    if isinstance(default, bool):
        return isinstance(value, bool)
    if isinstance(default, int | float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    if default is None:
        return is_word(value) or _is_list(value, str | int) or _is_table(value)
    return is_word(value, str) or _is_list(value, str)


def is_word(value: Any, kind: Any = str | int | float) -> bool:
    """Whether it is one text or number, and not empty.

    Examples
    --------
    >>> is_word("a"), is_word(3, str), is_word(" "), is_word(True)
    (True, False, False, False)
    """
    return isinstance(value, kind) and not isinstance(value, bool) and value not in ("", " ")


def _is_list(value: Any, kind: Any) -> bool:
    return isinstance(value, list) and all(is_word(each, kind) for each in value)


def _is_table(value: Any) -> bool:
    # Groups of systems, or weights of metrics.
    return isinstance(value, dict) and all(is_word(each) for each in value.values())
