"""Metrics beside simple metrics of one dimension each: disagreement, unanimity."""
