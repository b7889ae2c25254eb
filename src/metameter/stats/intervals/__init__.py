"""Confidence intervals: of means, of rows of a table, and simultaneous ones of differences between metrics."""
