"""Check judgments and runs before they are scored."""

from metameter.scoring.check.procedure import Checked, check

__all__ = ["Checked", "check"]
