"""Confidence intervals of means, differences and resampled statistics."""
