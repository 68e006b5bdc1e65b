"""Feature binning: a feature as indicators of whether it exceeds thresholds.

A linear model over the indicators of a feature is a piecewise constant function of it. An indicator's name defines it,
such as ``bm25>12.5`` or ``percentile(bm25)>0.31``, so a model trained on binned features needs only the names of its
features to score documents whose features are not binned.

A value that is NaN is absent: the document has none, takes no part in choosing thresholds, and passes none of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from rankmax._arrays import F64, I64
from rankmax.data.binned_matrix import BinnedMatrix
from rankmax.data.dataset import RankingDataset
from rankmax.data.query_segments import QuerySegments
from rankmax.errors import InvalidDataError, InvalidParameterError, UnknownNameError
from rankmax.preprocessing.feature_normalization import Normalization, Unchanged
from rankmax.preprocessing.indicators import Indicator
from rankmax.preprocessing.thresholds import even_thresholds, quantile_thresholds

Spacing: TypeAlias = Literal["quantiles", "even"]
"""Spacing of thresholds: by quantiles, with about as many documents between any two, or at equal distances."""


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
        if spacing not in get_args(Spacing):
            raise UnknownNameError("spacing", str(spacing), get_args(Spacing))
        if region is not None and not (
            spacing == "even" and math.isfinite(region[1] - region[0]) and region[0] < region[1]
        ):
            raise InvalidParameterError(f"region is {region}; expected two ascending numbers, with spacing 'even'")
        chosen = Normalization.named(normalization)
        if spacing == "quantiles":
            counted = ((name, *value_counts(data, name, chosen)) for name in data.feature_names)
            return cls.fit_counts(counted, n_thresholds=n_thresholds, normalization=chosen)
        n_thresholds = _number_of_thresholds(n_thresholds)
        found = {}
        for name in data.feature_names:
            column = normalized_column(data, name, chosen)
            column = column[~np.isnan(column)]
            varies = column.size and column.min() < column.max()
            found[name] = even_thresholds(column, n_thresholds, region) if varies else np.empty(0)
        return cls(_some(found), chosen)

    @classmethod
    def fit_counts(
        cls,
        counted: Iterable[tuple[str, F64, I64]],
        *,
        n_thresholds: int = 50,
        normalization: str | Normalization = "none",
    ) -> Binning:
        """Choose thresholds by quantiles of values that were counted before, such as in the parts of a data set.

        Parameters
        ----------
        counted : iterable of (str, array of float64, array of int64)
            Each feature's name, its distinct values, ascending, and the number of documents with each, as of
            :func:`value_counts`.
        n_thresholds : int
            Maximum number of thresholds of a feature.
        normalization : str or Normalization
            The normalization of the counted values.

        Examples
        --------
        >>> Binning.fit_counts([("bm25", np.array([1.0, 2.0, 4.0]), np.array([5, 1, 1]))]).feature_names
        ('bm25>1.5', 'bm25>3')
        """
        number = _number_of_thresholds(n_thresholds)
        found = {name: quantile_thresholds(values, counts, number) for name, values, counts in counted}
        return cls(_some(found), Normalization.named(normalization))

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
        columns = (normalized_column(data, name, self.normalization) for name in used)
        return replace(data, features=_binned(columns, list(used.values())), feature_names=self.feature_names)


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


def value_counts(data: RankingDataset, name: str, normalization: Normalization) -> tuple[F64, I64]:
    """Return the distinct values of a normalized feature, ascending, and the number of documents with each.

    Parameters
    ----------
    data : RankingDataset
    name : str
    normalization : Normalization
    """
    column = normalized_column(data, name, normalization)
    return np.unique(column[~np.isnan(column)], return_counts=True)


def _number_of_thresholds(given: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1:
        raise InvalidParameterError(f"n_thresholds is {given!r}; expected a positive whole number")
    return int(given)


def _some(thresholds: dict[str, F64]) -> dict[str, F64]:
    if not any(own.size for own in thresholds.values()):
        raise InvalidDataError(f"all {len(thresholds)} features are constant; there is nothing to bin")
    return thresholds


def _binned(columns: Iterable[F64], thresholds: Sequence[F64]) -> BinnedMatrix:
    """Return a column for each threshold of each feature, feature by feature."""
    passed = (
        np.where(np.isnan(column), -1, np.searchsorted(cuts, column))  # k < value
        for cuts, column in zip(thresholds, columns, strict=True)
    )
    return BinnedMatrix.of_passed(passed, [cuts.size for cuts in thresholds])


def _indicators(columns: Mapping[str, F64], wanted: Sequence[Indicator]) -> BinnedMatrix:
    """Return a column for each indicator, in the given order, from the values of its base."""
    of_base: dict[str, list[float]] = {}
    for indicator in wanted:
        of_base.setdefault(indicator.base, []).append(indicator.threshold)
    thresholds = {base: np.unique(cuts) for base, cuts in of_base.items()}
    first = dict(zip(thresholds, np.cumsum([0, *map(len, thresholds.values())]).tolist(), strict=False))
    places = [first[one.base] + np.searchsorted(thresholds[one.base], one.threshold) for one in wanted]
    binned = _binned((columns[base] for base in thresholds), list(thresholds.values()))
    return binned.take_columns(np.array(places, np.int64))
