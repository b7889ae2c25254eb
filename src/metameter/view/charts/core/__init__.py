"""What all chart builders share."""
