"""Tables that are made on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


class LazyTables(Mapping[str, "pl.DataFrame"]):
    """A mapping of tables by name, each made on first access; names and their number cost nothing.

    Parameters
    ----------
    make : dict of callable
        A function for each table; it can be pickled.

    Examples
    --------
    >>> import polars as pl
    >>> tables = LazyTables({"power": lambda: print("now") or pl.DataFrame({"metric": ["AP"]})})
    >>> list(tables), tables["power"].height, tables["power"].width
    now
    (['power'], 1, 1)
    """

    def __init__(self, make: dict[str, Callable[[], pl.DataFrame]]) -> None:
        self._make, self._made = make, dict[str, "pl.DataFrame"]()

    def __getitem__(self, name: str) -> pl.DataFrame:
        if name not in self._made:
            self._made[name] = self._make[name]()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._make

    def __iter__(self) -> Iterator[str]:
        return iter(self._make)

    def __len__(self) -> int:
        return len(self._make)
