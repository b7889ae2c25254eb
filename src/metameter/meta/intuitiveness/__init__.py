"""Where two metrics prefer different systems, which of them do simple metrics side with? The intuitiveness test."""
