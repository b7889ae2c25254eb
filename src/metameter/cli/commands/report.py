"""Rebuild the report of a finished study from its folder."""

from __future__ import annotations

from metameter.cli.progress import progress_bar
from metameter.cli.streams import print_answer
from metameter.errors import in_utf8
from metameter.view.tables.csv import safe_csv as safe_cells_of


def command(folder: str, *, safe_csv: bool = False, lock_timeout: float = 3600.0) -> None:
    """Rebuild report.html and the tables from a study's folder, without its inputs.

    Parameters
    ----------
    folder : str
        The folder that metameter study wrote.
    safe_csv : bool
        For CSV that is opened in a spreadsheet: an apostrophe before each name that it would run as a formula.
    lock_timeout : float
        The most seconds to wait for another process that works in the folder; 0 does not wait.
    """
    from metameter.studies.study import rebuilt

    with safe_cells_of(safe_csv), progress_bar("report") as progress:
        study = rebuilt(folder, progress, lock_timeout)
    print_answer(in_utf8(str(study.folder / "report.html")))
