"""What kind of metric each product of a browsing model and an aggregation is: found out by trying, not declared."""
