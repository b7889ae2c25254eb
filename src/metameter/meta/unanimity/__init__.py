"""Does a metric see what all simple metrics see? Metric unanimity, as pointwise mutual information."""
