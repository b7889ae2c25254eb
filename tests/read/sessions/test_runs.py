"""Sessions: run files of TREC DD as the official scorer takes them, logs of other people, every fault with its line."""

from __future__ import annotations

import gzip
import io
import json
import sys
from contextlib import suppress
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metameter.errors import MetameterError
from metameter.notices import MetameterWarning
from metameter.read.sessions.runs import as_session_runs, read_session_run
from metameter.types import SessionRun

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "trec_dd_jig.json").read_text())
SHOWN = GOLDEN["input"]["run_rows[topic,iteration(0-based),doc,score]"]


def write(folder, content, name="run"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def lists(run):
    """{topic: [[doc, ...] an iteration]}, as the user sees them."""
    topics = {}
    for topic, iteration, doc in run.table.iter_rows():
        session = topics.setdefault(topic, [])
        session.extend([] for _ in range(iteration - len(session)))
        session[iteration - 1].append(doc)
    return topics


def official(golden):
    """The lists as the official scorer has them; what it invents (names of repetitions and fillers) is nameless."""
    return {
        topic: [
            [None if doc.endswith("_dup") or doc.startswith("fill-") else doc for doc in iterations[str(number)]]
            for number in range(len(iterations))
        ]
        for topic, iterations in golden.items()
    }


# --- runs of TREC Dynamic Domain ---


@pytest.mark.parametrize("rest", ["", "\t1", "\t0\tNULL", "\t1\tDD99-1.2:3|DD99-1.3:2"])
def test_the_golden_run_is_read(tmp_path, rest):
    path = write(tmp_path, "".join("\t".join(map(str, row)) + rest + "\n" for row in SHOWN))
    with pytest.warns(MetameterWarning) as caught:
        run = read_session_run(path)
    assert [str(warning.message) for warning in caught] == [
        f"{path}: without documents: 1 iteration of 1 topic, filled with one that is not relevant; shown before in the "
        "session: 1 document, taken as not relevant"
    ]
    assert lists(run) == official(GOLDEN["parsed_run"])
    assert run.table.schema == {"topic": pl.String, "iteration": pl.Int64, "doc": pl.String}
    assert (run.name, run.fingerprint.name, run.source) == ("run", "run", str(path))


def test_the_golden_run_is_read_in_another_order(tmp_path):
    # Lists are made by score; iterations and topics may come in any order.
    rows = sorted(SHOWN, key=lambda row: (row[3], row[1]))
    rows = [row for row in rows if row[2] != "onoise11"]  # which is shown twice: the order of the file decides on it
    path = write(tmp_path, "".join("\t".join(map(str, row)) + "\n" for row in rows))
    with pytest.warns(MetameterWarning, match="1 iteration of 1 topic"):
        sessions = lists(read_session_run(path))
    expected = official(GOLDEN["parsed_run"])
    for topic, session in expected.items():
        kept = [[doc for doc in docs if doc != "onoise11"] for docs in session]
        kept[2] = kept[2][1:] if topic == "DD99-1" else kept[2]
        assert sessions[topic] == kept


def test_equal_scores_keep_the_order_of_the_file(tmp_path):
    path = write(tmp_path, "t\t0\tc\t1\nt\t0\ta\t2\nt\t0\tb\t1\nt\t0\td\t2.0\n")
    assert lists(read_session_run(path)) == {"t": [["a", "d", "c", "b"]]}


def test_the_later_duplicate_row_is_the_repetition(tmp_path):
    content = "t\t1\ta\t1\nt\t0\ta\t1\nt\t0\tb\t2\nu\t0\ta\t1\nu\t0\ta\t2\n"
    with pytest.warns(MetameterWarning, match="shown before in the session: 2 documents"):
        run = read_session_run(write(tmp_path, content))
    assert lists(run) == {"t": [["b", None], ["a"]], "u": [[None, "a"]]}


def test_gaps_are_filled_with_one_notice(tmp_path):
    path = write(tmp_path, "t\t3\ta\t1\nu\t0\ta\t1\nv\t2\tb\t1\nv\t0\ta\t1\n")
    with pytest.warns(MetameterWarning, match="4 iterations of 2 topics") as caught:
        run = read_session_run(path)
    assert len(caught) == 1
    assert lists(run) == {"t": [[None], [None], [None], ["a"]], "u": [["a"]], "v": [["a"], [None], ["b"]]}


def test_a_run_that_counts_from_1_gives_a_notice(tmp_path):
    with pytest.warns(MetameterWarning, match="TREC counts iterations from 0, but none is 0"):
        run = read_session_run(write(tmp_path, "t\t1\ta\t1\nt\t2\tb\t1\n"))
    assert lists(run) == {"t": [[None], ["a"], ["b"]]}


@pytest.mark.parametrize(
    "content",
    [
        "t\t0\ta\t2\nt\t0\tb\t1\nt\t1\tc\t1\n",
        "t 0 a 2\nt  0 b\t1\r\nt 1 c 1",
        "# mine\n\nt\t0\ta\t2\t1\tt.1:3\nt\t0\tb\t1\t0\nt\t1\tc\t1\n",
        "t\t0\ta\t2\t1\tt.1:3\nt\t0\tb\t1\t0\t\nt\t1\tc\t1\t0\tNULL\n",
        "t\t0\ta\t2\nt\t0\tb\t1\t0\tNULL\nt\t1\tc\t1\n",
        "t\t0.0\ta\t2e0\nt\t+0\tb\t1\nt\t1\tc\t1\n",
        gzip.compress(b"t\t0\ta\t2\nt\t0\tb\t1\nt\t1\tc\t1\n", mtime=0),
    ],
)
def test_every_layout_of_a_run_file_is_read(tmp_path, content):
    run = read_session_run(write(tmp_path, content, "bm25.gz" if isinstance(content, bytes) else "bm25"))
    assert lists(run) == {"t": [["a", "b"], ["c"]]}
    assert run.name == "bm25"


FIRST = "t\t0\ta\t2\n"


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        (FIRST + "t\t-1\tb\t1\n", 2, "iteration is not a whole number from 0 on"),
        (FIRST + "t\t0.5\tb\t1\n", 2, "iteration is not a whole number from 0 on"),
        (FIRST + "t\tx\tb\t1\n", 2, "iteration is not a number"),
        (FIRST + "t\tnan\tb\t1\n", 2, "iteration is not a number"),
        (FIRST + "# x\nt\t0\tb\tnan\n", 3, "score is not a number"),
        (FIRST + "t\t0\tb\t1\t0\tNULL\nt\t0\tc\tinf\n", 3, "score is not a number"),
        ("t\t0\ta\t2\t0\tNULL\nt\t0\tc\tx\t0\tNULL\n", 2, "score is not a number"),
        (FIRST + "t\t0\t\t1\n", 2, "3 columns"),
        (FIRST + "t\t0\tb\n", 2, "3 columns"),
        (FIRST + "t\t0\tb\t1\t0\tNULL\tx\n", 2, "7 columns"),
        (FIRST + "t\t1e9\tb\t1\n", 2, "leave out too many numbers"),
        (FIRST + "t\t1e300\tb\t1\n", 2, "leave out too many numbers"),
        (FIRST.encode() + b"t\t0\t\xff\t1\n", 2, "not UTF-8"),
        ("topic system doc rank\n1 a d 1\n", 1, "score is not a number|iteration is not a number"),
    ],
)
def test_an_error_in_a_run_file_names_its_line(tmp_path, content, line, what):
    path = write(tmp_path, content)
    with pytest.raises(MetameterError, match=what) as caught:
        read_session_run(path)
    assert caught.value.where == f"{path}:{line}"


# --- plain tables ---

LOG = "system,topic,turn,rank,doc\nx,1,1,1,a\nx,1,1,2,b\ny,1,1,1,c\nx,1,2,1,d\ny,2,1,1,a\n"
X, Y = {"1": [["a", "b"], ["d"]]}, {"1": [["c"]], "2": [["a"]]}


@pytest.mark.parametrize(
    "content",
    [
        LOG,
        LOG.replace(",", "\t"),
        LOG.replace("\n", "\r\n"),
        "\ufeff" + LOG,
        LOG.replace("turn", "Iteration").replace("doc", " DocNo "),
        LOG.replace("system", "run").replace("doc", "doc_id"),
        LOG.replace("doc", '"docid"').replace("d\n", '"d"\n'),
        "\n".join([LOG.split("\n")[0], *sorted(LOG.split("\n")[1:-1])]),
        LOG.replace("rank", "score").replace(",1,1,1,a\n", ",1,1,3,a\n"),
        LOG.replace("rank", "position"),
        "".join(f"{line},{number or 'more'}\n" for number, line in enumerate(LOG.strip().split("\n"))),
    ],
)
def test_every_form_of_a_log_is_read(tmp_path, content):
    runs = {run.name: run for run in as_session_runs(write(tmp_path, content, "log.csv"))}
    assert {name: lists(run) for name, run in runs.items()} == {"x": X, "y": Y}
    assert runs["x"].fingerprint == runs["y"].fingerprint
    assert runs["x"].fingerprint.name == "log.csv"


def test_rank_takes_precedence_over_score(tmp_path):
    content = "topic,turn,score,rank,doc\n1,1,9,2,a\n1,1,x,1.5,b\n1,1,1,10,c\n"
    assert lists(read_session_run(write(tmp_path, content))) == {"1": [["b", "a", "c"]]}


def test_without_a_system_column_the_file_names_the_system(tmp_path):
    content = LOG.replace("y,", "x,").replace("x,1,1,1,c", "x,2,1,2,c").replace("x,", "").replace("system,", "")
    assert read_session_run(write(tmp_path, content, "agent.tsv")).name == "agent"
    assert read_session_run(write(tmp_path, content), name="mine").name == "mine"
    path = tmp_path / "agent.parquet"
    pl.read_csv(io.StringIO(content)).write_parquet(path)
    run = read_session_run(path)
    assert (run.name, lists(run)) == ("agent", {"1": [["a", "b"], ["d"]], "2": [["a", "c"]]})


def test_turns_from_0_give_a_notice(tmp_path):
    path = write(tmp_path, LOG.replace(",1,1,", ",1,0,").replace(",1,2,", ",1,1,"))
    with pytest.warns(
        MetameterWarning, match="a turn is 0, so they are counted from 0; without documents: 1 turn of 1"
    ):
        runs = as_session_runs(path)
    assert lists(runs[0]) == X
    assert lists(runs[1]) == {"1": [["c"]], "2": [[None], ["a"]]}


def test_the_later_view_is_the_repetition(tmp_path):
    content = "topic,turn,rank,doc\n1,2,1,a\n1,1,2,a\n1,1,1,a\n2,1,1,a\n"
    with pytest.warns(MetameterWarning, match="2 documents, taken as not relevant"):
        run = read_session_run(write(tmp_path, content))
    assert lists(run) == {"1": [["a", None], [None]], "2": [["a"]]}


HEADER = "system,topic,turn,rank,doc\nx,1,1,1,a\n"


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        (HEADER + "x,1,-1,2,b\n", 3, r"turn is not a whole number from 0 on \(given -1.0\)"),
        (HEADER + "x,1,1.5,2,b\n", 3, "turn is not a whole number"),
        (HEADER + "x,1,one,2,b\n", 3, "turn is not a number"),
        (HEADER + "x,1,NaN,2,b\n", 3, "turn is not a number"),
        (HEADER + "x,1,,2,b\n", 3, "turn is not a number"),
        (HEADER + "x,1,99999999,2,b\n", 3, "turns leave out too many numbers"),
        (HEADER + "x,1,1,2,\n", 3, "doc is empty"),
        (HEADER + "x,1,1,2, \n", 3, "doc is empty"),
        (HEADER + "x,,1,2,b\n", 3, "topic is empty"),
        (HEADER + ",1,1,2,b\n", 3, "system is empty"),
        (HEADER + "x,1,1,1,b\n", 3, "system 'x', topic '1', turn 1, rank 1 is listed twice, first at .*:2"),
        (HEADER + "x,1,1,first,b\n", 3, "rank is not a number"),
        (HEADER + "\nx,1,1,2,b\nx,1,1,3\n", 5, "row has 4 cells"),
        (HEADER + '"x,1,1,2,b\n', 3, "row has 1 cell"),
        (HEADER.replace("rank", "score") + "x,1,1,nan,b\n", 3, "score is not a number"),
        (HEADER.encode() + b"x,1,1,2,\xff\n", 3, "not UTF-8"),
        (HEADER + f'\nx,1,1,2,"{"b" * 200_000}"\n', 4, "cannot be read"),
    ],
)
def test_an_error_in_a_log_names_its_line(tmp_path, content, line, what):
    path = write(tmp_path, content)
    with pytest.raises(MetameterError, match=what) as caught:
        as_session_runs(path)
    assert caught.value.where == f"{path}:{line}"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "empty"),
        ("topic,turn,doc\n", "table is empty"),
        ("system,topic,doc\nx,1,a\n", "column iteration is missing"),
        ("system,turn,doc\nx,1,a\n", "column topic is missing"),
        ("system,topic,turn\nx,1,1\n", "column doc is missing"),
        ("topic,turn,turn,doc\n1,1,1,a\n", "names 'turn' twice"),
        (b"PAR1 and more", "damaged"),
    ],
)
def test_a_file_without_a_run_is_refused(tmp_path, content, what):
    path = write(tmp_path, content)
    with pytest.raises(MetameterError, match=what) as caught:
        read_session_run(path)
    assert caught.value.where == str(path)


# --- several runs, and objects ---


def test_folders_globs_lists_and_objects_are_read(tmp_path):
    log, trec = write(tmp_path, LOG, "log.csv"), write(tmp_path, FIRST, "run10")
    write(tmp_path, FIRST, "run9")
    assert [run.name for run in as_session_runs(tmp_path)] == ["x", "y", "run9", "run10"]
    assert [run.name for run in as_session_runs(f"{tmp_path}/run*")] == ["run9", "run10"]
    assert [run.name for run in as_session_runs([trec, log])] == ["run10", "x", "y"]
    run = read_session_run(trec)
    assert as_session_runs(run) == as_session_runs([run]) == [run]
    assert read_session_run(run, name="z").name == "z"
    assert read_session_run(run) is run
    named = as_session_runs({"a": trec, "b": X, "c": run, "d": pl.read_csv(log).filter(system="y").drop("system")})
    assert [(run.name, lists(run)) for run in named][1:] == [("b", X), ("c", {"t": [["a"]]}), ("d", Y)]
    assert [lists(run) for run in as_session_runs(X)] == [X]


def test_data_frames_are_read(tmp_path):
    frame = pd.read_csv(io.StringIO(LOG))
    assert [(run.name, lists(run)) for run in as_session_runs(frame)] == [("x", X), ("y", Y)]
    run = read_session_run(frame[frame.system == "x"])
    assert (run.name, run.source, run.fingerprint) == ("x", "run", None)
    assert read_session_run(pl.from_pandas(frame[frame.system == "y"]).lazy(), name="z").name == "z"


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FIRST.encode())))
    assert [(run.name, lists(run)) for run in as_session_runs("-")] == [("stdin", {"t": [["a"]]})]


def test_an_iteration_without_documents_counts():
    with pytest.warns(MetameterWarning, match="run: without documents: 2 iterations of 1 topic"):
        run = read_session_run({"1": [["a"], [], (7,), []], "2": []})
    assert lists(run) == {"1": [["a"], [None], ["7"], [None]]}


def test_two_runs_of_one_name_are_refused(tmp_path):
    log = write(tmp_path, LOG, "log.csv")
    again = write(tmp_path, LOG, "again.csv")
    with pytest.raises(MetameterError, match=r"two runs have the name 'x': .*again.csv and .*log.csv"):
        as_session_runs(tmp_path)
    with pytest.raises(MetameterError, match="given twice"):
        as_session_runs([log, log])
    with pytest.raises(MetameterError, match=r"there are 2 systems \(given 'x, y'\)"):
        read_session_run(again)
    with pytest.raises(MetameterError, match="no such file"):
        read_session_run(tmp_path / "none")


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ([], "no run is given"),
        ({}, "no run is given"),
        ({"1": []}, "the run is empty"),
        ({"1": ["a", "b"]}, "topic '1' has no lists of documents"),
        ({"1": [["a", ""]]}, "a document of topic '1' has no name"),
        ({"1": [["a", None]]}, "a document of topic '1' has no name"),
        ({"1": [["a"]], "2": "b"}, "topic '2' has no lists"),
        (pl.DataFrame({"topic": [1], "turn": [1.5], "doc": ["a"]}), "run: row 1: the turn is not a whole number"),
        (pl.DataFrame({"topic": [1], "turn": [None], "doc": ["a"]}), "run: row 1: the turn is not a number"),
        (pl.DataFrame({"topic": [1], "turn": [1], "doc": [None]}), "run: row 1: the doc is empty"),
        (pl.DataFrame({"topic": [1], "turn": [1]}), "column doc is missing"),
        (5, "cannot be read"),
    ],
)
def test_objects_that_are_no_runs_are_refused(source, what):
    with pytest.raises(MetameterError, match=what):
        as_session_runs(source)


# --- what holds for all inputs ---

names = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=4)
docs = st.lists(names, min_size=1, max_size=4, unique=True)


def _without_repetitions(session):
    seen = set()
    kept = [[doc for doc in shown if doc not in seen and not seen.add(doc)] for shown in session]
    return [shown for shown in kept if shown]


sessions = st.lists(docs, min_size=1, max_size=4).map(_without_repetitions)
runs = st.dictionaries(names, sessions, min_size=1, max_size=3)


@settings(deadline=None)  # the first call pays for imports
@given(runs, st.randoms(use_true_random=False), st.sampled_from(["turn", "iteration"]))
def test_every_form_round_trips(tmp_path_factory, topics, chance, number):
    rows = [
        (topic, turn, rank, doc)
        for topic, session in topics.items()
        for turn, shown in enumerate(session, start=1)
        for rank, doc in enumerate(shown, start=1)
    ]
    assert lists(read_session_run(topics)) == topics
    chance.shuffle(rows)
    frame = pl.DataFrame(rows, schema=["topic", number, "rank", "doc"], orient="row")
    assert lists(read_session_run(frame)) == topics
    path = tmp_path_factory.getbasetemp() / "run"
    frame.write_csv(path)
    assert lists(read_session_run(path)) == topics
    if not any(topic.startswith("#") for topic in topics):
        path.write_text("".join(f"{topic}\t{turn - 1}\t{doc}\t{-rank}\n" for topic, turn, rank, doc in rows))
        assert lists(read_session_run(path)) == topics


@settings(deadline=None, max_examples=150)
@given(st.sampled_from([LOG, FIRST * 3, HEADER]), st.integers(0, 200), st.integers(0, 20), st.binary(max_size=12))
@pytest.mark.filterwarnings("ignore::metameter.notices.MetameterWarning")
def test_no_bytes_crash_the_reader(tmp_path_factory, seed, start, length, noise):
    data = seed.encode()
    start %= len(data)
    path = tmp_path_factory.getbasetemp() / "fuzzed"
    path.write_bytes(data[:start] + noise + data[start + length :])
    with suppress(MetameterError):
        assert all(isinstance(run, SessionRun) for run in as_session_runs(path))
