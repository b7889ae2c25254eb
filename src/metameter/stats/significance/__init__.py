"""Significance tests of the differences between systems, and what follows from them."""
