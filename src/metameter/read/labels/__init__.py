"""Labelled result pages, preference pairs and views, reduced to counts of distinct rows."""
