"""Decisions against simulation: stated numbers are those of the model that the formulas come from."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.fusion.decision import Gain, Prior, Verdict, choose, weigh

INTERVAL = (-0.01, 0.05)


def gain_of(differences: np.ndarray, prior: Prior, scale: float = 0.3) -> Gain:
    return weigh(differences, prior, scale=scale, interval=INTERVAL)


def normal(mean: float, spread: float, n: int) -> np.ndarray:
    """Return numbers of exactly that mean and standard deviation."""
    draws = np.random.default_rng(n).normal(size=n)
    return mean + spread * (draws - draws.mean()) / draws.std()


@pytest.mark.parametrize(("effect", "queries"), [(0.1, 40.0), (0.0, 100.0), (-0.05, 25.0)])
def test_probability_gain_and_loss_are_those_of_the_posterior(effect: float, queries: float) -> None:
    """Draw true differences from the prior, queries from these, and keep the draws that look like the observed ones."""
    n, spread, observed = 30, 0.1, 0.012
    rng = np.random.default_rng(5)
    true = spread * rng.normal(effect, queries**-0.5, 4_000_000)
    means = rng.normal(true, spread * n**-0.5)
    alike = np.abs(means - observed) < 0.001
    on_new = rng.normal(true[alike], spread * n**-0.5)
    told = gain_of(normal(observed, spread, n), Prior(effect, queries), scale=3 * spread)
    assert told.observed == pytest.approx(observed)
    assert told.expected == pytest.approx(on_new.mean(), abs=5e-4)
    assert told.probability == pytest.approx(np.mean(on_new > 0), abs=0.01)
    assert told.expected_loss == pytest.approx(-on_new[on_new < 0].mean(), rel=0.03)


def test_stated_probabilities_are_true_where_the_prior_is() -> None:
    """Over worlds drawn from the prior, things said to be likely to 80% to 90% happen so often."""
    n, prior, rng = 25, Prior(0.15, 60.0), np.random.default_rng(1)
    said, came = [], []
    for _ in range(4000):
        true = 0.1 * rng.normal(prior.effect, prior.queries**-0.5)
        said.append(gain_of(rng.normal(true, 0.1, n), prior).probability)
        came.append(rng.normal(true, 0.1, n).mean() > 0)
    for low, high in ((0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.0)):
        there = (np.array(said) >= low) & (np.array(said) < high)
        assert there.sum() > 100
        assert np.mean(np.array(came)[there]) == pytest.approx(np.mean(np.array(said)[there]), abs=0.05)


def test_further_queries_settle_it() -> None:
    prior = Prior(0.1, 50.0)
    few = gain_of(normal(0.02, 0.1, 40), prior)
    assert few.further_queries is not None
    assert few.further_queries > 0
    # as many more with the expected effect, and the verdict is sure
    n = 40 + few.further_queries
    more = gain_of(normal(few.expected, 0.1, n), Prior(few.expected / 0.1, 50.0))
    assert more.probability >= 0.949
    assert more.further_queries is not None
    assert more.further_queries <= 2
    assert gain_of(normal(0.2, 0.1, 40), prior).further_queries == 0
    assert gain_of(normal(0.0, 0.1, 40), Prior(0.0, 50.0)).further_queries is None


@pytest.mark.parametrize(
    ("expected", "probability", "word"),
    [
        (0.02, 0.97, "use it"),
        (0.02, 0.8, "probably better"),
        (0.001, 0.55, "cannot tell"),
        (-0.001, 0.45, "keep the current one"),
        (0.0, 0.5, "keep the current one"),
    ],
)
def test_words(expected: float, probability: float, word: str) -> None:
    verdict = Verdict("learned", "RRF", Gain(0.01, INTERVAL, expected, probability, 0.005, 70, 43))
    assert verdict.word == word
    assert verdict.change == (expected > 0)
    assert str(verdict).lower().startswith(word)
    assert f"{probability:.0%} likely to do better on 43 new queries" in str(verdict)
    assert "About 70 further judged queries would settle it." in str(verdict)


def test_the_current_fusion_may_be_the_pick() -> None:
    verdict = Verdict("RRF", "RRF", gain_of(np.zeros(20), Prior(0.0, 100.0)))
    assert verdict.word == "keep the current one"
    assert not verdict.change
    assert str(verdict) == "Keep the current one: no candidate is expected to do better than RRF."


def test_choosing_weighs_what_is_known_against_what_is_seen() -> None:
    reference, prior = normal(0.5, 0.2, 40), Prior(0.0, 100.0)
    slightly = reference + normal(0.01, 0.1, 40)
    clearly = reference + normal(0.1, 0.1, 40)
    doubtful = Prior(-0.1, 100.0)
    assert choose(np.stack([reference, slightly]), [prior, prior]) == 1
    assert choose(np.stack([reference, slightly]), [prior, doubtful]) == 0
    assert choose(np.stack([reference, clearly]), [prior, doubtful]) == 1
    assert choose(np.stack([slightly, reference, clearly]), [doubtful, prior, doubtful], reference=1) == 2
    assert choose(np.stack([reference, reference]), [prior, prior], reference=1) == 1


@pytest.mark.parametrize(("effect", "chosen"), [(0.019, 0), (0.021, 1)])
def test_a_candidate_has_to_beat_the_reference_by_a_fiftieth_of_the_spread(effect: float, chosen: int) -> None:
    reference, spread = normal(0.5, 0.3, 50), 0.1
    candidate = reference + normal(effect * spread, spread, 50)
    assert choose(np.stack([reference, candidate]), [Prior(0.0, 0.0), Prior(0.0, 0.0)]) == chosen


def test_choosing_is_worth_more_than_taking_the_highest_mean_or_the_reference() -> None:
    """Over worlds drawn from the priors, by the true effects of what is chosen."""
    rng = np.random.default_rng(3)
    priors = [Prior(0.0, 100.0), *[Prior(-0.05, 100.0)] * 8]
    ours, naive = [], []
    for _ in range(500):
        true = np.concatenate([[0.0], 0.1 * rng.normal(-0.05, 0.1, 8)])
        reference = rng.normal(0.5, 0.2, 25)
        differences = np.vstack([np.zeros(25), rng.normal(true[1:, None], 0.1, (8, 25))])
        ours.append(true[choose(reference + differences, priors)])
        naive.append(true[np.argmax(differences.mean(axis=1))])
    assert np.mean(ours) > 0
    assert np.mean(ours) > np.mean(naive)


def test_weights_of_queries_count_in_the_choice() -> None:
    """The second candidate wins by the first half of the queries, and loses by the other."""
    values = np.zeros((2, 40))
    values[1, :20], values[1, 20:] = 0.3, -0.2
    priors = [Prior(0.0, 10.0), Prior(0.0, 10.0)]
    assert choose(values, priors) == 1
    assert choose(values, priors, query_weights=np.repeat([0.5, 1.0], 20)) == 0
