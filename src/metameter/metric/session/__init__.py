"""Session metrics: gain, diversity and effort over the iterations of a search."""
