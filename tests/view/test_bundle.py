"""The script in every report: what the library makes, whatever is in the cache."""

from importlib.metadata import version
from pathlib import Path

import pytest

from metameter.view.charts import bundle

MADE = "window.vegaEmbed = 'made';"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(bundle, "_made", lambda: MADE)
    monkeypatch.setitem(bundle._KNOWN, version("vl-convert-python"), bundle._digest(MADE.encode()))
    bundle.vega_bundle.cache_clear()
    yield tmp_path / "metameter"
    bundle.vega_bundle.cache_clear()


def kept(cache):
    [file] = cache.iterdir()
    return file


def again():
    bundle.vega_bundle.cache_clear()
    return bundle.vega_bundle()


def test_the_hash_that_is_known_is_that_of_what_this_version_makes():
    made = bundle._digest(bundle._made().encode())
    assert made == bundle._KNOWN.get(version("vl-convert-python"), made)


@pytest.mark.parametrize("planted", [b"alert(1)", b"", b"\xff", MADE.encode() + b" "])
def test_what_somebody_put_into_the_cache_enters_no_report(cache, planted):
    assert again() == MADE
    kept(cache).write_bytes(planted)
    assert again() == MADE
    assert kept(cache).read_text() == MADE


def test_what_was_kept_is_not_made_again(cache, monkeypatch):
    again()
    monkeypatch.setattr(bundle, "_made", lambda: pytest.fail("made again"))
    assert again() == MADE


def test_a_link_in_the_cache_is_neither_read_nor_written_through(cache, tmp_path):
    again()
    mine = tmp_path / "mine"
    mine.write_text("precious")
    kept(cache).unlink()
    (cache / f"vega-{bundle._digest(MADE.encode())[:16]}.js").symlink_to(mine)
    assert again() == MADE
    assert mine.read_text() == "precious"
    assert not kept(cache).is_symlink()


def test_without_a_cache_it_is_made_each_time(cache, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert again() == MADE
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    assert again() == MADE
    assert not cache.exists()


def test_a_version_that_is_not_known_keeps_nothing(cache, monkeypatch):
    monkeypatch.delitem(bundle._KNOWN, version("vl-convert-python"))
    assert again() == MADE
    assert not cache.exists()
