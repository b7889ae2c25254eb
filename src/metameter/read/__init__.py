"""Bytes to judgments, runs and scores."""
