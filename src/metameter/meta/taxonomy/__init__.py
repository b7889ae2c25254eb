"""What does each combination of browsing model and aggregation measure, if anything? Found out by trying."""
