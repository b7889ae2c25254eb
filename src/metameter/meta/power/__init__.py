"""Which metric tells systems apart: discriminative power, and whether its verdicts hold on other topics."""
