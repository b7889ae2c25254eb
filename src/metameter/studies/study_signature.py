"""`metameter.study`: the function `study` with every option of a study in its signature and its docstring.

A module of its own, because the options of all procedures are imported for it, plug-ins included; `study` itself
imports them when it is called.
"""

from __future__ import annotations

from contextlib import suppress

from metameter.errors import MetameterError
from metameter.studies.study import study
from metameter.studies.study_options import takes_options

__all__ = ["study"]

# A plug-in that cannot be loaded does not make this import fail: the call reports it.
with suppress(MetameterError):
    takes_options(study)
