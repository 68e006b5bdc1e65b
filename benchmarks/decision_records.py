"""Recorded transfers for benchmarks/decisions.py: all that a decision sees, and what came of each candidate.

Measuring the candidates takes seconds, deciding milliseconds. So a transfer is measured once and kept, and each way to
decide is tried on the same records.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankmax.fusion.candidates import Candidate, LearnedWeights, weighted_sum
from rankmax.fusion.nested_cross_validation import MeasuredFold, measured_folds
from rankmax.fusion.signals import Signals
from rankmax.metrics.metric import Metric

N_FOLDS, N_REPEATS = 5, 5


@dataclass(frozen=True, eq=False)
class Record:
    """A measured transfer.

    Attributes
    ----------
    about : dict
        Kind of data, number of the problem, names of its systems, metric, number of queries, and the candidates.
    folds : list of MeasuredFold
    weights : array, shape (n_candidates, n_systems)
        Fitted to all known queries.
    test : array, shape (n_candidates, n_new)
        Metric on the new queries with these weights.
    """

    about: dict
    folds: list[MeasuredFold]
    weights: np.ndarray
    test: np.ndarray

    def save(self, path: Path) -> None:
        """Write the record to a file."""
        arrays = {"weights": self.weights, "test": self.test, "about": np.array(json.dumps(self.about))}
        for name in MeasuredFold._fields:
            for i, fold in enumerate(self.folds):
                arrays[f"{name}{i}"] = getattr(fold, name)
        with path.open("wb") as file:
            np.savez(file, **arrays)

    @staticmethod
    def load(path: Path) -> Record:
        """Return the record in a file."""
        with np.load(path) as arrays:
            folds = [
                MeasuredFold(*(arrays[f"{name}{i}"] for name in MeasuredFold._fields))
                for i in range(N_FOLDS * N_REPEATS)
            ]
            return Record(json.loads(str(arrays["about"])), folds, arrays["weights"], arrays["test"])


def measured(candidates: Sequence[Candidate], metric: Metric, known: Signals, new: Signals, about: dict) -> Record:
    """Return a transfer from known to new queries."""
    n_queries = known.data.n_queries
    folds = list(measured_folds(candidates, n_queries, n_folds=N_FOLDS, n_repeats=N_REPEATS))
    fusions = [one.fit([np.arange(n_queries)])[0] for one in candidates]
    test = [
        new.alone(one.label, [metric])[0]
        if one.label in new.names
        else weighted_sum(new.data, fusion.normalization, fusion.weights, [metric]).values[0]
        for one, fusion in zip(candidates, fusions, strict=True)
    ]
    described = [
        {
            "family": one.family,
            "label": one.label,
            "normalization": one.normalization.to_dict(),
            "learned": isinstance(one, LearnedWeights),
            "eligible": one.eligible,
        }
        for one in candidates
    ]
    about = {**about, "names": known.names, "from_runs": known.from_runs, "candidates": described}
    return Record(about, folds, np.array([fusion.weights for fusion in fusions]), np.array(test))
