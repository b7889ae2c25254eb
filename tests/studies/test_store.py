"""What a study keeps; and folders from elsewhere: nothing is followed out of them, nothing in them is lost."""

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import metameter
from metameter.cli.program import run
from metameter.meta.power.procedure import Power
from metameter.studies.lock import locked
from metameter.studies.stage_files import seal, unseal
from metameter.studies.store import Store
from metameter.studies.study import rebuilt, study
from metameter.view.result import Result

METRICS = ["RBP(p=0.8)@10*ERG", "RBP(p=0.8)@10*max", "nDCG@10"]
QUICK = {"metrics": METRICS, "max_grade": 2, "splits": 100, "trials": 200, "resamples": 40}


@pytest.fixture(scope="module")
def finished(collection, tmp_path_factory):
    place = tmp_path_factory.mktemp("finished") / "study"
    study(collection / "qrels.txt", collection / "runs", out=place, **QUICK)
    return place


@pytest.fixture
def folder(finished, tmp_path):
    return Path(shutil.copytree(finished, tmp_path / "study"))


def rerun(collection, folder, **changed):
    return study(collection / "qrels.txt", collection / "runs", out=folder, **{**QUICK, **changed})


def contents(folder, leave_out=("lock",)):
    files = (file for file in sorted(folder.rglob("*")) if file.is_file() and file.name not in leave_out)
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def index(folder):
    return folder / ".stages" / "study.json"


def stage_of(folder, stage):
    [place] = (folder / ".stages" / stage).iterdir()
    return place


def victim_of(tmp_path):
    victim = tmp_path / "victim"
    (victim / "thesis").mkdir(parents=True)
    (victim / "thesis" / "chapter.tex").write_text("years of work")
    return victim


def test_a_result_is_restored_as_its_declared_class(tmp_path):
    store = Store(tmp_path)
    kept = Power({"power": pl.DataFrame({"metric": ["AP"]})}, {"a": 1}, ("note",), falling=np.ones((1, 2)))
    store.put("power", "0a", kept)
    restored = store.get("power", "0a", Power)
    assert type(restored) is Power
    assert restored.notes == ("note",)
    assert restored.falling.tolist() == [[1.0, 1.0]]
    assert "class" not in json.loads((tmp_path / "power" / "0a" / "result.json").read_text())


def test_no_class_named_by_a_folder_is_instantiated(tmp_path):
    store = Store(tmp_path)
    store.put("power", "0", Power({"power": pl.DataFrame({"metric": ["AP"]})}))
    file = store.folder_of("power", "0") / "result.json"
    kept = unseal(file.read_text(), "power", "0")
    file.write_text(seal({**kept, "class": ["os", "system"]}, "power", "0"))
    assert type(store.get("power", "0", Power)) is Power
    deep = "[" * 100_000
    for odd in (
        {**kept, "values": {**kept["values"], "unheard_of": 1}},
        {**kept, "tables": []},
        {**kept, "values": {}},
    ):
        file.write_text(seal(odd, "power", "0"))
        assert store.get("power", "0", Power) is None
    file.write_text(deep)
    assert store.get("power", "0", Power) is None


def test_reading_deletes_nothing(tmp_path):
    place = Store(tmp_path).folder_of("power", "0")
    place.mkdir(parents=True)
    (place / "result.json").write_text("of another version")
    assert Store(tmp_path).get("power", "0") is None
    assert (place / "result.json").exists()


@pytest.mark.parametrize("damage", ["result.json", "power.parquet"])
def test_a_report_on_an_unreadable_folder_changes_nothing(folder, capsys, damage):
    (stage_of(folder, "power") / damage).write_bytes(b"damaged")
    before = contents(folder, leave_out=())
    assert run(["report", str(folder)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "power" in said
    assert contents(folder, leave_out=()) == before


@pytest.mark.parametrize(
    "notes",
    [
        *("[]", '{"collections": 3, "manifest": {}}', '{"collections": {"a": []}}', "{", "null", "[" * 100_000),
        *(seal(odd) for odd in ([], {"collections": {"a": []}, "manifest": {}}, {"collections": 3, "manifest": {}})),
    ],
)
def test_a_report_on_malformed_notes_gives_a_one_line_error(folder, capsys, notes):
    index(folder).write_text(notes)
    before = contents(folder, leave_out=())
    assert run(["report", str(folder)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert contents(folder, leave_out=()) == before


def test_a_report_is_rebuilt_from_the_stages_alone(folder):
    before = (folder / "power.csv").read_bytes()
    (folder / "power.csv").unlink()
    rebuilt(folder)
    assert (folder / "power.csv").read_bytes() == before


def test_notes_that_name_another_folder_delete_nothing(folder, tmp_path, capsys):
    victim = victim_of(tmp_path)
    notes = unseal(index(folder).read_text())
    name = next(iter(notes["collections"]))
    for stage, key in (("power", "../../../victim"), ("../../victim", "0"), ("power", str(victim))):
        changed = {**notes["collections"][name], stage: key}
        index(folder).write_text(seal({**notes, "collections": {name: changed}}))
        (victim / "result.json").write_text("{}")
        run(["report", str(folder)])
        assert contents(victim) == {"result.json": b"{}", "thesis/chapter.tex": b"years of work"}
        capsys.readouterr()


def test_a_table_name_cannot_leave_the_folder(folder, tmp_path, capsys):
    file = stage_of(folder, "power") / "result.json"
    about = ("power", file.parent.name)
    kept = unseal(file.read_text(), *about)
    escaped = "../../../../pwned"
    shutil.copy(stage_of(folder, "power") / "power.parquet", tmp_path / "pwned.parquet")
    digests = {**kept["files"], f"{escaped}.parquet": kept["files"]["power.parquet"]}
    file.write_text(seal({**kept, "tables": [escaped, *kept["tables"]], "files": digests}, *about))
    assert run(["report", str(folder)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not list(tmp_path.rglob("pwned.csv"))
    assert not list(tmp_path.rglob("pwned.tex"))


def test_a_study_removes_only_files_made_by_studies(collection, folder, tmp_path):
    victim = victim_of(tmp_path)
    stages = folder / ".stages"
    (stages / "elsewhere").symlink_to(victim)
    (stages / "power" / "abc").symlink_to(victim)
    foreign = stages / "mine" / "0123"
    foreign.mkdir(parents=True)
    (foreign / "result.json").write_text("{}")
    old = stage_of_real(stages / "power")
    (old / "remarks.txt").write_text("mine")
    before = contents(victim)
    rerun(collection, folder, trials=300)
    assert contents(victim) == before
    assert (stages / "elsewhere").is_symlink()
    assert (stages / "power" / "abc").is_symlink()
    assert (foreign / "result.json").exists()
    # The stage that nobody uses any more has gone, but not what somebody put beside it.
    assert [file.name for file in old.iterdir()] == ["remarks.txt"]


def stage_of_real(place):
    [real] = (each for each in place.iterdir() if not each.is_symlink())
    return real


def test_a_record_that_names_other_folders_removes_none(collection, folder, tmp_path):
    victims = [tmp_path / "outside" / "abc", tmp_path / "victim"]
    for victim in victims:
        victim.mkdir(parents=True)
        (victim / "result.json").write_text("{}")
    (folder / ".stages" / "link").symlink_to(tmp_path / "outside")
    record = folder / ".stages" / "made.json"
    made = json.loads(record.read_text())
    old = stage_of(folder, "power")
    record.write_text(json.dumps([*made, ["link", "abc"], ["power", "../../../victim"], ["..", "0"], [], 3]))
    rerun(collection, folder, trials=300)
    assert all((victim / "result.json").exists() for victim in victims)
    # What is odd in the record does not keep what is right in it from being removed.
    assert not old.exists()


@pytest.mark.parametrize(
    "name", ["report.html", "power.csv", ".stages/study.json", ".stages/made.json", ".stages/score"]
)
def test_nothing_is_written_through_a_link(collection, folder, tmp_path, name):
    outside = tmp_path / "outside"
    target = folder / name
    if target.is_dir():
        shutil.rmtree(target)
        outside.mkdir()
    else:
        target.unlink()
        outside.write_text("precious")
    target.symlink_to(outside)
    with pytest.raises(metameter.MetameterError, match="link"):
        rerun(collection, folder, trials=300)
    assert not outside.is_dir() or not list(outside.iterdir())
    assert outside.is_dir() or outside.read_text() == "precious"


def test_linked_stage_folders_are_refused(collection, folder, tmp_path):
    os.rename(folder / ".stages", tmp_path / "elsewhere")
    (folder / ".stages").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(metameter.MetameterError, match="link"):
        rerun(collection, folder)
    with pytest.raises(metameter.MetameterError, match="link"):
        rebuilt(folder)


def test_a_stage_without_its_procedure_gives_a_notice(folder):
    notes = unseal(index(folder).read_text())
    name = next(iter(notes["collections"]))
    notes["collections"][name]["entropy"] = "0a"
    index(folder).write_text(seal(notes))
    with pytest.warns(metameter.MetameterWarning, match="entropy"):
        rebuilt(folder)


def test_an_unstorable_result_is_refused(tmp_path):
    odd = Result({"power": pl.DataFrame({"metric": ["AP"]})}, {"path": tmp_path})
    with pytest.raises(metameter.MetameterError, match="cannot be kept"):
        Store(tmp_path / "a").put("power", "0", odd)
    assert Store(tmp_path / "a").get("power", "0") is None
    with pytest.raises(metameter.MetameterError, match="cannot be kept"):
        Store(tmp_path / "a").put("power", "0", Result({"a/b": pl.DataFrame({"metric": ["AP"]})}))


def test_a_second_process_waits_with_a_notice(tmp_path):
    order, told = [], []

    def second():
        with pytest.warns(metameter.MetameterWarning, match=f"process {os.getpid()} works"), locked(tmp_path, progress):
            order.append("second")

    def progress(done, of, what):
        told.append(what)
        release.set()

    release = threading.Event()
    with locked(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        assert release.wait(10)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
    assert "waiting" in told[0]


@pytest.mark.slow
def test_several_processes_can_share_a_folder(collection, tmp_path):
    def program(*words):
        inputs = [str(collection / "qrels.txt"), str(collection / "runs"), *(w for m in METRICS for w in ("-m", m))]
        given = ["--splits", "100", "--resamples", "40", "--max-grade", "2", *words]
        return [sys.executable, "-m", "metameter", "study", *inputs, *given]

    for attempt in range(3):
        out = ["--out", str(tmp_path / f"shared-{attempt}")]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        trials = ("200", "300", "200")
        both = [subprocess.Popen([*program("--trials", count), *out], **quiet) for count in trials]
        for process in both:
            _, said = process.communicate()
            assert process.returncode == 0, said
        assert run(["report", out[1]]) == 0


def test_a_stored_result_is_restored_unchanged(tmp_path):
    manifest = {"ends": (1, [2, (3,)]), "by": {10: "a", (1, 2): None}, "n": np.int64(3), "__tuple__": [1]}
    made = Result({"t": pl.DataFrame({"x": [1]})}, manifest, ("note",))
    Store(tmp_path).put("toy", "0", made)
    restored = Store(tmp_path).get("toy", "0")
    assert restored.manifest == manifest
    assert isinstance(restored.manifest["ends"][1][1], tuple)
    assert restored.notes == ("note",)
    for odd in ({1, 2}, np.ones(2), b"x"):
        with pytest.raises(metameter.MetameterError, match="in its field manifest"):
            Store(tmp_path).put("toy", "1", Result({"t": made.table}, {"odd": odd}))
