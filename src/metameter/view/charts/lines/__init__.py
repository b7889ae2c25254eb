"""Curves and scatter plots."""
