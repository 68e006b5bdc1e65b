"""How fast are surrogate losses minimized, and how does it grow with the data?

Data      The training queries of the first fold of LETOR's MQ2008, in the folder that RANKMAX_DATA names; for growth
          the same queries repeated.
Baseline  Linear ListNet by batch gradient descent with a fixed learning rate, as in RankLib, written in numpy over all
          queries at once, with the best of several rates; PyTorch's L-BFGS where it is installed.
Ours      fit_linear (L-BFGS) with the same loss and no penalty.
Answers   All must reach the same loss: within 1% of the way from equal scores to the minimum. The gradient that numpy
          finds at a random point must be ours.
Prints    The ratio of wall times and of processor times to reach that loss; iterations; time by size of the data, for
          linear scores, and for expected gain from the linear optimum.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np
from harness import compare, format_seconds, machine, report
from letor_collections import DATA, read_folds

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.learners.surrogate.scoring.expected_gain_scoring import ExpectedGain
from rankmax.learners.surrogate.scoring.linear_scoring import LinearScore
from rankmax.learners.surrogate.surrogate_fit import SurrogateFitter
from rankmax.losses.cross_entropy import CrossEntropy
from rankmax.losses.linear_fit import fit_linear

LOSS = CrossEntropy(alpha=1.0)
RATES = (0.1, 0.3, 1.0, 3.0, 10.0)
MOST_STEPS = 5000
SIZES = (1, 4, 16)


class NumpyListNet:
    """Linear ListNet over all queries at once, in numpy."""

    def __init__(self, data: RankingDataset) -> None:
        counted = [q for q in range(data.n_queries) if np.ptp(data.grades[_span(data, q)]) > 0]
        chosen = data.select(counted)
        self.X = np.ascontiguousarray(chosen.features, np.float64)
        self.starts = chosen.query_offsets[:-1]
        self.lengths = np.diff(chosen.query_offsets)
        self.log_p = self._log_softmax(LOSS.alpha * chosen.grades)

    def _log_softmax(self, scores: F64) -> F64:
        top = np.repeat(np.maximum.reduceat(scores, self.starts), self.lengths)
        total = np.add.reduceat(np.exp(scores - top), self.starts)
        return scores - top - np.repeat(np.log(total), self.lengths)

    def value_and_gradient(self, w: F64) -> tuple[float, F64]:
        """Return the mean divergence and its gradient by weight."""
        log_q = self._log_softmax(self.X @ w)
        p = np.exp(self.log_p)
        n = self.starts.size
        return float(p @ (self.log_p - log_q)) / n, self.X.T @ (np.exp(log_q) - p) / n

    def descend(self, target: float, rate: float) -> int:
        """Return the steps until the loss is at the target, or MOST_STEPS."""
        w = np.zeros(self.X.shape[1])
        for step in range(MOST_STEPS):
            value, gradient = self.value_and_gradient(w)
            if value <= target:
                return step
            w -= rate * gradient
        return MOST_STEPS


def _span(data: RankingDataset, query: int) -> slice:
    return slice(data.query_offsets[query], data.query_offsets[query + 1])


def torch_lbfgs(theirs: NumpyListNet, target: float) -> Callable[[], float] | None:
    """Return a fit by PyTorch's L-BFGS to the target, if there is PyTorch."""
    try:
        import torch
    except ImportError:
        return None
    X, log_p = torch.from_numpy(theirs.X), torch.from_numpy(theirs.log_p)
    query = torch.from_numpy(np.repeat(np.arange(theirs.lengths.size), theirs.lengths))

    def fit() -> float:
        w = torch.zeros(X.shape[1], dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.LBFGS([w], max_iter=1, line_search_fn="strong_wolfe")

        def closure() -> torch.Tensor:
            optimizer.zero_grad()
            scores = X @ w
            total = torch.zeros(theirs.lengths.size, dtype=torch.float64).index_add(0, query, torch.exp(scores))
            loss = (torch.exp(log_p) * (log_p - scores + torch.log(total)[query])).sum() / theirs.lengths.size
            loss.backward()
            return loss

        for _ in range(1000):
            value = float(optimizer.step(closure))
            if value <= target:
                return value
        return value

    return fit


def repeated(data: RankingDataset, times: int) -> RankingDataset:
    qid = np.concatenate([data.judgments.query_of_document + copy * data.n_queries for copy in range(times)])
    return RankingDataset.from_arrays(np.tile(data.features, (times, 1)), np.tile(data.grades, times), qid=qid)


def processor_seconds(action: Callable[[], object]) -> float:
    begin = time.process_time()
    action()
    return time.process_time() - begin


def main() -> None:
    folder = DATA / "letor"
    if not folder.is_dir():
        print(f"skipped: no folder {folder}")
        return
    print(machine())
    data = read_folds(folder, "MQ2008", [1])[1].train
    theirs = NumpyListNet(data)
    w = np.random.default_rng(1).normal(size=data.n_features)
    ours_value, by_document = LOSS.value_and_gradient(data.scores(w), data.judgments)
    value, gradient = theirs.value_and_gradient(w)
    np.testing.assert_allclose(value, ours_value, rtol=1e-9)
    np.testing.assert_allclose(gradient, np.asarray(data.features).T @ by_document, atol=1e-9)

    at_zero = LOSS.value_and_gradient(np.zeros(data.n_documents), data.judgments)[0]
    lowest = fit_linear(LOSS, data, ridge=0.0, tolerance=1e-6, max_iterations=2000).value
    target = lowest + 0.01 * (at_zero - lowest)
    iterations = next(n for n in range(1, 500) if fit_linear(LOSS, data, ridge=0.0, max_iterations=n).value <= target)
    steps = {rate: theirs.descend(target, rate) for rate in RATES}
    rate = min(steps, key=lambda rate: steps[rate])
    assert steps[rate] < MOST_STEPS, f"no learning rate reaches the loss: {steps}"

    def ours() -> None:
        fit_linear(LOSS, data, ridge=0.0, max_iterations=iterations)

    report(
        "linear ListNet to the same loss, MQ2008 fold 1",
        loss=f"{target:.5f} (equal scores {at_zero:.5f}, minimum {lowest:.5f})",
        iterations=f"{iterations} and {steps[rate]} steps at rate {rate}",
        wall=compare(ours, lambda: theirs.descend(target, rate), repeats=3),
        processor=f"{processor_seconds(lambda: theirs.descend(target, rate)) / processor_seconds(ours):.1f}x",
    )
    if (fit := torch_lbfgs(theirs, target)) is not None:
        assert fit() <= target
        report("PyTorch's L-BFGS to the same loss", wall=compare(ours, fit, repeats=3))

    for times in SIZES:
        larger = repeated(data, times)
        fitter = SurrogateFitter(data=larger, tolerance=0.0, max_iterations=20)
        fitter.fit(LOSS, ExpectedGain())
        report(
            f"20 iterations, {larger.n_queries} queries, {larger.n_documents} documents",
            linear=format_seconds(processor_seconds(partial(fitter.fit, LOSS, LinearScore()))),
            expected_gain=format_seconds(processor_seconds(partial(fitter.fit, LOSS, ExpectedGain()))),
        )


if __name__ == "__main__":
    main()
