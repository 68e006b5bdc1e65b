"""LETOR's collections for the benchmarks: where they lie, and their folds."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from rankmax.data.splits import LetorFold, letor_folds
from rankmax.formats.letor import read_letor

NAMES = ("MQ2007", "MQ2008", "OHSUMED")
DATA = Path(os.environ.get("RANKMAX_DATA") or Path(__file__).parents[2] / "shared" / "data")


def parser(description: str | None, *, folds: str) -> argparse.ArgumentParser:
    """Return a parser of the options that all benchmarks on LETOR's folds have."""
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--folder", type=Path, default=DATA / "letor", help="with MQ2008/S1.txt.gz, ...")
    options.add_argument("--collections", nargs="+", default=NAMES)
    options.add_argument("--folds", nargs="+", type=int, default=[int(f) for f in folds], help="from 1 to 5")
    options.add_argument("--metrics", nargs="+", default=["AP", "nDCG@10"], choices=["AP", "nDCG@10"])
    options.add_argument("--fresh", action="store_true", help="forget stored results and times")
    return options


def read_folds(folder: Path, collection: str, wanted: list[int]) -> dict[int, LetorFold]:
    """Return some of a collection's folds by their number, from 1."""
    parts = [read_letor(folder / collection / f"S{i}.txt.gz") for i in range(1, 6)]
    return {number: fold for number, fold in enumerate(letor_folds(parts), 1) if number in wanted}
