"""Which systems really differ: means with intervals, all pairs or against baselines, groups, per-topic differences."""
