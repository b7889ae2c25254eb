"""metameter beside its peers: the same data, one run, ratios. `make bench`.

Times vary from machine to machine and from minute to minute; the ratios are what to look at. A bar that is not
reached is printed as it is.
"""

import argparse
import os
import sys
from pathlib import Path

import cold
import evaluator
import imports
import intuitiveness
import kernels
import large
import satisfaction
import scoring
import volatility
import whole_study

SECTIONS = {
    "cold": cold.compare,
    "large": large.compare,
    "scoring": scoring.compare,
    "evaluator": evaluator.compare,
    "study": whole_study.compare,
    "volatility": volatility.compare,
    "intuitiveness": intuitiveness.compare,
    "satisfaction": satisfaction.compare,
    "kernels": kernels.compare,
    "imports": imports.compare,
}


def main():
    default = os.environ.get("METAMETER_DATA") or Path(__file__).parents[2] / "shared" / "data"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(default), help="the folder that holds trec8-adhoc")
    parser.add_argument("--only", choices=list(SECTIONS), help="one section")
    options = parser.parse_args()
    for name, compare in SECTIONS.items():
        if options.only in (None, name):
            print(f"\n== {name} ==", flush=True)
            compare(options.data)


if __name__ == "__main__":
    sys.exit(main())
