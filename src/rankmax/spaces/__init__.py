"""Parameter spaces: constraints on the weights, and which weights rank alike."""

from rankmax.spaces.augmented_simplex import AugmentedSimplex, augment, translate_back
from rankmax.spaces.equivalence import canonical, cosine_distance, geodesic_distance, rank_equivalent
from rankmax.spaces.euclidean import Euclidean
from rankmax.spaces.links import Link
from rankmax.spaces.parameter_space import Line, ParameterSpace
from rankmax.spaces.registry import space_named, space_names
from rankmax.spaces.simplex import Simplex

__all__ = [
    "AugmentedSimplex",
    "Euclidean",
    "Line",
    "Link",
    "ParameterSpace",
    "Simplex",
    "augment",
    "canonical",
    "cosine_distance",
    "geodesic_distance",
    "rank_equivalent",
    "space_named",
    "space_names",
    "translate_back",
]
