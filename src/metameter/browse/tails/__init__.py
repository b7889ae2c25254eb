"""Tail sums: what happens beyond the end of a list."""
