"""Metrics: products of a browsing model and an aggregation, and classical, diversity and session metrics."""
