"""Indicators of thresholds, which their names define."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from rankmax.preprocessing.feature_normalization import Normalization, Unchanged
from rankmax.preprocessing.registry import normalization_names


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
