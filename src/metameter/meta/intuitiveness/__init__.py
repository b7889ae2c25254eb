"""Which of two metrics is right when they disagree? The one that simple metrics side with more often."""
