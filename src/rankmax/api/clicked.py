"""Judgments estimated from clicks, in every form that users may give."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from rankmax._arrays import F64
from rankmax.api.progress import Progress
from rankmax.data.click_log import LEFT_OUT, ClickLog
from rankmax.errors import IncompatibleError, InvalidParameterError, counted
from rankmax.evaluation.click_estimates import CLIP, ClickGains, click_gains
from rankmax.evaluation.click_propensities import em_propensities, power_propensities, randomized_propensities
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
    propensities: Any = "em",
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
    propensities : {"em", "randomized", "1/rank^ETA"}, path or array, default "em"
        Estimated by a position-based model; or by click-through rates, if the results were shuffled; or given.
    clip : float, default 0.01
        Least propensity.
    progress : Progress, optional
        Gets a note on the clicks.

    Examples
    --------
    >>> log = ClickLog.from_rows([("q1", "d1", 2, True, 2), ("q1", "d1", 2, False, 8)])
    >>> judged_by_clicks(log, [DiscountedCumulativeGain()], propensities="1/rank^1").qrels.to_dict()
    {'q1': {'d1': 0.4}}
    """
    for metric in metrics:
        if not isinstance(metric, DiscountedCumulativeGain) or metric.gain != "linear":
            raise IncompatibleError(f"clicks estimate DCG with a linear gain, such as {METRIC}, not {metric.name}")
    log = clicks if isinstance(clicks, ClickLog) else read_clicks(clicks)
    found = click_gains(log, _propensities(propensities, log), clip=clip)
    if progress is not None:
        if log.left_out:
            progress.note(f"left out {counted(log.left_out, 'search', 'searches')} of the clicks: {LEFT_OUT}")
        progress.note(str(found))
    return found


def _propensities(given: Any, log: ClickLog) -> F64:
    if isinstance(given, str):
        if given == "em":
            return em_propensities(log)
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
                f"propensities {given!r}: expected em, randomized, 1/rank^ETA such as 1/rank^1, or a file"
            )
    if isinstance(given, str | os.PathLike):
        return np.array(read_propensities(given))
    return np.asarray(given, np.float64)
