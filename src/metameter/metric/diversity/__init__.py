"""Diversity metrics: a good list covers every subtopic early and without redundancy."""
