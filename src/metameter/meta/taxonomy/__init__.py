"""What does each combination of browsing model and aggregation measure, if anything? Found by trying each."""
