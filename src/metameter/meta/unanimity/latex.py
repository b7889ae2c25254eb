"""Rankings by unanimity as Table 3 of Albahem et al. (2019) prints them."""

from __future__ import annotations

from metameter.meta.ranking_latex import ranking_latex

__all__ = ["ranking_latex"]
