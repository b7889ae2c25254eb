"""A study's folder with any one thing in it damaged: the study is made whole again, and nothing is lost."""

import io
import json
import os
import random
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from metameter.cli.program import run
from metameter.errors import MetameterError
from metameter.studies.stage_files import digest_of, seal
from metameter.studies.store import Store
from metameter.studies.study import rebuilt
from metameter.view.result import Result

# METAMETER_FUZZ=50 damages fifty times as many folders.
LONGER = int(os.environ.get("METAMETER_FUZZ", "1"))
FOLDERS = 8
OPTIONS = ["-m", "P@5", "-m", "nDCG@10", "--max-grade", "2", "--splits", "20", "--trials", "50", "--resamples", "20"]
PRECIOUS = "years of work"


@pytest.fixture(scope="module")
def finished(collection, tmp_path_factory):
    place = tmp_path_factory.mktemp("finished") / "study"
    assert rerun(collection, place) == 0
    return place


@pytest.fixture
def folder(finished, tmp_path):
    return Path(shutil.copytree(finished, tmp_path / "study"))


def rerun(collection, folder):
    return run(["study", str(collection / "qrels.txt"), str(collection / "runs"), *OPTIONS, "--out", str(folder)])


def shown(folder):
    """What people and programs read; the time stands in run.json."""
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file() and file.name != "run.json"}


def parquet(chance):
    pl.DataFrame({chance.choice(["metric", "odd"]): [1, 2]}).write_parquet(buffer := io.BytesIO())
    return buffer.getvalue()


def npy(chance):
    array = np.zeros(chance.choice([(), 0, 3, (2, 2)]), chance.choice(["f4", "i8", "U3", "?"]))
    np.save(buffer := io.BytesIO(), array)
    return buffer.getvalue()


def flipped(data, chance):
    if not data:
        return b"\0"
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]


# What a file may become: from its bytes and chance.
CONTENTS = {
    "empty": lambda data, chance: b"",
    "cut": lambda data, chance: data[: chance.randrange(max(len(data), 1))],
    "flipped": flipped,
    "longer": lambda data, chance: data + chance.randbytes(9),
    "noise": lambda data, chance: chance.randbytes(chance.randrange(1, 400)),
    "json": lambda data, chance: chance.choice([b"[]", b"{}", b"null", b"NaN", b'{"a": NaN}', b'"\xff"', b"[[1, 2]]"]),
    "deep": lambda data, chance: b"[" * 100_000,
    "number": lambda data, chance: data.replace(b"0", b"NaN", 1),
    "parquet": lambda data, chance: parquet(chance),
    "npy": lambda data, chance: npy(chance),
}


def content(path, chance, kind):
    path.write_bytes(CONTENTS[kind](path.read_bytes(), chance))


def missing(path, chance, outside):
    path.unlink() if path.is_file() else shutil.rmtree(path)


def other_s(path, chance, outside):
    """The content of another file of the same kind."""
    alike = sorted(each for each in study_of(path).rglob(f"*{path.suffix}") if each.is_file())
    if path.is_file():
        path.write_bytes(chance.choice(alike).read_bytes())


def emptied(path, chance, outside):
    """The folder of a file, without anything in it."""
    place = path.parent if path.parent.parent.name not in ("study", "") else path
    missing(place, chance, outside)
    place.mkdir()


def a_folder(path, chance, outside):
    missing(path, chance, outside)
    path.mkdir()
    (path / "chapter.tex").write_text(PRECIOUS)


def a_file(path, chance, outside):
    """A file in the place of the folder that a file of ours stood in."""
    if path.parent.name != "study":
        missing(path.parent, chance, outside)
        path.parent.write_text(PRECIOUS)


def a_link(path, chance, outside):
    missing(path, chance, outside)
    path.symlink_to(chance.choice([outside, outside / "thesis.tex", outside / "nowhere"]))


def a_pipe(path, chance, outside):
    missing(path, chance, outside)
    os.mkfifo(path)


def a_neighbour(path, chance, outside):
    """Somebody's file beside ours; and ours damaged."""
    (path.parent / "remarks.txt").write_text(PRECIOUS)
    content(path, chance, "cut")


SHAPES = (missing, other_s, emptied, a_folder, a_file, a_link, a_pipe, a_neighbour)


def study_of(path):
    return next(each for each in path.parents if each.name == "study")


def damage(folder, chance, outside):
    """Damage one thing; returns what, for whoever has to look into it."""
    files = sorted(each for each in folder.rglob("*") if each.is_file() and not each.is_symlink())
    inner = [each for each in files if ".stages" in each.parts]
    path = chance.choice(inner if chance.random() < 0.8 else files)
    kind = chance.choice([*CONTENTS, *SHAPES])
    if kind in CONTENTS:
        content(path, chance, kind)
    else:
        kind(path, chance, outside)
    return path, kind if isinstance(kind, str) else kind.__name__


def is_there(folder):
    """Whether somebody's text is somewhere in the folder, under whatever name."""
    files = (each for each in folder.rglob("*") if each.is_file() and not each.is_symlink())
    return any(each.read_bytes() == PRECIOUS.encode() for each in files)


@pytest.mark.timeout(60 * LONGER)
@pytest.mark.slow
def test_every_damage_is_repaired_without_losing_files(collection, finished, tmp_path, capsys):
    chance = random.Random(2024)
    for number in range(FOLDERS * LONGER):
        folder = Path(shutil.copytree(finished, tmp_path / str(number) / "study"))
        outside = folder.parent / "outside"
        outside.mkdir()
        (outside / "thesis.tex").write_text(PRECIOUS)
        path, kind = damage(folder, chance, outside)
        told = f"{number}: {path.relative_to(folder)} {kind}"
        mine = is_there(folder)
        heals(collection, finished, folder, path, told, capsys)
        assert [file.name for file in outside.iterdir()] == ["thesis.tex"], told
        assert (outside / "thesis.tex").read_text() == PRECIOUS, told
        assert not mine or is_there(folder), told
        assert not list(folder.rglob(".metameter*")), told
        shutil.rmtree(folder.parent)


def heals(collection, finished, folder, path, told, capsys):
    """The study is made again; or one line says that something of the user's stands in the way."""
    assert run(["report", str(folder)]) in (0, 2), told
    assert capsys.readouterr().err.count("\n") <= 1, told
    status = rerun(collection, folder)
    said = capsys.readouterr().err
    if status == 2:
        assert said.count("\n") == 1, told
        assert "link" in said or path.parent == folder, (told, said)
        return
    assert status == 0, (told, said)
    assert sum("could not be read" in line or "set aside" in line for line in said.splitlines()) <= 1, (told, said)
    before, now = shown(finished), shown(folder)
    assert {name: now.get(name) for name in before} == before, told


@pytest.mark.parametrize("name", [".stages", ".stages/power", ".stages/score", ".stages/lock", ".stages/made.json"])
def test_a_pipe_in_the_study_store_is_quarantined(collection, finished, folder, capsys, name):
    missing(folder / name, None, None)
    os.mkfifo(folder / name)
    assert rerun(collection, folder) == 0
    assert capsys.readouterr().err.count(f"{name.removeprefix('.stages/')}.damaged-1") == 1
    assert shown(folder) == shown(finished)


def test_a_pipe_at_an_output_path_is_refused(collection, folder, capsys):
    missing(folder / "power.csv", None, None)
    os.mkfifo(folder / "power.csv")
    assert rerun(collection, folder) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "power.csv: a pipe or a device is in the way of a file that the study writes" in said


@pytest.mark.parametrize("name", ["falling.npy", "power.parquet", "result.json"])
def test_an_unreadable_stage_is_quarantined_with_one_notice(collection, finished, folder, capsys, name):
    [place] = (folder / ".stages" / "power").iterdir()
    (place / name).write_bytes(b"")
    assert rerun(collection, folder) == 0
    assert capsys.readouterr().err.count("notice: ") == 1
    aside = place.with_name(f"{place.name}.damaged-1")
    assert (aside / name).read_bytes() == b""
    assert shown(folder) == shown(finished)
    # It stays until the study has been run once more; what somebody put into it stays for good.
    (aside / "remarks.txt").write_text(PRECIOUS)
    assert rerun(collection, folder) == 0
    assert "notice" not in capsys.readouterr().err
    assert [file.name for file in aside.iterdir()] == ["remarks.txt"]


def test_a_stage_without_read_permission_is_made_again(collection, finished, folder, monkeypatch, capsys):
    plain = Path.read_bytes

    def refused(path):
        if path.name == "power.parquet" and ".damaged" not in str(path):
            raise PermissionError(13, "Permission denied")
        return plain(path)

    monkeypatch.setattr(Path, "read_bytes", refused)
    assert rerun(collection, folder) == 0
    assert "the stage power could not be read" in capsys.readouterr().err
    monkeypatch.undo()
    assert shown(folder) == shown(finished)


def test_a_lost_record_is_restored(collection, folder):
    record = folder / ".stages" / "made.json"
    before = record.read_bytes()
    record.unlink()
    assert rerun(collection, folder) == 0
    assert record.read_bytes() == before


def test_a_full_disk_leaves_no_partial_stage(tmp_path, monkeypatch):
    def full(path, data):
        raise OSError(28, "No space left on device")

    store = Store(tmp_path)
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(MetameterError, match="the result of power cannot be kept: No space left on device"):
        store.put("power", "0", Result({"power": pl.DataFrame({"metric": ["AP"]})}))
    assert [each.name for each in tmp_path.iterdir()] == ["made.json"]


def test_memory_errors_are_not_taken_for_damage(tmp_path, monkeypatch):
    store = Store(tmp_path)
    store.put("power", "0", Result({"power": pl.DataFrame({"metric": ["AP"]})}))

    def too_large(path):
        raise MemoryError

    monkeypatch.setattr(Path, "read_bytes", too_large)
    with pytest.raises(MemoryError):
        store.get("power", "0")


def test_results_that_lack_a_column_give_a_one_line_error(finished, folder, capsys, monkeypatch):
    """Whole, sealed, and of another version: the seal says nothing of which columns this one wants."""
    from metameter.studies import stage_files

    monkeypatch.setattr(stage_files, "chosen_columns", lambda data, where: pl.DataFrame({"odd": [1]}))
    assert run(["report", str(folder)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "Run the study again" in said
    monkeypatch.undo()
    assert shown(rebuilt(folder).folder) == shown(finished)


def test_an_end_of_file_is_no_interrupt(monkeypatch):
    def ended(folder, progress, lock_timeout):
        raise EOFError("no data left in file")

    monkeypatch.setattr("metameter.studies.study.rebuilt", ended)
    with pytest.raises(EOFError, match="no data left"):
        run(["report", "nowhere"])


def test_a_linked_stage_is_neither_followed_nor_removed(collection, folder, tmp_path, capsys):
    [place] = (folder / ".stages" / "power").iterdir()
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    before = {file.name: file.read_bytes() for file in (tmp_path / "elsewhere").iterdir()}
    assert rerun(collection, folder) == 0
    assert "the stage power could not be read" in capsys.readouterr().err
    assert place.with_name(f"{place.name}.damaged-1").is_symlink()
    assert {file.name: file.read_bytes() for file in (tmp_path / "elsewhere").iterdir()} == before
    assert rerun(collection, folder) == 0
    assert place.with_name(f"{place.name}.damaged-1").is_symlink()


def test_foreign_files_in_stage_folders_are_kept(tmp_path):
    store = Store(tmp_path)
    store.put("power", "0a", Result({"power": pl.DataFrame({"metric": ["AP"]})}, {"seed": 0}))
    mine = tmp_path / "power" / "0a" / "mine.parquet"
    mine.write_bytes(b"mine")
    store.prune(set())
    assert [each.name for each in mine.parent.iterdir()] == ["mine.parquet"]


def test_unreadable_stages_give_one_notice(collection, finished, folder, capsys):
    for notes in (folder / ".stages").glob("*/*/result.json"):
        notes.write_text("{}")
    assert rerun(collection, folder) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "could not be read" in line]
    assert len(said) == 1
    assert "the stages collection, compare, consistency, power" in said[0]
    assert shown(folder) == shown(finished)


def test_a_highly_compressed_table_is_not_unpacked(collection, folder, capsys):
    stage = next((folder / ".stages" / "power").iterdir())
    kept, before = pl.read_parquet(stage / "power.parquet"), shown(folder)
    many = pl.select(pl.repeat(kept[name][0], 10_000_000, dtype=kept[name].dtype).alias(name) for name in kept.columns)
    many.write_parquet(stage / "power.parquet", compression="zstd")
    content = json.loads((stage / "result.json").read_text())["content"]
    content["files"]["power.parquet"] = digest_of((stage / "power.parquet").read_bytes())
    (stage / "result.json").write_text(seal(content, "power", stage.name))
    assert (stage / "power.parquet").stat().st_size < 600_000
    assert run(["report", str(folder)]) == 2
    assert "GB, which no study writes" in capsys.readouterr().err
    assert shown(folder) == before
    assert rerun(collection, folder) == 0
    assert shown(folder) == before


def test_an_array_larger_than_its_file_is_damaged(tmp_path):
    store = Store(tmp_path)
    store.put("toy", "0", Counted({"t": pl.DataFrame({"x": [1]})}, counts=np.zeros(3)))
    stage = tmp_path / "toy" / "0"
    data = (stage / "counts.npy").read_bytes().replace(b"(3,), }         ", b"(9000000000,), }")
    assert b"9000000000" in data
    (stage / "counts.npy").write_bytes(data)
    content = json.loads((stage / "result.json").read_text())["content"]
    content["files"]["counts.npy"] = digest_of(data)
    (stage / "result.json").write_text(seal(content, "toy", "0"))
    assert store.get("toy", "0", Counted) is None


@dataclass(frozen=True, eq=False)
class Counted(Result):
    counts: np.ndarray = field(default_factory=lambda: np.zeros(0))


@pytest.mark.parametrize("stage", ["collection", "recommendation", "power", "consistency", "similarity", "volatility"])
def test_columns_of_other_types_give_a_readable_error(folder, capsys, stage):
    place = next((folder / ".stages" / stage).iterdir())
    notes = json.loads((place / "result.json").read_text())["content"]
    for name in notes["tables"]:
        table = pl.read_parquet(place / f"{name}.parquet")
        table.with_columns(pl.selectors.numeric().cast(pl.String)).write_parquet(place / f"{name}.parquet")
        notes["files"][f"{name}.parquet"] = digest_of((place / f"{name}.parquet").read_bytes())
    (place / "result.json").write_text(seal(notes, stage, place.name))
    assert run(["report", str(folder)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert (
        "it cannot be read: columns or types of its tables, or its fields, are not those that a study of this version "
        "writes. Run the study again, into this folder or another." in said
    ), said
