"""Do two metrics rank the systems alike? Rank correlation between metrics, with confidence intervals."""
