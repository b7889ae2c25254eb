"""Judgments and runs as JSON: the fast reader, the patient one and `check` agree; a place in a message is a line."""

import json
import re
from random import Random

from fuzz.draw import NUMBERS, damaged, one_in
from fuzz.laws import Refused, outcome, place
from metameter.read.formats import json_text
from metameter.read.qrels import read_qrels
from metameter.read.runs import read_run
from metameter.scoring.check.problems import inspect_qrels, inspect_run

GROUP, SHARE = "readers", 2
NAMES = ["1", "2", "401", "a", "d1", "é", '"', "\\", "\ud800", "", "{", "rank", "score"]
CELLS = [0, 1, 2, 3, 1.5, -1, "1", "x", None, True, [], ["d1"], {}, {"d1": 1}, 2**70, float("nan"), 1e999, "\ud83d"]
KEYS = ["qid", "docid", "rating", "score", "rank", "topic", "doc", "system", "more", "qid"]


def make(draw: Random) -> bytes:
    """Rows, topics with numbers or in their order, predictions; by the line, as an array, whole or damaged."""
    values = [draw.choice(FORMS)(draw)] * draw.choice([1, 1, 2]) if one_in(draw, 3) else _alike(draw)
    indent = draw.choice([None, None, 1])
    text = draw.choice(["\n", "\n", "\n\n", " "]).join(json.dumps(each, indent=indent) for each in values)
    data = text.encode() + draw.choice([b"", b"\n", b"\n\n"])
    if one_in(draw, 8):
        data = data.replace(b"1", draw.choice(NUMBERS), 1)
    return damaged(draw, data) if one_in(draw, 3) else data


def _alike(draw: Random) -> list[object]:
    form = draw.choice(FORMS)
    return [form(draw) for _ in range(draw.randrange(1, 5))]


def _cell(draw: Random) -> object:
    return draw.choice(CELLS if one_in(draw, 8) else CELLS[:5])


def _row(draw: Random) -> object:
    cells = {"qid": draw.choice(NAMES[:4]), "docid": draw.choice(NAMES[:6]), draw.choice(KEYS[2:5]): _cell(draw)}
    return {**cells, draw.choice(KEYS): _cell(draw)} if one_in(draw, 4) else cells


def _topics(draw: Random) -> object:
    return {draw.choice(NAMES): {draw.choice(NAMES): _cell(draw) for _ in range(3)} for _ in range(draw.randrange(3))}


def _orders(draw: Random) -> object:
    return {draw.choice(NAMES): draw.sample(NAMES, draw.randrange(4)) for _ in range(draw.randrange(3))}


def _predictions(draw: Random) -> object:
    return {"mteb_model_meta": {"model_name": draw.choice(NAMES)}, "a": {draw.choice(NAMES): _topics(draw)}}


FORMS = [_row, _row, _topics, _orders, _predictions, lambda draw: [_row(draw) for _ in range(3)]]


def hold(data: bytes) -> bool:
    """Judgments and runs: all readers agree."""
    return any([_agree(data, read_qrels, inspect_qrels), _agree(data, read_run, inspect_run)])


def _agree(data: bytes, read: object, inspect: object) -> bool:
    file, regular = place(data, "input.json"), json_text._regular_rows
    fast = _rows(outcome(lambda: read(file)))  # type: ignore[operator]
    json_text._regular_rows = lambda data: None
    try:
        patient = _rows(outcome(lambda: read(file)))  # type: ignore[operator]
    finally:
        json_text._regular_rows = regular
    assert fast == patient, f"fast: {fast}, patient: {patient}"
    problems = outcome(lambda: inspect(file)).problems  # type: ignore[operator]
    assert bool(problems) is isinstance(fast, Refused), (fast, problems)
    if isinstance(fast, Refused):
        found = re.match(r".*?input\.json:(\d+): ", fast)
        assert found is None or 1 <= int(found[1]) <= data.count(b"\n") + 1, fast
    return not isinstance(fast, Refused)


def _rows(read: object) -> object:
    return read if isinstance(read, Refused) else repr(read.table.rows())  # type: ignore[attr-defined]
