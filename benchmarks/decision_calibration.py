"""Calibration of stated probabilities for benchmarks/decisions.py, and whether correcting them would help.

A result is a dictionary with the ``kind`` of data and what was ``said``: each with the ``current`` fusion, the stated
``probability`` that the pick does better, and the ``gain`` on new queries.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from harness import markdown_table
from scipy.optimize import minimize
from scipy.special import ndtr, ndtri
from scipy.stats import t

from rankmax.fusion.standard_candidates import COMB_SUM, RRF

BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.001)
_GROUPS: dict[str, Callable[[dict], bool]] = {
    "RRF or CombSUM": lambda said: said["current"] in (RRF, COMB_SUM),
    "a system": lambda said: said["current"] not in (RRF, COMB_SUM),
    "all": lambda said: True,
}


def came_true(said: dict) -> float:
    """Return 1 where the pick was better, 0 where it was worse, and a half where it was the same."""
    return 0.5 if said["gain"] == 0 else float(said["gain"] > 0)


def calibration_table(results: Sequence[dict]) -> str:
    """Return how often the pick was better, by the stated probability and what it was compared with."""
    rows = []
    for low, high in pairwise(BINS):
        row = [f"{low:.0%} to {min(high, 1):.0%}"]
        for keep in _GROUPS.values():
            cases = [s for r in results for s in r["said"] if keep(s) and low <= s["probability"] < high]
            stated = np.mean([s["probability"] for s in cases]) if cases else 0
            true = np.mean([came_true(s) for s in cases]) if cases else 0
            row.append(f"{stated:.0%} → {true:.0%} of {len(cases)}" if cases else "")
        errors = defaultdict(list)
        for r in results:
            errors[collection(r)] += [
                came_true(s) - s["probability"] for s in r["said"] if low <= s["probability"] < high
            ]
        rows.append([*row, _spoken(list(errors.values()))])
    return markdown_table(["stated", *_GROUPS, "came true minus stated, with 95% interval"], rows)


def collection(result: dict) -> str:
    """Return the collection of a result; copies of one with other scores (~) are the same collection."""
    return result["kind"].removesuffix("~")


def clustered_mean(clusters: Sequence[Sequence[float]]) -> tuple[float, float, int]:
    """Return the mean of all values, its standard error, and the number of clusters that have any.

    Cases of a collection share its queries and judgments, so they are one observation: the sandwich estimator of a
    mean with G clusters, which is the usual standard error where all clusters have one value.
    """
    arrays = [np.asarray(values, dtype=float) for values in clusters if len(values)]
    every = np.concatenate(arrays)
    n = len(arrays)
    sums = np.array([np.sum(values - every.mean()) for values in arrays])
    error = np.sqrt(n / (n - 1) * np.sum(sums**2)) / every.size if n > 1 else np.inf
    return float(every.mean()), float(error), n


def _spoken(clusters: list[list[float]]) -> str:
    if sum(map(bool, clusters)) < 2:
        return ""
    mean, error, n = clustered_mean(clusters)
    half = t.ppf(0.975, n - 1) * error
    return f"{100 * mean:+.1f} ± {100 * half:.1f} (s.e. {100 * error:.1f}, {n} collections)"


def recalibration_table(results: Sequence[dict]) -> str:
    """Return the log loss of the stated probabilities, and of corrections fitted to all other collections.

    A correction maps the normal quantile z of a probability to a + b z, for all cases or by what the pick was compared
    with. Collections count equally; a correction that does not beat the stated probabilities on collections that it
    was not fitted to is not worth having.
    """
    names = sorted({collection(r) for r in results})
    if len(names) < 3:
        return "too few collections to fit corrections to"
    said = [(collection(r), s) for r in results for s in r["said"]]
    of = np.array([names.index(name) for name, _ in said])
    stated = np.clip([s["probability"] for _, s in said], 1e-4, 1 - 1e-4)
    true = np.array([came_true(s) for _, s in said])
    fusion = np.array([_GROUPS["RRF or CombSUM"](s) for _, s in said])
    z, one = ndtri(stated), np.ones(len(said))
    share = 1 / np.bincount(of)[of]
    designs = {
        "b z": z[:, None],
        "a + b z": np.stack([one, z], axis=1),
        "a + b z, by comparison": np.stack([fusion, z * fusion, ~fusion, z * ~fusion], axis=1),
    }
    losses = {"as stated": _log_loss(stated, true)}
    for name, design in designs.items():
        left_out = np.zeros(len(said))
        for i in range(len(names)):
            weights = _fitted(design[of != i], true[of != i], share[of != i])
            left_out[of == i] = ndtr(design[of == i] @ weights)
        losses[name] = _log_loss(left_out, true)
    by_collection = {name: np.bincount(of, loss * share) for name, loss in losses.items()}
    rows = []
    for name, loss in by_collection.items():
        worse = loss - by_collection["as stated"]
        error = f"{worse.mean():+.4f} ± {worse.std(ddof=1) / len(names) ** 0.5:.4f}" if name != "as stated" else ""
        rows.append([name, f"{loss.mean():.4f}", error])
    return markdown_table(["probability, fitted to the other collections", "log loss", "minus as stated"], rows)


def _fitted(design: np.ndarray, true: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return the coefficients with the lowest log loss; collections count equally."""
    n = design.shape[1]
    start = np.array([1.0]) if n == 1 else np.tile([0.0, 1.0], n // 2)
    found: np.ndarray = minimize(lambda b: float(share @ _log_loss(ndtr(design @ b), true)), start, method="BFGS").x
    return found


def _log_loss(probability: np.ndarray, true: np.ndarray) -> np.ndarray:
    bounded = np.clip(probability, 1e-4, 1 - 1e-4)
    loss: np.ndarray = -(true * np.log(bounded) + (1 - true) * np.log(1 - bounded))
    return loss
