"""The ground truth of TREC Dynamic Domain as XML: topics, their subtopics, and passages that speak of them."""

from __future__ import annotations

import math
import re
from typing import NoReturn
from xml.parsers import expat

import polars as pl

from metameter.errors import MetameterError
from metameter.notices import notice

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)", re.ASCII)
_PARTS = ("docno", "rating", "type")
_ROW = {"topic": pl.String, "subtopic": pl.String, "doc": pl.String, "nugget": pl.String, "rating": pl.Float64}
_FORM = "topic, subtopic, passage, each with an id, and in a passage docno, rating, type"


def read_truth_xml(data: bytes, where: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The judged passages (topic, subtopic, doc, nugget, rating), and all subtopics that are listed.

    The nugget of a passage is the id of the latest passage of its subtopic that assessors marked by hand (``MANUAL``);
    those that were found by matching its text (``MATCHED``) say the same. It is empty where none was marked before: the
    official scorer takes all these passages of a topic as one nugget.
    """
    reader = _Reader(where)
    reader.read(data)
    if not reader.rows:
        raise MetameterError("the truth holds no passage", where=where, allowed=_FORM, fix="Give the truth of TREC DD.")
    if reader.bare:
        notice(f"{where}: topics that list no subtopic were left out: {', '.join(reader.bare)}")
    listed = pl.DataFrame(reader.listed, schema={"topic": pl.String, "subtopic": pl.String}, orient="row")
    return pl.DataFrame(reader.rows, schema=_ROW, orient="row"), listed


class _Reader:
    """Hears of elements as they begin and end; the parser knows the line."""

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
        except (ValueError, LookupError):  # what Python says of encodings that it cannot decode byte by byte
            self._refuse("the XML has an encoding that cannot be read", fix="Convert the file to UTF-8.")

    def _refuse(self, what: str, line: int | None = None, *, fix: str, given: str | None = None) -> NoReturn:
        place = f"{self.where}:{line or self._parser.CurrentLineNumber}"
        raise MetameterError(what, where=place, given=given, fix=fix) from None

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
        """Take down the passage that ends here; what is wrong with it stands at the line where it begins."""
        doc, rating, kind = (self._parts.get(part, "").strip() for part in _PARTS)
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
