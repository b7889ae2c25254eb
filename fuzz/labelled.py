"""How result pages are drawn as JSON: an object a line, or one list of objects."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

from fuzz.draw import damaged, one_in

__all__ = ["USERS", "records"]

USERS = [b"u1", b"u2", b"u3", b"", b"1", b"01"]
_LISTS: list[Any] = [[1, 0, 2], [0, None, 1], [3], "1 0 2", "[1,0]", [1.5, 0]]
_ODD: list[Any] = [
    None,
    [],
    "",
    {},
    [[1]],
    ["x"],
    [True],
    "?",
    float("nan"),
    [float("inf")],
    10**400,
    [10**30],
    [-1, 0],
    "null",
    {"a": 1},
]
_LABELS: list[Any] = [1, 2, 3, 4, 0.5, "2", -1]


def records(draw: Random, lists: Sequence[str], label: str) -> bytes:
    """Objects with lists of grades and a label, most of them right."""
    odd = one_in(draw, 3)
    rows = [_record(draw, lists, label, odd) for _ in range(draw.randrange(8))]
    text = json.dumps(rows) if one_in(draw, 3) else "\n".join(json.dumps(row) for row in rows)
    data = text.encode()
    return damaged(draw, data) if one_in(draw, 4) else data


def _record(draw: Random, lists: Sequence[str], label: str, odd: bool) -> dict[str, Any]:
    def drawn(fitting: list[Any]) -> Any:
        return draw.choice(_ODD + _LISTS + _LABELS if odd and one_in(draw, 4) else fitting)

    row = {name: drawn(_LISTS) for name in lists} | {label: drawn(_LABELS)}
    if one_in(draw, 3):
        row["user"] = drawn(["u1", "u2", 3, None])
    if one_in(draw, 4):
        row["id"] = drawn([1, 2, "a", None])
    return row
