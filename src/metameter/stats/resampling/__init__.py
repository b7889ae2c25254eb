"""Random replicates of topics and systems: splits, permutations, bootstrap samples."""
