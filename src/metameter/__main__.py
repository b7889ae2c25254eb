"""``python -m metameter``."""

from metameter.cli import main

main()
