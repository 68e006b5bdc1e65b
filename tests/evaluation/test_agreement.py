"""Krippendorff's alpha against published values, its definition, and the package krippendorff."""

from __future__ import annotations

import numpy as np
import pytest

from rankmax.errors import InvalidDataError, UnknownNameError
from rankmax.evaluation.agreement import Level, judge_agreement, krippendorff_alpha

NAN = float("nan")
PUBLISHED = np.array(  # Krippendorff 2011, section C: four observers, twelve units
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T
LEVELS: list[Level] = ["nominal", "ordinal", "interval"]


@pytest.mark.parametrize(("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_the_published_example(level: Level, value: float) -> None:
    assert krippendorff_alpha(PUBLISHED, level) == pytest.approx(value, abs=5e-4)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(10))
def test_it_is_its_definition_by_pairs(level: Level, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ratings = rng.integers(0, 4, (12, 3)).astype(float)
    ratings[rng.random(ratings.shape) < 0.3] = NAN
    units = [row[~np.isnan(row)] for row in ratings if (~np.isnan(row)).sum() > 1]
    values = np.concatenate(units)

    def distance(a: float, b: float) -> float:
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return (a - b) ** 2
        low, high = min(a, b), max(a, b)
        between = sum(low <= v <= high for v in values) - (sum(values == a) + sum(values == b)) / 2
        return between**2 if a != b else 0.0

    observed = sum(
        distance(a, b) / (len(unit) - 1) for unit in units for i, a in enumerate(unit) for b in np.delete(unit, i)
    )
    chance = sum(distance(a, b) for a in values for b in values) / (len(values) - 1)
    assert krippendorff_alpha(ratings, level) == pytest.approx(1 - observed / chance)


@pytest.mark.parametrize("level", LEVELS)
def test_it_agrees_with_the_package(level: Level) -> None:
    package = pytest.importorskip("krippendorff")
    assert krippendorff_alpha(PUBLISHED, level) == pytest.approx(package.alpha(PUBLISHED.T, level_of_measurement=level))


def test_a_judge_unlike_the_others_stands_out() -> None:
    found = judge_agreement([[0, 0, 3], [1, 1, 2], [2, 2, 1], [3, 3, 0]], ["ann", "bob", "eve"])
    assert found.alpha["ordinal"] < 0.2
    assert [one.alpha_without for one in found.judges][2] == 1
    assert found.to_dict()["judges"][2]["judge"] == "eve"
    assert len(found.to_frame()) == 3


def test_what_cannot_be_computed_is_a_dash() -> None:
    shown = str(judge_agreement([[0, 0], [1, 1], [2, 1]], ["ann", "bob"]))
    assert "nan" not in shown
    assert [line.split()[-1] for line in shown.splitlines()[-2:]] == ["-", "-"]
    equal = str(judge_agreement([[1, 1, NAN], [1, 1, NAN], [NAN, NAN, 1]], ["ann", "bob", "eve"]))
    assert "nan" not in equal


def test_mistakes_are_named() -> None:
    with pytest.raises(InvalidDataError, match="no document has grades of two judges"):
        judge_agreement([[1, NAN], [NAN, 2]], ["ann", "bob"])
    with pytest.raises(UnknownNameError, match="ratio"):
        krippendorff_alpha(PUBLISHED, "ratio")  # type: ignore[arg-type]
    assert np.isnan(krippendorff_alpha([[1, 1], [1, 1]]))
