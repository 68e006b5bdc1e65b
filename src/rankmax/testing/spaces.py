"""The contract of a parameter space, as tests to inherit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from rankmax._arrays import F64
from rankmax.data.synthetic import planted_linear
from rankmax.errors import RankmaxError
from rankmax.spaces.equivalence import rank_equivalent
from rankmax.spaces.parameter_space import ParameterSpace

_CLOSE = 1e-9


class SpaceContract:
    """Tests that every space passes; inherit in a test class whose name starts with ``Test``.

    Attributes
    ----------
    spaces : sequence of ParameterSpace
        The space under test, with all parameters to test.
    dimensions : sequence of int
        Numbers of features of the prepared data to test with.

    Examples
    --------
    >>> from rankmax.spaces import Simplex
    >>> class TestMySpace(SpaceContract):
    ...     spaces = [Simplex()]
    >>> TestMySpace().test_start_and_samples_are_points()
    """

    spaces: Sequence[ParameterSpace] = ()
    dimensions: Sequence[int] = (2, 3, 8)

    def test_there_is_a_space_to_test(self) -> None:
        """An empty contract would pass."""
        assert self.spaces
        assert all(isinstance(space.name, str) and space.name for space in self.spaces)

    def test_start_and_samples_are_points(self) -> None:
        """Both are float64, of the right length, in the space; a sample depends on the generator alone."""
        for space, n_features, rng in self._cases():
            for w in (space.start(n_features), space.sample(n_features, rng)):
                assert w.shape == (n_features,)
                assert w.dtype == np.float64
                assert space.contains(w)
            first, again, other = (space.sample(n_features, np.random.default_rng(seed)) for seed in (5, 5, 6))
            assert np.array_equal(first, again)
            assert not np.array_equal(first, other)

    def test_no_features_are_refused(self) -> None:
        """A space has at least one dimension."""
        for space in self.spaces:
            assert _refused(lambda space=space: space.start(0))  # type: ignore[misc]
            assert _refused(lambda space=space: space.sample(0, np.random.default_rng(1)))  # type: ignore[misc]

    def test_projections_are_points(self) -> None:
        """Every finite vector is projected into the space, and is not changed itself."""
        for space, n_features, rng in self._cases():
            for w in _vectors(n_features, rng):
                given = w.copy()
                assert space.contains(space.project(w)), w
                assert np.array_equal(w, given)

    def test_projection_leaves_points_alone(self) -> None:
        """Bit for bit."""
        for space, n_features, rng in self._cases():
            points = [space.project(w) for w in _vectors(n_features, rng)]
            for point in [*points, space.start(n_features), space.sample(n_features, rng)]:
                projected = space.project(point)
                assert np.array_equal(projected, point)
                assert projected is not point

    def test_projection_does_not_depend_on_scale(self) -> None:
        """Positive multiples give the same ranking, so their projections do."""
        for space, n_features, rng in self._cases():
            w = rng.standard_normal(n_features)
            once, thrice = (space.restore(space.project(c * w)) for c in (1.0, 3.0))
            assert rank_equivalent(once, thrice)

    def test_lines_keep_the_ranking_when_projected(self) -> None:
        """Inside the feasible interval, and only there, a point ranks like its projection."""
        for space, n_features, rng in self._cases():
            for direction in (rng.standard_normal(n_features), np.eye(n_features)[0]):
                w = space.sample(n_features, rng)
                line = space.line(w, direction)
                assert np.array_equal(line.direction, direction)
                assert line.low <= 0 <= line.high
                for mu in np.linspace(max(line.low, -5.0), min(line.high, 5.0), 9)[1:-1]:
                    assert _keeps_ranking(space, w + mu * direction)
                for end, beyond in ((line.low, line.low - 0.5), (line.high, line.high + 0.5)):
                    if np.isfinite(end):
                        assert not _keeps_ranking(space, w + beyond * direction), "the line ends too early"

    def test_canonical_points_stand_for_all_that_rank_alike(self) -> None:
        """The canonical form ranks like the point, is the same for its multiples, and its own canonical form."""
        for space, n_features, rng in self._cases():
            w = space.sample(n_features, rng)
            canonical = space.canonical(w)
            assert rank_equivalent(space.restore(canonical), space.restore(w))
            for same in (canonical, 7.0 * w, w / 3.0):
                assert np.abs(space.canonical(same) - canonical).max() <= _CLOSE

    def test_distance(self) -> None:
        """It is 0 between points of the same ranking, positive otherwise, and symmetric."""
        for space, n_features, rng in self._cases():
            u, v = space.sample(n_features, rng), space.sample(n_features, rng)
            assert (space.distance(u, v) > _CLOSE) != rank_equivalent(space.restore(u), space.restore(v))
            assert space.distance(u, v) == space.distance(v, u)
            assert space.distance(u, u) == 0
            assert space.distance(u, 5.0 * u) <= _CLOSE
            assert space.distance(u, space.canonical(u)) <= _CLOSE

    def test_restored_weights_rank_as_the_point_ranks_prepared_data(self) -> None:
        """An optimizer's result on prepared data holds for the data itself."""
        for n_features in self.dimensions:
            data = planted_linear(5, 12, n_features, seed=n_features).data
            for space in self.spaces:
                prepared = space.prepare(data)
                assert prepared.judgments is data.judgments
                w = space.sample(prepared.n_features, np.random.default_rng(n_features))
                ours, theirs = prepared.scores(w), data.scores(space.restore(w))
                for first, stop in zip(data.query_offsets[:-1], data.query_offsets[1:], strict=True):
                    assert np.array_equal(np.argsort(-ours[first:stop]), np.argsort(-theirs[first:stop]))

    def test_embedded_weights_are_points_that_restore_them(self) -> None:
        """Positive weights can be embedded in every space."""
        for space, n_features, rng in self._cases():
            w = rng.uniform(0.1, 9.0, n_features)
            point = space.embed(w)
            assert space.contains(point)
            assert rank_equivalent(space.restore(point), w)

    def test_what_is_no_vector_of_numbers_is_refused(self) -> None:
        """NaN, infinities, matrices, text and wrong lengths raise an error of rankmax, and are not points."""
        for space in self.spaces:
            w = space.start(3)
            for wrong in (np.append(w[1:], np.nan), np.append(w[1:], np.inf), w[None], [], ["a", "b", "c"]):
                assert not space.contains(wrong)
                for act in (space.project, space.canonical, space.embed, space.restore):
                    assert _refused(lambda act=act, wrong=wrong: act(wrong))  # type: ignore[misc]
            for wrong in (w[1:], np.append(w[1:], np.nan)):
                for pair in (space.line, space.distance):
                    assert _refused(lambda pair=pair, w=w, wrong=wrong: pair(w, wrong))  # type: ignore[misc]
                    assert _refused(lambda pair=pair, w=w, wrong=wrong: pair(wrong, w))  # type: ignore[misc]
            assert _refused(lambda space=space, w=w: space.line(w, np.zeros(3)))  # type: ignore[misc]
            assert _refused(lambda space=space: space.canonical(np.zeros(3)))  # type: ignore[misc]

    def _cases(self) -> Iterator[tuple[ParameterSpace, int, np.random.Generator]]:
        for space in self.spaces:
            for n_features in self.dimensions:
                for seed in range(5):
                    yield space, n_features, np.random.default_rng(seed)


def _vectors(n_features: int, rng: np.random.Generator) -> Iterator[F64]:
    """Yield vectors of every sign pattern and size: those that an optimizer may reach, and others."""
    normal = rng.standard_normal(n_features)
    for w in (normal, np.abs(normal), -np.abs(normal), np.eye(n_features)[0], -np.eye(n_features)[0]):
        yield from (w, 1e200 * w, 1e-200 * w)
    yield from (np.full(n_features, c) for c in (0.0, 1.0, -1.0, 1e308, 5e-324))
    yield np.where(np.arange(n_features) % 2, 1.7e308, -1.7e308)
    yield np.where(np.arange(n_features) % 2, 1.0, 1.0 + 2.3e-16)


def _keeps_ranking(space: ParameterSpace, w: F64) -> bool:
    return rank_equivalent(space.restore(space.project(w)), space.restore(w))


def _refused(action: Callable[[], object]) -> bool:
    try:
        action()
    except RankmaxError:
        return True
    return False
