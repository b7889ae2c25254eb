"""Split-half consistency, and consistency and power on resampled topics and systems."""
