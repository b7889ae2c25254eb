"""What is registered is found by name, and only what is asked for is imported."""

import subprocess
import sys

import pytest

from metameter import registry


@pytest.mark.parametrize("kind", ["browse", "aggregate", "metric"])
def test_the_sources_say_where_each_name_is(kind):
    """The index that is read from the sources is the register itself."""
    ours = {name: thing.__module__ for name in registry.names(kind) if (thing := registry.get(kind, name))}
    assert {name: module for name, module in ours.items() if module.startswith("metameter.")} == registry._places(kind)


def test_one_metric_does_not_import_all():
    code = "import metameter, sys; metameter.parse_metric('AP'); print(*sys.modules)"
    command = [sys.executable, "-c", code]
    modules = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout
    assert "metameter.metric.classic.ap" in modules.split()
    assert "metameter.metric.classic.rprec" not in modules.split()


def test_other_distributions_may_register_anything(monkeypatch):
    """With a plug-in of the kind nothing is known before all are loaded: its name need not be that of its metric."""
    loaded = []
    monkeypatch.setattr(registry, "_loaded", set())
    monkeypatch.setattr(registry, "entry_points", lambda group: [group])
    monkeypatch.setattr(registry, "_load", loaded.append)
    assert registry.find("metric", "no such metric") is None
    assert loaded == ["metric"]
