"""Runs x topics x metrics -> Scores."""
