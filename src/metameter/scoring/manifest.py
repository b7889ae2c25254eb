"""The manifest of a result: versions, options and checksums of the inputs."""

from __future__ import annotations

import platform
from typing import Any

from metameter.distributions import version


def manifest_of(**options: Any) -> dict[str, Any]:
    """The versions of the software, and the options it was given.

    Examples
    --------
    >>> sorted(manifest_of(ties="input"))
    ['metameter', 'options', 'versions']
    """
    versions = {name: version(name) for name in ("numpy", "polars", "scipy")}
    return {
        "metameter": version("metameter"),
        "versions": {"python": platform.python_version(), **versions},
        "options": options,
    }
