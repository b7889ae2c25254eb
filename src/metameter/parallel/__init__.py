"""Workers: threads of this process, or a cluster."""

from metameter.parallel.workers import Progress, Workers, reported, stage

__all__ = ["Progress", "Workers", "reported", "stage"]
