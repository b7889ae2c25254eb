"""Which stages a study does: those that its options ask for, and that need nothing of the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from metameter.errors import MetameterError
from metameter.meta.base import Procedure
from metameter.studies.declared import stage_values, study_stages

__all__ = ["refuse_idle", "wanted_stages"]


def wanted_stages(given: Mapping[str, Any]) -> list[Procedure]:
    """The stages that a study with these options does, each after those whose results it needs.

    Examples
    --------
    >>> wanted_stages({})[0].key
    'similarity'
    """
    unwanted: set[str] = set()
    for each in study_stages():
        if unwanted & set(each.needs) or not each.is_wanted(stage_values(each, given)):
            unwanted.add(each.key)
    return [each for each in study_stages() if each.key not in unwanted]


def refuse_idle(given: Mapping[str, Any]) -> None:
    """Refuse an option that only stages take which the other options do not ask for: it would say nothing."""
    wanted = wanted_stages(given)
    used = {"seed", *(option for stage in wanted for option in stage.options)}
    idle = [stage for stage in study_stages() if stage.key not in [each.key for each in wanted]]
    for stage in idle:
        for name in stage.options:
            if name not in used and _is_said(given.get(name), stage.default(name)):
                asked = _asking([stage], idle)
                fix = f"Give {asked}, too, or leave {name} out." if asked else f"Leave {name} out."
                raise MetameterError(
                    f"the option {name} is for {stage.name}, which this study does not ask for",
                    given=given[name],
                    fix=fix,
                )


def _is_said(value: Any, default: Any) -> bool:
    """Whether a value says more than the default; an empty list says as much as None."""
    return bool(value or default) and value is not None and value != default


def _asking(stages: Iterable[Procedure], idle: list[Procedure]) -> str | None:
    """The option that asks for these stages, or for those that they need; None where only a function knows."""
    for stage in stages:
        needed = [each for each in idle if each.key in stage.needs]
        asking = stage.wanted if isinstance(stage.wanted, str) else _asking(needed, idle)
        if asking:
            return asking
    return None
