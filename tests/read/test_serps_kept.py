"""The counts of parts are kept: found again as long as the part is the same, and made again where they are damaged."""

from __future__ import annotations

import json

import polars as pl
import pytest

import metameter as mm
from metameter.cli.run import run
from metameter.read import serps_counts


def part(folder, number, rows=2):
    """A part with as many pages, each with a label of its own."""
    pages = {"grades": [[n % 2, number % 2] for n in range(rows)], "satisfaction": list(range(rows))}
    pl.DataFrame(pages).write_parquet(folder / f"part-{number}.parquet")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pages").mkdir()
    for number in range(4):
        part(tmp_path / "pages", number, rows=2 + number)
    return tmp_path / "pages"


@pytest.fixture
def asked(monkeypatch):
    """The parts that are read."""
    read, before = [], serps_counts.reduced

    def noted(each, **given):
        read.append(each.source.rpartition("/")[2])
        return before(each, **given)

    monkeypatch.setattr(serps_counts, "reduced", noted)
    return read


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_part_that_is_written_anew_while_it_is_read_is_not_kept(folder, tmp_path, monkeypatch, jobs):
    before, keep = serps_counts.reduced, tmp_path / "kept"

    def replaced_meanwhile(each, **given):
        result = before(each, **given)
        if each.source.endswith("part-2.parquet"):
            part(folder, 2, rows=50)
        return result

    with monkeypatch.context() as patched:
        patched.setattr(serps_counts, "reduced", replaced_meanwhile)
        assert mm.read_serps(folder, keep=keep, jobs=jobs).size == 2 + 3 + 4 + 5
    now = mm.read_serps(folder, keep=keep, jobs=jobs)
    assert now.size == 2 + 3 + 50 + 5
    assert now.table.equals(mm.read_serps(folder).table)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("key", 7),
        ("key", "../../elsewhere" + "0" * 17),
        ("counts", 1),
        ("counts", "x" * 64),
        ("source", 3),
        ("fingerprint", "x"),
        ("fingerprint", {"name": "part-1.parquet"}),
        ("fingerprint", {"name": 1, "size": 2, "sha256": None}),
        ("odd", []),
        ("odd", {}),
        ("odd", {"unlabelled": 1, "ungraded": 2, "empty": 3}),
        ("ignored", None),
        ("ignored", "count"),
        ("made", [1]),
    ],
)
def test_a_line_of_wrong_types_is_a_damaged_one(folder, tmp_path, asked, name, value):
    keep = tmp_path / "kept"
    whole = mm.read_serps(folder, keep=keep, jobs=1)
    lines = [json.loads(line) for line in (keep / "parts.jsonl").read_text().splitlines() if line]
    lines[1][name] = value
    (keep / "parts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    asked.clear()
    assert mm.read_serps(folder, keep=keep, jobs=1).table.equals(whole.table)
    assert asked == ["part-1.parquet"]


@pytest.mark.parametrize("line", ["[]", "null", '"text"', "{}", "[" * 9999, "\x00", '{"key": NaN}'])
def test_a_line_that_is_no_note_is_passed_over(folder, tmp_path, asked, line):
    keep = tmp_path / "kept"
    mm.read_serps(folder, keep=keep, jobs=1)
    with (keep / "parts.jsonl").open("a") as manifest:
        manifest.write(line)
    asked.clear()
    mm.read_serps(folder, keep=keep, jobs=1)
    assert asked == []


AMONG = r"^\S+: counts cannot be kept among the pages \(given '\S+'\)\. Keep them in a folder beside the pages"


@pytest.mark.parametrize(
    ("source", "keep"),
    [
        ("pages", "pages"),
        ("pages", "pages/kept"),
        ("pages", "pages/../pages/a/kept"),
        ("pages", "link/kept"),
        ("link", "pages"),
        ("pages/*.parquet", "pages"),
        ("p*/*", "plenty"),
        ("pages/**", "pages/kept"),
        ("pages/**/*.parquet", "pages"),
        ("**/*.jsonl", "kept"),
        ("pages/part-1.parquet", "pages"),
        (["pages/part-1.parquet", "pages"], "pages/kept"),
    ],
)
@pytest.mark.parametrize("read", [mm.read_serps, mm.read_views])
def test_counts_are_not_kept_among_the_pages(folder, tmp_path, monkeypatch, asked, source, keep, read):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(folder)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(mm.MetameterError, match=AMONG):
        read(source, keep=keep)
    assert asked == []
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("source", "keep"),
    [("pages", "kept"), ("pages", "pages-kept"), ("pages/*.parquet", "pages/kept"), ("pages/part-1.parquet", "kept")],
)
def test_counts_are_kept_beside_the_pages(folder, tmp_path, monkeypatch, asked, source, keep):
    monkeypatch.chdir(tmp_path)
    found = mm.read_serps(source, keep=keep)
    read = len(asked)
    assert mm.read_serps(source, keep=keep).table.equals(found.table)
    assert len(asked) == read


def test_a_command_says_in_one_line_that_counts_are_not_kept_among_the_pages(folder, capsys):
    for command in (["satisfaction"], ["fit", "--empirical"], ["fit"]):
        assert run([command[0], str(folder), *command[1:], "--keep", str(folder)]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"{folder}: counts cannot be kept among the pages")
        assert said.count("\n") == 1
