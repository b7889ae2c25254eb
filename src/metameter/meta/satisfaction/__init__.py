"""Which metric predicts how satisfied people are with a result page."""
