"""Is it right to follow what `rankmax tune` recommends?

Question  Tuned on some queries and used on others, does the recommended fusion beat every fixed policy? Are the stated
          probabilities true?
Data      Kinds of benchmarks/decision_problems.py: two to six systems, 15 to 100 queries to tune on and as many or more
          to test on; AP and nDCG@10. The priors of the decision were chosen on the DEVELOPMENT kinds; what is reported
          is of the others.
Baseline  Always the learned weights, always weighted RRF, RRF, CombSUM, the best single system.
Prints    Mean metric on the test queries by policy, kind of data and number of queries, minus following the
          recommendation, in thousandths with standard errors over sets of systems; how often each verdict was right;
          and how often fusions with a stated probability to be better were better, on as many new queries as were
          tuned on.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
from decision_problems import DEVELOPMENT, METRICS, REPORTED, problems
from harness import machine, markdown_table

from rankmax.fusion.candidates import weighted_sum
from rankmax.fusion.decision import Verdict, weigh
from rankmax.fusion.priors import prior_of_current
from rankmax.fusion.signals import Signals
from rankmax.fusion.standard_candidates import COMB_SUM, RRF, WEIGHTED_RRF
from rankmax.metrics.metric import Metric
from rankmax.workflows.tuning.tuning import tune_systems
from rankmax.workflows.tuning.tuning_result import Row, SystemTuning

FOLLOW = "follow the recommendation"
SIZES = (15, 25, 50, 100)
SETS = {2: 3, 3: 3, 4: 2, 5: 1, 6: 1}
BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.001)
RESULTS = Path(__file__).parent / "results" / "decisions.jsonl"


def transfers(kind: str, root: Path) -> Iterator[dict]:
    """Tune on some queries of every problem, test on the others, and yield what came out."""
    for number, signals in enumerate(problems(kind, root, SETS)):
        n = signals.data.n_queries
        rng = np.random.default_rng(number)
        halves = [n // 2] if n < 2 * SIZES[-1] and n // 2 > 1.2 * max(size for size in SIZES if 2 * size <= n) else []
        for size in [*(size for size in SIZES if 2 * size <= n), *halves]:
            order = rng.permutation(n)
            for metric in METRICS:
                yield {
                    "kind": kind,
                    "problem": number,
                    "systems": len(signals.names),
                    "metric": metric.name,
                    "queries": size,
                    **transfer(signals, metric, np.sort(order[:size]), np.sort(order[size:])),
                }


def transfer(signals: Signals, metric: Metric, known: np.ndarray, new: np.ndarray) -> dict:
    """Return the means of all policies on new queries, and what was said of the pick beside several fusions."""
    tuning = tune_systems(signals.select(known), [metric])
    test = signals.select(new)
    on_test = {row.name: _on(test, row, metric) for row in tuning.rows}
    singles = [row for row in tuning.rows if row.name in signals.names]
    best = max(tuning.rows[1:], key=lambda row: row.mean)
    two = max((tuning.row("learned"), tuning.row(WEIGHTED_RRF)), key=lambda row: row.mean)
    policies = {
        FOLLOW: on_test[tuning.pick.name if tuning.verdict.change else tuning.current_row.name],
        "always learned": on_test["learned"],
        "always weighted RRF": on_test[WEIGHTED_RRF],
        "of these two, the higher mean": on_test[two.name],
        "the row with the highest mean": on_test[best.name],
        "equal weights": on_test["equal weights"],
        RRF: on_test[RRF],
        COMB_SUM: on_test[COMB_SUM],
        "best single": on_test[max(singles, key=lambda row: row.mean).name],
        "the best row in hindsight": max(on_test.values(), key=np.mean),
    }
    as_many = np.random.default_rng(0).permutation(new.size)[: known.size]  # what a stated probability is about
    picked = on_test[tuning.pick.name][as_many]
    said = [
        {**_said(tuning, row), "gain": float((picked - on_test[row.name][as_many]).mean())}
        for row in (tuning.row(RRF), tuning.row(COMB_SUM), *singles)
        if row.label != tuning.pick.label
    ]
    return {"policies": {name: float(values.mean()) for name, values in policies.items()}, "said": said}


def _on(test: Signals, row: Row, metric: Metric) -> np.ndarray:
    if row.name in test.names:
        return test.alone(row.name, [metric])[0]
    return weighted_sum(test.data, row.fusion.normalization, row.fusion.weights, [metric]).values[0]


def _said(tuning: SystemTuning, row: Row) -> dict:
    """Return what would be said if the row were the current fusion."""
    pick = tuning.pick
    ours, theirs = (
        prior_of_current(one.fusion.normalization, one.fusion.weights, tuning.signals) for one in (pick, row)
    )
    prior = tuning.learned.prior.beside(theirs) if pick.label == tuning.learned.label else ours.beside(theirs)
    gain = weigh(pick.values[0] - row.values[0], prior, scale=float(row.values[0].std()), interval=(0.0, 0.0))
    word = Verdict(pick.label, row.label, gain).word
    return {"current": row.name, "probability": gain.probability, "expected": gain.expected, "word": word}


def policy_table(results: list[dict], group: str, groups: list) -> str:
    """Return the policies minus following, by a group of transfers."""
    names = list(results[0]["policies"])
    header = ["policy", "mean", "minus following", *(str(one) for one in groups)]
    rows = []
    for name in names:
        cells = [name, f"{_balanced(results, name):.4f}"]
        if name == FOLLOW:
            rows.append([*cells, "", *("" for _ in groups)])
            continue
        cells.append(_error(results, name))
        cells += [_error([r for r in results if r[group] == one], name) for one in groups]
        rows.append(cells)
    return markdown_table(header, rows)


def _balanced(results: list[dict], name: str) -> float:
    """Return the mean over kinds of data of the mean over transfers."""
    kinds = sorted({r["kind"] for r in results})
    return float(np.mean([np.mean([r["policies"][name] for r in results if r["kind"] == kind]) for kind in kinds]))


def _error(results: list[dict], name: str) -> str:
    """Return the mean difference in thousandths, and its standard error over sets of systems."""
    if not results:
        return ""
    by_set = defaultdict(list)
    for r in results:
        by_set[r["kind"], r["problem"]].append(1000 * (r["policies"][name] - r["policies"][FOLLOW]))
    means = np.array([np.mean(values) for values in by_set.values()])
    return f"{means.mean():+.1f} ± {means.std(ddof=1) / means.size**0.5:.1f}" if means.size > 1 else f"{means[0]:+.1f}"


def calibration_table(results: list[dict]) -> str:
    """Return how often the pick was better, by the stated probability and what it was compared with."""
    groups = {
        "RRF": lambda said: said["current"] == RRF,
        "CombSUM": lambda said: said["current"] == COMB_SUM,
        "a system": lambda said: said["current"] not in (RRF, COMB_SUM),
        "all": lambda said: True,
    }
    rows = []
    for low, high in pairwise(BINS):
        row = [f"{low:.0%} to {min(high, 1):.0%}"]
        for keep in groups.values():
            cases = [s for r in results for s in r["said"] if keep(s) and low <= s["probability"] < high]
            stated = np.mean([s["probability"] for s in cases]) if cases else 0
            row.append(f"{stated:.0%} → {_right(cases):.0%} of {len(cases)}" if cases else "")
        rows.append(row)
    return markdown_table(["stated", *groups], rows)


def verdict_table(results: list[dict]) -> str:
    """Return how often each verdict was right."""
    rows = []
    for word in ("use it", "probably better", "cannot tell", "keep the current one"):
        cases = [s for r in results for s in r["said"] if s["word"] == word]
        gain = 1000 * np.mean([s["gain"] for s in cases]) if cases else 0.0
        rows.append([word, str(len(cases)), f"{_right(cases):.0%}" if cases else "", f"{gain:+.1f}"])
    return markdown_table(["verdict", "cases", "pick was better in", "mean gain, thousandths"], rows)


def _right(cases: list[dict]) -> float:
    return float(np.mean([0.5 if s["gain"] == 0 else s["gain"] > 0 for s in cases])) if cases else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", nargs="+", default=list(REPORTED), help=f"of {', '.join(DEVELOPMENT + REPORTED)}")
    parser.add_argument(
        "--results", type=Path, default=RESULTS, help="where transfers are stored; those there are kept"
    )
    arguments = parser.parse_args()
    root = Path(os.environ.get("RANKMAX_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not root.is_dir():
        print(f"skipped: no {root}; set RANKMAX_DATA")
        return
    print(machine())
    arguments.results.parent.mkdir(parents=True, exist_ok=True)
    stored = [json.loads(line) for line in arguments.results.open()] if arguments.results.exists() else []
    for kind in arguments.kinds:
        if any(result["kind"] == kind for result in stored):
            continue
        found = list(transfers(kind, root))
        with arguments.results.open("a") as file:
            file.writelines(json.dumps(result) + "\n" for result in found)
        stored += found
        print(f"{kind}: {len(found)} transfers", file=sys.stderr, flush=True)
    results = [result for result in stored if result["kind"] in arguments.kinds]
    print(f"\n{len(results)} transfers\n")
    print(policy_table(results, "kind", sorted({r["kind"] for r in results})), "\n")
    print(policy_table(results, "queries", sorted({r["queries"] for r in results})), "\n")
    print(verdict_table(results), "\n")
    print(calibration_table(results))


if __name__ == "__main__":
    main()
