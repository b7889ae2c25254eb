"""Metric cards: for everything registered a page made from its code, and the page of other tools' names."""
