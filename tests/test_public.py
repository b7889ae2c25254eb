"""Public names stay what they are, whatever has been imported."""

import pkgutil
from importlib import import_module

import pytest

import metameter
from metameter.registry import get, names


def test_modules_import_and_public_names_are_usable():
    for module in pkgutil.walk_packages(metameter.__path__, "metameter."):
        if module.name != "metameter.__main__":
            import_module(module.name)
    packages = {module.name for module in pkgutil.iter_modules(metameter.__path__)}
    for name in metameter.__all__:
        assert name not in packages, f"{name} is a public name and a sub-package"
        thing = getattr(metameter, name)
        assert isinstance(thing, str) or callable(thing)
    assert metameter.parse_metric("P@1")([1]) == 1.0


def test_procedures_metrics_and_the_checks_are_public_names():
    known = set(dir(metameter))
    assert {"checks", "compare", "nDCG", "RBP", "Max", "max", "SDCG", *names("meta")} <= known
    for name in known:
        assert getattr(metameter, name) is not None
    # What is written down here wins over what is registered.
    assert metameter.check is import_module("metameter.scoring.check").check
    assert metameter.compare is get("meta", "compare")


def test_unknown_names_raise_an_attribute_error():
    assert set(metameter.__all__) <= set(dir(metameter))
    with pytest.raises(AttributeError, match="nonsense"):
        _ = metameter.nonsense
    with pytest.raises(AttributeError, match=r"'NDCG'. Did you mean nDCG\?$"):
        _ = metameter.NDCG
    with pytest.raises(AttributeError, match=r"Did you mean read_qrels\?$"):
        _ = metameter.read_qrel


@pytest.mark.parametrize("wrong", [3, None, [], "lu2016"])
def test_unknown_presets_are_refused_with_a_list(wrong):
    with pytest.raises(metameter.MetameterError, match=r"unknown preset.*Known: albahem-2019, chen-sakai-2023"):
        metameter.preset(wrong)
