"""The script in every report: what the library makes, whatever is in the cache."""

from importlib.metadata import version
from pathlib import Path

import pytest

from metameter.view.charts.export import bundle

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


def test_the_licences_of_the_libraries_stand_before_them_in_every_page(tmp_path):
    from metameter.view.charts.export.page import save_html

    text = bundle.vega_licences()
    assert text.startswith("<!--")
    assert text.count("--") == 2  # nothing ends the comment early
    for line in (
        "Copyright (c) 2015-2023, University of Washington Interactive Data Lab",
        "Redistributions in binary form must reproduce the above copyright notice",
        "Copyright 2010-2023 Mike Bostock",
        "Copyright (c) 2013, 2014, 2020 Joachim Wester",
    ):
        assert line in text
    page = save_html({"mark": "point"}, tmp_path / "chart.html", "chart").read_text("utf-8")
    assert 0 < page.index(text) < page.index(bundle.vega_bundle()[:200])
