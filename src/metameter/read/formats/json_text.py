"""JSON: rows, {topic: {doc: number}}, {topic: [doc, ...]}, as one value or by the line; and predictions of MTEB."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from metameter.errors import MetameterError, in_utf8
from metameter.read.columns import column_key, spellings
from metameter.read.formats.base import TableFormat

if TYPE_CHECKING:
    import polars as pl

    from metameter.read.header_table import HeaderTable
    from metameter.read.trec.parse import Layout


_START = re.compile(rb'\{\s*["}]|\[\s*[\[{\]]')
# These are compiled when they are needed: every command imports this module.
_MARK = r'\n|"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+'
_SPACE = r"[ \t\r\n]*"
#: A file of MTEB predictions has the model's name under this key, beside {subset: {split: {topic: {doc: score}}}}.
MTEB = "mteb_model_meta"
_MODEL = rb'\{\s*"mteb_model_meta"\s*:\s*\{[^{}]*?"model_name"\s*:\s*("(?:[^"\\]|\\.)*")'
_KNOWN = frozenset(word for name in ("topic", "doc", "grade", "score", "rank", "system") for word in spellings(name))
_FORMS = "an object a row with topic, doc and grade or score; {topic: {doc: number}}; for runs {topic: [doc, ...]}"
_FIX = "Give one of these forms."


class _Object(list[tuple[str, Any]]):
    """The pairs of an object, in which a name may occur twice."""


class Json(TableFormat):
    """JSON and JSON lines, recognised by their first bracket."""

    def recognises(self, head: bytes, known_names: Collection[str] | None = None) -> bool:
        """Whether this begins like an object or an array of JSON."""
        return _START.match(head.removeprefix(b"\xef\xbb\xbf").lstrip()) is not None

    def system(self, head: bytes) -> str | None:
        """The model that the predictions of MTEB name."""
        match = re.match(_MODEL, head.lstrip())
        return None if match is None else in_utf8(str(json.loads(match[1].decode(errors="replace"))))

    def table(self, data: bytes, where: str, layout: Layout | None = None) -> HeaderTable:
        """The cells of all rows; a number without a name goes into the first number column of the layout.

        For judgments its column is ``score``, which is another name of ``grade``.
        """
        from metameter.read.header_table import HeaderTable

        table = _regular_rows(data)
        if table is not None:
            return HeaderTable.named(where, table.columns, table, range(1, table.height + 1))
        value = layout.numbers[0] if layout is not None else "score"
        return _Reader(data, where, "score" if value == "grade" else value).table()


def _regular_rows(data: bytes) -> pl.DataFrame | None:
    """The table of one row a line, all with the same names and types, read by Polars; None if anything is irregular."""
    import polars as pl

    first = data[: data.find(b"\n") + 1] or data
    if b"\\u" in data or data.startswith(b"\xef") or not first.lstrip().startswith(b"{"):
        return None
    try:
        data.decode()
        row = json.loads(first, object_pairs_hook=_Object)
        names = [] if _is_nested(row) else [name for name, _ in row]
        table = pl.read_ndjson(data, infer_schema_length=None)
    except (ValueError, TypeError, RecursionError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    if not names or table.columns != names or table.height != data.rstrip(b"\n").count(b"\n") + 1:
        return None
    for name, kind in table.schema.items():
        if column_key(name) not in _KNOWN:
            continue
        # Polars turns a number among texts into text, and takes the first of two cells of one name.
        key = json.dumps(name).encode()
        texts = kind == pl.String and len(re.findall(re.escape(key) + rb'\s*:\s*"', data)) < table.height
        if texts or kind.is_nested() or kind == pl.Boolean or data.count(key) != table.height:
            return None
        if kind.is_float() and column_key(name) in (*spellings("topic"), *spellings("doc")):
            return None
    return table


class _Reader:
    """Reads value after value; line numbers are computed only when a message needs them."""

    def __init__(self, data: bytes, where: str, value: str) -> None:
        from metameter.read.formats.delimited import in_utf8_or_refused

        self.where, self.value = where, value
        self.text = in_utf8_or_refused(data, where).decode()
        self.depth = 0  # of the brackets in which a row stands
        self.system: str | None = None

    def table(self) -> HeaderTable:
        """The cells; the first value determines the form."""
        import polars as pl

        from metameter.read.header_table import HeaderTable

        values = list(self.values())
        if len(values) == 1 and type(values[0][1]) is list:
            self.depth = 1
            columns = self._of_rows(values[0][1])
        elif values and _is_nested(values[0][1]):
            columns = self._of_topics(values)
        else:
            columns = self._of_rows([value for _, value in values])
        cells = [_column(in_utf8(name), column) for name, column in columns.items()]
        if self.system is not None:
            cells.append(pl.Series("system", [self.system]).new_from_index(0, len(cells[0])))
        lines = (lambda: list(lines_of_elements(self.text, self.depth))) if self.depth else [line for line, _ in values]
        return HeaderTable.named(self.where, [cell.name for cell in cells], pl.DataFrame(cells), lines)

    def values(self, pairs: Callable[[list[tuple[str, Any]]], Any] = _Object) -> Iterator[tuple[int, Any]]:
        """The values that follow each other, and the line of each; ``pairs`` makes an object."""
        decoder, space = json.JSONDecoder(object_pairs_hook=pairs), re.compile(_SPACE)
        at, line, end = 0, 1, len(self.text)
        while (start := space.match(self.text, at).end()) < end:  # type: ignore[union-attr]
            line += self.text.count("\n", at, start)
            try:
                value, at = decoder.raw_decode(self.text, start)
            except json.JSONDecodeError as problem:
                what, location = f"this is not JSON: {problem.msg}", f"{self.where}:{problem.lineno}"
                raise MetameterError(what, where=location, fix="Correct the line.") from None
            except (ValueError, RecursionError):  # a number of thousands of digits, thousands of brackets
                self._refuse(line, "a number is too long, or brackets are too deep")
            yield line, value
            line += self.text.count("\n", start, at)

    def _of_rows(self, rows: list[Any]) -> dict[str, list[Any]]:
        """The cells by column; a name that a row lacks is missing there."""
        columns: dict[str, list[Any]] = {}
        for number, row in enumerate(rows):
            if not isinstance(row, _Object):
                self._refuse(self.line(number), "this is not a row", row)
            for name, cell in row:
                cells = columns.setdefault(name, [])
                if len(cells) > number:
                    self._refuse(self.line(number), f"the row names {name!r} twice")
                cells += [None] * (number - len(cells))
                cells.append(cell)
        return {name: cells + [None] * (len(rows) - len(cells)) for name, cells in columns.items()}

    def _of_topics(self, values: list[tuple[int, Any]]) -> dict[str, list[Any]]:
        """Topics, documents and numbers or ranks."""
        self.depth = 2
        parts: list[tuple[str, int, Any]] = [("", line, value) for line, value in values]
        if _is_predicted(values[0][1]):
            self.depth, parts = 4, list(self._predicted(values))
        topics, docs, numbers, seen, ranked = [], [], [], {}, None  # type: ignore[var-annotated]
        for part, line, value in parts:
            if not _is_nested(value):
                self._refuse(line, "this is not {topic: {doc: number}}", value)
            for topic, documents in value:
                if seen.setdefault(topic, part) != part:
                    fix = "Write the predictions of one of them into a file of its own."
                    what = f"topic {topic!r} is in several subsets or splits: {seen[topic]} and {part}"
                    raise MetameterError(what, where=self.where, fix=fix)
                if documents:
                    ranked = not isinstance(documents, _Object) if ranked is None else ranked
                if documents and ranked is isinstance(documents, _Object):
                    self._refuse(self.line(len(docs)), "some documents have numbers, others have not", topic)
                if not documents:
                    continue
                cells = (documents, range(1, len(documents) + 1)) if ranked else zip(*documents, strict=True)
                named, counted = map(list, cells)
                if not set(map(type, named)) <= {str, int} or not set(map(type, counted)).isdisjoint({list, _Object}):
                    pairs = enumerate(zip(named, counted, strict=True), start=len(docs))
                    wrong = (row for row, (doc, cell) in pairs if type(doc) not in (str, int) or isinstance(cell, list))
                    what = f"topic {topic!r} has a document without a name, or with several numbers"
                    self._refuse(self.line(next(wrong)), what)
                topics += [topic] * len(named)
                docs += named
                numbers += counted
        return {"topic": topics, "doc": docs, "rank" if ranked else self.value: numbers}

    def _predicted(self, values: list[tuple[int, Any]]) -> Iterator[tuple[str, int, Any]]:
        """The topics of each subset and split, as MTEB writes them."""
        for line, value in values:
            for subset, splits in value:
                if subset == MTEB:
                    self.system = next((in_utf8(str(name)) for key, name in splits if key == "model_name"), None)
                    continue
                if not isinstance(splits, _Object):
                    self._refuse(line, "these predictions are not {subset: {split: {topic: {doc: score}}}}", subset)
                yield from ((f"{subset}/{split}", line, topics) for split, topics in splits)

    def line(self, row: int) -> int:
        """The line of a row."""
        if not self.depth:
            return next(line for number, (line, _) in enumerate(self.values()) if number == row)
        return next((line for number, line in enumerate(lines_of_elements(self.text, self.depth)) if number == row), 1)

    def _refuse(self, line: int, what: str, given: object = None) -> NoReturn:
        text = None if given is None else json.dumps(given)[:80]
        location = f"{self.where}:{line}"
        raise MetameterError(what, where=location, given=text, allowed=_FORMS, fix=_FIX) from None


def lines_of_elements(text: str, depth: int) -> Iterator[int]:
    """The lines of names in objects, or of elements of arrays, within so many brackets."""
    line, brackets, before = 1, "", ""
    for mark in (match[0] for match in re.finditer(_MARK, text)):
        if mark == "\n":
            line += 1
            continue
        here = len(brackets) == depth
        if here and (mark == ":" if brackets[-1] == "{" else before in ("[", ",") and mark not in ("]", ",")):
            yield line
        if mark in ("{", "["):
            brackets += mark
        elif mark in ("}", "]"):
            brackets = brackets[:-1]
        before = mark


def objects_in(data: bytes, where: str) -> tuple[list[dict[str, Any]], HeaderTable]:
    """The rows of a file, an object each, one after another or in an array; and an empty table that locates them."""
    import polars as pl

    from metameter.read.header_table import HeaderTable

    reader = _Reader(data, where, "")
    values, lines = [], []
    for line, value in reader.values(dict):
        values.append(value)
        lines.append(line)
    listed = len(values) == 1 and isinstance(values[0], list)
    rows: list[Any] = values[0] if listed else values
    table = HeaderTable(where, pl.DataFrame(), partial(list, lines_of_elements(reader.text, 1)) if listed else lines)
    for row, value in enumerate(rows):
        if not isinstance(value, dict):
            given = value if listed else json.dumps(value)
            fix = "Give an object a line, or a list of objects."
            raise table.refusal(row, "this is no JSON object", given=given, fix=fix)
    return rows, table


def object_in(
    data: bytes, where: str, form: str, fix: str
) -> tuple[list[tuple[str, Any]], str, Callable[[], Sequence[int]]]:
    """The pairs of the one object in a file, of this form; the file; and a function that finds their lines."""
    values: list[Any] = []
    try:
        reader = _Reader(data, where, "")
        values = [value for _, value in reader.values()]
    except MetameterError as problem:  # it is not UTF-8, or its brackets are too deep
        if problem.what.startswith("this is not JSON"):
            raise
    if len(values) != 1 or not isinstance(values[0], _Object):
        raise MetameterError(f"this is not a JSON object {form}", where=where, fix=fix)
    return values[0], where, lambda: list(lines_of_elements(reader.text, 1))


def _is_nested(value: Any) -> bool:
    """Whether an object holds only objects and arrays: then its names are topics or subsets."""
    return isinstance(value, _Object) and all(isinstance(inner, list) for _, inner in value)


def _is_predicted(value: _Object) -> bool:
    if any(name == MTEB for name, _ in value):
        return True
    return bool(value) and _is_nested(value[0][1]) and bool(value[0][1]) and _is_nested(value[0][1][0][1])


def _column(name: str, cells: list[Any]) -> pl.Series:
    import polars as pl

    from metameter.read.cell_coercion import column_of

    nested = not {list, _Object}.isdisjoint(map(type, cells))
    return pl.Series(name, [str(cell) for cell in cells], pl.Object) if nested else column_of(name, cells)


FORMAT = Json()
