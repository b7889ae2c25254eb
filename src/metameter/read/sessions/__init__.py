"""Sessions of dynamic search: the documents that were shown, and judgments by subtopic."""
