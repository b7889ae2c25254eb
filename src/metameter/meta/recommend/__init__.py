"""Which metric to use: whether one serves better than the canonical metric, and still ranks the systems alike."""
