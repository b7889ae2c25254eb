"""Results -> one HTML file that people like to look at, offline."""
