"""What is nearly a run or judgments is read, or refused with a fix for what it is."""

import ir_measures
import pandas as pd
import pytest

import metameter as mm

JUDGED = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "label": [0, 1]})
RUN = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "score": [2.5, 1.5]})
BY_DOC = ["qid", "docno"]


def refusal(*arguments, **options):
    with pytest.raises(mm.MetameterError) as refused:
        mm.score(*arguments, "AP", **options)
    return str(refused.value)


def test_a_series_is_read_with_its_index():
    series = JUDGED.set_index(BY_DOC).label, RUN.set_index(BY_DOC).score
    for judged in (JUDGED, series[0]):
        for run in (RUN, series[1], {"s": series[1]}):
            assert mm.score(judged, run, "AP").values.item() == 0.5


def test_a_series_without_names_is_refused():
    assert "data frame or rows with topic, doc, grade" in refusal(JUDGED.label, RUN)
    assert "data frame or rows with topic, doc, score" in refusal(JUDGED, RUN.score)
    assert "the column topic is missing" in refusal(JUDGED.set_index("docno").label, RUN)


def test_two_frames_without_a_name_are_refused():
    assert refusal(JUDGED, [RUN, RUN]) == (
        "two runs have the name 'run'. Give {name: run}, or a column system that names them."
    )
    problems = mm.check(JUDGED, [RUN, RUN]).problems
    assert problems["fix"].to_list() == ["Give {name: run}, or a column system that names them."]


def test_two_files_of_one_tag_are_refused(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).write_text("1 Q0 a 1 2 okapi\n")
    assert "Name systems by file, or change one of the tags." in refusal(JUDGED, tmp_path, name_by="tag")
    fixes = mm.check(JUDGED, tmp_path, name_by="tag").problems["fix"].to_list()
    assert fixes == ["Name systems by file, or change one of the tags."]


def test_rows_without_names_are_refused():
    assert "the row does not name its columns (given" in refusal(JUDGED, [("1", "a", 1)])


def test_groups_of_a_frame_are_refused_with_the_fix():
    named = RUN.assign(name="S001")
    said = refusal(JUDGED, named.groupby("name"))
    assert said.startswith("a pair of a name and a run is not a run (given 'S001'). Give {name: run}")
    assert mm.score(JUDGED, dict(list(named.groupby("name"))), "AP").systems == ("S001",)


def test_integer_scores_of_many_values_are_no_grades():
    beir = pd.DataFrame({"query-id": ["1"] * 2, "corpus-id": ["d1", "d2"], "score": [1, 0]})
    docs = [f"d{n}" for n in range(101)]
    run = pd.DataFrame({"query-id": ["1"] * 101, "corpus-id": docs, "score": range(101, 0, -1)})
    assert mm.score(beir, run, "AP").values.item() == 0.5
    assert "more than 100 values, make a run" in refusal(run, beir)


@pytest.mark.parametrize("kind", [list, tuple, iter])
def test_rows_of_scores_are_read_as_scores(kind):
    measures = ir_measures.AP, ir_measures.nDCG @ 10
    rows = [
        {"measure": measure, "system": system, "topic": topic, "score": (7 * topic + place) % 5 / 5}
        for measure in measures
        for place, system in enumerate("ab")
        for topic in range(6)
    ]
    texts = [{**row, "measure": str(row["measure"])} for row in rows]
    expected = mm.compare(pd.DataFrame(texts)).table
    for each in (rows, texts):
        assert mm.compare(kind(each)).table.equals(expected)
