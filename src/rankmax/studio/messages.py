"""Requests of the page, as JSON of exactly these types; anything else is an error that names the fault."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

_Count = Annotated[int, msgspec.Meta(ge=1, le=1000)]
_Pattern = Annotated[str, msgspec.Meta(max_length=200)]  # matching time is quadratic in a pattern's brackets
_Patterns = Annotated[tuple[_Pattern, ...], msgspec.Meta(max_length=1000)]


class Setting(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A ranking function: weights by feature name, or a saved model.

    Attributes
    ----------
    weights : dict of str to float
        Weights by feature name; other features have weight 0.
    normalize : str
        Normalization of the features within queries, used with weights.
    model : str or None
        File name of a model; if given, weights and normalization are ignored.
    curves : dict of str to tuple of float
        Values of curves of that model, by feature, in place of its own.
    """

    weights: dict[str, float] = {}
    normalize: str = "none"
    model: str | None = None
    curves: dict[str, tuple[float, ...]] = {}


class View(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Data, queries and metric of a request.

    Attributes
    ----------
    data : str
        Name of a data file.
    queries : tuple of str
        Patterns of query ids, at most 1,000 of 200 characters; all queries when empty.
    metric : str
    """

    data: str
    queries: _Patterns = ()
    metric: str = "nDCG@10"


class Read(View, frozen=True, kw_only=True):
    """Request for the metric of the current setting, compared with the reference."""

    current: Setting
    reference: Setting


class Follow(View, frozen=True, kw_only=True):
    """Request for the metric as a function of one weight.

    Attributes
    ----------
    current : Setting
    feature : str
    confirmed : bool
        Whether weights may be chosen by test queries.
    """

    current: Setting
    feature: str
    confirmed: bool = False


class Survey(View, frozen=True, kw_only=True):
    """Request for the metric over the weights of two or three features, the others fixed.

    Attributes
    ----------
    current : Setting
    features : tuple of str
    confirmed : bool
        Whether weights may be chosen by test queries.
    """

    current: Setting
    features: Annotated[tuple[str, ...], msgspec.Meta(min_length=2, max_length=3)]
    confirmed: bool = False


class ListQueries(Read, frozen=True, kw_only=True):
    """Request for a list of queries, and whether the query that the page shows exists."""

    order: Literal["gain", "loss", "low", "unjudged", "data"] = "gain"
    search: str = ""
    query: str = ""
    limit: _Count = 100


class Compare(Read, frozen=True, kw_only=True):
    """Request for two rankings of one query."""

    query: str
    depth: _Count = 15


class Train(View, frozen=True, kw_only=True):
    """Request for a training.

    Attributes
    ----------
    validation : str or None
        Name of a data file with validation queries, used to select the model.
    learner, normalize : str
    options : dict
        Options of the learner, by name.
    confirmed : bool
        Whether test queries may be trained on or select the model.
    """

    validation: str | None = None
    learner: str
    normalize: str = "none"
    options: dict[str, bool | int | float | str] = {}
    confirmed: bool = False


class KeepRun(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Request to save the model of a training in the project."""

    run: int
    name: str


class SaveWeights(View, frozen=True, kw_only=True):
    """Request to save the current weights as a model in the project."""

    current: Setting
    name: str


class Export(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Request for a saved model in the form that a search engine takes."""

    model: str
    target: str


class Table(View, frozen=True, kw_only=True):
    """Request for a comparison of models with the reference, on training, validation and test queries.

    Attributes
    ----------
    reference : Setting
    models : tuple of str
        File names of saved models.
    run : int or None
        Number of a training to compare instead of saved models.
    """

    reference: Setting
    models: Annotated[tuple[str, ...], msgspec.Meta(max_length=30)] = ()
    run: int | None = None


class Split(View, frozen=True, kw_only=True):
    """Request to split a data file into training and test queries."""


class StartTuning(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Request to tune the weights of several runs.

    Attributes
    ----------
    runs : tuple of str
        Names of runs.
    qrels : str or None
        Name of the file with the judgments.
    from_project : bool
        Whether rankmax.toml gives runs and judgments instead.
    metrics : tuple of str
        The first is maximized; none for that of rankmax.toml.
    current : str
        The fusion in use today: a system, RRF, CombSUM or weights; empty where none is given.
    current_model : str or None
        The fusion in use today as the name of a model, instead.
    engine : str or None
        Search engine that candidates are restricted to.
    by : str or None
        "auto" to learn weights that fit the query, too.
    folds, seed : int
    """

    runs: Annotated[tuple[str, ...], msgspec.Meta(max_length=64)] = ()
    qrels: str | None = None
    from_project: bool = False
    metrics: Annotated[tuple[str, ...], msgspec.Meta(max_length=8)] = ()
    current: Annotated[str, msgspec.Meta(max_length=2000)] = ""
    current_model: str | None = None
    engine: str | None = None
    by: Literal["auto"] | None = None
    folds: Annotated[int, msgspec.Meta(ge=2, le=100)] = 5
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)] = 0


class ExportTuning(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Request for the recommended fusion of a kept tuning in the form that a search engine takes."""

    tuning: str
    target: str


class KeepTuningModel(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Request to save the recommended fusion of a kept tuning as a model in the project."""

    tuning: str
    name: str
