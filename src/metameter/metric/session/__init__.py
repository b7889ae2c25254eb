"""Metrics of sessions: what a user gets, and what it takes, over the iterations of a search."""
