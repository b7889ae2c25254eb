"""The classical metrics: sets, precision and recall, average precision, cumulated gain and their kin."""
