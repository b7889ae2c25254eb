"""Rank correlation coefficients, their p-values and their confidence intervals."""
