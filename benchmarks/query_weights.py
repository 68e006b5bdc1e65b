"""Do weights that fit the query do better than fixed ones on queries held out?

Data      DL19: systems of TREC 2019 Deep Learning. Four text collections with two and four retrieval functions of three
          families. Drawn features of three LETOR collections. As benchmarks/decision_problems.py reads them.
Baseline  Fixed weights, learned on the same training queries under the same normalization.
Prints    For each set of systems nDCG@10 of the fixed weights, and what each way adds on held-out queries (five folds),
          in thousandths with 95% bootstrap intervals over queries:
            by column    tune --by with one number: the query's length, or where there is no text the first list's gap
            by auto      tune --by auto, with the penalty (or none) selected inside the training queries
            exact        by auto, where the selection also has V refined on the expected metric by exact lines
            mixture n    n weight vectors and a soft gate, with the penalty (or none) selected likewise
            always ...   without the selection: by auto at the largest and the smallest penalty, V refined at the
                         largest, a mixture of two at the largest
            entropy      the weight of a list is 1 minus the entropy of its scores
            variance     the weight of a list is its share of the variances of normalized scores
            ceiling      the best weights of each query, found with its own judgments
          and whether the verdict recommends weights by auto, and in how many folds they varied at all.

The ways were written down before any was measured, but for "always ...", which came after the first rows; by auto's
penalties and prior are those it has.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from decision_problems import LETOR, problems, systems
from harness import Results, edition, machine, markdown_table
from query_weight_ways import Ways, gradient_gap

from rankmax._arrays import F64, I64
from rankmax.data.splits import k_folds
from rankmax.evaluation.bootstrap import bootstrap_interval
from rankmax.formats.topics import read_topics
from rankmax.fusion.decision import Verdict, weigh
from rankmax.fusion.linear_query_weights import PENALTIES, PRIOR
from rankmax.fusion.signals import Signals, signals_of_runs
from rankmax.fusion.standard_candidates import learned_candidates
from rankmax.fusion.varying_weights import QueryColumn, Varying
from rankmax.metrics import nDCG
from rankmax.retrieval.index.document_files import read_documents
from rankmax.workflows.tuning.tuning_inputs import query_weights_of

METRIC = nDCG(cutoff=10)
TEXT = ("cacm", "cisi", "cranfield", "npl")
SETS = {
    "DL19": [("bm25", "e5"), ("bm25", "colbert", "e5", "splade"), ("bm25", "colbert", "e5", "monot5", "rm3", "splade")],
    **{name: [("bm25", "lsi"), ("bm25", "chars", "dirichlet", "lsi")] for name in TEXT},
}
ALWAYS = ("always 1", "always 0.01", "always exact", "always mixture 2")
WAYS = ("by column", "by auto", "exact", "mixture 2", "mixture 3", *ALWAYS, "entropy", "variance", "ceiling")


def sets(root: Path, kinds: list[str]) -> Iterator[tuple[str, Signals, dict[str, Any] | None, dict[str, int] | None]]:
    """Yield sets of systems with a name, the texts of their queries, and document frequencies, where there are any."""
    for kind in kinds:
        if kind in LETOR:
            for i, signals in enumerate(problems(kind, root, {2: 1, 4: 2}), 1):
                yield f"{kind}, {len(signals.names)} features ({i})", signals.counted_by([METRIC]), None, None
            continue
        qrels, runs = systems(root, kind)
        topics = frequencies = None
        if kind != "DL19":
            topics = read_topics(root / "text" / kind / "queries.tsv.gz")
            frequencies = document_frequencies(root / "text" / kind / "docs.jsonl.gz")
        for names in SETS[kind]:
            signals = signals_of_runs({name: runs[name] for name in names}, qrels).counted_by([METRIC])
            yield f"{kind}, {len(names)} systems", signals, topics, frequencies


def document_frequencies(path: Path) -> dict[str, int]:
    """Return in how many documents each word is."""
    counts: dict[str, int] = {}
    for document in read_documents(path):
        for word in set(re.findall(r"\w+", " ".join(map(str, document.fields.values())).lower())):
            counts[word] = counts.get(word, 0) + 1
    return counts


def ways_of(signals: Signals, topics: dict[str, Any] | None, frequencies: dict[str, int] | None) -> Ways:
    """Return the ways, under the first of the usual normalizations."""
    fixed = learned_candidates(signals, [METRIC])[0]
    learner = query_weights_of(signals, topics, [METRIC], frequencies)
    return Ways(fixed, learner.features, learner.known, METRIC)


def measured(ways: Ways, *, exact: bool) -> dict[str, list[float]]:
    """Return each way's values on held-out queries, and the selected penalties."""
    n = ways.data.n_queries
    assert gradient_gap(ways, 2, np.arange(n)) < 1e-4
    values: dict[str, F64] = {name: np.empty(n) for name in ("fixed", *WAYS)}
    values["entropy"], values["variance"] = ways.values(ways.entropy_rule()), ways.values(ways.variance_rule())
    values["ceiling"] = ways.ceiling()
    names = [one.name for one in ways.features]
    column = names.index("length") if "length" in names else 0
    varying = Varying(QueryColumn(names[column], ways.known[:, column]), [METRIC])
    selected = []
    for fold in k_folds(n, 5, seed=0):
        train, test = fold.train, fold.test

        def keep(name: str, scores: F64, test: I64 = test) -> None:
            values[name][test] = ways.values(scores)[test]

        scores, best = ways.selected(train, ways.convex)
        selected.append(best)
        keep("by auto", scores)
        convex = ways.convex(train)
        keep("fixed", convex[0])
        keep("always 1", convex[1])
        keep("always 0.01", convex[len(PENALTIES)])
        keep("always mixture 2", ways.mixtures(2, train)[1])
        values["by column"][test] = varying.fit(train, ways.fixed).values[0, test]
        if exact:
            keep("exact", ways.selected(train, ways.exact)[0])
            keep("always exact", ways.exact(train)[-1])
        for n_vectors in (2, 3):
            keep(f"mixture {n_vectors}", ways.selected(train, lambda q, m=n_vectors: ways.mixtures(m, q))[0])
    final = ways.selected(np.arange(n), ways.convex)[1]
    return {**{name: own.tolist() for name, own in values.items()}, "selected": [*selected, final]}


def recommended(found: dict[str, list[float]]) -> bool:
    """Return whether the verdict recommends weights by auto, as in rankmax.workflows.tuning.tuning."""
    fixed, auto = np.array(found["fixed"]), np.array(found["by auto"])
    low, high = bootstrap_interval(auto - fixed)
    gain = weigh(auto - fixed, PRIOR, scale=float(fixed.std()), interval=(float(low), float(high)))
    return found["selected"][-1] > 0 and Verdict("by auto", "fixed", gain).change


def cell(differences: F64) -> str:
    """Return the mean with its interval, in thousandths."""
    if not differences.any():
        return "0"
    low, high = bootstrap_interval(differences)
    return f"{1000 * differences.mean():+.1f} [{1000 * float(low):+.1f}, {1000 * float(high):+.1f}]"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--kinds", nargs="+", default=[*SETS, *LETOR])
    options.add_argument("--fresh", action="store_true", help="measure again what is in benchmarks/results")
    options.add_argument("--without-exact", action="store_true", help="leave out the refinement, which takes longest")
    arguments = options.parse_args()
    root = Path(os.environ.get("RANKMAX_DATA", ""))
    if not (root / "runs").is_dir():
        print("skipped: RANKMAX_DATA names no folder with runs")
        return
    print(machine())
    results = Results("query_weights", fresh=arguments.fresh)
    rows = []
    shown = [name for name in WAYS if not (arguments.without_exact and "exact" in name)]
    for name, signals, topics, frequencies in sets(root, arguments.kinds):
        found = results.get(
            f"{edition('rankmax')}, {name}, {not arguments.without_exact}",
            lambda s=signals, t=topics, f=frequencies: measured(ways_of(s, t, f), exact=not arguments.without_exact),
        )
        fixed = np.array(found["fixed"])
        cells = [cell(np.array(found[way]) - fixed) for way in shown]
        varied = sum(one > 0 for one in found["selected"][:-1])
        answer = "yes" if recommended(found) else "no"
        row = [name, str(fixed.size), f"{fixed.mean():.4f}", *cells, f"{answer} ({varied} of 5)"]
        print("; ".join(row), flush=True)
        rows.append(row)
    print(markdown_table(["systems", "queries", "fixed weights", *shown, "recommended (folds that vary)"], rows))


if __name__ == "__main__":
    main()
