"""Judgments by subtopic, from the files of TREC, plain tables, dictionaries or data frames."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

import polars as pl

from metameter.errors import MetameterError
from metameter.notices import notice
from metameter.read.columns import spellings
from metameter.read.duplicates import refuse_repeats
from metameter.read.files.content import Content
from metameter.read.formats import named_columns, table_of
from metameter.read.header_table import HeaderTable
from metameter.read.trec.parse import Layout, content_lines
from metameter.types import Fingerprint, Truth

_JUDGED = ("topic", "subtopic", "doc")
_DYNAMIC = Layout((*_JUDGED, "passage", "rating"), (*_JUDGED, "passage"), ("rating",))
_DIVERSITY = Layout((*_JUDGED, "grade"), _JUDGED, ("grade",))
_TOPIC, _DOC = spellings("topic"), spellings("doc")
_RATING = ("rating", *(word for word in spellings("grade") if word not in ("rating", "score")))
#: ir_measures keeps the subtopic where the qrels of TREC have it, in the iteration.
_SUBTOPIC = ("subtopic", "subtopic_id", "iteration")
_COLUMNS = (*_TOPIC, *_SUBTOPIC, *_DOC, *_RATING, "passage", "nugget")
_FORM = "topic subtopic doc grade; topic subtopic doc passage rating; a header with topic, subtopic, doc, rating"
_FIX = "Give a path, a Truth, a data frame with topic, subtopic, doc, rating, or {topic: {subtopic: {doc: rating}}}."
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)", re.ASCII)
_PASSAGE = ("docno", "rating", "type")
_ROW = {"topic": pl.String, "subtopic": pl.String, "doc": pl.String, "nugget": pl.String, "rating": pl.Float64}
_XML_FORM = "topic, subtopic, passage, each with an id, and in a passage docno, rating, type"


def read_truth(source: Any) -> Truth:
    r"""Read relevance judgments by subtopic.

    The content of a file determines its form: the XML of TREC Dynamic Domain; its text, lines of ``topic subtopic doc
    passage rating``; the diversity judgments of the TREC Web tracks, lines of ``topic subtopic doc grade``; or a table
    with a header (comma- or tab-separated, or Parquet) with the columns topic, subtopic, doc (or docno, doc_id, docid)
    and rating (or grade, relevance).

    In the two forms of Dynamic Domain every passage that is listed is relevant, whatever its rating; in the others
    (files, dictionaries, data frames) a rating above 0 is, and other documents are judged not relevant. Ratings are
    kept as they are.

    The text of Dynamic Domain does not say which passages say the same: each is a nugget of its own. So it is in
    tables, where a column ``passage`` tells the passages of a document apart (without one, a document is judged once
    for a subtopic); a column ``nugget`` says which passages of a topic say the same.

    Parameters
    ----------
    source : path, dict, data frame or Truth
        A file, plain, .gz, .bz2, .xz or .zst; ``-`` is standard input. A dictionary {topic: {subtopic: {doc: rating}}}.
        A data frame with the columns of a table.

    Examples
    --------
    >>> read_truth({"1": {"1.1": {"d1": 2, "d2": 0}, "1.2": {}}})
    <Truth of 1 topic, 2 subtopics, 2 judgments>
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "truth.csv"
    >>> _ = path.write_text("topic,subtopic,doc,rating\nmars,water,d1,2\nmars,air,d1,0\n")
    >>> read_truth(path).table.rows()
    [('mars', 'water', 'd1', '1', 2.0), ('mars', 'air', 'd1', '2', 0.0)]
    """
    if isinstance(source, Truth):
        return source
    if isinstance(source, str | Path):
        content = Content.of(source)
        return _of_data(content.unpacked(), content)
    if isinstance(source, Mapping):
        return _of_dict(source)
    return _of_table(HeaderTable.by_row("truth", table_of(source, "", _FIX)))


def _of_data(data: bytes, content: Content) -> Truth:
    where, prints = content.source, (content.fingerprint,)
    if data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        passages, subtopics = read_truth_xml(data, where)
        return Truth(passages, True, subtopics, where, prints)
    named = named_columns(data, where, _COLUMNS)
    if named is not None:
        return _of_table(named, prints)
    line, first = next(content_lines(data), (0, []))
    dynamic = len(first) == len(_DYNAMIC.columns)
    if first and not dynamic and len(first) != len(_DIVERSITY.columns):
        given = b" ".join(first).decode(errors="replace")
        what, fix = "these are no judgments by subtopic", "Give one of these forms, or the XML of TREC Dynamic Domain."
        raise MetameterError(what, where=f"{where}:{line}", given=given, allowed=_FORM, fix=fix)
    table = HeaderTable.of_lines(data, _DYNAMIC if dynamic else _DIVERSITY, where)
    refuse_repeats(table.cells, (*_JUDGED, "passage") if dynamic else _JUDGED, table.location)
    if dynamic:
        notice(f"{where}: the text does not say which passages say the same; each is taken as a nugget of its own")
        rows = table.cells.rename({"passage": "nugget"})
    else:
        rows = _own_nuggets(table.cells.rename({"grade": "rating"}), _JUDGED)
    return Truth(rows.select(*_JUDGED, "nugget", "rating"), dynamic, None, where, prints)


def _of_table(source: HeaderTable, prints: tuple[Fingerprint, ...] = ()) -> Truth:
    """The judgments in a table: topic, subtopic, doc, rating and, if it has them, passage and nugget."""
    source = source.nonempty()
    names = [source.needs(*each, allowed=_FORM) for each in (_TOPIC, _SUBTOPIC, _DOC, _RATING)]
    further = [name for name in ("passage", "nugget") if source.find(name)]
    columns = [source.texts(name).alias(ours) for name, ours in zip(names[:3], _JUDGED, strict=True)]
    columns += [source.texts(str(source.find(name))).alias(name) for name in further]
    table = pl.DataFrame([*columns, source.numbers(names[3]).alias("rating")])
    refuse_repeats(table, (*_JUDGED, *further[:1]), source.location)
    if "nugget" not in further:
        # A passage that is listed for several subtopics is one nugget, as with the official scorer of TREC.
        table = _own_nuggets(table, ("topic", "doc", "passage") if further else _JUDGED)
    return Truth(table.select(*_JUDGED, "nugget", "rating"), source=source.source, fingerprints=prints)


def _of_dict(judgments: Mapping[Any, Any]) -> Truth:
    """The judgments in {topic: {subtopic: {doc: rating}}}; a subtopic may be without documents."""
    rows, listed = [], []
    for topic, subtopics in judgments.items():
        for subtopic, documents in _inner(subtopics, "a topic's subtopics").items():
            names = str(topic).strip(), str(subtopic).strip()
            listed.append(names)
            rows += [(*names, str(doc), rating) for doc, rating in _inner(documents, "a subtopic's documents").items()]
    if not rows:
        raise MetameterError("the judgments are empty", where="truth", fix=_FIX)
    columns = zip((*_JUDGED, "rating"), zip(*rows, strict=True), strict=True)
    cells = pl.DataFrame([pl.Series(name, column, strict=False) for name, column in columns])
    truth = _of_table(HeaderTable.by_row("truth", cells))
    return Truth(truth.table, listed=pl.DataFrame(listed, schema=["topic", "subtopic"], orient="row"))


def _own_nuggets(table: pl.DataFrame, passage: tuple[str, ...]) -> pl.DataFrame:
    """The table with a nugget for each passage, numbered after its first row; ``passage`` names its columns."""
    numbered = table.with_row_index("nugget", offset=1)
    nugget = pl.col("nugget").first().over(passage).cast(pl.String)
    return numbered.select(*table.columns, nugget)


def _inner(value: Any, what: str) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise MetameterError(f"{what} must be a dictionary", given=value, fix=_FIX)
    return value


def read_truth_xml(data: bytes, where: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The judged passages (topic, subtopic, doc, nugget, rating), and all subtopics that are listed.

    The nugget of a passage is the id of the latest passage of its subtopic that assessors marked by hand (``MANUAL``);
    those that were found by matching its text (``MATCHED``) say the same. It is empty where none was marked before: the
    official scorer takes all these passages of a topic as one nugget.
    """
    reader = _XmlReader(where)
    reader.read(data)
    if not reader.rows:
        raise MetameterError(
            "the truth holds no passage", where=where, allowed=_XML_FORM, fix="Give the truth of TREC DD."
        )
    if reader.bare:
        notice(f"{where}: topics that list no subtopic were left out: {', '.join(reader.bare)}")
    listed = pl.DataFrame(reader.listed, schema={"topic": pl.String, "subtopic": pl.String}, orient="row")
    return pl.DataFrame(reader.rows, schema=_ROW, orient="row"), listed


class _XmlReader:
    """Handles the events of the parser, which knows the line."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.rows: list[tuple[str, str, str, str, float]] = []
        self.listed: list[tuple[str, str]] = []
        self.bare: list[str] = []  # topics that list no subtopic
        self._path: list[str] = []  # the elements that are open, from the topic on
        self._topics: dict[str, int] = {}  # from an id to its line, as in the next two
        self._subtopics: dict[str, int] = {}
        self._passages: dict[tuple[str, str], int] = {}
        self._topic = self._subtopic = self._passage = self._nugget = ""
        self._parts: dict[str, str] = {}
        self._line = 0
        self._parser = self._listening()

    def _listening(self) -> expat.XMLParserType:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        # Otherwise an entity of HTML in the text of a passage (&nbsp;) would be an error.
        parser.UseForeignDTD(True)
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.SkippedEntityHandler = self._entity
        return parser

    def read(self, data: bytes) -> None:
        """Read it all."""
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as problem:
            what = f"the XML is not well-formed: {expat.ErrorString(problem.code)}"
            self._refuse(what, problem.lineno, fix="Correct the line, or fetch the file again.")
        except MetameterError:
            raise
        except (ValueError, LookupError):  # encodings that Python cannot decode byte by byte
            self._refuse("the XML has an encoding that cannot be read", fix="Convert the file to UTF-8.")

    def _refuse(self, what: str, line: int | None = None, *, fix: str, given: str | None = None) -> NoReturn:
        location = f"{self.where}:{line or self._parser.CurrentLineNumber}"
        raise MetameterError(what, where=location, given=given, fix=fix) from None

    def _doctype(self, name: str, *_: object) -> None:
        # A declaration may define entities that expand without end, or name files to be fetched.
        self._refuse("the XML declares a document type", given=name, fix="Remove the DOCTYPE and what it defines.")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._path and name != "topic":
            return
        match (*self._path, name):
            case ("topic",):
                self._topic = self._new(name, attributes, self._topics)
                self._subtopics = {}
            case ("topic", "subtopic"):
                self._subtopic = self._new(name, attributes, self._subtopics)
                self.listed.append((self._topic, self._subtopic))
                self._passages, self._nugget = {}, ""
            case ("topic", "subtopic", "passage"):
                self._passage, self._line = self._id(name, attributes), self._parser.CurrentLineNumber
                self._parts = {}
            case ("topic", "subtopic", "passage", "docno" | "rating" | "type"):
                if name in self._parts:
                    self._refuse(f"passage {self._passage!r} has a second {name}", fix="Give each passage one.")
                self._parts[name] = ""
        self._path.append(name)

    def _end(self, name: str) -> None:
        if not self._path:
            return
        if self._path == ["topic", "subtopic", "passage"]:
            self._judge()
        elif self._path == ["topic"] and not self._subtopics:
            self.bare.append(self._topic)
        self._path.pop()

    def _characters(self, text: str) -> None:
        if self._in_part():
            self._parts[self._path[-1]] += text

    def _entity(self, name: str, _: bool) -> None:
        if self._in_part():
            what, fix = f"the {self._path[-1]} holds an entity that is not defined", "Write the character itself."
            self._refuse(what, given=name, fix=fix)

    def _in_part(self) -> bool:
        return len(self._path) == 4 and self._path[-1] in self._parts and self._path[1:3] == ["subtopic", "passage"]

    def _id(self, name: str, attributes: dict[str, str]) -> str:
        return attributes.get("id", "").strip() or self._refuse(f"a {name} has no id", fix=f"Give the {name} an id.")

    def _new(self, name: str, attributes: dict[str, str], seen: dict[str, int]) -> str:
        new = self._id(name, attributes)
        if new in seen:
            self._refuse(
                f"{name} {new!r} is listed twice, first at {self.where}:{seen[new]}", fix="Remove one of them."
            )
        seen[new] = self._parser.CurrentLineNumber
        return new

    def _judge(self) -> None:
        """Add the passage that ends here; errors are located at the line where it begins."""
        doc, rating, kind = (self._parts.get(part, "").strip() for part in _PASSAGE)
        for part, given in (("docno", doc), ("rating", rating)):
            if not given:
                self._refuse(f"passage {self._passage!r} has no {part}", self._line, fix=f"Give it a {part}.")
        if not _NUMBER.fullmatch(rating) or not math.isfinite(float(rating)):
            fix = "Correct the rating."
            self._refuse(f"the rating of passage {self._passage!r} is not a number", self._line, given=rating, fix=fix)
        if (doc, self._passage) in self._passages:
            first = f"{self.where}:{self._passages[doc, self._passage]}"
            what = f"passage {self._passage!r} of document {doc!r} is listed twice, first at {first}"
            self._refuse(what, self._line, fix="Remove one of them.")
        self._passages[doc, self._passage] = self._line
        if kind.upper() == "MANUAL":
            self._nugget = self._passage
        self.rows.append((self._topic, self._subtopic, doc, self._nugget, float(rating)))
