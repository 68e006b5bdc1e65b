"""Base of estimators that follow scikit-learn's conventions without requiring scikit-learn."""

from __future__ import annotations

import inspect
from typing import Any, Self

from rankmax._deprecation import renamed_parameters
from rankmax.errors import UnknownNameError

_ROUTED = ("fit", "predict", "score", "transform")  # methods that take more than features and grades


class Estimator:
    """Base of estimators: parameters by name, cloning and metadata routing, as scikit-learn's tools expect them.

    A subclass's ``__init__`` stores its arguments unchanged under their own names, so that it can be cloned.

    Where metadata routing is on (``sklearn.set_config(enable_metadata_routing=True)``), `qid` and the other named
    arguments of fit, predict, score and transform are requested by default, because there is no ranking without
    queries.

    Examples
    --------
    >>> class Shift(Estimator):
    ...     def __init__(self, by=1.0):
    ...         self.by = by
    >>> Shift(by=2.0).set_params(by=3.0).get_params()
    {'by': 3.0}
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__init__" in vars(cls):
            cls.__init__ = renamed_parameters(  # type: ignore[method-assign]
                normalisation="normalization", engine="backend"
            )(cls.__init__)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool
            Ignored: no parameter is a learner.
        """
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by name and return the learner itself."""
        known = self._parameter_names()
        for name, value in parameters.items():
            if name not in known:
                raise UnknownNameError(f"parameter of {type(self).__name__}", name, known)
            setattr(self, name, value)
        return self

    def set_fit_request(self, **requests: bool | str | None) -> Self:
        """Choose which metadata scikit-learn passes to fit: True, False, or the name that callers use."""
        return self._request("fit", requests)

    def set_predict_request(self, **requests: bool | str | None) -> Self:
        """Choose which metadata scikit-learn passes to predict: True, False, or the name that callers use."""
        return self._request("predict", requests)

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Choose which metadata scikit-learn passes to score: True, False, or the name that callers use."""
        return self._request("score", requests)

    def set_transform_request(self, **requests: bool | str | None) -> Self:
        """Choose which metadata scikit-learn passes to transform: True, False, or the name that callers use."""
        return self._request("transform", requests)

    def get_metadata_routing(self) -> Any:
        """Return the requested metadata as scikit-learn's MetadataRequest."""
        from sklearn.utils.metadata_routing import MetadataRequest

        if not hasattr(self, "_metadata_request"):
            self._metadata_request = MetadataRequest(owner=type(self).__name__)
            for method in _ROUTED:
                for name in self._routed_names(method):
                    getattr(self._metadata_request, method).add_request(param=name, alias=True)
            # scikit-learn's Pipeline.score always names it; an error only where it is more than None
            self._metadata_request.score.add_request(param="sample_weight", alias=None)
        return self._metadata_request

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=True),
            input_tags=InputTags(sparse=True),
        )

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({shown})"

    def _request(self, method: str, requests: dict[str, bool | str | None]) -> Self:
        known = self._routed_names(method)
        routing = getattr(self.get_metadata_routing(), method)
        for name, alias in requests.items():
            if name not in known:
                raise UnknownNameError(f"argument of {type(self).__name__}.{method}", name, known)
            routing.add_request(param=name, alias=alias)
        return self

    @classmethod
    def _routed_names(cls, method: str) -> list[str]:
        if not hasattr(cls, method):
            return []
        parameters = inspect.signature(getattr(cls, method)).parameters
        return [name for name, parameter in parameters.items() if parameter.kind is parameter.KEYWORD_ONLY]

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]
