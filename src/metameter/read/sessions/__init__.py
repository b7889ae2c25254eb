"""Sessions of dynamic search: what was shown, the truth by subtopic, lengths of documents."""
