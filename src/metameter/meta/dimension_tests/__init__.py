"""What intuitiveness, unanimity and their agreement share."""
