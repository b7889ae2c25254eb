"""Tail sums: closed forms and numerical sums beyond the end of a list."""
