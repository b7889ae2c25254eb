"""What is installed is found as `importlib.metadata` finds it, and without it where there is nothing to ask."""

import importlib.metadata
import sys
import zipfile
from importlib.machinery import PathFinder

import pytest

from metameter import distributions

ENTERED = "[console_scripts]\nx = x:main\n\n[metameter.metric]\nMine = mine:Mine\n"


@pytest.fixture(autouse=True)
def forgetful():
    """What was found is kept for a path; here a path is looked through anew once something is put there."""
    kept = (distributions._may_have_plug_ins, distributions._entry_points, distributions._infos)
    for each in kept:
        each.cache_clear()
    yield
    for each in kept:
        each.cache_clear()


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    # Dask brings `importlib_metadata`, which puts a finder of its own in place of Python's once it is imported.
    ours = [each for each in sys.meta_path if each is PathFinder or not hasattr(each, "find_distributions")]
    monkeypatch.setattr(sys, "meta_path", ours)
    found = importlib.metadata.MetadataPathFinder.find_distributions
    monkeypatch.setattr(PathFinder, "find_distributions", found, raising=False)
    return tmp_path


def put(info, **files):
    info.mkdir(parents=True)
    for name, text in files.items():
        (info / name.replace("_txt", ".txt").replace("_INFO", "-INFO")).write_text(text)


def entered():
    return [(entry.name, entry.value) for entry in distributions.entry_points(group="metameter.metric")]


@pytest.mark.parametrize("info", ["mine-1.0.dist-info", "mine-1.0.egg-info", "Mine.EGG-INFO"])
def test_a_plug_in_is_found(place, info):
    put(place / info, entry_points_txt=ENTERED, METADATA="Name: mine\nVersion: 1.0\n")
    assert entered() == [("Mine", "mine:Mine")]
    assert list(distributions.entry_points(group="metameter.browse")) == []


def test_without_plug_ins_no_metadata_is_parsed(place, monkeypatch):
    def forbidden():
        raise AssertionError

    monkeypatch.setattr(importlib.metadata, "entry_points", forbidden)
    monkeypatch.setattr(importlib.metadata, "version", forbidden)
    put(place / "other-1.0.dist-info", entry_points_txt="[console_scripts]\nx = x:main\n")
    put(place / "nothing-1.0.dist-info")
    (place / "old-1.0.egg-info").write_text("Name: old\n")
    assert entered() == []
    assert distributions.version("numpy") == distributions.version("numpy")


def test_a_plug_in_in_an_archive_is_found(place, monkeypatch):
    with zipfile.ZipFile(place / "mine.zip", "w") as archive:
        archive.writestr("mine-1.0.dist-info/entry_points.txt", ENTERED)
        archive.writestr("mine-1.0.dist-info/METADATA", "Name: mine\nVersion: 1.5\n")
    monkeypatch.syspath_prepend(place / "mine.zip")
    assert entered() == [("Mine", "mine:Mine")]
    assert distributions.version("mine") == "1.5"


def test_a_plug_in_in_an_egg_is_found(place, monkeypatch):
    put(place / "mine-1.0.egg" / "EGG-INFO", entry_points_txt=ENTERED, PKG_INFO="Name: mine\nVersion: 1.6\n")
    monkeypatch.syspath_prepend(place / "mine-1.0.egg")
    assert entered() == [("Mine", "mine:Mine")]
    assert distributions.version("mine") == "1.6"


def test_a_path_entry_that_is_no_text_is_ignored(place, monkeypatch):
    """People put a Path there; importing passes over it."""
    monkeypatch.setattr(sys, "path", [place, *sys.path])
    assert entered() == []
    assert distributions.version("numpy") == importlib.metadata.version("numpy")


def test_other_finders_are_searched(place, monkeypatch):
    put(place / "elsewhere" / "mine-1.0.dist-info", entry_points_txt=ENTERED, METADATA="Name: mine\nVersion: 1.7\n")

    class Elsewhere(importlib.metadata.DistributionFinder):
        def find_spec(self, *_):
            return None

        def find_distributions(self, context):
            found = importlib.metadata.PathDistribution(place / "elsewhere" / "mine-1.0.dist-info")
            return iter([found] if context.name in (None, "mine") else [])

    monkeypatch.setattr(sys, "meta_path", [Elsewhere(), *sys.meta_path])
    assert entered() == [("Mine", "mine:Mine")]
    assert distributions.version("mine") == "1.7"


@pytest.mark.parametrize("name", ["metameter", "numpy", "polars", "scipy", "altair"])
def test_versions_match_the_installed_ones(name):
    assert distributions.version(name) == importlib.metadata.version(name)


@pytest.mark.parametrize("info", ["numpy-0.0.1.dist-info", "NumPy-0.0.1.dist-info", "numpy.egg-info"])
def test_the_first_distribution_on_the_path_wins(place, info):
    put(place / info, METADATA="Metadata-Version: 2.1\nName: numpy\nVersion: 0.0.1\n")
    assert distributions.version("numpy") == importlib.metadata.version("numpy") == "0.0.1"


def test_a_missing_distribution_has_no_version():
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        distributions.version("metameter-of-nobody")
