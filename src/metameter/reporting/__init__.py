"""Reports as one HTML file that needs no network, and the cards of metrics."""
