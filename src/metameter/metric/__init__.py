"""Metrics: products of a browsing model and an aggregation, and the classical ones."""
