"""Charts of ranks."""
