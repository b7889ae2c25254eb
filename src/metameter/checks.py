"""Checks for authors of metrics and procedures."""
