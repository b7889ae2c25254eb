"""Agreement of metrics with what users say, and models fitted to it."""
