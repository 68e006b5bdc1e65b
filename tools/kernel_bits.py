"""Print the bits of what kernels compute, a line each: for two installations to be compared.

Left out are covariances and gradients, whose sums depend on the width of the processor's registers.
"""

from __future__ import annotations

import hashlib

import numpy as np

from rankmax.data import planted_linear
from rankmax.line_search import LinearObjective, MetricSweep
from rankmax.losses import loss_named
from rankmax.metrics import evaluate_metrics, parse_metric
from rankmax.optimizers import BranchAndBound

METRICS = ("AP", "nDCG@10", "nDCG(gain=exp2)", "RR", "ERR@20", "RBP", "P@5", "Bpref", "ROC")


def show(name: str, *arrays: object) -> None:
    """Print a name with the hash of some arrays."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    print(name, digest.hexdigest())


def main() -> None:
    """Compute with every family of kernels that are to agree."""
    data = planted_linear(40, 30, 3, noise=0.8, seed=1).data
    scores, slopes = np.random.default_rng(2).standard_normal((2, data.n_documents))
    for metric in map(parse_metric, METRICS):
        show(f"value {metric}", evaluate_metrics([metric], scores, data.judgments)[0])
        if metric.name not in ("Bpref", "ROC"):
            steps = MetricSweep(metric, data.judgments).step_function(scores, slopes)
            show(f"line {metric}", steps.breakpoints, steps.values)
    for name in ("cross-entropy", "cosine", "plackett-luce", "smooth-ndcg"):
        loss, gradient = loss_named(name).value_and_gradient(scores, data.judgments)
        show(f"loss {name}", loss, gradient)
    proof = BranchAndBound().prove(LinearObjective(data, parse_metric("nDCG@10")))
    show("proof", proof.value, proof.bound, proof.weights)


if __name__ == "__main__":
    main()
