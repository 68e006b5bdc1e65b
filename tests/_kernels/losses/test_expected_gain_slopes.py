"""Expected gains give the same bits however many threads work."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankmax._kernels.losses.expected_gain_slopes import _WORTH_THREADS, expected_gain


def test_threads_and_company_change_no_bit(use_threads: Callable[[int], None]) -> None:
    rng = np.random.default_rng(1)
    outputs, gains = rng.normal(size=(3, _WORTH_THREADS)), np.array([0.0, 1.0, 3.0])

    def run(n_threads: int, n_documents: int) -> tuple[np.ndarray, np.ndarray]:
        use_threads(n_threads)
        scores, slopes = np.empty(n_documents), np.empty((3, n_documents))
        expected_gain(np.ascontiguousarray(outputs[:, :n_documents]), gains, 0.9, scores, slopes)
        return scores, slopes

    many, alone = run(3, outputs.shape[1]), run(1, outputs.shape[1])
    few = run(1, 1500)
    np.testing.assert_array_equal(many[0], alone[0])
    np.testing.assert_array_equal(many[1], alone[1])
    np.testing.assert_array_equal(many[0][:1500], few[0])
    np.testing.assert_array_equal(many[1][:, :1500], few[1])
