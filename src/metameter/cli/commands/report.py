"""Rebuild the report of a finished study from its folder."""

from __future__ import annotations

from pathlib import Path

__all__ = ["command"]


def command(folder: str) -> None:
    """Rebuild report.html and the tables from a study's folder, without its inputs.

    Parameters
    ----------
    folder : str
        The folder that metameter study wrote.
    """
    from metameter.studies.folder import kept_parts, write_study

    parts, manifest = kept_parts(Path(folder))
    write_study(Path(folder), parts, manifest)
    print(Path(folder) / "report.html")
