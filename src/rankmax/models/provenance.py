"""Where a model comes from, and how its weights were found."""

from __future__ import annotations

import msgspec

from rankmax._version import __version__

Parameter = bool | int | float | str | list[float | str] | None
"""What a learner's parameter may be, in a model's provenance."""


class Provenance(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a model comes from.

    Attributes
    ----------
    rankmax_version : str
    learner : str or None
        Name of the learner's class.
    parameters : dict
        The learner's parameters.
    seed : int or None
    data_hash : str or None
        :func:`data_hash` of the training data.
    created : str or None
        ISO 8601 time; left out where equal runs shall give equal files.
    """

    rankmax_version: str = __version__
    learner: str | None = None
    parameters: dict[str, Parameter] = {}
    seed: int | None = None
    data_hash: str | None = None
    created: str | None = None


class MarginRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How near to the best possible a structural SVM's weights are known to be.

    Attributes
    ----------
    loss : str
    C : float
        As given, or as chosen by the validation queries.
    objective : float
        What was minimised.
    gap : float
        By at most so much could other weights be better.
    n_iterations : int
        Searches for the most violated constraints.
    n_constraints : int
        In the working set at the end.
    n_skipped_queries : int
        Queries of the training data that say nothing about the order of their documents.
    """

    loss: str
    C: float
    objective: float
    gap: float
    n_iterations: int
    n_constraints: int
    n_skipped_queries: int


class TrainingRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a model's weights were found.

    Attributes
    ----------
    value : float
        The metric on the training queries.
    validation_value : float or None
        The metric on the validation queries, where the weights were chosen by them.
    n_ascents, n_lines : int
        Ascents, and lines searched by all of them.
    stopped_by : str
        "converged", or what ended it early: "seconds", "interrupted", "iterations" or "precision".
    curve : tuple of pairs (n_lines, value)
        Of the ascent that found the weights, from its start to the weights: lines searched, and the metric on the
        queries it climbed on. Empty for bags.
    bag_values : tuple of float
        The metric on each bag's own sample of queries, for weights that are an average over bags.
    margin : MarginRecord or None
        For weights that a structural SVM found.
    """

    value: float
    validation_value: float | None = None
    n_ascents: int = 1
    n_lines: int = 0
    stopped_by: str = "converged"
    curve: tuple[tuple[int, float], ...] = ()
    bag_values: tuple[float, ...] = ()
    margin: MarginRecord | None = None
