"""Classical metrics: sets, precision and recall, average precision, cumulated gain and related ones."""
