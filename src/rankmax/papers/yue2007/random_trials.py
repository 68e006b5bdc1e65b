"""Random trials in which every query is used for training, validation and testing equally often."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import I64
from rankmax.errors import InvalidDataError

N_TRAIN, N_VALIDATION, N_TRIALS = 10, 5, 50  # section 5


@dataclass(frozen=True, eq=False)
class Deal:
    """Queries of one trial.

    Attributes
    ----------
    train, validation, test : arrays of int64
        Indices of the queries, ascending.
    """

    train: I64
    validation: I64
    test: I64


def deal_rounds(n_queries: int, *, seed: int, n_trials: int = N_TRIALS) -> list[list[Deal]]:
    """Split queries into 10 for training, 5 for validation and the rest for testing, in rounds.

    A round is a random order of the queries, rotated in steps such that within a round each query has each role equally
    often.

    Parameters
    ----------
    n_queries : int
        Number of queries, at least 16.
    seed : int
    n_trials : int
        Smallest number of trials in all rounds together.

    Examples
    --------
    >>> rounds = deal_rounds(50, seed=1)
    >>> len(rounds), len(rounds[0]), rounds[0][0].train.size, rounds[0][0].test.size
    (5, 10, 10, 35)
    """
    if n_queries <= N_TRAIN + N_VALIDATION:
        raise InvalidDataError(
            f"{n_queries} judged queries are too few: {N_TRAIN} are for training, {N_VALIDATION} for validation, and "
            "some must be left for testing"
        )
    rng = np.random.default_rng(seed)
    stride = math.gcd(N_TRAIN, N_VALIDATION, n_queries)
    in_a_round = n_queries // stride
    rounds = []
    for _ in range(math.ceil(n_trials / in_a_round)):
        order = rng.permutation(n_queries)
        parts = [np.split(np.roll(order, stride * k), [N_TRAIN, N_TRAIN + N_VALIDATION]) for k in range(in_a_round)]
        rounds.append([Deal(*(np.sort(part) for part in trial)) for trial in parts])
    return rounds
