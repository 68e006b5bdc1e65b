"""Feature binning: a feature as indicators of whether it exceeds thresholds.

A linear model over the indicators of a feature is a piecewise constant function of it. An indicator's name defines it,
such as ``bm25>12.5`` or ``percentile(bm25)>0.31``, so a model trained on binned features needs only the names of its
features to score documents whose features are not binned.

A value that is NaN is absent: the document has none, takes no part in choosing thresholds, and passes none of them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from rankmax._arrays import F64, readonly
from rankmax.data.binned_matrix import BinnedMatrix
from rankmax.data.dataset import RankingDataset
from rankmax.data.query_segments import QuerySegments
from rankmax.errors import InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged
from rankmax.preprocessing.registry import normalization_names

Spacing: TypeAlias = Literal["quantiles", "even"]
"""Spacing of thresholds: by quantiles, with about as many documents between any two, or at equal distances."""

_SENSITIVE = (0.01, 0.99)  # quantiles between which evenly spaced thresholds are
_ROUNDS = 20  # iterations of lowering the fair number of a bin; each reduces the excess by a factor


@dataclass(frozen=True)
class Indicator:
    """1 if a feature, normalized within the query, exceeds a threshold; otherwise 0.

    Attributes
    ----------
    feature : str
    threshold : float
    normalization : Normalization

    Examples
    --------
    >>> Indicator("bm25", 12.5).name
    'bm25>12.5'
    >>> Indicator.parse("percentile(bm25)>0.31")
    Indicator(feature='bm25', threshold=0.31, normalization=Percentile())
    >>> Indicator.parse("bm25") is None
    True
    """

    feature: str
    threshold: float
    normalization: Normalization = field(default_factory=Unchanged)

    @property
    def name(self) -> str:
        """Name that :meth:`parse` reads."""
        return f"{self.base}>{repr(float(self.threshold)).removesuffix('.0')}"

    @property
    def base(self) -> str:
        """Name of the value compared with the threshold."""
        return self.feature if self.normalization == Unchanged() else f"{self.normalization.name}({self.feature})"

    @staticmethod
    def parse(name: str) -> Indicator | None:
        """Return the indicator with a given name, or None if the name is not an indicator's.

        Parameters
        ----------
        name : str
        """
        base, _, number = name.rpartition(">")
        try:
            threshold = float(number)
        except ValueError:
            return None
        if not base or not math.isfinite(threshold):
            return None
        normalized = re.fullmatch(rf"({'|'.join(map(re.escape, normalization_names()))})\((.+)\)", base)
        if normalized is None:
            return Indicator(base, threshold)
        return Indicator(normalized[2], threshold, Normalization.named(normalized[1]))


@dataclass(frozen=True, eq=False)
class Binning:
    r"""Thresholds for each feature, which turn data into indicators.

    .. math:: \phi(x, d) = \langle 1_{[f(d|x) > k]} : f \in F, k \in K_f \rangle

    Attributes
    ----------
    thresholds : mapping from str to array of float64
        Thresholds by feature, ascending.
    normalization : Normalization
        Applied within each query before comparing.

    Examples
    --------
    >>> X = [[1.0], [2.0], [4.0], [8.0]]
    >>> data = RankingDataset.from_arrays(X, [0, 0, 1, 1], qid=[1, 1, 2, 2], feature_names=["bm25"])
    >>> binned = Binning.fit(data, n_thresholds=2).apply(data)
    >>> binned.feature_names, binned.features.toarray().tolist()
    (('bm25>3', 'bm25>6'), [[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])

    References
    ----------
    Yue, Finley, Radlinski & Joachims 2007, section 4.2.
    """

    thresholds: Mapping[str, F64]
    normalization: Normalization = field(default_factory=Unchanged)

    def __post_init__(self) -> None:
        for name, thresholds in self.thresholds.items():
            if not np.isfinite(thresholds).all() or (np.diff(thresholds) <= 0).any():
                raise InvalidDataError(f"the thresholds of {name!r} must be finite numbers that ascend")

    @classmethod
    def fit(
        cls,
        data: RankingDataset,
        *,
        n_thresholds: int = 50,
        spacing: Spacing = "quantiles",
        region: tuple[float, float] | None = None,
        normalization: str | Normalization = "none",
    ) -> Binning:
        """Choose thresholds by the values of features in some data.

        Parameters
        ----------
        data : RankingDataset
        n_thresholds : int
            Maximum number of thresholds of a feature. With quantiles, a feature of few distinct values has fewer, one
            between any two; a constant feature has none.
        spacing : {"quantiles", "even"}
            "quantiles" puts about as many documents between any two thresholds (a value shared by many documents counts
            as its bin's fair number, so that the others are separated, too); "even" puts thresholds at equal distances.
        region : pair of float, optional
            Range of evenly spaced thresholds; by default from the first to the last percentile of the values.
        normalization : str or Normalization
            Applied within each query before comparing. "percentile" and "min-max", with ``spacing="even"`` and
            ``region=(0, 1)``, make the features of SVM-acc3 and SVM-acc4.

        Examples
        --------
        >>> data = RankingDataset.from_arrays([[3.0], [5.0], [2.0], [9.0]], [0, 1, 0, 1], qid=[1, 1, 2, 2])
        >>> even = Binning.fit(data, n_thresholds=3, spacing="even", region=(0, 1), normalization="min-max")
        >>> even.feature_names
        ('min-max(f1)>0.25', 'min-max(f1)>0.5', 'min-max(f1)>0.75')
        """
        if isinstance(n_thresholds, bool) or not isinstance(n_thresholds, int | np.integer) or n_thresholds < 1:
            raise InvalidParameterError(f"n_thresholds is {n_thresholds!r}; expected a positive whole number")
        if spacing not in get_args(Spacing):
            raise UnknownNameError("spacing", str(spacing), get_args(Spacing))
        if region is not None and not (
            spacing == "even" and math.isfinite(region[1] - region[0]) and region[0] < region[1]
        ):
            raise InvalidParameterError(f"region is {region}; expected two ascending numbers, with spacing 'even'")
        chosen = Normalization.named(normalization)
        found = {}
        for name in data.feature_names:
            column = normalized_column(data, name, chosen)
            column = column[~np.isnan(column)]
            if not column.size or column.min() == column.max():
                found[name] = np.empty(0)
            elif spacing == "even":
                found[name] = _evenly(column, int(n_thresholds), region)
            else:
                found[name] = _by_quantiles(column, int(n_thresholds))
        if not any(thresholds.size for thresholds in found.values()):
            raise InvalidDataError(f"all {data.n_features} features are constant; there is nothing to bin")
        return cls(found, chosen)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the indicators, feature by feature, each by ascending threshold."""
        return tuple(
            Indicator(name, k, self.normalization).name
            for name, thresholds in self.thresholds.items()
            for k in thresholds.tolist()
        )

    def apply(self, data: RankingDataset) -> RankingDataset:
        """Return the data with features replaced by indicators, stored as codes.

        Parameters
        ----------
        data : RankingDataset
            Must have every feature that has thresholds.
        """
        used = {name: thresholds for name, thresholds in self.thresholds.items() if thresholds.size}
        data.select_features(list(used))  # raises if one is missing
        columns = {name: normalized_column(data, name, self.normalization) for name in used}
        return replace(data, features=_binned(columns, used), feature_names=self.feature_names)


def features_by_name(data: RankingDataset, names: Sequence[str]) -> RankingDataset:
    """Return the named features; indicators missing from the data are computed from their underlying features.

    Parameters
    ----------
    data : RankingDataset
    names : sequence of str

    Examples
    --------
    >>> data = RankingDataset.from_arrays([[1.0, 5.0], [3.0, 6.0]], [1, 0], qid=[7, 7], feature_names=["bm25", "age"])
    >>> features_by_name(data, ["age", "bm25>2"]).features.toarray()
    array([[5., 0.],
           [6., 1.]])
    """
    present = set(data.feature_names)
    made = {name: indicator for name in names if name not in present and (indicator := Indicator.parse(name))}
    if not made:
        return data.select_features(names)
    columns: dict[str, F64] = {}
    for indicator in made.values():
        # A feature may itself be named percentile(bm25): then that feature is compared.
        as_given = indicator.base in present
        source = indicator.base if as_given else indicator.feature
        if source in present and indicator.base not in columns:
            normalization = Unchanged() if as_given else indicator.normalization
            columns[indicator.base] = normalized_column(data, source, normalization)
    if columns and len(made) == len(names) and all(indicator.base in columns for indicator in made.values()):
        return replace(data, features=_indicators(columns, list(made.values())), feature_names=tuple(names))
    others = [name for name in names if name not in made]
    absent = dict.fromkeys(i.feature for i in made.values() if i.base not in columns)
    rest = data.select_features([*others, *absent])  # raises if one is missing
    from scipy.sparse import csc_array, hstack

    plain = rest.features.tocsc() if isinstance(rest.features, BinnedMatrix) else csc_array(rest.features)
    together = hstack([plain, _indicators(columns, list(made.values())).tocsc()], format="csc")
    position = {name: j for j, name in enumerate([*others, *made])}
    features = csc_array(together)[:, [position[name] for name in names]]
    return replace(data, features=features, feature_names=tuple(names))


def normalized_column(data: RankingDataset, name: str, normalization: Normalization) -> F64:
    """Return a feature's values, normalized over the documents of each query that have one; NaN for the others.

    Parameters
    ----------
    data : RankingDataset
    name : str
    normalization : Normalization
    """
    column = data.column(data.feature_names.index(name))
    present = ~np.isnan(column)
    if not present.any():
        return column
    n_present = np.concatenate([[0], np.cumsum(present)])[data.query_offsets]
    column[present] = normalization.normalize(column[present], QuerySegments(n_present))
    return column


def _binned(columns: Mapping[str, F64], thresholds: Mapping[str, F64]) -> BinnedMatrix:
    """Return a column for each threshold of each feature, feature by feature."""
    passed = [np.searchsorted(thresholds[name], column) for name, column in columns.items()]  # k < value
    n_thresholds = [thresholds[name].size for name in columns]
    return BinnedMatrix.of_passed(passed, n_thresholds, [np.isnan(column) for column in columns.values()])


def _indicators(columns: Mapping[str, F64], wanted: Sequence[Indicator]) -> BinnedMatrix:
    """Return a column for each indicator, in the given order, from the values of its base."""
    of_base: dict[str, list[float]] = {}
    for indicator in wanted:
        of_base.setdefault(indicator.base, []).append(indicator.threshold)
    thresholds = {base: np.unique(cuts) for base, cuts in of_base.items()}
    first = dict(zip(thresholds, np.cumsum([0, *map(len, thresholds.values())]).tolist(), strict=False))
    places = [first[one.base] + np.searchsorted(thresholds[one.base], one.threshold) for one in wanted]
    return _binned({base: columns[base] for base in thresholds}, thresholds).take_columns(np.array(places, np.int64))


def _by_quantiles(column: F64, n_thresholds: int) -> F64:
    values, counts = np.unique(column, return_counts=True)
    gaps = np.arange(values.size - 1)
    if gaps.size > n_thresholds:
        fair = counts.astype(np.float64)
        for _ in range(_ROUNDS):  # no value counts for more than its bin's fair number
            fair = np.minimum(fair, fair.sum() / (n_thresholds + 1))
        share = np.cumsum(fair)[:-1] / fair.sum()
        wanted = np.arange(1, n_thresholds + 1) / (n_thresholds + 1)
        gaps = np.unique(np.minimum(np.searchsorted(share, wanted), gaps.size - 1))
    return readonly(np.array([_shortest(values[gap], values[gap + 1]) for gap in gaps]))


def _evenly(column: F64, n_thresholds: int, region: tuple[float, float] | None) -> F64:
    low, high = np.quantile(column, _SENSITIVE) if region is None else region
    if low == high:
        low, high = column.min(), column.max()
    step = (high - low) / (n_thresholds + 1)
    exact = low + step * np.arange(1, n_thresholds + 1)
    return readonly(np.array([_shortest(k - step / 100, k + step / 100) for k in exact]))


def _shortest(low: float, high: float) -> float:
    """Return the number with the fewest digits between two, near their middle, or `low` if there is none."""
    middle = 0.5 * low + 0.5 * high
    for digits in range(1, 17):
        number = float(f"{middle:.{digits}g}")
        if low < number < high:
            return number
    return float(low)
