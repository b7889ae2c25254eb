"""The manifest of a result: versions, options and checksums of the inputs."""

from __future__ import annotations

import platform
from typing import Any

from metameter.distributions import version
from metameter.plugin_files import loaded_plugin_files


def manifest_of(**options: Any) -> dict[str, Any]:
    """The versions of the software, the checksums of plug-in files if there are any, and the options it was given.

    Examples
    --------
    >>> sorted(manifest_of(ties="input"))
    ['metameter', 'options', 'versions']
    """
    versions = {name: version(name) for name in ("numpy", "polars", "scipy")}
    plugins = loaded_plugin_files()
    return {
        **({"plugin_files": plugins} if plugins else {}),
        "metameter": version("metameter"),
        "versions": {"python": platform.python_version(), **versions},
        "options": options,
    }
