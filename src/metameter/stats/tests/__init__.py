"""Significance tests of differences between systems."""
