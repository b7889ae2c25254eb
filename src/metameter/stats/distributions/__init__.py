"""Tail probabilities of the studentised range and of Dunnett's statistic."""
