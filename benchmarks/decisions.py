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
          tuned on, with an interval over collections, and whether corrected probabilities would do better on
          collections that the correction was not fitted to (benchmarks/decision_calibration.py).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from decision_calibration import calibration_table, came_true, recalibration_table
from decision_problems import DEVELOPMENT, METRICS, REPORTED, problems
from decision_records import Record, measured
from harness import machine, markdown_table

from rankmax.fusion.candidates import FixedWeights, WeightedFusion
from rankmax.fusion.decision import Gain, Verdict, weigh
from rankmax.fusion.nested_cross_validation import PICK, families_of, select, select_in_folds
from rankmax.fusion.priors import ALONE, equal_prior, learned_prior
from rankmax.fusion.standard_candidates import COMB_SUM, RRF, WEIGHTED_RRF, fusion_candidates
from rankmax.preprocessing.feature_normalization import Normalization

FOLLOW = "follow the recommendation"
SIZES = (15, 25, 50, 100)
SETS = {2: 3, 3: 3, 4: 2, 5: 1, 6: 1}
RECORDS = Path(__file__).parent / "results" / "decisions"


def transfers(kind: str, root: Path, folder: Path) -> Iterator[Record]:
    """Yield the transfers of a kind: those in the folder, or else measured now and kept there."""
    finished = folder / f"{kind}.done"
    if finished.exists():
        yield from (Record.load(path) for path in sorted(folder.glob(f"{kind}-*.npz")))
        return
    for number, signals in enumerate(problems(kind, root, SETS)):
        n = signals.data.n_queries
        rng = np.random.default_rng(number)
        halves = [n // 2] if n < 2 * SIZES[-1] and n // 2 > 1.2 * max(size for size in SIZES if 2 * size <= n) else []
        for size in [*(size for size in SIZES if 2 * size <= n), *halves]:
            order = rng.permutation(n)
            known, new = signals.select(np.sort(order[:size])), signals.select(np.sort(order[size:]))
            for metric in METRICS:
                about = {"kind": kind, "problem": number, "metric": metric.name, "queries": size}
                record = measured(fusion_candidates(known, [metric]), metric, known, new, about)
                record.save(folder / f"{kind}-{number}-{metric.name}-{size}.npz")
                yield record
    finished.touch()


def outcome(record: Record) -> dict:
    """Return the means of all policies on new queries, and what was said of the pick beside several fusions."""
    candidates = [_recorded(record, i) for i in range(len(record.test))]
    held_out = select_in_folds(candidates, record.folds)
    families = families_of(candidates)
    rows = {name: select(candidates, held_out.by_candidate[:, 0], members) for name, members in families.items()}
    means = {name: held_out.by_family[name][0].mean() for name in rows}
    on_test = {name: record.test[i] for name, i in rows.items()}
    pick = candidates[rows[PICK]]

    def said(name: str) -> Gain:
        """Return what would be said if the fusion of a row were the current one."""
        theirs = held_out.by_family[name][0]
        prior = pick.prior.beside(candidates[rows[name]].prior)
        return weigh(held_out.by_family[PICK][0] - theirs, prior, scale=float(theirs.std()), interval=(0.0, 0.0))

    def verdict(name: str) -> Verdict:
        return Verdict(pick.label, candidates[rows[name]].label, said(name))

    assumed = RRF if record.about["from_runs"] else COMB_SUM
    singles = record.about["names"]
    policies = {
        FOLLOW: PICK if verdict(assumed).change else assumed,
        "always learned": "learned",
        "always weighted RRF": WEIGHTED_RRF,
        "of these two, the higher mean": max(("learned", WEIGHTED_RRF), key=means.__getitem__),
        "the row with the highest mean": max((name for name in rows if name != PICK), key=means.__getitem__),
        "equal weights": "equal weights",
        RRF: RRF,
        COMB_SUM: COMB_SUM,
        "best single": max(singles, key=means.__getitem__),
        "the best row in hindsight": max(rows, key=lambda name: on_test[name].mean()),
    }
    n_new = record.test.shape[1]
    as_many = np.random.default_rng(0).permutation(n_new)[: record.about["queries"]]  # what probabilities are about
    statements = [
        {
            "current": name,
            "probability": said(name).probability,
            "word": verdict(name).word,
            "gain": float((on_test[PICK] - on_test[name])[as_many].mean()),
        }
        for name in (RRF, COMB_SUM, *singles)
        if candidates[rows[name]].label != pick.label
    ]
    return {
        **{name: record.about[name] for name in ("kind", "problem", "queries")},
        "policies": {policy: float(on_test[name].mean()) for policy, name in policies.items()},
        "said": statements,
    }


def _recorded(record: Record, i: int) -> FixedWeights:
    """Return a recorded candidate with today's prior; its values are those on the new queries."""
    about, from_runs = record.about["candidates"][i], record.about["from_runs"]
    normalization = Normalization.from_dict(about["normalization"])
    prior = (learned_prior if about["learned"] else equal_prior)(normalization, from_runs)
    if about["label"] in record.about["names"]:
        prior = ALONE
    fusion = WeightedFusion(normalization, record.weights[i], record.test[i][None])
    return FixedWeights(about["family"], about["label"], fusion, prior, about["eligible"])


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


def verdict_table(results: list[dict]) -> str:
    """Return how often each verdict was right."""
    rows = []
    for word in ("use it", "probably better", "cannot tell", "keep the current one"):
        cases = [s for r in results for s in r["said"] if s["word"] == word]
        gain = 1000 * np.mean([s["gain"] for s in cases]) if cases else 0.0
        rows.append(
            [word, str(len(cases)), f"{np.mean([came_true(s) for s in cases]):.0%}" if cases else "", f"{gain:+.1f}"]
        )
    return markdown_table(["verdict", "cases", "pick was better in", "mean gain, thousandths"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", nargs="+", default=list(REPORTED), help=f"of {', '.join(DEVELOPMENT + REPORTED)}")
    parser.add_argument("--records", type=Path, default=RECORDS, help="where measured transfers are kept")
    arguments = parser.parse_args()
    root = Path(os.environ.get("RANKMAX_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not root.is_dir():
        print(f"skipped: no {root}; set RANKMAX_DATA")
        return
    print(machine())
    arguments.records.mkdir(parents=True, exist_ok=True)
    results = []
    for kind in arguments.kinds:
        results += [outcome(record) for record in transfers(kind, root, arguments.records)]
        print(f"{kind}: {len(results)} transfers", file=sys.stderr, flush=True)
    print(f"\n{len(results)} transfers\n")
    print(policy_table(results, "kind", sorted({r["kind"] for r in results})), "\n")
    print(policy_table(results, "queries", sorted({r["queries"] for r in results})), "\n")
    print(verdict_table(results), "\n")
    print(calibration_table(results), "\n")
    print(recalibration_table(results))


if __name__ == "__main__":
    main()
