"""Is the metric that is stable also the one that agrees with users? Both side by side, and what must be traded."""
