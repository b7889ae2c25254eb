"""Tests of metrics against sets of simple metrics, shared by intuitiveness, unanimity and their agreement."""
