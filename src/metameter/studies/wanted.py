"""Which stages a study does: those that its options ask for, and that need nothing of the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from metameter.errors import MetameterError
from metameter.meta.base import Procedure
from metameter.studies.declared import stage_values, study_stages
from metameter.studies.labels import GIVEN_BY

__all__ = ["refuse_idle", "wanted_stages"]


def wanted_stages(given: Mapping[str, Any], labels: Collection[str] = ()) -> list[Procedure]:
    """The stages that a study with these options does, each after those whose results it needs.

    Parameters
    ----------
    given : mapping
        The options of the stages.
    labels : collection of str
        Which evidence of users there is: ``pages``, ``pairs``, and ``labels`` if either. Without it, what needs it is
        not done.

    Examples
    --------
    >>> [each.key for each in wanted_stages({}) if each.key in ("similarity", "unanimity")]
    ['similarity']
    """
    unwanted = {kind for kind in GIVEN_BY if kind not in labels}
    wanted: dict[str, Procedure] = {}
    for each in study_stages():
        asked = each.is_wanted(stage_values(each, given)) and not each.lacks_all(wanted)
        if unwanted & set(each.needs) or not asked:
            unwanted.add(each.key)
        else:
            wanted[each.key] = each
    return list(wanted.values())


def refuse_idle(given: Mapping[str, Any], labels: Collection[str] = ()) -> None:
    """Refuse an option that only stages take which the other options do not ask for: it would say nothing."""
    wanted = wanted_stages(given, labels)
    used = {"seed", *(option for stage in wanted for option in stage.options)}
    idle = [stage for stage in study_stages() if stage.key not in [each.key for each in wanted]]
    for stage in idle:
        for name in stage.options:
            if name not in used and _is_said(given.get(name), stage.default(name)):
                asked = _asking([stage], idle, labels)
                fix = f"Give {asked}, too, or leave {name} out." if asked else f"Leave {name} out."
                raise MetameterError(
                    f"the option {name} is for {stage.name}, which this study does not ask for",
                    given=given[name],
                    fix=fix,
                )


def _is_said(value: Any, default: Any) -> bool:
    """Whether a value says more than the default; an empty list says as much as None."""
    return bool(value or default) and value is not None and value != default


def _asking(stages: Iterable[Procedure], idle: list[Procedure], labels: Collection[str]) -> str | None:
    """The option that asks for these stages, or for those that they need; None where only a function knows."""
    for stage in stages:
        lacking = next((GIVEN_BY[need] for need in stage.needs if need in GIVEN_BY and need not in labels), None)
        needed = [each for each in idle if each.key in (*stage.needs, *stage.uses)]
        asking = lacking or (stage.wanted if isinstance(stage.wanted, str) else _asking(needed, idle, labels))
        if asking:
            return asking
    return None
