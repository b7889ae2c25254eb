"""Meta-evaluation: one file per procedure."""
