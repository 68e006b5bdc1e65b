"""Weights of either sign, as points of a simplex with one additional feature."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64
from rankmax.data.dataset import RankingDataset
from rankmax.errors import InvalidDataError
from rankmax.spaces.equivalence import canonical, geodesic_distance
from rankmax.spaces.parameter_space import Line, ParameterSpace, point_and_direction
from rankmax.spaces.simplex import Simplex
from rankmax.spaces.vectors import require_features, tamed, weight_vector

AUGMENTED_FEATURE = "augmented"


@dataclass(frozen=True)
class AugmentedSimplex(ParameterSpace):
    r"""The simplex over the features and one more that makes their sum the same for every document.

    .. math:: \tilde f_{d+1} = K - \sum_{j \le d} f_j, \qquad
              \mathbb{P}^d = \{\theta \in \mathbb{R}^{d+1} : \theta_j \ge 0, \sum_j \theta_j = 1\}

    As the augmented features add up to K, adding a constant to all weights adds the same to all scores. Weights of
    either sign can therefore be shifted until none is negative, and scaled: unlike :class:`Simplex`, this space has a
    rank-equivalent point for every weight vector. Its weights are for the features of ``prepare(data)``, the
    augmented one last; ``restore`` shifts them until that one's weight is 0, and drops it.

    The center of the simplex, where all scores are equal, represents the zero vector and is not a point of this space.

    Examples
    --------
    >>> space = AugmentedSimplex()
    >>> space.embed([3.0, -1.0])
    array([0.8, 0. , 0.2])
    >>> space.restore([0.8, 0.0, 0.2])
    array([ 0.6, -0.2])

    References
    ----------
    Metzler (2005), sections 3.2 to 3.4.
    """

    name: ClassVar[str] = "augmented-simplex"

    def contains(self, w: ArrayLike) -> bool:
        """Return whether no weight is negative, their sum is 1, and they are not all equal."""
        return Simplex().contains(w) and _differ(np.asarray(w))

    def project(self, w: ArrayLike) -> F64:
        r"""Return the weights shifted so that the smallest is 0, and scaled to the sum 1; the ranking stays the same.

        .. math:: \lambda'_i = (\lambda_i - k) / W, \qquad k = \min_i \lambda_i, \quad W = \sum_i (\lambda_i - k)

        (Metzler shifts nothing where no weight is negative, :math:`k = \min\{0, \min_i \lambda_i\}`; always shifting
        gives the same ranking and does not round away the differences of large weights.) Equal weights rank nothing
        and become :meth:`start`.

        Examples
        --------
        >>> AugmentedSimplex().project([3.0, -1.0, 0.0])
        array([0.8, 0. , 0.2])

        References
        ----------
        Metzler (2005), section 3.3, the theorem.
        """
        weights = _augmented(w)
        if self.contains(weights):
            return weights
        return self.canonical(weights) if _differ(weights) else self.start(weights.size)

    def start(self, n_features: int) -> F64:
        """Return uniform weights for all features but the augmented one, which gets 0.

        Uniform weights for all of them are the center of the simplex, where every document has the same score.

        Parameters
        ----------
        n_features : int
            Number of features of the prepared data, so at least 2.

        Examples
        --------
        >>> AugmentedSimplex().start(3)
        array([0.5, 0.5, 0. ])
        """
        require_features(n_features, at_least=2)
        return np.append(np.full(n_features - 1, 1 / (n_features - 1)), 0.0)

    def sample(self, n_features: int, rng: np.random.Generator) -> F64:
        """Return a point uniform on the simplex: Dirichlet(1, ..., 1)."""
        require_features(n_features, at_least=2)
        return Simplex().sample(n_features, rng)

    def line(self, w: ArrayLike, direction: ArrayLike) -> Line:
        """Return the whole line: each of its points has a rank-equivalent one in the space."""
        _, heading = point_and_direction(_augmented(w), direction)
        if not _differ(heading):
            raise InvalidDataError("the direction moves all weights alike, which changes no ranking of augmented data")
        return Line(heading, -math.inf, math.inf)

    def distance(self, u: ArrayLike, v: ArrayLike) -> float:
        """Return the geodesic distance of the canonical points."""
        return geodesic_distance(self.canonical(u), self.canonical(v))

    def canonical(self, w: ArrayLike) -> F64:
        """Return the rank-equivalent point whose smallest weight is 0.

        Parameters
        ----------
        w : array-like, shape (n_features + 1,)
            Weights that are not all equal.

        Examples
        --------
        >>> space = AugmentedSimplex()
        >>> space.canonical([0.6, 0.1, 0.3]), space.canonical([0.5, 0.0, 0.2])
        (array([0.71428571, 0.        , 0.28571429]), array([0.71428571, 0.        , 0.28571429]))
        """
        weights = _augmented(w)
        if not _differ(weights):
            raise InvalidDataError("all weights are equal; on augmented data such weights rank nothing")
        scaled = tamed(weights)
        return canonical(scaled - scaled.min())

    def prepare(self, data: RankingDataset) -> RankingDataset:
        """Return the data with the augmented feature, for K = 0."""
        return augment(data)

    def embed(self, w: ArrayLike) -> F64:
        """Return the point that ranks augmented data as the weights rank the data."""
        return self.project(np.append(weight_vector(w), 0.0))

    def restore(self, w: ArrayLike) -> F64:
        """Return weights that rank the data as `w` ranks augmented data."""
        return translate_back(w)


def augment(data: RankingDataset, *, total: float = 0.0) -> RankingDataset:
    r"""Return the data with a last feature :math:`f_{d+1} = K - \sum_j f_j`, named "augmented".

    Features become float64: a rounded sum would not be constant, and the reduction rests on that.

    Parameters
    ----------
    data : RankingDataset
        Data whose features are to be augmented.
    total : float
        K, the sum of every document's features. Any K gives the same ranking; 0 rounds least and keeps documents
        without features sparse.

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0, 0.5], [0.25, 0.0]], [1, 0], qid=[7, 7])
    >>> augment(data, total=2.0).features
    array([[1.  , 0.5 , 0.5 ],
           [0.25, 0.  , 1.75]])

    References
    ----------
    Metzler (2005), section 3.2.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        column = total + data.scores(np.full(data.n_features, -1.0))
    finite = np.isfinite(column)
    if not finite.all():
        row = int(np.argmin(finite))
        raise InvalidDataError(f"the features of document {row} add up to more than a float holds; normalize first")
    if isinstance(data.features, np.ndarray):
        features = np.empty((data.n_documents, data.n_features + 1), order="F")
        features[:, :-1] = data.features
        features[:, -1] = column
    else:
        from scipy.sparse import csc_array, hstack

        features = hstack([data.features.tocsc().astype(np.float64), csc_array(column[:, None])], format="csc")
    return replace(data, features=features, feature_names=(*data.feature_names, AUGMENTED_FEATURE))


def translate_back(w: ArrayLike) -> F64:
    r"""Return weights of the original features that rank as `w` ranks the augmented ones.

    .. math:: \lambda_i = \tilde\lambda_i - \tilde\lambda_{d+1}

    Parameters
    ----------
    w : array-like, shape (n_features + 1,)
        Weights with the augmented feature's last.

    Examples
    --------
    >>> translate_back([0.75, 0.0, 0.25])
    array([ 0.5 , -0.25])

    References
    ----------
    Metzler (2005), section 3.3, last paragraph.
    """
    weights = _augmented(w)
    translated: F64 = weights[:-1] - weights[-1]
    return translated


def _differ(weights: F64) -> bool:
    return bool(weights.min() < weights.max())


def _augmented(w: ArrayLike) -> F64:
    weights = weight_vector(w)
    if weights.size < 2:
        raise InvalidDataError("there is 1 weight; an augmented space has one for each feature and one more")
    return weights
