"""Formulas on a terminal."""

import pytest

from metameter.reporting.cards.plain_math import plain_math

FORMULAS = {
    r"\frac{1}{k} \sum_{i \le k} rel_i": "1/k · Σ[i≤k] rel_i",
    r"\frac{1}{11} \sum_{j=0}^{10} IPrec(j / 10)": "1/11 · Σ[j=0..10] IPrec(j / 10)",
    r"\frac{gain(d_{qj})}{(1 + \log_b j)(1 + \log_{bq} q)}": "gain(d_qj) / ((1 + log_b j)(1 + log_bq q))",
    r"\frac{rel_i}{\log_2(2 + i - C(i))}": "rel_i/log₂(2 + i - C(i))",
    r"\frac{i}{i+1} \text{ for } i < k, \text{ else } 0": "i / (i+1) for i < k, else 0",
    r"\Big( 1 - \frac{\min(b_i, R)}{\min(N, R)} \Big)": "(1 - min(b_i, R)/min(N, R))",
    r"A(1) = r_1, \quad A(i+1) = \delta A(i) + r_{i+1}": "A(1) = r₁,\nA(i+1) = δ A(i) + r_(i+1)",
    r"|\{ i \le n : judged, rel_i = 0 \}|": "|{ i ≤ n : judged, rel_i = 0 }|",
    r"st\_rec@K = \frac{\mbox{covered by K}}{M}": "st_rec@K = (covered by K) / M",
    r"(i+1)^\beta - i^\beta": "(i+1)^β - i^β",
    r"\beta \max_{j \le i} r_j": "β max[j≤i] r_j",
    r"P\mbox{-}IA@k, cg^*(i), V^+": "P-IA@k, cg*(i), V⁺",
    r"\unknown{x} {": "unknownx",
    r"\frac{1}": "1/",
    "": "",
}


@pytest.mark.parametrize("latex", FORMULAS)
def test_formulas_use_available_characters(latex):
    assert plain_math(latex) == FORMULAS[latex]
