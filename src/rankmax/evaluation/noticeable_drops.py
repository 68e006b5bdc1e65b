"""Power of the joint regression test: how often it notices a drop, and the smallest that it notices often enough."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64, I64, Bool
from rankmax._numerics.bootstrap_counts import blocks_of_counts
from rankmax.evaluation.joint_regression_test import joint_regression_test

_N_SAMPLES = 1_000  # bootstrap samples that tell the power of a change: a share of 80% has a standard error of 1.3%
_FEWEST_SEARCHED, _ALL_SEARCHED = 300, 10_000  # bootstrap samples for each drop that is tried: of a cell, of all cells
_WIDTH = 1 / 48  # of a cell's range: differences closer than this are drawn as one
_SPARSE = 16  # differing queries up to which the test itself is run on every sample
_FLIPS_OF_SAMPLES = 499  # random flips of these tests, where flips are not enumerated
_FEW = 12  # differing queries from which the critical value no longer depends on their number
_MANY = 5 * _FEW  # differing queries from which samples with only a few of them are left out of account
_STEPS = 6  # halvings of the interval that holds the tilt
_ROUNDING = 1e-12  # relative: differences closer than this are the same
_STEEPEST = 100.0  # difference of exponents from which only one kind of query is drawn


@dataclass(frozen=True, slots=True)
class NoticeableDrop:
    """Power of the test in one cell.

    Attributes
    ----------
    power : float
        Probability that a change like this one is found significantly worse on as many queries of this kind.
    drop : float
        Smallest drop of the mean that is noticed with the probability asked for; NaN where none is.
    mirrored : bool
        Whether no query fell, so that the drop is judged by how much queries rose.
    """

    power: float
    drop: float
    mirrored: bool


def noticeable_drops(
    differences: F64, critical_value: float, *, level: float = 0.04, power: float = 0.8, seed: int = 0
) -> list[NoticeableDrop]:
    r"""Return the power of a joint test in each cell, and the smallest drop that it would notice.

    Queries are drawn again from these, with replacement and as many as there are. To make the mean drop larger or
    smaller, query q is drawn with a probability proportional to :math:`\exp(-\lambda d_q)`, so that those that fell
    come more or less often (Efron's exponential tilting): a larger drop of the same kind is one that hits more
    queries. The test's decision is simulated for each sample, corrected for all cells.

    Parameters
    ----------
    differences : array of float64, shape (n_cells, n_queries)
        As in :func:`~rankmax.evaluation.joint_regression_test.joint_regression_test`.
    critical_value : float
        That of the test.
    level : float
        Significance level of the test.
    power : float
        Probability with which a drop is to be noticed.
    seed : int
        Random seed.

    References
    ----------
    B. Efron: Nonparametric standard errors and confidence intervals, Canadian Journal of Statistics 9(2), 1981,
    section 11.

    Examples
    --------
    >>> differences = np.random.default_rng(0).normal(0, 0.1, (1, 400))
    >>> found = noticeable_drops(differences, 1.75)[0]  # normal theory: (1.75 + 0.84) * 0.1 / sqrt(400) = 0.013
    >>> print(f"{found.drop:.3f}")
    0.013
    """
    values = np.nan_to_num(differences)
    critical = _critical_values(values, critical_value, level, seed)
    moved = np.asarray(values.any(axis=0))
    n_searched = min(_N_SAMPLES, max(_FEWEST_SEARCHED, _ALL_SEARCHED // len(values)))
    found = []
    for row, held in zip(values, ~np.isnan(differences), strict=True):
        others = int(np.count_nonzero(moved[~held]))
        cell = _Cell(row[held], moved[held], others, critical, seed)
        mirrored = not (row < 0).any()
        shifted = _Cell(-row[held], moved[held], others, critical, seed) if mirrored else cell
        found.append(NoticeableDrop(cell.power(), shifted.smallest_drop(power, n_searched), mirrored))
    return found


class _Cell:
    """Samples of one cell's queries."""

    def __init__(self, row: F64, moved: Bool, n_moved_elsewhere: int, critical: F64, seed: int) -> None:
        self._n = row.size
        self._n_moved_elsewhere = n_moved_elsewhere
        self._values, self._moved, self._counts = _items(row, moved)
        self._critical = critical
        self._seed = seed

    def power(self, tilt: float = 0.0, n_samples: int = _N_SAMPLES) -> float:
        """Return the share of samples that are significantly worse."""
        rng = np.random.default_rng(self._seed)  # the same for every tilt, so that the power grows with it
        drawn = rng.multinomial(self._n, self._weights(tilt), size=n_samples)
        sums, squares = drawn @ self._values, drawn @ self._values**2
        statistics = -sums / np.sqrt(np.where(squares > 0, squares, 1.0))
        n_moved: I64 = drawn @ self._moved + self._n_moved_elsewhere
        return float(np.mean(statistics > self._critical[np.minimum(n_moved, _FEW)]))

    def smallest_drop(self, power: float, n_samples: int) -> float:
        """Return the smallest drop with the power asked for; NaN if there is none."""
        spread = float(np.ptp(self._values))
        if spread <= _ROUNDING * float(np.abs(self._values).max()):  # nothing to draw more or less often
            return float(-self._values[0]) if self._values[0] < 0 and self.power() >= power else np.nan
        mean = float(self._counts @ self._values) / self._n
        deviation = math.sqrt(max(float(self._counts @ self._values**2) / self._n - mean**2, (_ROUNDING * spread) ** 2))
        unit = 1 / (deviation * math.sqrt(self._n))  # of tilts: by this, the mean falls by one standard error
        steepest = _STEEPEST / spread

        def noticed(tilt: float) -> bool:
            return self.power(tilt, n_samples) >= power

        high = min(mean / deviation**2 + 3 * unit, steepest)
        while not noticed(high):
            if high >= steepest:
                return np.nan
            high = min(max(2 * high, unit), steepest)
        low = high - 2 * unit
        while noticed(low) and low > -steepest:
            low, high = 2 * low - high, low
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (low, middle) if noticed(middle) else (middle, high)
        return float(-(self._weights(high) @ self._values))

    def _weights(self, tilt: float) -> F64:
        exponents = -tilt * self._values
        weights: F64 = self._counts * np.exp(exponents - exponents.max())
        weights /= weights.sum()
        return weights


def _items(row: F64, moved: Bool) -> tuple[F64, I64, F64]:
    """Return the kinds of queries: their difference, whether they differ in any cell, and their number."""
    width = float(np.ptp(row)) * _WIDTH or 1.0
    kinds = np.where(row == 0, moved, 2 + np.floor((row - row.min(initial=0.0)) / width)).astype(np.int64)
    _, first, kind, counts = np.unique(kinds, return_index=True, return_inverse=True, return_counts=True)
    return np.bincount(kind, row) / counts, moved[first].astype(np.int64), counts.astype(np.float64)


def _critical_values(differences: F64, critical_value: float, level: float, seed: int) -> F64:
    """Return the critical value by the number of queries that differ: with few, signs have few patterns."""
    values = np.full(_FEW + 1, critical_value)
    values[0] = np.inf
    moved = np.flatnonzero(differences.any(axis=0))
    rng = np.random.default_rng(seed)
    largest = _FEW if np.isinf(critical_value) else _FEW - 1
    for n in range(1, largest + 1) if 0 < moved.size < _MANY else ():
        drawn = [joint_regression_test(differences[:, rng.choice(moved, n)], level=level) for _ in range(5)]
        values[n] = np.median([one.critical_value for one in drawn])
    return values


def caught_share(differences: F64, critical_value: float, *, level: float = 0.04, seed: int = 0) -> float:
    """Return the probability that a change like this one is significantly worse in any cell, on queries of this kind.

    Parameters
    ----------
    differences, critical_value, level, seed
        As in :func:`noticeable_drops`.

    Examples
    --------
    >>> caught_share(np.full((1, 20), -0.1), 1.75)
    1.0
    """
    values = np.nan_to_num(differences)
    moved = np.asarray(values.any(axis=0))
    n_moved = int(np.count_nonzero(moved))
    n_caught = 0
    for counts in blocks_of_counts(values.shape[1], _N_SAMPLES, seed):
        if n_moved <= _SPARSE:
            samples = (np.repeat(values, one, axis=1) for one in counts)
            tests = (joint_regression_test(one, level=level, n_flips=_FLIPS_OF_SAMPLES, seed=seed) for one in samples)
            n_caught += sum(bool((one.corrected_p_values <= level).any()) for one in tests)
        else:
            sums, squares = counts @ values.T, counts @ (values**2).T
            statistics = (-sums / np.sqrt(np.where(squares > 0, squares, 1.0))).max(axis=1)
            n_caught += int(np.count_nonzero(statistics > critical_value))
    return n_caught / _N_SAMPLES
