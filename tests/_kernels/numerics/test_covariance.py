"""Against numpy."""

from __future__ import annotations

import numpy as np

from rankmax._kernels.numerics.covariance import cholesky, products_of_columns, solve_cholesky


def test_products_factor_and_solution():
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(7, 50))
    products = np.empty((7, 7))
    products_of_columns(columns, products)
    np.testing.assert_allclose(products, columns @ columns.T, rtol=1e-12)
    lower = cholesky(products)
    np.testing.assert_allclose(lower, np.linalg.cholesky(products), rtol=1e-10, atol=1e-12)
    right = rng.normal(size=7)
    np.testing.assert_allclose(solve_cholesky(lower, right), np.linalg.solve(products, right), rtol=1e-9)


def test_threads_change_no_bit(use_threads):
    columns = np.random.default_rng(0).normal(size=(40, 3000))
    found = []
    for n_threads in (1, 3):
        use_threads(n_threads)
        found.append(np.empty((40, 40)))
        products_of_columns(columns, found[-1])
    assert np.array_equal(found[0], found[-1])
