import numpy as np
import pytest
import scipy.stats

from rankmax.errors import InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.evaluation.bootstrap import bootstrap_interval
from rankmax.evaluation.comparison import compare_systems, significance_marker, superiority_letters
from rankmax.evaluation.significance import holm, randomization_test, t_test, wilcoxon_test

TESTS = {"randomization": randomization_test, "t": t_test, "wilcoxon": wilcoxon_test}


@pytest.fixture
def systems():
    """A weak baseline, its equal, one that is a little and one that is much better, over 80 queries."""
    rng = np.random.default_rng(7)
    base = rng.beta(1, 3, 80)
    return {
        "equal": base + rng.normal(0, 0.05, 80),
        "base": base,
        "better": base + rng.normal(0.02, 0.08, 80),
        "best": base + rng.normal(0.2, 0.1, 80),
    }


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_rows_hold_what_the_single_functions_say(systems, test, alternative):
    comparison = compare_systems(systems, "base", test=test, alternative=alternative, seed=3)
    assert [row.system for row in comparison.rows] == ["equal", "better", "best"]
    assert comparison.baseline_mean == systems["base"].mean()
    options = {"alternative": alternative} | ({"seed": 3} if test == "randomization" else {})
    for row in comparison.rows:
        a, b = systems[row.system], systems["base"]
        assert row.test == TESTS[test](a, b, **options)
        assert row.mean == a.mean()
        assert row.difference == pytest.approx(a.mean() - b.mean())
        assert row.relative_change == pytest.approx(100 * (a.mean() / b.mean() - 1))
        np.testing.assert_allclose(row.interval, bootstrap_interval(a - b, seed=3), rtol=1e-12)
        assert (row.wins.wins, row.wins.losses, row.wins.ties) == ((a > b).sum(), (a < b).sum(), 0)
        assert row.effect_size == pytest.approx(np.mean(a - b) / np.std(a - b, ddof=1))
    np.testing.assert_array_equal(
        [row.corrected_p_value for row in comparison.rows], holm([row.test.p_value for row in comparison.rows])
    )


def test_correction_changes_a_verdict(systems):
    # Six hopeless systems beside one at p = 0.02: significant alone, no longer among seven.
    rng = np.random.default_rng(0)
    differences = rng.normal(0, 1, 80)
    differences += 1.05 * scipy.stats.t.isf(0.01, 79) * differences.std(ddof=1) / np.sqrt(80) - differences.mean()
    base = np.zeros(80)
    crowd = {f"noise{i}": rng.permutation(np.linspace(-1, 1, 80)) for i in range(6)}
    values = {"base": base, "claim": differences, **crowd}
    uncorrected = compare_systems(values, "base", test="t", correction="none").rows[0]
    corrected = compare_systems(values, "base", test="t").rows[0]
    assert uncorrected.marker == "†"
    assert uncorrected.corrected_p_value == uncorrected.test.p_value
    assert corrected.marker == ""
    assert corrected.corrected_p_value == pytest.approx(7 * corrected.test.p_value)


def flat(row):
    test = row.test
    return [row.mean, row.difference, row.relative_change, *row.interval, row.effect_size, test.statistic, test.p_value]


def test_queries_left_out_do_not_count(systems):
    full = compare_systems({name: values[10:] for name, values in systems.items()}, "base", test="wilcoxon")
    for values in systems.values():
        values[:10] = np.nan
    gappy = compare_systems(systems, "base", test="wilcoxon")
    for row, other in zip(gappy.rows, full.rows, strict=True):
        assert flat(row) == pytest.approx(flat(other), rel=1e-9)
        assert (row.marker, row.test.n_queries) == (other.marker, 70)


def test_the_relative_change_is_over_the_queries_of_both():
    comparison = compare_systems({"base": [1.0, 0.5, 0.0], "new": [np.nan, 0.75, 0.25]}, "base")
    assert comparison.baseline_mean == 0.5
    assert comparison.rows[0].difference == 0.25
    assert comparison.rows[0].relative_change == 100.0


@pytest.mark.parametrize(("new", "change"), [([0.1, 0.2], np.inf), ([-0.1, -0.2], -np.inf), ([0.0, 0.0], 0.0)])
def test_relative_change_from_nothing(new, change):
    assert compare_systems({"base": [0.0, 0.0], "new": new}, "base").rows[0].relative_change == change


def test_identical_systems_are_not_marked():
    row = compare_systems({"base": [0.1, 0.2, 0.3], "copy": [0.1, 0.2, 0.3]}, "base", test="t").rows[0]
    assert (row.corrected_p_value, row.marker, row.effect_size, row.interval) == (1.0, "", 0.0, (0.0, 0.0))


@pytest.mark.parametrize(
    ("test", "difference", "marker"),
    [
        ("t", 0.1, "†"),
        ("t", -0.1, "▼"),
        ("wilcoxon", 0.1, "**"),
        ("wilcoxon", -0.1, "**"),
        ("randomization", 0.1, "▲"),
        ("randomization", -0.1, "▼"),
    ],
)
def test_markers(test, difference, marker):
    assert significance_marker(test, 0.049, difference) == marker
    assert significance_marker(test, 0.05, difference) == ""
    assert significance_marker(test, 0.02, difference, level=0.01) == ""


@pytest.mark.parametrize("test", TESTS)
def test_letters_name_the_systems_that_are_beaten(systems, test):
    letters = superiority_letters(systems, test=test, seed=1)
    pairs = [(a, b) for a in systems for b in systems if list(systems).index(a) < list(systems).index(b)]
    options = {"seed": 1} if test == "randomization" else {}
    corrected = holm([TESTS[test](systems[a], systems[b], **options).p_value for a, b in pairs])
    expected = {name: set() for name in systems}
    for (a, b), p in zip(pairs, corrected, strict=True):
        if p < 0.05:
            winner, loser = (a, b) if systems[a].mean() > systems[b].mean() else (b, a)
            expected[winner].add("abcd"[list(systems).index(loser)])
    assert letters == {name: "".join(sorted(marks)) for name, marks in expected.items()}
    assert letters["best"] == "abc"
    assert letters["base"] == ""


def test_letters_of_one_system():
    assert superiority_letters({"only": [0.1, 0.2]}) == {"only": ""}


@pytest.mark.parametrize(
    ("baseline", "options", "error", "message"),
    [
        ("bse", {}, UnknownNameError, "unknown system 'bse'; did you mean 'base'"),
        ("base", {"test": "wilcoxn"}, UnknownNameError, "did you mean 'wilcoxon'"),
        ("base", {"alternative": "both"}, UnknownNameError, "unknown alternative 'both'"),
        ("base", {"correction": "bonferroni"}, UnknownNameError, "unknown correction 'bonferroni'.* Known: holm, none"),
        ("base", {"level": 5}, InvalidParameterError, "level is 5; it must be above 0 and below 1"),
        ("base", {"n_permutations": 0}, InvalidParameterError, "n_permutations is 0"),
    ],
)
def test_bad_parameters(systems, baseline, options, error, message):
    with pytest.raises(error, match=message):
        compare_systems(systems, baseline, **options)


def test_bad_values():
    with pytest.raises(InvalidDataError, match="only the baseline 'base' is given"):
        compare_systems({"base": [0.1]}, "base")
    with pytest.raises(InvalidDataError, match="a = new, b = base: 3 values against 2"):
        compare_systems({"base": [0.1, 0.2], "new": [0.1, 0.2, 0.3]}, "base")
    with pytest.raises(UnknownNameError, match="unknown significance test 'x'"):
        significance_marker("x", 0.01, 0.1)
    with pytest.raises(InvalidParameterError, match="53 systems; there are letters for at most 52"):
        superiority_letters({str(i): [0.1] for i in range(53)})
