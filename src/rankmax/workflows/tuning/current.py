"""The current fusion, as given by the user."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankmax._arrays import F64
from rankmax.data.content_hash import data_hash
from rankmax.errors import IncompatibleError, InvalidParameterError, RankmaxError
from rankmax.formats.parsing.numbers import finite_number
from rankmax.fusion.candidates import FixedWeights, weighted_sum
from rankmax.fusion.engine_normalizations import min_max_of, spoken
from rankmax.fusion.priors import prior_of_current
from rankmax.fusion.signals import Signals
from rankmax.fusion.standard_candidates import COMB_SUM, RRF
from rankmax.metrics.metric import Metric
from rankmax.models import LinearModel, StackedModel, load_any_model
from rankmax.preprocessing.feature_normalization import Normalization

CURRENT = "current"
"""The family of the current fusion where it is given by weights or a model."""


@dataclass(frozen=True, eq=False)
class CurrentFusion:
    """The fusion in use today.

    Attributes
    ----------
    candidate : FixedWeights
    assumed : bool
        Whether it was assumed, because none was given.
    tuned_here : bool
        Whether it is a model that was tuned on the same queries, so that its values are not held out.
    """

    candidate: FixedWeights
    assumed: bool
    tuned_here: bool = False

    @property
    def label(self) -> str:
        """Display name of the fusion."""
        return self.candidate.label


def current_fusion(
    text: str | LinearModel | None,
    signals: Signals,
    metrics: Sequence[Metric],
    candidates: Sequence[FixedWeights],
    normalizations: Sequence[Normalization] = (),
) -> CurrentFusion:
    """Return the current fusion as given by the user.

    Parameters
    ----------
    text : str, LinearModel or None
        A system's name; ``RRF`` or ``CombSUM``; weights, as ``bm25=0.3,e5=0.7`` for min-max normalized scores or
        ``l2:bm25=0.3,e5=0.7`` for others; or a model, or the path of one. When left out, RRF is assumed for runs,
        and CombSUM, equal weights of min-max normalized features, for a log.
    signals : Signals
    metrics : sequence of Metric
    candidates : sequence of FixedWeights
        Candidates that include the systems, RRF and CombSUM.
    normalizations : sequence of Normalization
        Normalizations that tuning is limited to, if it is; min-max is taken from these where they include it.
    """
    if isinstance(text, LinearModel):
        normalization, weights, tuned_here = _of_model(text, "model", signals)
        return _current(normalization, weights, "model", signals, metrics, tuned_here=tuned_here)
    wanted = text.strip() if text is not None else RRF if signals.from_runs else COMB_SUM
    found = [one for one in candidates if one.label == wanted]
    found = found or [one for one in candidates if one.label in (RRF, COMB_SUM) and one.label.lower() == wanted.lower()]
    if found:
        return CurrentFusion(found[0], assumed=text is None)
    tuned_here = False
    if os.path.isfile(wanted):
        model = load_any_model(wanted)
        if isinstance(model, StackedModel):
            model = model.fusion
        if not isinstance(model, LinearModel):
            raise IncompatibleError(
                f"--current {wanted}: expected a model with one set of weights, as tune -o writes it"
            )
        normalization, weights, tuned_here = _of_model(model, wanted, signals)
        label = os.path.basename(wanted)
    elif "=" in wanted:
        normalization, weights, given = _of_weights(wanted, signals, normalizations)
        label = f"weights {given} ({spoken(normalization)})"
    else:
        raise InvalidParameterError(
            f"--current {wanted!r} is not a known fusion: give {RRF}, {COMB_SUM}, one of the systems "
            f"({', '.join(signals.names[:6])}{', ...' if len(signals.names) > 6 else ''}), weights such as "
            f"{signals.names[0]}=0.3,{signals.names[-1]}=0.7, or a model file"
        )
    return _current(normalization, weights, label, signals, metrics, tuned_here=tuned_here)


def _current(
    normalization: Normalization,
    weights: F64,
    label: str,
    signals: Signals,
    metrics: Sequence[Metric],
    *,
    tuned_here: bool,
) -> CurrentFusion:
    fusion = weighted_sum(signals.data, normalization, weights, metrics)
    prior = prior_of_current(normalization, weights, signals.from_runs)
    return CurrentFusion(FixedWeights(CURRENT, label, fusion, prior), assumed=False, tuned_here=tuned_here)


def _of_model(model: LinearModel, source: str, signals: Signals) -> tuple[Normalization, F64, bool]:
    given = dict(zip(model.feature_names, model.weights.tolist(), strict=True))
    tuned_here = model.provenance.data_hash == data_hash(signals.data) and np.ptp(model.weights) > 0
    return model.normalization, _by_name(given, signals, source), bool(tuned_here)


def _of_weights(text: str, signals: Signals, normalizations: Sequence[Normalization]) -> tuple[Normalization, F64, str]:
    """Return the normalization, the weights, and the part of the text that gives the weights."""
    # Names of systems go first, so that these may have colons, commas and equals signs.
    known = "|".join(re.escape(name) for name in sorted(signals.names, key=len, reverse=True))
    prefix, colon, pairs = text.partition(":")
    if not colon or "=" in prefix or re.match(rf"\s*(?:{known})\s*=", text):
        normalization, pairs = min_max_of(signals, normalizations), text
    else:
        try:
            normalization = Normalization.named(prefix.strip())
        except RankmaxError as error:
            raise InvalidParameterError(f"--current {text!r}: {error}") from None
    pair = re.compile(rf"\s*({known}|[^,]*?)\s*=([^,=]*)(,|$)")
    given: dict[str, float] = {}
    position, more = 0, True
    while more:
        match = pair.match(pairs, position)
        try:
            if match is None:
                raise ValueError
            weight = finite_number(match[2])
        except ValueError:
            wrong = pairs[position:].partition(",")[0]
            raise InvalidParameterError(f"--current {text!r}: {wrong!r} is not NAME=NUMBER") from None
        if match[1] in given:
            raise InvalidParameterError(f"--current {text!r}: {match[1]!r} is given twice")
        given[match[1]] = weight
        position, more = match.end(), match[3] == ","
    return normalization, _by_name(given, signals, text), pairs


def _by_name(given: dict[str, float], signals: Signals, source: str) -> F64:
    unknown = [name for name, weight in given.items() if weight and name not in signals.names]
    if unknown:
        raise InvalidParameterError(
            f"--current {source}: {unknown[0]!r} is not among the tuned systems ({', '.join(signals.names[:6])}); give "
            "its file too, or name files with name=file"
        )
    weights = np.array([given.get(name, 0.0) for name in signals.names])
    if not weights.any():
        raise InvalidParameterError(f"--current {source}: all weights are 0")
    return weights
