from __future__ import annotations

import numpy as np

from rankmax.losses.listwise import listwise_loss


def test_each_kind_is_another_loss_of_the_same_lists() -> None:
    scores, targets, offsets = np.array([0.5, 1.0, 7.0, 2.0]), np.array([0.0, 1.0, 3.0, 3.0]), np.array([0, 2, 2, 4])
    p, q = 1 / (1 + np.exp(-1.0)), 1 / (1 + np.exp(-0.5))
    expected = {
        "divergence": p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q)),
        "cosine": (1 - 1 / np.sqrt(1.25)) / 2,
        "squared": 0.25,
        "plackett_luce": -np.log(q),
    }
    for kind, value in expected.items():
        values, gradient = listwise_loss(kind, scores, targets, offsets)  # type: ignore[arg-type]
        np.testing.assert_allclose(values, [value, np.nan, np.nan], rtol=1e-12)
        assert gradient[2:].tolist() == [0, 0]
