"""When all simple metrics see an improvement, does a metric see it as well? Mutual information of the two."""
