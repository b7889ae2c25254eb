"""What metrics are held against, and by which test: as captions and notes say it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metameter.view.escape import escape_latex

__all__ = ["CANONICAL_ONLY", "TESTS", "Held"]

#: What the tests are called.
TESTS = {
    "bootstrap": "the paired bootstrap",
    "steiger": "Steiger's Z",
    "williams": "Williams' t",
    "zou": "Zou's interval",
    "fisher": "Fisher's z for independent samples",
}


@dataclass(frozen=True)
class Held:
    """What metrics are held against, and how p is found.

    Attributes
    ----------
    reference : str, optional
        None: each against the canonical metric of its browsing model.
    test, correction : str
        As the options of `satisfaction` name them.
    """

    reference: str | None = None
    test: str = "bootstrap"
    correction: str = "holm"

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Held:
        """What a manifest's options say."""
        return cls(options["reference"], options["test"], options["correction"])

    def columns(self, shown: Sequence[str]) -> list[str]:
        r"""What the columns of a list are that compare metrics, of those that are shown; as LaTeX.

        Examples
        --------
        >>> print(*Held("n_DCG").columns(["metric", "difference", "p_vs_canonical"]), sep="\n")
        difference: $\tau_b$ less that of n\_DCG
        $p$: of no difference from it, by the paired bootstrap (adjusted: holm)
        """
        canonical = "the canonical metric of its browsing model"
        against = canonical if self.reference is None else escape_latex(self.reference)
        adjusted = "" if self.correction == "none" else f" (adjusted: {escape_latex(self.correction)})"
        told = {
            "difference": rf"difference: $\tau_b$ less that of {against}",
            "p_vs_canonical": f"$p$: of no difference from it, by {TESTS[self.test]}{adjusted}",
        }
        return [text for name, text in told.items() if name in shown]


#: Each metric is held against the canonical one of its row, as in the paper.
CANONICAL_ONLY = Held()
