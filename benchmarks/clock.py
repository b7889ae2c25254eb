"""Timing and printing for the benchmarks."""

import time


def seconds(work, repeat=3):
    """The shortest of a few runs: what the machine can do when nobody disturbs it."""
    best, result = float("inf"), None
    for _ in range(repeat):
        begun = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - begun)
    return best, result


def report(what, ratio, bar, *, at_most=False):
    """One line: the ratio, the bar if there is one, and whether it is reached."""
    told = ""
    if bar is not None:
        reached = ratio <= bar if at_most else ratio >= bar
        sign = "<=" if at_most else ">="
        told = f"  (bar {sign} {bar:g}x: {'reached' if reached else 'NOT REACHED'})"
    print(f"  {what:<72} {ratio:8.2f}x{told}", flush=True)
