"""Pieces of work for tests: workers import them by name."""

import time

import metameter as mm
from metameter.notices import notice


def large(item, *, matrix):
    time.sleep(0.2)
    return float(matrix[item])


def broken(item):
    notice(f"{item} is odd")
    raise mm.MetameterError("this is wrong", where=f"file:{item}", fix="Correct it.")


def told(item):
    notice(f"{item} is odd")
    return item
