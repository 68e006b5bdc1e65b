"""How much longer does a command take the first time after an installation than every later time?

Data      Synthetic: 200 queries of 60 documents with three features as a LETOR file, three runs of 43 queries, 1,000
          short texts. Where RANKMAX_DATA names the folder of real collections, also three systems of DL19 and a fifth
          of MQ2008.
Baseline  The same command again.
Ours      A wheel, built with compiled kernels unless one is given, installed into a new environment. Every command
          begins with an empty home, cache and working folder.
Prints    Seconds of CPU time and of the clock, of the first use and the median of three later ones; whether the goal is
          met: tune at most twice a later one, the others at most twice and a second, by CPU time.
"""

from __future__ import annotations

import argparse
import os
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from harness import machine

ROOT = Path(__file__).resolve().parent.parent
LATER = 3
PREPARATION = """
from pathlib import Path
from rankmax.data.synthetic import planted_linear
from rankmax.data.synthetic_runs import synthetic_runs
from rankmax.formats.letor import write_letor
from rankmax.formats.trec import write_qrels, write_run
from rankmax.models import LinearModel
data = planted_linear(200, 60, 3, noise=1.0, seed=1).data
write_letor(data, "train.txt")
LinearModel([1.0, 1.0, 1.0], data.feature_names).save("model.json")
made = synthetic_runs(43, 100, seed=1)
write_qrels(made.qrels, "qrels.txt")
for name, run in made.runs.items():
    write_run(run, f"{name}.run")
words = "wing swept lift drag flow shock layer plate heat jet".split()
texts = (f"d{n}\\t" + " ".join(words[(n * k) % 10] for k in range(1, 30)) for n in range(1000))
Path("docs.tsv").write_text("\\n".join(texts) + "\\n")
"""
DL19 = ("bm25", "e5", "splade")
RUNS = "bm25.run dense.run sparse.run"
COMMANDS = {  # the factor and the seconds that the first use may take
    f"tune {RUNS} --qrels qrels.txt": (2, 0),
    "train train.txt -o trained.json -m nDCG@10": (2, 1),
    "prove train.txt -m AP": (2, 1),
    "search docs.index 'swept wing'": (2, 1),
    "data info train.txt": (2, 1),
    "evaluate train.txt --model model.json": (2, 1),
    "train train.txt -o svm.json -m AP --learner structural-svm": (2, 1),
}


def real_commands() -> dict[str, tuple[int, int]]:
    """Return the commands on real collections, where these are at hand."""
    root = Path(os.environ.get("RANKMAX_DATA") or ROOT.parent / "shared" / "data").resolve()
    runs, part = root / "runs" / "dl19-passage", root / "letor" / "MQ2008" / "S1.txt.gz"
    commands = {}
    if runs.is_dir():
        systems = shlex.join(str(runs / f"{name}.run.gz") for name in DL19)
        commands[f"tune {systems} --qrels {shlex.quote(str(runs / 'qrels.trec.gz'))}"] = (2, 0)
    if part.is_file():
        commands[f"train {shlex.quote(str(part))} -o trained.json -m nDCG@10"] = (2, 1)
    return commands


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=Path, help="an existing wheel")
    arguments = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = arguments.wheel.resolve() if arguments.wheel else built(folder / "dist")
        python = installed(wheel, folder / "environment")
        print(f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB")
        print(
            "| command | first CPU s | later CPU s | first s | later s | goal |\n| --- | --- | --- | --- | --- | --- |"
        )
        for command, (factor, more) in (COMMANDS | real_commands()).items():
            times = measured(python, command, Path(tempfile.mkdtemp(dir=folder)))
            first, later = times[0], [statistics.median(column) for column in zip(*times[1:], strict=True)]
            met = "met" if first[0] <= factor * later[0] + more else "not met"
            cells = (first[0], later[0], first[1], later[1])
            print(f"| `{shown(command)}` | {' | '.join(f'{cell:.1f}' for cell in cells)} | {met} |", flush=True)


def shown(command: str) -> str:
    """Return a command with the names of its files alone."""
    return " ".join(Path(word).name if os.path.isabs(word) else word for word in shlex.split(command))


def built(folder: Path) -> Path:
    environment = {**os.environ, "HATCH_BUILD_HOOKS_ENABLE": "1"}
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    return next(folder.glob("*.whl"))


def installed(wheel: Path, folder: Path) -> Path:
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, str(wheel)], check=True)
    return python


def measured(python: Path, command: str, folder: Path) -> list[tuple[float, float]]:
    """Return the CPU time and the time of the first use and of later ones."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NUMBA"))}
    with tempfile.TemporaryDirectory() as elsewhere:  # what the preparation compiles is not kept
        prepared = environment | {"NUMBA_CACHE_DIR": elsewhere}
        subprocess.run([python, "-c", PREPARATION], cwd=folder, env=prepared, check=True)
        if command.startswith("search"):
            index = [python, "-m", "rankmax", "index", "docs.tsv", "-o", "docs.index"]
            subprocess.run(index, cwd=folder, env=prepared, check=True, capture_output=True)
    environment |= {"HOME": str(folder / "home"), "NUMBA_CACHE_DIR": str(folder / "cache")}
    return [timed([str(python), "-m", "rankmax", *shlex.split(command)], folder, environment) for _ in range(1 + LATER)]


def timed(command: list[str], folder: Path, environment: dict[str, str]) -> tuple[float, float]:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.perf_counter() - began


if __name__ == "__main__":
    main()
