"""Timing of a shared machine is no failure."""

from hypothesis import settings

settings.register_profile("stats", deadline=None)
settings.load_profile("stats")
