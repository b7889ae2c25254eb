"""metameter: compose, compute and judge effectiveness metrics for ranked retrieval."""

__version__ = "0.1.0"
