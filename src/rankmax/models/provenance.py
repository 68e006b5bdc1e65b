"""The provenance of a model and the record of its training."""

from __future__ import annotations

import msgspec

from rankmax._version import __version__

Parameter = bool | int | float | str | list[float | str] | None
"""Type of a learner's parameter in a model's provenance."""


class Provenance(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Origin of a model: version, learner, parameters, data.

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
        ISO 8601 time; None where the same training must give the same file.
    """

    rankmax_version: str = __version__
    learner: str | None = None
    parameters: dict[str, Parameter] = {}
    seed: int | None = None
    data_hash: str | None = None
    created: str | None = None


class MarginRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Result of a structural SVM's training, with the proven gap to the optimum.

    Attributes
    ----------
    loss : str
    C : float
        Regularization constant, as given or as selected by the validation queries.
    objective : float
        Minimized value.
    gap : float
        Upper bound on how much better the objective of other weights could be.
    n_iterations : int
        Number of searches for the most violated constraints.
    n_constraints : int
        Number of constraints in the working set at the end.
    n_skipped_queries : int
        Number of training queries that say nothing about the order of their documents.
    """

    loss: str
    C: float
    objective: float
    gap: float
    n_iterations: int
    n_constraints: int
    n_skipped_queries: int


class TrainingRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Record of the search for a model's weights.

    Attributes
    ----------
    value : float
        Metric on the training queries.
    cross_validated_value : float or None
        Metric on the training queries, each ranked by a model that was trained without it.
    validation_value : float or None
        Metric on the validation queries, if they selected the weights.
    n_ascents, n_lines : int
        Number of ascents, and of line searches in all of them.
    stopped_by : str
        "converged", or the reason for stopping early: "seconds", "interrupted", "iterations" or "precision".
    curve : tuple of pairs (n_lines, value)
        Progress of the ascent that found the weights, from its start to the weights: number of line searches, and the
        metric on the queries it trained on. Empty for bags.
    bag_values : tuple of float
        Metric on each bag's own sample of queries, for weights that are an average over bags.
    margin : MarginRecord or None
        Result of a structural SVM, if one found the weights.
    """

    value: float
    cross_validated_value: float | None = None
    validation_value: float | None = None
    n_ascents: int = 1
    n_lines: int = 0
    stopped_by: str = "converged"
    curve: tuple[tuple[int, float], ...] = ()
    bag_values: tuple[float, ...] = ()
    margin: MarginRecord | None = None
