"""Presets: sets of metrics for everyday evaluation, and those that papers compare."""

from __future__ import annotations

from metameter.errors import MetameterError, did_you_mean

_STABILITY = ("ERG", "ETG", "avg", "max", "fin", "PE(beta=0.5)")
_SATISFACTION = ("ETG", "ERG", "ERR", "avg", "max", "fin", "fgt(delta=0.8)", "PE(beta=0.5)")
# Commonly reported metrics: shallow and deep, binary and graded, with and without a recall base, and for incomplete
# judgments.
_EVERYDAY = (
    "nDCG@10",
    "nDCG",
    "AP",
    "P@10",
    "RR",
    "RBP(p=0.8)",
    "ERR@10",
    "INST(T=2.25)",
    "R@100",
    "Bpref",
    "Q(beta=1)",
)
# Complex metrics of dynamic search, and the simple metrics of relevance, diversity and effort they are compared with.
_DYNAMIC = ("ACT", "nCT", "nEU", "nsDCG", "alpha_nDCG", "nERR_IA", "RBU(p=0.99,e=0.05)", "prec", "st_rec", "tot_time")


def _chen_sakai_2023() -> tuple[str, ...]:
    static = [f"{model}*{a}" for model in ("Prec@10", "DCG@10", "RBP(p=0.8)@10") for a in _STABILITY]
    inst = [f"INST(T=2.25)@10*{a}" for a in (*_STABILITY, "ERR")]
    # A clairvoyant user must not look past the cut; and the product ERR with ERR is the classical ERR@10.
    ap = [f"AP1*{a}@10" for a in (*_STABILITY, "ERR")]
    err = [f"ERR@10*{a}" for a in _STABILITY]
    return (*static, *inst, *ap, *err, "ERR*ERR@10")


def _moffat_2022(k: int, p: float, T: float) -> tuple[str, ...]:
    models = (f"Prec@{k}", f"RBP(p={p})", f"DCG@{k}", "AP1", "RRbin", f"INST(T={T:g})", "AP2")
    return tuple(f"{model}*{a}" for model in models for a in _SATISFACTION)


PRESETS: dict[str, tuple[str, ...]] = {
    "chen-sakai-2023": _chen_sakai_2023(),
    "moffat-2022": _moffat_2022(5, 0.8, 2.25),
    "moffat-2022-preference": _moffat_2022(3, 0.5, 1),
    "lu-2016": ("AP(norm=min)", "AP", "AP(norm=pool)", "nDCG", "Q(beta=1)", "RBP(p=0.8)", "ERR"),
    "everyday": _EVERYDAY,
    "albahem-2019": _DYNAMIC,
}


def preset(name: str) -> tuple[str, ...]:
    """The metric names of a preset.

    Examples
    --------
    >>> len(preset("chen-sakai-2023")), len(preset("moffat-2022"))
    (39, 56)
    """
    if not isinstance(name, str) or name not in PRESETS:
        raise MetameterError(
            "unknown preset", given=name, fix=did_you_mean(name if isinstance(name, str) else "", list(PRESETS))
        )
    return PRESETS[name]
