"""How fast are seven metrics on rankings in memory?

Data      1,000 queries x 1,000 documents, random scores, 100 judged per query (grades 0-2); growth in queries.
Baseline  pytrec_eval (trec_eval's C code) from its dictionaries; ranx from its own structures, after its warm-up.
          Neither pays for building them, nor do we for our arrays: each side starts from its own in-memory run.
Asserts   every per-query value of trec_eval to 1e-9; ranx's to 1e-6.
Limit     A million scores and levels are 16 MB to read, about 1 ms; the rest is ranking, 8 ns a document.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import pytrec_eval
from harness import compare, machine, median_seconds, report

from rankmax.data.judging import judge
from rankmax.data.runs import Qrels, Run
from rankmax.metrics import parse_metric
from rankmax.metrics.evaluator import evaluate_metrics
from rankmax.metrics.ties import TiePolicy

METRICS = {
    "AP": ("map", "map"),
    "nDCG": ("ndcg", "ndcg"),
    "nDCG@10": ("ndcg_cut_10", "ndcg@10"),
    "P@10": ("P_10", "precision@10"),
    "RR": ("recip_rank", "mrr"),
    "R@100": ("recall_100", "recall@100"),
    "Rprec": ("Rprec", "r-precision"),
}
TREC_EVAL_MEASURES = {"map", "ndcg", "ndcg_cut.10", "P.10", "recip_rank", "recall.100", "Rprec"}
OURS = [parse_metric(name) for name in METRICS]


def problem(n_queries: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    rng = np.random.default_rng(0)
    qrels, run = {}, {}
    for q in range(n_queries):
        documents = [f"doc{d:07d}" for d in rng.choice(2_000_000, 1000, replace=False)]
        run[str(q)] = dict(zip(documents, rng.normal(10, 3, 1000).tolist(), strict=True))
        judged = rng.choice(1000, 100, replace=False)
        qrels[str(q)] = {documents[i]: int(g) for i, g in zip(judged, rng.choice([0, 0, 0, 1, 2], 100), strict=True)}
    return qrels, run


def main() -> None:
    print(machine())
    qrels, run = problem(1000)
    judged = judge(Run.from_dict(run), Qrels.from_dict(qrels))

    def ours() -> np.ndarray:
        return evaluate_metrics(OURS, judged.scores, judged.judgments, ties=TiePolicy.TREC_EVAL)

    evaluator = pytrec_eval.RelevanceEvaluator(qrels, TREC_EVAL_MEASURES)
    expected = evaluator.evaluate(run)
    values = ours()
    for row, (trec_name, _) in zip(values, METRICS.values(), strict=True):
        theirs = [expected[query][trec_name] for query in judged.judgments.query_ids]
        np.testing.assert_allclose(row, theirs, rtol=0, atol=1e-9)
    report("seven metrics, 1,000 x 1,000, against pytrec_eval", ratio=compare(ours, lambda: evaluator.evaluate(run)))

    import ranx

    warnings.simplefilter("ignore")
    ranx_qrels, ranx_run = ranx.Qrels(qrels), ranx.Run(run)
    ranx_names = [name for _, name in METRICS.values()]
    ranx_means = ranx.evaluate(ranx_qrels, ranx_run, ranx_names)
    np.testing.assert_allclose(values.mean(axis=1), [ranx_means[name] for name in ranx_names], atol=1e-6)
    report(
        "seven metrics, 1,000 x 1,000, against ranx",
        ratio=compare(ours, lambda: ranx.evaluate(ranx_qrels, ranx_run, ranx_names)),
    )

    for factor in (1, 4, 16):
        n_queries = 250 * factor
        subset = judged.judgments.select(np.arange(n_queries) % 1000)
        scores = np.resize(judged.scores, subset.n_documents)
        seconds = median_seconds(lambda s=scores, j=subset: evaluate_metrics(OURS, s, j, ties=TiePolicy.TREC_EVAL))
        report(
            f"growth {factor}x",
            documents=f"{subset.n_documents:,}",
            ms=f"{1e3 * seconds:.1f}",
            ns_a_document=f"{1e9 * seconds / subset.n_documents:.1f}",
        )


if __name__ == "__main__":
    sys.exit(main())
