"""Judgments by subtopic: every form gives the same table, every fault names its line."""

from __future__ import annotations

import gzip
import io
import json
import sys
from contextlib import suppress
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.notices import MetameterWarning
from metameter.read.sessions.truth import read_truth, read_truth_xml

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "trec_dd_jig.json").read_text())["input"]["truth"]
KEY = ("topic", "subtopic", "doc")


def write(folder, content, name="truth"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def passage(number, doc, rating, kind, text="some <b>text</b> &amp; more"):
    parts = f"<docno>{escape(doc)}</docno><rating>{rating}</rating><text>{text}</text><type>{kind}</type>"
    return f"      <passage id={quoteattr(number)}>{parts}</passage>\n"


def as_xml(truth):
    """{topic: {subtopic: [(passage, doc, rating, kind)]}} as the track distributes it."""
    topics = "".join(
        f"  <topic id={quoteattr(topic)} name='x'>\n    <description>about</description>\n"
        + "".join(
            f"    <subtopic id={quoteattr(subtopic)}>\n{''.join(passage(*each) for each in passages)}    </subtopic>\n"
            for subtopic, passages in subtopics.items()
        )
        + "  </topic>\n"
        for topic, subtopics in truth.items()
    )
    return f"<?xml version='1.0' encoding='UTF-8'?>\n<trecdd>\n<domain name='d'>\n{topics}</domain>\n</trecdd>\n"


def golden_passages():
    return {
        topic: {
            subtopic: [(each["passage_id"], each["docno"], each["rating"], each["type"]) for each in passages]
            for subtopic, passages in subtopics.items()
        }
        for topic, subtopics in GOLDEN.items()
    }


# --- the official forms ---


def test_the_golden_truth_is_read_from_xml(tmp_path):
    truth = read_truth(write(tmp_path, as_xml(golden_passages())))
    expected, nugget = [], ""
    for topic, subtopics in golden_passages().items():
        for subtopic, passages in subtopics.items():
            for number, doc, rating, kind in passages:
                nugget = number if kind == "MANUAL" else nugget
                expected.append((topic, subtopic, doc, nugget, float(rating)))
    assert truth.table.rows() == expected
    assert len(expected) == 110
    assert len({row[3] for row in expected}) < 110  # matched passages share the nugget of the one before
    assert truth.every_rating_counts
    assert (len(truth.topics), truth.subtopics.height) == (4, 10)


def test_the_golden_truth_is_read_from_text(tmp_path):
    rows = [
        (topic, subtopic, doc, number, float(rating))
        for topic, subtopics in golden_passages().items()
        for subtopic, passages in subtopics.items()
        for number, doc, rating, _ in passages
    ]
    path = write(tmp_path, "".join("\t".join(map(str, row)) + "\n" for row in rows))
    with pytest.warns(MetameterWarning, match="each is taken as a nugget of its own"):
        truth = read_truth(path)
    assert truth.table.columns == ["topic", "subtopic", "doc", "nugget", "rating"]
    assert truth.table.rows() == rows
    assert truth.every_rating_counts


@pytest.mark.realdata
def test_the_truth_of_2016_is_read(data):
    with pytest.warns(MetameterWarning, match="nugget"):
        truth = read_truth(data / "trec-dd" / "trec-dd-2016-qrels.txt.gz")
    assert (len(truth.topics), truth.subtopics.height, truth.table.height) == (53, 242, 27566)
    assert truth.table["nugget"].n_unique() == 27566
    assert sorted(truth.table["rating"].unique().to_list()) == [0, 1, 2, 3, 4]
    assert truth.fingerprints[0].name == "trec-dd-2016-qrels.txt.gz"


def test_a_matched_passage_before_any_manual_one_lacks_nuggets(tmp_path):
    passages = [("1", "a", 2, "MATCHED"), ("2", "a", 2, "MANUAL"), ("3", "b", 2, "MATCHED"), ("4", "c", 2, "manual ")]
    truth = {"t": {"t.1": passages, "t.2": [("5", "a", 1, "MATCHED")]}}
    table = read_truth(write(tmp_path, as_xml(truth))).table
    # The official scorer has one key '' a topic, whatever the subtopic.
    assert table["nugget"].to_list() == ["", "2", "2", "4", ""]


def test_subtopics_without_passages_are_listed(tmp_path):
    truth = read_truth(write(tmp_path, as_xml({"1": {"a": [("1", "d", 1, "MANUAL")], "b": []}, "2": {"a": []}})))
    assert truth.subtopics.rows() == [("1", "a"), ("1", "b"), ("2", "a")]
    assert (truth.topics, truth.unjudged) == (("1",), ("2",))
    with pytest.warns(MetameterWarning, match="topics that list no subtopic were left out: 2, 3"):
        truth = read_truth(write(tmp_path, as_xml({"1": {"a": [("1", "d", 1, "MANUAL")]}, "2": {}, "3": {}})))
    assert truth.topics == ("1",)


@pytest.mark.parametrize("rating", ["-1", "0", "+4", "2.5", " 3\n"])
def test_ratings_are_kept_unchanged(tmp_path, rating):
    table = read_truth(write(tmp_path, as_xml({"1": {"a": [("1", "d", rating, "MANUAL")]}}))).table
    assert table["rating"].to_list() == [float(rating)]


@pytest.mark.parametrize(
    "text",
    [
        "a <br/> b <p>c</p>",
        "&nbsp;&eacute;&#233;",
        "<![CDATA[<br> & <docno>x</docno>]]>",
        "<docno>x</docno><rating>9</rating><type>MATCHED</type>",
        "<passage id='2'><docno>x</docno><rating>1</rating></passage>",
        "<topic id='1'><subtopic id='a'><passage id='1'><docno>x</docno></passage></subtopic></topic>",
        "<!-- a -- comment -->".replace(" -- ", " "),
        "<?php x ?>",
    ],
)
def test_text_quoted_in_a_passage_is_ignored(tmp_path, text):
    content = as_xml({"1": {"a": [("1", "d", 2, "MANUAL")]}}).replace("some <b>text</b> &amp; more", text)
    assert read_truth(write(tmp_path, content)).table.rows() == [("1", "a", "d", "1", 2.0)]


def test_xml_in_other_encodings_is_read(tmp_path):
    content = as_xml({"1": {"a": [("1", "dé", 2, "MANUAL")]}})
    for encoding in ("iso-8859-1", "windows-1252"):
        encoded = content.replace("UTF-8", encoding).encode(encoding)
        assert read_truth(write(tmp_path, encoded)).table["doc"].to_list() == ["dé"]
    assert read_truth(write(tmp_path, "\ufeff\n".encode() + content.encode()[39:])).table["doc"].to_list() == ["dé"]


GOOD = passage("1", "d1", 3, "MANUAL")


def around(passages):
    return f"<t><d><topic id='1'>\n<subtopic id='1.1'>\n{passages}</subtopic>\n</topic></d></t>"


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        (around(GOOD.replace(">3<", ">x<")), 3, "rating of passage '1' is not a number"),
        (around(GOOD.replace(">3<", ">nan<")), 3, "rating of passage '1' is not a number"),
        (around(GOOD.replace(">3<", f">{'9' * 400}<")), 3, "rating of passage '1' is not a number"),
        (around(GOOD + "\n" + GOOD.replace(">3<", "><")), 5, "passage '1' has no rating"),
        (around(GOOD.replace("<docno>d1</docno>", "")), 3, "passage '1' has no docno"),
        (around(GOOD.replace("d1", " ")), 3, "passage '1' has no docno"),
        (around(GOOD.replace("d1", "d&eacute;")), 3, "docno holds an entity that is not defined"),
        (around(GOOD.replace("<rating>", "<docno>d2</docno><rating>")), 3, "second docno"),
        (around(GOOD.replace(' id="1"', "")), 3, "a passage has no id"),
        (around(GOOD + GOOD), 4, "passage '1' of document 'd1' is listed twice, first at .*:3"),
        (around(GOOD).replace("<subtopic id='1.1'>", "<subtopic>"), 2, "a subtopic has no id"),
        (around(GOOD).replace("topic id='1'", "topic id=' '"), 1, "a topic has no id"),
        (around(f"{GOOD}</subtopic>\n<subtopic id='1.1'>"), 5, "subtopic '1.1' is listed twice, first at .*:2"),
        (around(f"{GOOD}</subtopic></topic>\n<topic id='1'><subtopic id='x'>"), 5, "topic '1' is listed twice"),
        ("<!DOCTYPE t [<!ENTITY a 'b'>]>\n" + around(GOOD), 1, "declares a document type"),
        ("<!DOCTYPE t SYSTEM 'x.dtd'>\n" + around(GOOD), 1, "declares a document type"),
        (around(GOOD)[:-4], 5, "not well-formed"),
        (around(GOOD.replace("<b>", "<br>")), 3, "not well-formed: mismatched tag"),
        (around(GOOD) + "\n<t/>", 6, "not well-formed: junk"),
        ("<?xml version='1.0' encoding='utf-7'?>" + around(GOOD), 1, "encoding that cannot be read"),
        ("<?xml version='1.0' encoding='no'?>" + around(GOOD), 1, "encoding that cannot be read"),
    ],
)
def test_an_error_in_xml_names_its_line(tmp_path, content, line, what):
    path = write(tmp_path, content)
    with pytest.raises(MetameterError, match=what) as caught:
        read_truth(path)
    assert caught.value.where == f"{path}:{line}"


@pytest.mark.parametrize("content", ["<t/>", "<html><p>x</p></html>", around("")])
def test_xml_without_passages_is_refused(tmp_path, content):
    with pytest.raises(MetameterError, match="holds no passage"):
        read_truth(write(tmp_path, content))


def test_xml_entities_are_refused(tmp_path):
    bomb = "<!DOCTYPE t [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;'>]><t>&b;</t>"
    with pytest.raises(MetameterError, match="document type"):
        read_truth(write(tmp_path, bomb))


# --- diversity judgments and plain tables ---

ROWS = [("1", "1", "a", 2.0), ("1", "2", "a", 0.0), ("1", "2", "b", -2.0), ("2", "1", "a", 1.0)]
NUMBERED = [(*row[:3], str(number), row[3]) for number, row in enumerate(ROWS, start=1)]


def lines(separator, header=""):
    return header + "".join(separator.join(map(str, row)) + "\n" for row in ROWS)


def table(folder, name, **columns):
    path = folder / name
    pl.DataFrame(columns).write_parquet(path)
    return path


@pytest.mark.parametrize(
    "content",
    [
        lines(" "),
        lines("\t"),
        "# judged\n" + lines("  ").replace("\n", "\r\n"),
        lines(",", "topic,subtopic,doc,rating\n"),
        lines("\t", "topic\tsubtopic\tdocno\tgrade\n"),
        lines(",", "Topic, Subtopic ,DOC_ID,Relevance\n"),
        lines(",", '"topic","subtopic","docid","rating"\n'),
        lines(",", "\ufefftopic,subtopic,doc,rating\n").replace("\n", "\r\n"),
        "\n" + lines(",", "topic,subtopic,doc,rating\n") + "\n",
        "".join(f"{n},{line}\n" for n, line in enumerate(lines(",", "topic,subtopic,doc,rating\n").split()))[1:],
        gzip.compress(lines(",", "topic,subtopic,doc,rating\n").encode(), mtime=0),
    ],
)
def test_every_form_without_passages_gives_the_same_table(tmp_path, content):
    truth = read_truth(write(tmp_path, content))
    assert truth.table.rows() == NUMBERED
    assert not truth.every_rating_counts
    assert truth.fingerprints[0].name == "truth"
    assert truth.table.schema["rating"] == pl.Float64


def test_parquet_frames_and_dictionaries_are_read(tmp_path):
    columns = dict(zip(("topic", "subtopic", "doc", "rating"), map(list, zip(*ROWS, strict=True)), strict=True))
    numbers = columns | {"topic": [1, 1, 1, 2], "subtopic": [1, 2, 2, 1]}
    nested = {1: {1: {"a": 2}, 2: {"a": 0, "b": -2}}, "2": {"1": {"a": True}}}
    for source in (table(tmp_path, "t.parquet", **numbers), pl.DataFrame(columns), pd.DataFrame(numbers), nested):
        truth = read_truth(source)
        assert truth.table.rows() == NUMBERED
        assert not truth.every_rating_counts
    assert read_truth(truth) is truth


def test_a_dictionary_lists_subtopics_without_documents():
    truth = read_truth({"1": {"a": {"d": 1}, "b": {}}, "2": {"a": {}}})
    assert truth.subtopics.rows() == [("1", "a"), ("1", "b"), ("2", "a")]
    assert read_truth({" 1": {"a ": {"d": 1}}}).subtopics.rows() == [("1", "a")]


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines(" ").encode())))
    assert read_truth("-").table.rows() == NUMBERED


def test_passages_without_nuggets_are_their_own_nuggets(tmp_path):
    rows = "t,1,a,p1,2\nt,1,a,p2,1\nt,1,b,p1,1\nt,2,a,p1,3\nu,1,a,p1,3\n"
    content = "topic,subtopic,doc,passage,rating\n" + rows
    nuggets = read_truth(write(tmp_path, content)).table["nugget"].to_list()
    assert nuggets == ["1", "2", "3", "1", "5"]  # p1 of a is the same passage for both subtopics
    named = read_truth(write(tmp_path, content.replace("passage", "nugget"))).table["nugget"].to_list()
    assert named == ["p1", "p2", "p1", "p1", "p1"]
    both = "topic,subtopic,doc,passage,nugget,rating\nt,1,a,1,n,1\nt,1,a,2,n,1\n"
    assert read_truth(write(tmp_path, both)).table["nugget"].to_list() == ["n", "n"]


HEADER = "topic,subtopic,doc,rating\n"
WITH_PASSAGES = "".join(f"{topic}\t{subtopic}\t{doc}\tx\t{rating}\n" for topic, subtopic, doc, rating in ROWS)


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        (lines(" ") + "1 1 a 1\n", 5, "topic '1', subtopic '1', doc 'a' is listed twice, first at .*:1"),
        (HEADER + lines(",") + "1,1,a,1\n", 6, "is listed twice, first at .*:2"),
        (WITH_PASSAGES + WITH_PASSAGES, 5, "passage 'x' is listed twice, first at .*:1"),
        ("topic,subtopic,doc,nugget,rating\n1,1,a,n,1\n1,1,a,n,1\n", 3, "nugget 'n' is listed twice"),
        ("topic,subtopic,doc,passage,rating\n1,1,a,n,1\n1,1,a,n,2\n", 3, "passage 'n' is listed twice"),
        (lines(" ") + "1 1 c x\n", 5, "grade is not a number"),
        (WITH_PASSAGES.replace("2.0", "nan"), 1, "rating is not a number"),
        (lines(" ") + "1 1 c\n", 5, "3 columns"),
        ("1 1 a\n", 1, "no judgments by subtopic"),
        ("1,1,a,2\n", 1, "no judgments by subtopic"),
        ("# x\n1 Q0 a 1 9.5 tag\n", 2, "no judgments by subtopic"),
        (HEADER + "1,1,a,x\n", 2, "rating is not a number"),
        (HEADER + "1,1,a,1\n1,1,b,\n", 3, "rating is not a number"),
        (HEADER + "1,1,a,1\n1,1,,1\n", 3, "doc is empty"),
        (HEADER + "\n1,1,a,1\n\n1, ,b,1\n", 5, "subtopic is empty"),
        (HEADER + '1,1,"a\nb",1\n1,1,c,inf\n', 4, "rating is not a number"),
        (HEADER + "1,1,a\n", 2, "row has 3 cells"),
        (HEADER + "1,1,a,1,5\n", 2, "row has 5 cells"),
        (HEADER.encode() + b"1,1,\xff,1\n", 2, "not UTF-8"),
        (HEADER.encode() + b"1,1,a,1\n1,1,\0,1\n", 3, "null byte"),
        (lines(" ").encode() + b"1 1 \xff 1\n", 5, "not UTF-8"),
    ],
)
@pytest.mark.filterwarnings("ignore::metameter.notices.MetameterWarning")
def test_an_error_names_its_line(tmp_path, content, line, what):
    path = write(tmp_path, content)
    with pytest.raises(MetameterError, match=what) as caught:
        read_truth(path)
    assert caught.value.where == f"{path}:{line}"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "empty"),
        ("# only\n", "empty"),
        (HEADER, "table is empty"),
        ("topic,doc,rating\n1,a,1\n", "column subtopic is missing"),
        ("topic,subtopic,rating\n1,a,1\n", "column doc is missing"),
        ("topic,subtopic,doc\n1,a,1\n", "column rating is missing"),
        ("topic,subtopic,doc,doc,rating\n1,1,a,a,1\n", "names 'doc' twice"),
        (b"PAR1", "Parquet file is damaged"),
    ],
)
def test_a_file_without_judgments_is_refused(tmp_path, content, what):
    path = write(tmp_path, content)
    with pytest.raises(MetameterError, match=what) as caught:
        read_truth(path)
    assert caught.value.where == str(path)


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ({}, "judgments are empty"),
        ({"1": {"a": {}}}, "judgments are empty"),
        ({"1": {"a": 1}}, "a subtopic's documents must be a dictionary"),
        ({"1": 1}, "a topic's subtopics must be a dictionary"),
        ({"1": {"a": {"d": "x"}}}, "truth: row 1: the rating is not a number"),
        ({"1": {"a": {"c": 1, "d": None}}}, "truth: row 2: the rating is not a number"),
        ({"1": {"a": {" ": 1}}}, "truth: row 1: the doc is empty"),
        (
            pl.DataFrame({"topic": ["1"], "subtopic": [None], "doc": ["a"], "rating": [1]}),
            "row 1: the subtopic is empty",
        ),
        (pl.DataFrame({"topic": ["1"], "subtopic": ["1"], "doc": [["a"]], "rating": [1]}), "doc has the wrong type"),
        (pl.DataFrame({"topic": ["1"], "subtopic": ["1"], "doc": ["a"], "rating": [[1]]}), "rating has the wrong type"),
        (pl.DataFrame({"topic": ["1"], "subtopic": ["1"], "doc": ["a"], "rating": [float("nan")]}), "not a number"),
        (5, "cannot be read"),
        (None, "cannot be read"),
    ],
)
def test_objects_that_are_no_judgments_are_refused(source, what):
    with pytest.raises(MetameterError, match=what):
        read_truth(source)


# --- what holds for all inputs ---

names = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=5)
ratings = st.integers(-2, 4)
kinds = st.sampled_from(["MANUAL", "MATCHED"])
passages = st.lists(st.tuples(names, names, ratings, kinds), max_size=4, unique_by=lambda each: each[:2])
truths = st.dictionaries(names, st.dictionaries(names, passages, min_size=1, max_size=3), min_size=1, max_size=3)


@settings(deadline=None)  # the first call pays for imports
@given(truths)
def test_xml_round_trips(truth):
    rows = [
        (topic, subtopic, each[1], float(each[2]))
        for topic, subtopics in truth.items()
        for subtopic, passages in subtopics.items()
        for each in passages
    ]
    if not rows:
        with pytest.raises(MetameterError, match="no passage"):
            read_truth_xml(as_xml(truth).encode(), "t")
        return
    table, listed = read_truth_xml(as_xml(truth).encode(), "t")
    assert table.drop("nugget").rows() == rows
    assert listed.rows() == [(topic, subtopic) for topic, subtopics in truth.items() for subtopic in subtopics]


@settings(deadline=None)
@given(st.dictionaries(st.tuples(names, names, names), ratings, min_size=1, max_size=8), st.sampled_from(",\t"))
def test_tables_round_trip(tmp_path_factory, judgments, separator):
    rows = [(*key, float(rating)) for key, rating in judgments.items()]
    path = tmp_path_factory.mktemp("truth") / "t"
    pl.DataFrame(rows, schema=["topic", "subtopic", "doc", "rating"], orient="row").write_csv(path, separator=separator)
    assert read_truth(path).table.drop("nugget").rows() == rows


SEEDS = [as_xml(golden_passages())[:2000], around(GOOD), lines(" "), WITH_PASSAGES, lines(",", HEADER)]


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(SEEDS), st.integers(0, 2000), st.integers(0, 40), st.binary(max_size=12))
@pytest.mark.filterwarnings("ignore::metameter.notices.MetameterWarning")
def test_no_bytes_crash_the_reader(tmp_path_factory, seed, start, length, noise):
    data = seed.encode()
    start %= len(data)
    path = tmp_path_factory.getbasetemp() / "fuzzed"
    path.write_bytes(data[:start] + noise + data[start + length :])
    with suppress(MetameterError):
        assert read_truth(path).table.height


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pl.Series([{"a": 1}]), "Struct"),
        (pl.Series([[1]]), "List"),
        (pl.Series(["2020-01-01"]).str.to_date(), "Date"),
        (pl.Series([b"x"]), "Binary"),
    ],
    ids=["struct", "list", "date", "binary"],
)
def test_a_rating_of_another_type_is_refused(tmp_path, column, kind):
    path = tmp_path / "truth.parquet"
    pl.DataFrame({"topic": ["1"], "subtopic": ["1.1"], "doc": ["d"], "rating": column}).write_parquet(path)
    with pytest.raises(MetameterError, match=rf"rating (has the wrong type|is not a number) .*({kind}|b'x')"):
        read_truth(path)
