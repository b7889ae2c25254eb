"""Which metric separates systems: discriminative power, and whether its verdicts hold on other topics."""
