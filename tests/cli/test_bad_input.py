"""Bad input, systematically: one line that says where and how to fix it, the right status, nothing half-written."""

import bz2
import gzip
import io
import lzma
import os
import re
import signal
import subprocess
import sys

import polars as pl
import pytest

from metameter.cli.program import run

QRELS = b"1 0 a 2\n1 0 b 0\n2 0 a 1\n"
RUN = b"1 Q0 a 1 2.0 t\n1 Q0 b 2 1.0 t\n2 Q0 a 1 1.0 t\n"
LONG = b"metric,system,topic,score\nAP,s,1,0.5\nAP,s,2,0.25\nAP,t,1,0.5\nAP,t,2,0.5\n"


def parquet(**columns):
    buffer = io.BytesIO()
    pl.DataFrame(columns).write_parquet(buffer)
    return buffer.getvalue()


def zst(data):
    from backports import zstd

    return zstd.compress(data)


# What is wrong -> the file it is wrong in, its content, and where the message must say it is. None: no line to name.
FILES = {
    # archives
    "truncated gz": ("run.gz", gzip.compress(RUN)[:-9], None),
    "gz with a wrong checksum": ("run.gz", gzip.compress(RUN)[:-8] + b"\0" * 8, None),
    "gz cut in its header": ("run.gz", gzip.compress(RUN)[:5], None),
    "wrong magic: plain text called gz": ("run.gz", RUN, None),
    "wrong magic: bz2 called gz is damaged": ("run.gz", bz2.compress(RUN)[:-4], None),
    "truncated bz2": ("run.bz2", bz2.compress(RUN)[:-9], None),
    "truncated xz": ("run.xz", lzma.compress(RUN)[:-9], None),
    "truncated zst": ("run.zst", zst(RUN)[:-5], None),
    "zst with garbage behind": ("run.zst", zst(RUN) + b"garbage", None),
    "gz with garbage inside": ("run.gz", gzip.compress(bytes(range(128, 256)) * 9), 1),
    "gz of nothing": ("run.gz", gzip.compress(b""), None),
    "empty gz": ("run.gz", b"", None),
    # bytes
    "binary junk": ("run", bytes(range(256)) * 8, 1),
    "null bytes in a name": ("run", RUN.replace(b" b ", b" b\0c "), 2),
    "nothing but null bytes": ("run", b"\0" * 64, 1),
    "UTF-16": ("run", RUN.decode().encode("utf-16"), 1),
    "Latin-1 among UTF-8": ("run", "1 Q0 caf\xe9 1 2 t\n".encode() + "1 Q0 th\xe9 2 1 t\n".encode("latin-1"), 2),
    "one very long line": ("run", b"1 Q0 " + b"x" * 5_000_000 + b"\n" + RUN, 1),
    "a very long line without columns": ("run", RUN + b"y" * 5_000_000, 4),
    "old Macintosh line ends": ("run", RUN.replace(b"\n", b"\r"), 1),
    "no line ends": ("run", RUN.replace(b"\n", b" "), 1),
    # columns
    "a column too few": ("run", RUN + b"2 Q0 b 2 0.5\n", 4),
    "a column too many": ("run", RUN + b"2 Q0 b 2 0.5 t x\n", 4),
    "a name with a blank": ("run", RUN.replace(b"Q0 b", b"Q0 b c"), 2),
    "an empty column": ("run", RUN.replace(b" ", b"\t") + b"2\tQ0\t\t1\t1\tt\n", 4),
    "commas for columns": ("run", RUN.replace(b" ", b","), 1),
    "a run where qrels should be": ("qrels", RUN, 1),
    "qrels where a run should be": ("run", QRELS, 1),
    "qrels with three columns": ("qrels", b"1 a 1\n", 1),
    "a header": ("run", b"topic Q0 doc rank score tag\n" + RUN, 1),
    # numbers
    "NaN score": ("run", RUN.replace(b"1.0", b"NaN", 1), 2),
    "infinite score": ("run", RUN.replace(b"1.0", b"inf", 1), 2),
    "score minus infinity": ("run", RUN.replace(b"1.0", b"-Infinity", 1), 2),
    "score beyond all numbers": ("run", RUN.replace(b"1.0", b"1e999", 1), 2),
    "score in words": ("run", RUN.replace(b"1.0", b"one", 1), 2),
    "score with a decimal comma": ("run", RUN.replace(b"1.0", b"1,0", 1), 2),
    "score with underscores": ("run", RUN.replace(b"1.0", b"1_0", 1), 2),
    "hexadecimal score": ("run", RUN.replace(b"1.0", b"0x1", 1), 2),
    "grade in words": ("qrels", QRELS + b"2 0 b high\n", 4),
    "NaN grade": ("qrels", QRELS + b"2 0 b nan\n", 4),
    "infinite grade": ("qrels", QRELS + b"2 0 b inf\n", 4),
    # content
    "duplicate document in a run": ("run", RUN + b"1 Q0 a 3 0.5 t\n", 4),
    "duplicate judgment": ("qrels", QRELS + b"1 0 a 1\n", 4),
    "empty run": ("run", b"", None),
    "empty qrels": ("qrels", b"", None),
    "nothing but comments": ("run", b"# a\n\n  # b\n", None),
    "nothing but a mark of byte order": ("qrels", b"\xef\xbb\xbf", None),
    "no overlapping topics": ("run", b"7 Q0 a 1 1 t\n", None),
    # Parquet
    "truncated Parquet": ("run.parquet", parquet(topic=["1"], doc=["a"], score=[1.0])[:-9], None),
    "Parquet without a column": ("run.parquet", parquet(topic=["1"], score=[1.0]), None),
    "Parquet with a hole": ("run.parquet", parquet(topic=["1", "1"], doc=["a", "b"], score=[1.0, None]), 2),
    "Parquet with NaN": ("run.parquet", parquet(topic=["1", "1"], doc=["a", "b"], score=[1.0, float("nan")]), 2),
    "Parquet without rows": ("run.parquet", parquet(topic=pl.Series([], dtype=pl.String), doc=[], score=[]), None),
    "Parquet of lists": ("run.parquet", parquet(topic=["1"], doc=["a"], score=[[1.0]]), None),
    "Parquet with a duplicate": ("run.parquet", parquet(topic=["1", "1"], doc=["a", "a"], score=[1.0, 2.0]), 2),
}

# What is wrong -> arguments, with names of files and folders of the collection; and a word that the message must hold.
USAGE = {
    "unknown metric": (["-m", "nDGC@10"], "Did you mean nDCG"),
    "unknown aggregation": (["-m", "RBP(p=0.8)*mox"], "max"),
    "unknown browsing model": (["-m", "RPB(p=0.8)*max"], "RBP"),
    "unknown parameter": (["-m", "RBP(q=0.8)"], "p"),
    "unknown preset": (["--preset", "chen-2023"], "chen-sakai-2023"),
    "k=0": (["-m", "P@0"], "@1"),
    "k below 0": (["-m", "P@-1"], "@1"),
    "k a fraction": (["-m", "P@2.5"], "@1"),
    "k beyond what a computer counts": (["-m", "Prec@99999999999999999999"], "@"),
    "p=1": (["-m", "RBP(p=1)"], "[0, 1)"),
    "p below 0": (["-m", "RBP(p=-0.1)"], "[0, 1)"),
    "p in words": (["-m", "RBP(p=high)"], "[0, 1)"),
    "p not a number": (["-m", "RBP(p=1e999)"], "[0, 1)"),
    "T=0 for INST": (["-m", "INST(T=0)"], "T"),
    "no k where one is needed": (["-m", "P"], "P@10"),
    "no last rank where one is needed": (["-m", "ERR*ERG"], "is not finite. Write ERR@10*ERG.\n"),
    "a metric for a browsing model": (["-m", "RR*max"], "RRbin"),
    "an empty name": (["-m", ""], "nDCG@10"),
    "a name of blanks": (["-m", "  "], "nDCG@10"),
    "code in the notation": (["-m", "__import__('os').system('touch injected')"], "nDCG@10"),
    "code in a parameter": (["-m", "RBP(p=open('injected','w'))"], "nDCG@10"),
    "code in a depth": (["-m", "P@open('injected','w')"], "@1"),
    "a comprehension in the notation": (["-m", "[x for x in (1,)]"], "nDCG@10"),
    "an attribute in the notation": (["-m", "P.__class__"], "nDCG@10"),
    "a format string in the notation": (["-m", "P(rel=f'{1}')@5"], "nDCG@10"),
    "a parameter by position": (["-m", "RBP(0.8)"], "RBP(p=0.8)"),
    "a parameter twice": (["-m", "RBP(p=0.8,p=0.9)"], "nDCG@10"),
    "parameters unpacked": (["-m", "RBP(**{})"], "nDCG@10"),
    "null byte in the notation": (["-m", "P@5\0"], "nDCG@10"),
    "line end in the notation": (["-m", "P@5\nnDCG@5"], "nDCG@10"),
    "deep nesting in the notation": (["-m", "(" * 900 + "P@5" + ")" * 900], "nDCG@10"),
    "a very long name": (["-m", "P" * 5000], "2000"),
    "grades above the scale": (["-m", "P@5", "--max-grade", "1"], "max_grade"),
    "a scale that ends at 0": (["-m", "RBP(p=0.8)", "--max-grade", "0"], "max_grade"),
    "a scale that is no number": (["-m", "P@5", "--max-grade", "nan"], "max_grade"),
    "a gain table without a grade": (["-m", "RBP(p=0.8,gain={0:0,1:1})"], "2"),
    "a gain above 1": (["-m", "RBP(p=0.8,gain={0:0,1:2,2:3})"], "[0, 1]"),
    "a number for a gain map": (["-m", "RBP(p=0.8,gain=3)"], "{grade: gain}"),
    "a list for a gain map": (["-m", "RBP(p=0.8,gain=[1,2])"], "{grade: gain}"),
    "an unknown gain map": (["-m", "RBP(p=0.8,gain=foo)"], "{grade: gain}"),
    "a gain table of words": (["-m", "RBP(p=0.8,gain={'a':1})"], "[0, 1]"),
    "a gain table of nothing": (["-m", "RBP(p=0.8,gain={0:None})"], "[0, 1]"),
    "a gain table of tables": (["-m", "RBP(p=0.8,gain={0:{}})"], "[0, 1]"),
    "an empty gain table": (["-m", "RBP(p=0.8,gain={})"], "[0, 1]"),
    "a table as the key of a table": (["-m", "nDCG(gain={{}:2})"], "nDCG@10"),
    "a gain table for nDCG of nothing": (["-m", "nDCG(gain={0:None})"], "{grade: gain}"),
    "a parameter where there are none": (["-m", "RBP(p=0.8)*max(gain=exp)"], "max has no parameter gain. Write max."),
    "an aggregation alone": (["-m", "max"], "RBP(p=0.8)*max"),
    "SDCG without a last rank": (["-m", "SDCG"], "SDCG needs a last rank. Write SDCG@10, say."),
    "SET without a last rank": (["-m", "SET(beta=0.3)"], "Write SET(beta=0.3)@10, say."),
    "users lost past no rank": (["-m", "RBP(p=0.8,closure=drop)"], "RBP(p=0.8,closure=drop)@1000*ERG"),
    "a target beyond counting": (["-m", "NERR11(T=1e300)"], "T is out of range"),
    "a reading too short": (["-m", "UMeasure(L=1e-320)"], "L is out of range"),
    "jobs=0": (["-m", "P@5", "--jobs", "0"], "1 to "),
    "pool depth 0": (["-m", "P@5", "--pool-depth", "0"], "1 to "),
    "an unknown rule for ties": (["-m", "P@5", "--ties", "coin"], "docid-desc"),
    "decimals below 0": (["-m", "P@5", "--digits", "-1", "--format", "table"], "0 to 17"),
    "more decimals than there are": (["-m", "P@5", "--digits", "5000", "--format", "table"], "0 to 17"),
    "an unknown format": (["-m", "P@5", "--format", "xml"], "csv"),
    "an unknown option": (["-m", "P@5", "--metirc", "x"], "--metric"),
    "an unknown table": (["-m", "P@5", "--table", "nope", "--out", "{folder}/new.csv"], "scores"),
    "an unknown kind of file": (["-m", "P@5", "--out", "{folder}/scores.xlsx"], ".csv"),
    "contributing runs that are not there": (
        ["-m", "P@5", "--pool-depth", "5", "--contributing", "{qrels}"],
        "qrels:1",
    ),
}


@pytest.fixture
def collection(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_bytes(QRELS)
    (tmp_path / "run").write_bytes(RUN)
    return tmp_path


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def refused(arguments, capsys, folder, *, out=""):
    """The one line on standard error; all that must hold of every refusal is checked here."""
    before = contents(folder)
    status = run([str(each) for each in arguments])
    said = capsys.readouterr()
    assert status == 2
    assert said.out == out
    assert said.err.count("\n") == 1
    assert said.err.endswith("\n")
    assert "Traceback" not in said.err
    assert len(said.err) < 2000
    assert said.err.rstrip("\n").isprintable()
    # What, and then a sentence that says how to fix it.
    assert re.search(r"[.)?] [A-Z].*[.?]$", said.err.rstrip("\n")), said.err
    assert contents(folder) == before
    return said.err


@pytest.mark.parametrize("kind", FILES)
def test_bad_files_give_a_one_line_error(kind, collection, capsys):
    name, content, line = FILES[kind]
    (collection / name).write_bytes(content)
    files = ["qrels", "run"] if name == "qrels" else ["qrels", name]
    out = collection / "scores.csv"
    message = refused(["score", *files, "-m", "P@5", "-m", "RBP(p=0.8)", "--out", out], capsys, collection)
    place = {None: f"{name}: "}.get(line, f"{name}: row {line}: " if "parquet" in name else f"{name}:{line}: ")
    assert message.startswith(place)


@pytest.mark.parametrize("kind", FILES)
def test_check_lists_what_score_refuses(kind, collection, capsys):
    name, content, line = FILES[kind]
    (collection / name).write_bytes(content)
    files = ["qrels", "run"] if name == "qrels" else ["qrels", name]
    status = run(["check", *files, "--format", "csv"])
    said = capsys.readouterr()
    assert status == 2
    assert said.err.count("\n") == 1
    problems = pl.read_csv(said.out.encode())
    assert problems.columns == ["file", "line", "what", "fix"]
    mine = problems.filter(pl.col("file") == name)
    assert mine.height
    assert mine["line"][0] == line
    assert mine["fix"].null_count() == 0


@pytest.mark.parametrize("kind", USAGE)
def test_bad_usage_gives_a_one_line_error(kind, collection, capsys):
    options, says = USAGE[kind]
    options = [each.format(folder=collection, qrels="qrels") if each.startswith("{") else each for each in options]
    message = refused(["score", "qrels", "run", *options], capsys, collection)
    assert says in message
    assert not (collection / "injected").exists()


PATHS = {
    "no such qrels": (["nowhere", "run"], "nowhere: "),
    "no such run": (["qrels", "nowhere"], "nowhere: "),
    "a folder with more than qrels": ([".", "run"], "dangling: "),
    "an empty folder for qrels": (["empty", "run"], "empty: "),
    "an empty name for a run": (["qrels", ""], "empty"),
    "an empty name for qrels": (["", "run"], "empty"),
    "a run twice": (["qrels", "run", "run"], "run: the run is given twice"),
    "standard input twice": (["-", "-"], "standard input (-) is named twice"),
    "an empty folder": (["qrels", "empty"], "empty: "),
    "a folder of folders": (["qrels", "nested"], "nested: "),
    "a glob without files": (["qrels", "run.*.none"], "run.*.none: "),
    "two runs of one name": (["qrels", "run", "nested/inner/run"], "two runs"),
    "a file as a folder": (["qrels/x", "run"], "qrels/x: "),
    "a path with a null byte": (["qrels", "ru\0n"], ""),
    "a name too long for a file": (["q" * 5000, "run"], "qqq"),
    "a loop of links": (["loop", "run"], "loop: "),
    "a link to nowhere": (["qrels", "dangling"], "dangling: "),
}


@pytest.mark.parametrize("kind", PATHS)
def test_bad_paths_give_a_one_line_error(kind, collection, capsys):
    (collection / "empty").mkdir()
    (collection / "nested" / "inner").mkdir(parents=True)
    (collection / "loop").symlink_to("loop")
    (collection / "dangling").symlink_to("gone")
    if kind == "two runs of one name":
        (collection / "nested" / "inner" / "run").write_bytes(RUN)
    files, says = PATHS[kind]
    assert says in refused(["score", *files, "-m", "P@5"], capsys, collection)


TABLES = {
    "a header only": (b"metric,system,topic,score\n", None),
    "an empty table": (b"", None),
    "a row too short": (LONG + b"AP,s,3\n", 6),
    "a row too long": (LONG + b"AP,s,3,1,1\n", 6),
    "a score in words": (LONG + b"AP,s,3,good\n", 6),
    "an infinite score": (LONG + b"AP,s,3,inf\n", 6),
    "an empty name": (LONG + b"AP,,3,1\n", 6),
    "a second score": (LONG + b"AP,s,1,0.6\n", 6),
    "a column named twice": (b"metric,system,topic,score,score\nAP,s,1,0,0\n", None),
    "no topics": (b"metric,system,score\nAP,s,0.5\n", None),
    "means only": (b"metric,system,topic,score\nAP,s,all,0.5\n", None),
    "Latin-1": (LONG + "AP,caf\xe9,1,1\n".encode("latin-1"), 6),
    "an open quote": (LONG + b'AP,"s,3,1\n', 6),
    "null bytes": (LONG + b"AP,s\0,3,1\n", 6),
    "a very long cell": (LONG + b"\nAP," + b"s" * 200_000 + b",3,1\n", 7),
    "truncated gz": (gzip.compress(LONG)[:-9], None),
    "truncated Parquet": (parquet(metric=["AP"], system=["s"], topic=["1"], score=[1.0])[:-9], None),
    "missing cells": (b"metric,system,topic,score\nAP,s,1,0.5\nAP,t,2,0.5\n", None),
}


@pytest.mark.parametrize("kind", TABLES)
def test_bad_tables_of_scores_give_a_one_line_error(kind, collection, capsys):
    content, line = TABLES[kind]
    (collection / "scores.csv").write_bytes(content)
    message = refused(["power", "scores.csv", "--trials", "10", "--out", "results"], capsys, collection)
    assert kind == "missing cells" or message.startswith("scores.csv: " if line is None else f"scores.csv:{line}: ")


# --- places that cannot be written to -------------------------------------------------------------------------------


def scored(out):
    return ["score", "qrels", "run", "-m", "P@5", "--out", out]


@pytest.mark.parametrize(
    "out", ["qrels/scores.csv", "/proc/scores.csv", "/dev/null/scores.csv", "empty.csv", "{}/s.csv".format("x" * 300)]
)
def test_unwritable_output_gives_a_one_line_error(out, collection, capsys):
    (collection / "empty.csv").mkdir()
    assert out[:60] in refused(scored(out), capsys, collection)


def test_unwritable_folders_give_a_one_line_error(collection, capsys):
    (collection / "scores.csv").write_bytes(LONG)
    refused(["power", "scores.csv", "--trials", "10", "--out", "qrels/results"], capsys, collection)


def disk_full(*_):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file(call, collection, capsys, monkeypatch):
    monkeypatch.setattr(os, call, disk_full)
    assert "No space left" in refused(scored("new/scores.csv"), capsys, collection)
    (collection / "scores.csv").write_text("old")
    refused(scored("scores.csv"), capsys, collection)
    assert (collection / "scores.csv").read_text() == "old"


def test_a_full_disk_leaves_neither_file_nor_manifest(collection, capsys, monkeypatch):
    real, calls = os.fsync, []

    def second(*arguments):
        calls.append(arguments)
        return real(*arguments) if len(calls) < 2 else disk_full()

    monkeypatch.setattr(os, "fsync", second)
    refused(scored("new/scores.csv"), capsys, collection)
    assert len(calls) == 2
    assert not (collection / "new").exists()


def program(*arguments):
    return [sys.executable, "-m", "metameter", *map(str, arguments)]


def test_a_file_size_limit_is_reported(collection):
    import resource

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))

    before = contents(collection)
    done = subprocess.run(
        program(*scored("scores.csv")), cwd=collection, capture_output=True, preexec_fn=limit, check=False
    )
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.startswith(b"scores.csv: cannot write: File too large")
    assert done.stderr.count(b"\n") == 1
    assert contents(collection) == before


def test_a_full_standard_output_gives_a_one_line_error(collection):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            program("score", "qrels", "run", "-m", "P@5"),
            cwd=collection,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"no space left" in done.stderr.lower()


def test_a_closed_pipe_ends_the_command_quietly(collection):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        done = subprocess.run(
            program("score", "qrels", "run", "-m", "P@5"),
            cwd=collection,
            stdout=pipe,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 0
    assert done.stderr == b""


def test_closed_standard_output_gives_at_most_one_line(collection):
    command = " ".join(program("score", "qrels", "run", "-m", "P@5")) + " >&-"
    done = subprocess.run(command, shell=True, cwd=collection, capture_output=True, check=False)
    assert done.returncode in (0, 2)
    assert b"Traceback" not in done.stderr
    assert done.stderr.count(b"\n") <= 1


def test_an_interrupt_while_reading_leaves_no_files(collection):
    os.mkfifo(collection / "slow")
    command = program("score", "qrels", "slow", "-m", "P@5", "--out", "scores.csv")
    going = subprocess.Popen(command, cwd=collection, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open(collection / "slow", "wb") as pipe:
        pipe.write(RUN)
        pipe.flush()
        going.send_signal(signal.SIGINT)
        # While the pipe is open: at its end the program would go on with what it has read.
        out, err = going.communicate()
    assert going.returncode == 130
    assert (out, err) == (b"", b"interrupted\n")
    assert not (collection / "scores.csv").exists()


def test_an_interrupt_while_writing_leaves_the_old_file(collection, capsys, monkeypatch):
    (collection / "scores.csv").write_text("old")
    before = contents(collection)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    assert run(scored("scores.csv")) == 130
    assert capsys.readouterr() == ("", "interrupted\n")
    assert contents(collection) == before


def test_more_than_sixty_kinds_of_bad_input_are_covered():
    assert len(FILES) + len(USAGE) + len(PATHS) + len(TABLES) >= 60


@pytest.mark.parametrize(
    "words",
    [
        ["recommend", "--reference", "ERR@5"],
        ["intuitiveness", "--complex", "AP", "--simple", "ERR@5"],
        ["unanimity", "--complex", "ERR@5", "--simple", "AP"],
    ],
)
def test_an_unknown_metric_is_refused_before_reading(words, tmp_path, capsys):
    there = [str(tmp_path / "no such qrels"), str(tmp_path / "no such runs")]
    command, *options = words
    assert run([command, *there, "-m", "AP", "-m", "RR", *options]) == 2
    said = capsys.readouterr().err
    assert "ERR" in said
    assert "no such" not in said.replace("no such metric", "")
