"""Synthetic test collections, sessions and result pages with known truth."""

from metameter.simulation.collection import Collection, simulate
from metameter.simulation.folder import write, write_pages, write_sessions
from metameter.simulation.pages import SimulatedPages, simulate_pages
from metameter.simulation.perfect_sessions import empty_session, perfect_session
from metameter.simulation.sessions import SimulatedSessions, simulate_sessions

__all__ = [
    "Collection",
    "SimulatedPages",
    "SimulatedSessions",
    "empty_session",
    "perfect_session",
    "simulate",
    "simulate_pages",
    "simulate_sessions",
    "write",
    "write_pages",
    "write_sessions",
]
