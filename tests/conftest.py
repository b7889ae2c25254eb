"""What every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real collections; tests that ask for it are marked ``realdata``."""
    default = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    folder = Path(os.environ.get("METAMETER_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}; set METAMETER_DATA to the folder that holds them")
    return folder
