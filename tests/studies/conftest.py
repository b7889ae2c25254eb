"""A small collection that is simulated once for each module of these tests."""

import pytest

from metameter.simulation import simulate
from metameter.simulation.folder import write


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    made = simulate(topics=12, systems=5, depth=20, grades=3, seed=5)
    return write(made, tmp_path_factory.mktemp("made") / "collection")
