"""Charts along evaluation and pooling depth."""
