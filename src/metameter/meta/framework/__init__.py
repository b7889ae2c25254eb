"""What all procedures share: declarations, options, results, groups of metrics, sampling, prose."""
