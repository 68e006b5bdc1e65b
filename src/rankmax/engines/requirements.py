"""Checks that a target can express a model, and refusals where it cannot."""

from __future__ import annotations

from collections.abc import Mapping

from rankmax.engines.export_target import AnyModel
from rankmax.errors import IncompatibleError
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.expected_gain_model import ExpectedGainModel
from rankmax.preprocessing.indicators import Indicator
from rankmax.preprocessing.run_normalization import ReciprocalRank

_USUAL_DEPTH = 100
_RESULT_WINDOW = 10_000
_WHOLE_FORMULA = "vespa, python or sql"  # targets that compute arbitrary expressions, not only weighted sums


def linear_terms(model: AnyModel, title: str) -> dict[str, float]:
    """Return the nonzero weights by feature, or refuse a model that is not a weighted sum of plain features.

    Parameters
    ----------
    model : LinearModel or ExpectedGainModel
    title : str
        Of the target, for messages.

    Examples
    --------
    >>> from rankmax import LinearModel
    >>> linear_terms(LinearModel([0.5, 0.0], ("bm25", "age")), "Solr")
    {'bm25': 0.5}
    >>> linear_terms(LinearModel([0.5], ("bm25>12.5",)), "Solr")
    Traceback (most recent call last):
    rankmax.errors.IncompatibleError: Solr weighs features and cannot compare them with thresholds such as ...
    """
    if isinstance(model, ExpectedGainModel):
        raise IncompatibleError(
            f"{title} adds up weighted scores and cannot compute an expected gain: export to {_WHOLE_FORMULA}, "
            f"or learn a linear model with rankmax train --learner surrogate"
        )
    if isinstance(model, AdditiveModel):
        raise IncompatibleError(
            f"{title} adds up weighted scores and cannot compute curves: rankmax rank ranks by them; for {title} learn "
            "a linear model with rankmax train"
        )
    used = {name: w for name, w in zip(model.feature_names, model.weights.tolist(), strict=True) if w}
    if not used:
        raise IncompatibleError("every weight of the model is 0: it ranks nothing")
    binned = next((name for name in used if Indicator.parse(name)), None)
    if binned is not None:
        raise IncompatibleError(
            f"{title} weighs features and cannot compare them with thresholds such as {binned!r}: "
            f"export to {_WHOLE_FORMULA}, or learn without rankmax train --bins"
        )
    return used


def require_nonnegative(weights: Mapping[str, float], title: str) -> None:
    """Refuse negative weights.

    Parameters
    ----------
    weights : mapping from feature name to weight
    title : str
        Of the target, for messages.

    Examples
    --------
    >>> require_nonnegative({"bm25": 0.5, "age": -0.1}, "OpenSearch's hybrid query")
    Traceback (most recent call last):
    rankmax.errors.IncompatibleError: OpenSearch's hybrid query takes no negative weight, and that of 'age' is -0.1: ...
    """
    for name, weight in weights.items():
        if weight < 0:
            raise IncompatibleError(
                f"{title} takes no negative weight, and that of {name!r} is {weight:g}: "
                f"learn nonnegative weights with rankmax tune, or rankmax train --space simplex"
            )


def engine_normalization(model: AnyModel, title: str, known: Mapping[str, str], remedy: str | None = None) -> str:
    """Return the engine's name of the model's normalization, or refuse one that the engine lacks.

    Parameters
    ----------
    model : LinearModel or ExpectedGainModel
    title : str
        Of the target, for messages.
    known : mapping from rankmax's names to the engine's
    remedy : str, optional
        The command that learns with a normalization of the engine; by default, training with one of `known`.

    Examples
    --------
    >>> from rankmax import LinearModel
    >>> engine_normalization(LinearModel([1.0], ("bm25",)), "Elasticsearch's linear retriever", {"none": "none"})
    'none'
    """
    name = model.normalization.name
    if name not in known:
        choices = remedy or f"--normalize {' or '.join(known)}"
        raise IncompatibleError(
            f"{title} cannot apply the normalization {name!r} that the model was trained with: learn with {choices}"
        )
    return known[name]


def rank_constant(normalization: ReciprocalRank, title: str, *, most: int | None = None) -> int:
    """Return the constant k of reciprocal rank fusion, or refuse one that the engine does not accept.

    Parameters
    ----------
    normalization : ReciprocalRank
    title : str
        Of the target, for messages.
    most : int, optional
        The largest constant that the engine accepts.

    Examples
    --------
    >>> rank_constant(ReciprocalRank(60.0), "OpenSearch's hybrid query")
    60
    >>> rank_constant(ReciprocalRank(0.5), "OpenSearch's hybrid query")
    Traceback (most recent call last):
    rankmax.errors.IncompatibleError: OpenSearch's hybrid query takes a positive integer as rank constant, ...
    """
    k = normalization.k
    if k < 1 or k != int(k) or (most is not None and k > most):
        limits = "a positive integer" if most is None else f"an integer from 1 to {most}"
        raise IncompatibleError(
            f"{title} takes {limits} as rank constant, and the model's k is {k:g}: "
            f"learn with such a k, or export to python or sql"
        )
    return int(k)


def have_equal_weights(weights: Mapping[str, float]) -> bool:
    """Return whether all weights are the same, as fusions without weights have them.

    Parameters
    ----------
    weights : mapping from feature name to weight

    Examples
    --------
    >>> have_equal_weights({"bm25": 0.5, "e5": 0.5})
    True
    """
    return len(set(weights.values())) == 1


def depth_of_runs(model: AnyModel) -> tuple[int, str]:
    """Return the number of documents of each system to fuse, and a clause that says why.

    Parameters
    ----------
    model : LinearModel or ExpectedGainModel

    Examples
    --------
    >>> from rankmax import LinearModel
    >>> from rankmax.models import Provenance
    >>> depth_of_runs(LinearModel([1.0], ("bm25",), provenance=Provenance(parameters={"depth": 1000})))
    (1000, 'as many as the runs that were learned from had')
    """
    depth = model.provenance.parameters.get("depth")
    if isinstance(depth, int) and depth >= 1:
        return depth, "as many as the runs that were learned from had"
    return _USUAL_DEPTH, "take as many as the runs that were learned from had"


def beyond_window(depth: int) -> str:
    """Return a warning where the depth exceeds an index's default result window, else an empty string.

    Parameters
    ----------
    depth : int

    Examples
    --------
    >>> beyond_window(20_000)
    ' That is more than index.max_result_window allows (10,000 unless it is raised).'
    """
    allowed = depth <= _RESULT_WINDOW
    return (
        ""
        if allowed
        else f" That is more than index.max_result_window allows ({_RESULT_WINDOW:,} unless it is raised)."
    )


def within_float32(weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weights rounded to single precision, scaled where they would leave its range.

    Parameters
    ----------
    weights : mapping from feature name to weight

    Examples
    --------
    >>> within_float32({"bm25": 0.1 + 0.2})
    {'bm25': 0.3}
    >>> within_float32({"bm25": 3e200, "age": -6e200})
    {'bm25': 0.5, 'age': -1.0}
    """
    largest = max(map(abs, weights.values()))
    unit = 1.0 if 1e-20 < largest < 1e20 else largest
    return {name: float(f"{w / unit:.9g}") for name, w in weights.items()}  # nine digits tell any two apart
