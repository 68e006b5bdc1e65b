import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from rankmax.errors import InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.evaluation.significance import (
    holm,
    paired_tests,
    randomization_test,
    t_test,
    wilcoxon_test,
)

ALTERNATIVES = ("two-sided", "greater", "less")
TESTS = (randomization_test, t_test, wilcoxon_test)
OTHER = {"two-sided": "two-sided", "greater": "less", "less": "greater"}

grid = st.integers(0, 10).map(lambda tenths: tenths / 10)
pairs_of_values = st.lists(st.tuples(grid, grid), min_size=1, max_size=12)
alternatives = st.sampled_from(ALTERNATIVES)


def columns(pairs):
    return np.array(pairs).T


def two_systems(n_queries, seed, gain=0.02):
    rng = np.random.default_rng(seed)
    b = rng.beta(1, 2, n_queries)
    return np.clip(b + rng.normal(gain, 0.1, n_queries), 0, 1), b


def permutation_oracle(a, b, alternative, n_resamples=np.inf):
    def mean_difference(x, y, axis):
        return np.mean(x - y, axis=axis)

    return scipy.stats.permutation_test(
        (a, b),
        mean_difference,
        permutation_type="samples",
        vectorized=True,
        n_resamples=n_resamples,
        batch=2000,
        alternative=alternative,
        rng=1,
    ).pvalue


class TestRandomization:
    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    @pytest.mark.parametrize("n_queries", [2, 5, 12])
    def test_exact_p_value_is_scipys(self, n_queries, alternative):
        a, b = two_systems(n_queries, seed=n_queries)
        ours = randomization_test(a, b, alternative=alternative)
        assert ours.exact
        assert ours.statistic == pytest.approx(np.mean(a - b))
        assert ours.p_value == pytest.approx(permutation_oracle(a, b, alternative), abs=1e-12)

    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    @pytest.mark.parametrize("n_queries", [40, 150])
    def test_sampled_p_value_is_scipys_within_monte_carlo_error(self, n_queries, alternative):
        a, b = two_systems(n_queries, seed=n_queries)
        n = 50_000
        ours = randomization_test(a, b, n_permutations=n, alternative=alternative)
        theirs = permutation_oracle(a, b, alternative, n_resamples=n)
        assert not ours.exact
        # scipy doubles the smaller tail, we count both: twice the standard error for two independent samples of n.
        spread = np.sqrt(2 * theirs * (2 - theirs) / n) if alternative == "two-sided" else np.sqrt(0.5 / n)
        assert ours.p_value == pytest.approx(theirs, abs=4 * spread)

    def test_is_uniform_when_nothing_differs_but_chance(self):
        rng = np.random.default_rng(8)
        differences = rng.standard_t(3, (400, 60))
        results = paired_tests("randomization", differences, n_permutations=2000)
        p_values = np.array([result.p_value for result in results])
        assert scipy.stats.kstest(p_values, "uniform").pvalue > 0.001

    def test_the_seed_decides(self):
        a, b = two_systems(60, seed=3)
        first = randomization_test(a, b, seed=1, n_permutations=5000)
        assert first == randomization_test(a, b, seed=1, n_permutations=5000)
        assert first != randomization_test(a, b, seed=2, n_permutations=5000)

    def test_never_zero(self):
        a = np.linspace(0.5, 1, 100)
        assert randomization_test(a, a - 0.4, n_permutations=999).p_value == 1 / 1000

    def test_bad_number_of_permutations(self):
        with pytest.raises(InvalidParameterError, match="n_permutations is 0; it must be at least 1"):
            randomization_test([0.1], [0.2], n_permutations=0)


class TestStudent:
    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    @pytest.mark.parametrize("n_queries", [2, 7, 50, 1000])
    def test_is_scipys(self, n_queries, alternative):
        a, b = two_systems(n_queries, seed=n_queries)
        ours = t_test(a, b, alternative=alternative)
        theirs = scipy.stats.ttest_rel(a, b, alternative=alternative)
        assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-10)
        assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-9)

    def test_tiny_p_values_keep_their_digits(self):
        a, b = two_systems(400, seed=1, gain=0.3)
        theirs = scipy.stats.ttest_rel(a, b).pvalue
        assert theirs < 1e-60
        assert t_test(a, b).p_value == pytest.approx(theirs, rel=1e-8)

    def test_constant_difference(self):
        result = t_test([0.5, 0.75, 1.0], [0.25, 0.5, 0.75])
        assert (result.statistic, result.p_value) == (np.inf, 0.0)
        assert t_test([0.5, 0.75], [0.25, 0.5], alternative="less").p_value == 1.0

    def test_single_query_says_nothing(self):
        result = t_test([0.9], [0.1])
        assert np.isnan(result.statistic)
        assert result.p_value == 1.0


class TestWilcoxon:
    @settings(max_examples=30)  # scipy takes its time
    @given(st.lists(st.tuples(grid, grid), min_size=2, max_size=7), alternatives)
    def test_few_queries_with_ties_and_zeros_are_scipys(self, pairs, alternative):
        a, b = columns(pairs)
        differences = np.round(a - b, 12)  # scipy ranks 0.3 - 0.2 and 0.2 - 0.1 apart
        ours = wilcoxon_test(a, b, alternative=alternative)
        if not differences.any():
            assert ours.p_value == 1.0
            return
        theirs = scipy.stats.wilcoxon(differences, alternative=alternative)
        assert ours.exact
        assert ours.statistic == theirs.statistic
        assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-12)

    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    @pytest.mark.parametrize("n_queries", [1, 2, 14, 50, 51, 700])
    @pytest.mark.parametrize("decimals", [1, 2, 15])
    def test_is_scipys(self, n_queries, decimals, alternative):
        a, b = (values.round(decimals) for values in two_systems(n_queries, seed=n_queries))
        differences = np.round(a - b, 14)
        ours = wilcoxon_test(a, b, alternative=alternative)
        theirs = scipy.stats.wilcoxon(differences, alternative=alternative)
        assert ours.statistic == theirs.statistic
        assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-10)

    def test_exact_with_ties_up_to_thirteen_queries(self):
        a, b = (values.round(1) for values in two_systems(13, seed=13))
        result = wilcoxon_test(a, b)
        assert result.exact
        assert result.p_value == pytest.approx(scipy.stats.wilcoxon(np.round(a - b, 14)).pvalue, rel=1e-12)
        assert not wilcoxon_test(np.append(a, 0.5), np.append(b, 0.5)).exact

    def test_exact_without_ties_up_to_fifty_queries(self):
        a, b = two_systems(50, seed=50)
        a[a == b] += 0.001
        assert wilcoxon_test(a, b).exact
        assert not wilcoxon_test(np.append(a, 0.5), np.append(b, 0.5)).exact


@pytest.mark.parametrize("test", TESTS)
class TestEvery:
    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    @pytest.mark.parametrize("n_queries", [1, 3, 100])
    def test_identical_systems_do_not_differ(self, test, n_queries, alternative):
        values = np.linspace(0, 1, n_queries)
        assert test(values, values.copy(), alternative=alternative).p_value == 1.0

    def test_single_query_is_never_significant(self, test):
        assert test([0.9], [0.1]).p_value == 1.0
        assert test([0.9], [0.1], alternative="greater").p_value >= 0.5

    @settings(max_examples=40)
    @given(pairs=pairs_of_values, alternative=alternatives, data=st.data())
    def test_invariants(self, test, pairs, alternative, data):
        a, b = columns(pairs)
        result = test(a, b, alternative=alternative)
        assert 0 <= result.p_value <= 1
        assert (result.alternative, result.n_queries) == (alternative, len(pairs))
        swapped = test(b, a, alternative=OTHER[alternative])
        assert swapped.p_value == pytest.approx(result.p_value, rel=1e-9)
        order = data.draw(st.permutations(range(len(pairs))))
        reordered = test(a[order], b[order], alternative=alternative)
        assert reordered.p_value == pytest.approx(result.p_value, rel=1e-9)
        scaled = test(4 * a, 4 * b, alternative=alternative)
        assert scaled.p_value == pytest.approx(result.p_value, rel=1e-9)

    def test_pairs_with_nan_are_skipped(self, test):
        a, b = two_systems(20, seed=4)
        result = test(a, b)
        gappy = test(np.concatenate([[np.nan, 0.3], a]), np.concatenate([[0.2, np.nan], b]))
        assert gappy.n_queries == 20
        assert gappy.p_value == pytest.approx(result.p_value, rel=1e-12)

    def test_bad_input(self, test):
        with pytest.raises(InvalidDataError, match="3 values against 2"):
            test([0.1, 0.2, 0.3], [0.1, 0.2])
        with pytest.raises(UnknownNameError, match="unknown alternative 'greatr'; did you mean 'greater'"):
            test([0.1, 0.2], [0.1, 0.3], alternative="greatr")


def test_rows_are_tested_apart():
    differences = np.array([np.subtract(*two_systems(70, seed)) for seed in range(3)])
    differences[1, 10:] = np.nan
    for name, test in zip(("randomization", "t", "wilcoxon"), TESTS, strict=True):
        together = paired_tests(name, differences)
        alone = [test(row, np.zeros(70)) for row in differences]
        assert together == alone


def test_unknown_test():
    with pytest.raises(UnknownNameError, match="unknown significance test 'wilcox'; did you mean 'wilcoxon'"):
        paired_tests("wilcox", np.zeros((1, 3)))


class TestHolm:
    @settings(max_examples=60)
    @given(st.lists(st.floats(0, 1), max_size=8))
    def test_rejects_what_the_stepwise_procedure_rejects(self, p_values):
        corrected = holm(p_values)
        for level in (0.01, 0.05, 0.3):
            rejected = set()
            for step, index in enumerate(np.argsort(p_values, kind="stable")):
                if p_values[index] * (len(p_values) - step) > level:
                    break
                rejected.add(index)
            assert set(np.flatnonzero(corrected <= level)) == rejected

    def test_is_between_the_p_value_and_bonferroni(self):
        p = np.array([0.001, 0.02, 0.02, 0.4, 0.9])
        assert (p <= holm(p)).all()
        assert (holm(p) <= np.minimum(1, 5 * p)).all()

    @pytest.mark.parametrize("p_values", [[0.1, 1.1], [-0.1], [np.nan], [[0.1]]])
    def test_bad_p_values(self, p_values):
        with pytest.raises(InvalidDataError, match="numbers from 0 to 1"):
            holm(p_values)
