"""The fusion in use today, as a user names it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankmax.arrays import F64
from rankmax.data.content_hash import data_hash
from rankmax.data.normalise import Normalisation
from rankmax.errors import IncompatibleError, InvalidParameterError, RankmaxError
from rankmax.fusion.candidates import FixedWeights, weighted_sum
from rankmax.fusion.normalisations import min_max_of, spoken
from rankmax.fusion.priors import prior_of_current
from rankmax.fusion.signals import Signals
from rankmax.fusion.standard import COMB_SUM, RRF
from rankmax.metrics.base import Metric
from rankmax.models import LinearModel, load_model

CURRENT = "current"
"""The family of weights, or of a model, that is in use."""


@dataclass(frozen=True, eq=False)
class CurrentFusion:
    """What runs today.

    Attributes
    ----------
    candidate : FixedWeights
    assumed : bool
        Whether nobody said so.
    tuned_here : bool
        Whether it is a model that was tuned on these very queries, so that its values are not held out.
    """

    candidate: FixedWeights
    assumed: bool
    tuned_here: bool = False

    @property
    def label(self) -> str:
        """What it is called."""
        return self.candidate.label


def current_fusion(
    text: str | None,
    signals: Signals,
    metrics: Sequence[Metric],
    candidates: Sequence[FixedWeights],
    normalisations: Sequence[Normalisation] = (),
) -> CurrentFusion:
    """Return the fusion that a user says is in use.

    Parameters
    ----------
    text : str or None
        A system's name; ``RRF`` or ``CombSUM``; weights, as ``bm25=0.3,e5=0.7`` for min-max normalised scores or
        ``l2:bm25=0.3,e5=0.7`` for others; or the path of a model. When left out, RRF is assumed for runs, and CombSUM,
        equal weights of min-max normalised features, for a log.
    signals : Signals
    metrics : sequence of Metric
    candidates : sequence of FixedWeights
        Among which systems, RRF and CombSUM are found.
    normalisations : sequence of Normalisation
        To which tuning is limited, if it is; min-max is taken from these where it is among them.
    """
    wanted = text.strip() if text is not None else RRF if signals.from_runs else COMB_SUM
    found = [one for one in candidates if one.label == wanted]
    found = found or [one for one in candidates if one.label in (RRF, COMB_SUM) and one.label.lower() == wanted.lower()]
    if found:
        return CurrentFusion(found[0], assumed=text is None)
    tuned_here = False
    if os.path.isfile(wanted):
        normalisation, weights, tuned_here = _of_model(wanted, signals)
        label = os.path.basename(wanted)
    elif "=" in wanted:
        normalisation, weights = _of_weights(wanted, signals, normalisations)
        label = f"weights {wanted.rpartition(':')[2]} ({spoken(normalisation)})"
    else:
        raise InvalidParameterError(
            f"--current {wanted!r} is not a known fusion: give {RRF}, {COMB_SUM}, one of the systems "
            f"({', '.join(signals.names[:6])}{', ...' if len(signals.names) > 6 else ''}), weights such as "
            f"{signals.names[0]}=0.3,{signals.names[-1]}=0.7, or a model file"
        )
    fusion = weighted_sum(signals.data, normalisation, weights, metrics)
    prior = prior_of_current(normalisation, weights, signals)
    return CurrentFusion(FixedWeights(CURRENT, label, fusion, prior), assumed=False, tuned_here=tuned_here)


def _of_model(path: str, signals: Signals) -> tuple[Normalisation, F64, bool]:
    model = load_model(path)
    if not isinstance(model, LinearModel):
        raise IncompatibleError(f"--current {path}: expected a model with one set of weights, as tune -o writes it")
    given = dict(zip(model.feature_names, model.weights.tolist(), strict=True))
    tuned_here = model.provenance.data_hash == data_hash(signals.data) and np.ptp(model.weights) > 0
    return model.normalisation, _by_name(given, signals, path), bool(tuned_here)


def _of_weights(text: str, signals: Signals, normalisations: Sequence[Normalisation]) -> tuple[Normalisation, F64]:
    prefix, colon, pairs = text.rpartition(":")
    try:
        normalisation = Normalisation.named(prefix.strip()) if colon else min_max_of(signals, normalisations)
    except RankmaxError as error:
        raise InvalidParameterError(f"--current {text!r}: {error}") from None
    given: dict[str, float] = {}
    for pair in pairs.split(","):
        name, equals, number = pair.rpartition("=")
        try:
            weight = float(number) if equals else np.nan
        except ValueError:
            weight = np.nan
        if not np.isfinite(weight):
            raise InvalidParameterError(f"--current {text!r}: {pair!r} is not NAME=NUMBER")
        if name.strip() in given:
            raise InvalidParameterError(f"--current {text!r}: {name.strip()!r} is given twice")
        given[name.strip()] = weight
    return normalisation, _by_name(given, signals, text)


def _by_name(given: dict[str, float], signals: Signals, source: str) -> F64:
    unknown = [name for name, weight in given.items() if weight and name not in signals.names]
    if unknown:
        raise InvalidParameterError(
            f"--current {source}: {unknown[0]!r} is not among what is tuned ({', '.join(signals.names[:6])}); give its "
            "file too, or name files with name=file"
        )
    weights = np.array([given.get(name, 0.0) for name in signals.names])
    if not weights.any():
        raise InvalidParameterError(f"--current {source}: all weights are 0")
    return weights
