"""Do intuitiveness and unanimity rank the metrics alike? Rank correlation between the two rankings."""
