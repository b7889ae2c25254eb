"""Heat maps."""
