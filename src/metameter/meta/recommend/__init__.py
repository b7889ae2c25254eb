"""Which metrics are stable: those that no other metric is shown to exceed, and how certain that is."""
