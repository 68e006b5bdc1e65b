r"""Selection of a fusion method, and the expected gain of the selection; the only module that decides.

A few dozen judged queries say little about two good fusions: the standard error of their difference is as large as
the difference. So the queries are not the only evidence. Evidence from other collections is a :class:`Prior`: the mean
of the per-query differences in units of their standard deviation, and the number of queries it counts for. With n
queries, whose differences have mean x and standard deviation s, the expected difference on new queries is

.. math:: \delta = s \, \frac{n \, x/s + n_0 \, \epsilon_0}{n + n_0}, \qquad \sigma^2 = s^2
    \left( \frac{1}{n + n_0} + \frac{1}{n} \right)

and the mean over n new queries is normal with these two. Selection on the same queries is accounted for twice: the
differences that a verdict rests on are those of the whole procedure, selection included, on held-out queries; and the
values used for selection are shrunk toward the prior, so that luck among many candidates does not win.

The priors were chosen on some kinds of data and judged on others: ``benchmarks/decisions.py``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from rankmax._arrays import F64
from rankmax.errors import counted

Word: TypeAlias = Literal["use it", "probably better", "cannot tell", "keep the current one"]

_SURE, _LIKELY = 0.95, 0.7
_MANY = 10_000  # more queries than anybody would judge to settle such a question
_SPREAD_QUERIES = 10  # number of queries that the usual spread of differences counts for
_MARGIN = 0.02  # by which a candidate has to beat the reference, in standard deviations of the differences
_USUAL_SPREAD = 1 / 3  # of differences between two fusions, in standard deviations of the metric over queries


@dataclass(frozen=True)
class Prior:
    """Evidence from other collections about the difference between two fusions.

    Attributes
    ----------
    effect : float
        Mean difference per query, in standard deviations of the differences.
    queries : float
        Number of queries that the evidence counts for.
    """

    effect: float
    queries: float

    def beside(self, other: Prior) -> Prior:
        """Return the prior of the difference to another fusion, given both priors relative to a third.

        Parameters
        ----------
        other : Prior

        Examples
        --------
        >>> Prior(0.0, 100.0).beside(Prior(-0.25, 50.0))
        Prior(effect=0.25, queries=50.0)
        """
        return Prior(self.effect - other.effect, min(self.queries, other.queries))


@dataclass(frozen=True)
class Gain:
    """The gain of one fusion over another, on as many new queries as were judged.

    Attributes
    ----------
    observed : float
        Mean difference on held-out queries.
    interval : tuple of float
        95% bootstrap interval of the observed mean.
    expected : float
        Expected mean difference on new queries.
    probability : float
        Probability of a positive mean difference on as many new queries.
    expected_loss : float
        Expected size of the mean difference where it is negative.
    further_queries : int or None
        Approximate number of further judged queries that would settle the question, one way or the other, if the
        effect stays as expected; 0 where it is settled, None where no number would settle it.
    n_queries : int
        Number of judged queries.
    """

    observed: float
    interval: tuple[float, float]
    expected: float
    probability: float
    expected_loss: float
    further_queries: int | None
    n_queries: int


@dataclass(frozen=True)
class Verdict:
    """Whether to replace the current fusion.

    Attributes
    ----------
    pick : str
        Name of the best candidate.
    current : str
        Name of the current fusion, which the pick would replace.
    gain : Gain
        Gain of the pick over the current fusion; all 0 where they are the same.
    """

    pick: str
    current: str
    gain: Gain

    @property
    def word(self) -> Word:
        """The verdict in two or three words."""
        if self.pick == self.current or self.gain.expected <= 0:
            return "keep the current one"
        if self.gain.probability >= _SURE:
            return "use it"
        return "probably better" if self.gain.probability >= _LIKELY else "cannot tell"

    @property
    def change(self) -> bool:
        """Whether the pick is recommended: it is expected to do better than the current fusion."""
        return self.word != "keep the current one"

    def __str__(self) -> str:
        """Return the verdict in a few sentences."""
        gain = self.gain
        if self.pick == self.current:
            return f"Keep the current one: no candidate is expected to do better than {self.current}."
        keep = self.word == "keep the current one"
        change = f"{self.current} rather than {self.pick}" if keep else f"{self.pick} instead of {self.current}"
        chance = f"{_percent(gain.probability)} likely to do better on {gain.n_queries:,} new queries"
        if self.word == "cannot tell":
            change = f"{self.pick} may or may not beat {self.current}"
        sentences = [
            f"{self.word.capitalize()}: {change}.",
            f"{'The latter is' if keep else 'It is'} {chance}, with an expected gain of {gain.expected:+.4f}",
            f"({gain.observed:+.4f} on these queries, shrunk toward what other collections showed);",
            f"if it does worse, the expected loss is {gain.expected_loss:.4f}.",
            _settling(gain.further_queries),
        ]
        return " ".join(filter(None, sentences))


def choose(
    values: F64,
    priors: Sequence[Prior],
    *,
    reference: int = 0,
    information: float = 1.0,
    query_weights: F64 | None = None,
) -> int:
    """Return the candidate with the highest expected value on new queries, unless the reference is nearly as good.

    Where candidates differ by less than a fiftieth of the spread of their differences, which of them is highest is
    chance: the reference is kept, so that the choice depends less on how queries are dealt into folds.

    Parameters
    ----------
    values : array, shape (n_candidates, n_queries)
        Metric values on queries held out from fitting the candidates.
    priors : sequence of Prior
        Prior of each candidate.
    reference : int
        Index of the candidate that all are compared with; it wins ties.
    information : float
        Number of queries judged by people that one value is worth.
    query_weights : array, shape (n_queries,), optional
        Weight of each query's differences; by default 1.

    Examples
    --------
    >>> same, slightly, clearly = np.zeros(20), np.full(20, 0.01), np.full(20, 0.2)
    >>> noise = 0.1 * np.array([1.0, -1.0] * 10)
    >>> doubt = [Prior(0.0, 100.0), Prior(-0.1, 100.0)]
    >>> choose(np.stack([same, slightly + noise]), doubt), choose(np.stack([same, clearly + noise]), doubt)
    (0, 1)
    """
    scale = float(np.std(values[reference])) * math.sqrt(information)
    expected, margin = np.zeros(len(values)), np.zeros(len(values))
    for i, prior in enumerate(priors):
        if i != reference:
            differences = values[i] - values[reference]
            spread = _spread(differences, scale, information)
            weighted = differences if query_weights is None else differences * query_weights
            expected[i] = _expected(weighted, spread, prior.beside(priors[reference]), information)
            margin[i] = _MARGIN * spread
    best = int(np.argmax(expected))
    return best if expected[best] > margin[best] else reference


def weigh(
    differences: F64, prior: Prior, *, scale: float, interval: tuple[float, float], information: float = 1.0
) -> Gain:
    """Return the gain to be expected of one fusion over another.

    Parameters
    ----------
    differences : array, shape (n_queries,)
        Differences in the metric on held-out queries.
    prior : Prior
        Prior of these differences.
    scale : float
        Standard deviation of the metric itself over queries.
    interval : tuple of float
        95% interval of the mean difference.
    information : float
        Number of queries judged by people that one value is worth.

    Examples
    --------
    >>> gain = weigh(np.array([0.1, 0.2, 0.05, -0.15] * 10), Prior(0.1, 50.0), scale=0.3, interval=(0.0, 0.1))
    >>> f"{gain.observed:.3f} {gain.expected:.3f} {gain.probability:.2f} {gain.further_queries}"
    '0.050 0.029 0.89 38'
    """
    n = max(round(differences.size * information), 1)
    spread = _spread(differences, scale * math.sqrt(information), information)
    expected = _expected(differences, spread, prior, information)
    error = _error(n, spread, prior)
    z = expected / error if error > 0 else math.copysign(math.inf, expected) if expected else 0.0
    below = _normal(-z)
    # the mean of the negative part of a normal distribution, with its sign reversed
    loss = error * _density(z) / below - expected if below > 1e-12 else 0.0
    return Gain(
        observed=float(differences.mean()),
        interval=interval,
        expected=expected,
        probability=_normal(z),
        expected_loss=max(loss, 0.0),
        further_queries=_further(n, expected, spread, prior),
        n_queries=n,
    )


def _expected(differences: F64, spread: float, prior: Prior, information: float) -> float:
    n = differences.size * information
    return float((n * differences.mean() + prior.queries * prior.effect * spread) / (n + prior.queries))


def _error(n: int, spread: float, prior: Prior) -> float:
    return spread * math.sqrt(1 / (n + prior.queries) + 1 / n)


def _spread(differences: F64, scale: float, information: float) -> float:
    """Return the standard deviation, shrunk toward the usual one where few queries differ; 0 where none does."""
    n = differences.size * information
    if not differences.any():
        return 0.0
    usual = _SPREAD_QUERIES * (_USUAL_SPREAD * scale) ** 2
    return math.sqrt((n * float(differences.var()) * information + usual) / (n + _SPREAD_QUERIES))


def _further(n: int, expected: float, spread: float, prior: Prior) -> int | None:
    """Return how many further queries bring the probability, or its complement, to the level of a sure verdict."""
    needed, sure = n, 1.6448536269514722  # the normal quantile of 0.95
    if spread == 0:
        return 0
    while abs(expected) < sure * _error(needed, spread, prior):
        needed += max(1, needed // 50)
        if needed > 1_000_000:
            return None
    return needed - n


def _normal(z: float) -> float:
    return 0.5 * math.erfc(-z / math.sqrt(2))


def _density(z: float) -> float:
    return math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)


def _settling(further_queries: int | None) -> str:
    """Return a sentence on the further queries needed, rounded to two digits: it is a rough number."""
    if further_queries == 0:
        return ""
    if further_queries is None or further_queries > _MANY:
        return f"More than {_MANY:,} further judged queries would be needed to settle it."
    step = 10 ** max(len(str(further_queries)) - 2, 0)
    further = counted(-(-further_queries // step) * step, "further judged query", "further judged queries")
    return f"About {further} would settle it."


def _percent(probability: float) -> str:
    return f"{min(max(probability, 0.01), 0.99):.0%}"
