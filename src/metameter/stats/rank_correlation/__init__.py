"""Rank correlation: whether two score vectors, or two counts, order items alike."""
