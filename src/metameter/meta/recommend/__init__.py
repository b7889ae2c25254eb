"""Which metrics are stable here: which are shown to be below others, which are not, and how sure that is."""
