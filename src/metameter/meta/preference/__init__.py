"""Which metric predicts which of two result pages people prefer."""
