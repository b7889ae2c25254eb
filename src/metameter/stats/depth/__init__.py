"""Orderings of systems along evaluation depth and pooling depth."""
