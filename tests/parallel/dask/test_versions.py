"""A cluster with other versions, or other plug-ins, is refused in one line that names both."""

from __future__ import annotations

import copy
import shutil
import sys

import pytest
from distributed import Client

import metameter as mm
from metameter import distributions
from metameter.cli.program import run
from metameter.parallel.dask import cluster as dask_cluster
from metameter.parallel.dask import versions as dask_versions
from metameter.parallel.dask.task import Sent, Work, do
from metameter.parallel.dask.versions import check_report, check_versions, versions
from tests.parallel.conftest import ROOT, Cluster

WORKER = "tcp://10.0.0.7:4001"
FIX = "Install the same versions everywhere."


def report():
    """What Dask reports of a cluster with the same versions everywhere."""
    side = {"packages": {**versions(), "python": f"{versions()['python']}.final.0", "msgpack": "1.1.0", "lz4": None}}
    return {"client": side, "scheduler": copy.deepcopy(side), "workers": {WORKER: copy.deepcopy(side)}}


def test_equal_versions_are_accepted():
    check_report(report())


@pytest.mark.parametrize(
    "name", ["metameter", "python", "numpy", "polars", "scipy", "dask", "distributed", "cloudpickle"]
)
@pytest.mark.parametrize("who", ["the scheduler", f"the worker {WORKER}"])
def test_different_versions_are_refused_at_scheduler_and_workers(name, who):
    found = report()
    side = found["scheduler"] if who == "the scheduler" else found["workers"][WORKER]
    side["packages"][name] = "0.0.1"
    with pytest.raises(mm.MetameterError) as refused:
        check_report(found)
    assert str(refused.value) == f"{who} has {name} 0.0.1, and here is {name} {versions()[name]}. {FIX}"
    side["packages"][name] = None
    missing = "no metameter" if name == "metameter" else rf"(no {name}|{name} None)"
    with pytest.raises(mm.MetameterError, match=rf"^{who} has {missing}, and here is {name} "):
        check_report(found)


def test_packages_that_do_not_matter_can_differ():
    found = report()
    found["scheduler"]["packages"] |= {"msgpack": "0.9", "lz4": "4.4", "pandas": "3.0"}
    check_report(found)


@pytest.mark.parametrize("who", ["scheduler", "workers"])
def test_a_version_mismatch_ends_a_command_with_status_2(cluster, monkeypatch, capsys, who):
    ask = Client.get_versions

    def other(self, **given):
        told = ask(self, **given)
        side = told[who] if who == "scheduler" else next(iter(told[who].values()))
        side["packages"]["distributed"] = "2020.1.0"
        return told

    monkeypatch.setattr(Client, "get_versions", other)
    assert run(["power", "nowhere.csv", "--engine", "dask", "--scheduler", cluster.address]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith("the scheduler has " if who == "scheduler" else "the worker tcp://")
    assert f"distributed 2020.1.0, and here is distributed {versions()['distributed']}. {FIX}" in said


def test_workers_report_plug_ins(cluster, monkeypatch):
    here = versions()
    monkeypatch.setattr(dask_cluster, "versions", lambda: here | {"tired": "1.0"})
    with pytest.raises(mm.MetameterError, match=r"^the worker tcp://\S+ has no tired, and here is tired 1\.0\. "):
        mm.Workers.dask(cluster.address, timeout=60)


def test_a_worker_with_different_source_code_is_refused(tmp_path, capsys):
    shutil.copytree(ROOT / "src" / "metameter", tmp_path / "src" / "metameter", ignore=shutil.ignore_patterns("*.pyc"))
    with (tmp_path / "src" / "metameter" / "browse" / "rbp.py").open("a") as file:
        file.write("# changed\n")
    (tmp_path / "cluster").mkdir()
    other = Cluster(tmp_path / "cluster", workers=1, source=tmp_path / "src")
    try:
        assert run(["power", "nowhere.csv", "--engine", "dask", "--scheduler", other.address]) == 2
    finally:
        other.close()
    said = capsys.readouterr().err
    assert said.startswith("the worker tcp://")
    assert said.endswith(
        f" has other source code of metameter {mm.__version__} than here. Install the same code everywhere, then start "
        "the workers again.\n"
    )


def test_a_plug_in_missing_here_is_refused():
    with pytest.raises(mm.MetameterError, match=r"^the worker has tired 1\.0, and here is no tired\. "):
        check_versions(versions(), versions() | {"tired": "1.0"}, "the worker")


def test_a_late_worker_is_checked_before_its_first_task():
    with pytest.raises(mm.MetameterError, match=r"^the worker here has no tired, and here is tired 1\.0\. "):
        do(Work(round, {}, versions() | {"tired": "1.0"}), Sent(1.5))


def test_plug_ins_are_distributions_with_entry_points(tmp_path, monkeypatch):
    for name, entered in (
        ("Very_Tired-1.5", "[metameter.browse]\nVery = very:Very\n"),
        ("other-2.0", "[x]\ny = z:y\n"),
    ):
        info = tmp_path / f"{name}.dist-info"
        info.mkdir()
        title, _, number = name.partition("-")
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {title}\nVersion: {number}\n")
        (info / "entry_points.txt").write_text(entered)
    before = distributions.plug_ins()
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    assert distributions.plug_ins() == before | {"very-tired": "1.5"}
    assert versions()["very-tired"] == "1.5"
    assert "very-tired" in dask_versions.packages()
    assert "python" not in dask_versions.packages()
