"""Do the intuitiveness test and metric unanimity rank the metrics alike? Their rank correlation."""
