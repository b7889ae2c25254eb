"""The script in every report: what the library makes, whatever is in the cache."""

from importlib.metadata import version
from pathlib import Path

import pytest

from metameter.view.charts import export

MADE = "window.vegaEmbed = 'made';"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(export, "_built_bundle", lambda: MADE)
    monkeypatch.setitem(export._BUNDLE_HASHES, version("vl-convert-python"), export._sha256(MADE.encode()))
    export.vega_bundle.cache_clear()
    yield tmp_path / "metameter"
    export.vega_bundle.cache_clear()


def cached_file(cache):
    [file] = cache.iterdir()
    return file


def fresh_bundle():
    export.vega_bundle.cache_clear()
    return export.vega_bundle()


def test_the_known_hash_matches_this_version():
    made = export._sha256(export._built_bundle().encode())
    assert made == export._BUNDLE_HASHES.get(version("vl-convert-python"), made)


@pytest.mark.parametrize("planted", [b"alert(1)", b"", b"\xff", MADE.encode() + b" "])
def test_tampered_cache_files_are_not_used(cache, planted):
    assert fresh_bundle() == MADE
    cached_file(cache).write_bytes(planted)
    assert fresh_bundle() == MADE
    assert cached_file(cache).read_text() == MADE


def test_the_cached_bundle_is_reused(cache, monkeypatch):
    fresh_bundle()
    monkeypatch.setattr(export, "_built_bundle", lambda: pytest.fail("built twice"))
    assert fresh_bundle() == MADE


def test_a_link_in_the_cache_is_not_followed(cache, tmp_path):
    fresh_bundle()
    mine = tmp_path / "mine"
    mine.write_text("precious")
    cached_file(cache).unlink()
    (cache / f"vega-{export._sha256(MADE.encode())[:16]}.js").symlink_to(mine)
    assert fresh_bundle() == MADE
    assert mine.read_text() == "precious"
    assert not cached_file(cache).is_symlink()


def test_without_a_cache_the_bundle_is_built_each_time(cache, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert fresh_bundle() == MADE
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    assert fresh_bundle() == MADE
    assert not cache.exists()


def test_an_unknown_version_is_not_cached(cache, monkeypatch):
    monkeypatch.delitem(export._BUNDLE_HASHES, version("vl-convert-python"))
    assert fresh_bundle() == MADE
    assert not cache.exists()


def test_licences_precede_the_libraries_in_every_page(tmp_path):
    from metameter.view.charts.export import save_html

    text = export.vega_licences()
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
    assert 0 < page.index(text) < page.index(export.vega_bundle()[:200])
