"""What is registered is found by name, and only what is asked for is imported."""

import subprocess
import sys

import pytest

from metameter import registry


@pytest.mark.parametrize("kind", ["browse", "aggregate", "metric"])
def test_the_source_index_matches_the_registry(kind):
    """The index that is read from the sources is the register itself."""
    known = {name: registry.get(kind, name) for name in registry.names(kind)}
    ours = {
        name: (thing.__module__, vars(thing).get("aliases", {}))
        for name, thing in known.items()
        if thing.__module__.startswith("metameter.")
    }
    assert ours == registry._sources_of(kind)


@pytest.mark.parametrize("name", ["AP", "map", "map@10", "ap", "Ap(rel=2)"])
def test_one_metric_does_not_import_all_others(name):
    code = f"import metameter, sys; metameter.parse_metric({name!r}); print(*sys.modules)"
    command = [sys.executable, "-c", code]
    modules = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout
    assert "metameter.metric.classic.average_precision" in modules.split()
    assert "metameter.metric.classic.precision_recall" not in modules.split()


def test_all_plug_ins_load_before_a_name_is_unknown(monkeypatch):
    """With a plug-in of the kind nothing is known before all are loaded: its name need not be that of its metric."""
    loaded = []
    monkeypatch.setattr(registry, "_loaded", set())
    monkeypatch.setattr(registry, "entry_points", lambda group: [group])
    monkeypatch.setattr(registry, "_load", loaded.append)
    assert registry.find("metric", "no such metric") is None
    assert loaded == ["metric"]
