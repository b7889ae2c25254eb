"""Metrics of diversity: a list is good if it has something on every subtopic, early, and nothing too often."""
