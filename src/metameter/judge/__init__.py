"""Runs meet judgments: the evidence that metrics see."""
