"""Rebuild the report of a finished study from its folder."""

from __future__ import annotations

__all__ = ["command"]


def command(folder: str) -> None:
    """Rebuild report.html and the tables from a study's folder, without its inputs.

    Parameters
    ----------
    folder : str
        The folder that metameter study wrote.
    """
    from metameter.studies.study import rebuilt

    print(rebuilt(folder).folder / "report.html")
