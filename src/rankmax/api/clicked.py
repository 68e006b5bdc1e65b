"""Judgments estimated from clicks, in every form that users may give."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from rankmax._arrays import F64
from rankmax.api.progress import Progress
from rankmax.data.click_log import ClickLog
from rankmax.errors import IncompatibleError, InvalidDataError, InvalidParameterError
from rankmax.evaluation.click_cascade import fit_cascade
from rankmax.evaluation.click_estimates import CLIP, ClickGains, cascade_gains, click_gains
from rankmax.evaluation.click_model_fit import ClickModelFit, click_model_fit
from rankmax.evaluation.click_propensities import estimated_propensities, power_propensities, randomized_propensities
from rankmax.formats.click_files import read_clicks, read_propensities
from rankmax.metrics.dcg import DiscountedCumulativeGain
from rankmax.metrics.metric import Metric

METRIC = "DCG@10"
"""The default metric of an estimate from clicks."""
_POWER = re.compile(r"1/rank(?:\^(?P<eta>[0-9.]+))?")


def judged_by_clicks(
    clicks: Any,
    metrics: Sequence[Metric],
    *,
    click_model: str = "auto",
    propensities: Any = "estimated",
    clip: float = CLIP,
    progress: Progress | None = None,
) -> ClickGains:
    """Return gains estimated from clicks, which judge runs by DCG.

    Parameters
    ----------
    clicks : ClickLog, or path
        As :func:`~rankmax.formats.click_files.read_clicks` reads it.
    metrics : sequence of Metric
        DCG with a linear gain; others have no such estimate, and are refused.
    click_model : {"auto", "position", "cascade"}, default "auto"
        How users look at results: at each position with a probability of its own, or from the top until they stop.
        With "auto" it is the cascade if the clicks fit it significantly better, for which searches must be known. Given
        propensities or a clip are those of positions.
    propensities : {"estimated", "randomized", "1/rank^ETA"}, path or array, default "estimated"
        Estimated from the clicks; or by click-through rates, if the results were shuffled; or given. For a cascade
        "estimated", or the probability of going on after a click at each position, by users who otherwise always go on.
    clip : float, default 0.01
        Least propensity, of positions.
    progress : Progress, optional
        Gets notes on the clicks, also on which model fits them better.

    Examples
    --------
    >>> log = ClickLog.from_rows([("q1", "d1", 2, True, 2), ("q1", "d1", 2, False, 8)])
    >>> judged_by_clicks(log, [DiscountedCumulativeGain()], propensities="1/rank^1").qrels.to_dict()
    {'q1': {'d1': 0.4}}
    """
    for metric in metrics:
        if not isinstance(metric, DiscountedCumulativeGain) or metric.gain != "linear":
            raise IncompatibleError(f"clicks estimate DCG with a linear gain, such as {METRIC}, not {metric.name}")
    if click_model not in ("auto", "position", "cascade"):
        raise InvalidParameterError(f"click_model is {click_model!r}; expected 'auto', 'position' or 'cascade'")
    log = clicks if isinstance(clicks, ClickLog) else read_clicks(clicks)
    if click_model == "cascade":
        if clip != CLIP:
            raise IncompatibleError("gains of a cascade are at most 1, so that none is clipped: leave out clip")
        found = cascade_gains(log, fit_cascade(log, _going_on(propensities, log)))
    else:
        found = click_gains(log, _propensities(propensities, log), clip=clip)
    may_change = (
        click_model == "auto" and isinstance(propensities, str) and propensities == "estimated" and clip == CLIP
    )
    better = _better_model(log, found) if may_change or progress is not None else None
    if better is not None and may_change:
        found = better[0]
    if progress is not None:
        for what in log.left_out:
            progress.note(f"left out {what}")
        progress.note(str(found))
        if better is not None:
            progress.note(_said(better[1], chosen=may_change))
    return found


def _better_model(log: ClickLog, found: ClickGains) -> tuple[ClickGains, ClickModelFit] | None:
    """Return the gains by the other model of users, and how both fit the clicks, if the other fits better."""
    if log.searches is None:
        return None
    try:
        if found.cascade is None:
            cascade = fit_cascade(log)
            fit = click_model_fit(log, found.propensities, cascade)
            other = cascade_gains(log, cascade)
        else:
            by_position = estimated_propensities(log)
            fit = click_model_fit(log, by_position, found.cascade)
            other = click_gains(log, by_position)
    except InvalidDataError:  # the other model cannot be fitted to them
        return None
    used = "position" if found.cascade is None else "cascade"
    return None if fit.better in (None, used) else (other, fit)


def _said(fit: ClickModelFit, *, chosen: bool) -> str:
    values = f"{max(fit.position, fit.cascade):.3f} instead of {min(fit.position, fit.cascade):.3f}"
    if chosen:
        return f"the clicks fit users who stop better than positions (mean log likelihood of a search {values})"
    return (
        f"the clicks fit the other model of users better: --click-model {fit.better} (mean log likelihood of a search "
        f"{values})"
    )


def _going_on(given: Any, log: ClickLog) -> tuple[F64, float] | None:
    if isinstance(given, str) and given == "estimated":
        return None
    if isinstance(given, str) and not os.path.exists(given):
        raise InvalidParameterError(
            f"propensities {given!r}: a cascade takes estimated, or a file with the probability of going on after a "
            "click at each position"
        )
    after_click = np.array(read_propensities(given) if isinstance(given, str | os.PathLike) else given, np.float64)
    if after_click.size < log.n_positions:
        raise InvalidDataError(
            f"probabilities of going on at {after_click.size} positions; documents were shown down to position "
            f"{log.n_positions}"
        )
    if not ((after_click >= 0) & (after_click <= 1)).all():
        raise InvalidDataError("a probability of going on after a click is not a number from 0 to 1")
    return after_click[: log.n_positions], 1.0


def _propensities(given: Any, log: ClickLog) -> F64:
    if isinstance(given, str):
        if given == "estimated":
            return estimated_propensities(log)
        if given == "randomized":
            return randomized_propensities(log)
        power = _POWER.fullmatch(given.replace(" ", ""))
        if power is not None:
            try:
                eta = float(power["eta"] or 1)
            except ValueError:
                raise InvalidParameterError(f"propensities {given!r}: expected a number after ^") from None
            return power_propensities(eta, log.n_positions)
        if not os.path.exists(given):
            raise InvalidParameterError(
                f"propensities {given!r}: expected estimated, randomized, 1/rank^ETA such as 1/rank^1, or a file"
            )
    if isinstance(given, str | os.PathLike):
        return np.array(read_propensities(given))
    return np.asarray(given, np.float64)
