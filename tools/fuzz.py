"""Feed mutated inputs of every format to the readers of rankmax, and say which of them a reader did not survive.

    python tools/fuzz.py --inputs 1000000               # the long run
    python tools/fuzz.py --seconds 60 --seed 7          # other inputs, for a minute
    python tools/fuzz.py --targets letor,csv            # some formats only
    python tools/fuzz.py --again csv:1234 --keep found  # one input again, its file kept in a folder

A reader may refuse an input with a RankmaxError, or return what can be worked with. Everything else is a finding: a
signal, no answer within 20 seconds, another exception (a MemoryError too), or garbage that was accepted, such as NaN
among the features. Inputs are decided by the seed and their number, so every finding can be had again.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from fuzzing.running import Finding, run_apart, run_input
from fuzzing.targets import TARGETS, Target


def main() -> int:
    """Run as the command line says; return 1 if there are findings."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0, help="other inputs (default: 0)")
    parser.add_argument("--inputs", type=int, help="how many inputs (default: 10,000 unless --seconds is given)")
    parser.add_argument("--seconds", type=float, help="stop after so many seconds")
    parser.add_argument("--targets", help="names of formats, with commas between (default: all)")
    parser.add_argument("--again", metavar="TARGET:NUMBER", help="run one input again, in this process")
    parser.add_argument("--keep", type=Path, help="folder to write the input of --again to")
    options = parser.parse_args()
    names = {target.name for target in TARGETS}
    chosen = set(options.targets.split(",")) if options.targets else names
    if unknown := chosen - names:
        parser.error(f"no target {', '.join(sorted(unknown))}; known are {', '.join(sorted(names))}")
    if options.again:
        return again(options.again, options.seed, options.keep)
    inputs = 10_000 if options.inputs is None and options.seconds is None else options.inputs
    return report(run([t for t in TARGETS if t.name in chosen], options.seed, inputs, options.seconds))


def run(targets: list[Target], seed: int, inputs: int | None, seconds: float | None) -> list[Finding]:
    """Run inputs, print the first finding of each kind, and return all.

    Parameters
    ----------
    targets : list of Target
    seed : int
    inputs : int or None
    seconds : float or None
    """
    begun, n_inputs = time.monotonic(), 0
    findings: list[Finding] = []
    seen: set[tuple[str, ...]] = set()
    for told in run_apart(targets, seed, inputs=inputs, seconds=seconds):
        if isinstance(told, int):
            n_inputs = told
            continue
        findings.append(told)
        key = (told.target, told.kind, told.what.partition(":")[0], told.where)
        if key not in seen:
            seen.add(key)
            print(f"{told.target}:{told.number}: {told.kind}: {told.what} {told.where}", flush=True)
    print(f"{n_inputs:,} inputs of {len(targets)} formats, seed {seed}, {time.monotonic() - begun:.0f} s", flush=True)
    return findings


def report(findings: list[Finding]) -> int:
    """Print how many findings there are; return 1 if there are any.

    Parameters
    ----------
    findings : list of Finding
    """
    for (target, kind), n in sorted(Counter((one.target, one.kind) for one in findings).items()):
        print(f"  {target}: {n} x {kind}")
    print("no findings" if not findings else f"{len(findings)} findings")
    return bool(findings)


def again(which: str, seed: int, keep: Path | None) -> int:
    """Run one input once more, where a debugger can see it.

    Parameters
    ----------
    which : str
        Target and number.
    seed : int
    keep : path or None
        Where to leave the input.
    """
    name, _, number = which.rpartition(":")
    target = next(target for target in TARGETS if target.name == name)
    folder = keep or Path(tempfile.mkdtemp(prefix="rankmax-fuzz-"))
    folder.mkdir(exist_ok=True)
    path = target.write(random.Random(f"{seed} {name} {number}"), folder)
    print(f"the input is {path}")
    finding = run_input(target, int(number), seed, folder)
    print("nothing is wrong with it" if finding is None else f"{finding.kind}: {finding.what} {finding.where}")
    return finding is not None


if __name__ == "__main__":
    sys.exit(main())
