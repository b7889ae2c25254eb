"""Comparisons of all metrics at one error rate."""
