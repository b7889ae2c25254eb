"""Several procedures on one or several collections: plan, stages, resume."""
