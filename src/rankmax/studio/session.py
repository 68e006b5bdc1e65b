"""State of the studio between requests of the page."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from dataclasses import replace
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from rankmax.errors import InvalidParameterError, RankmaxError, UnknownNameError
from rankmax.metrics.metric import Metric
from rankmax.metrics.registry import parse_metric
from rankmax.models import LinearModel
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.model_files import ScoringModel
from rankmax.models.tree_ensemble_model import TreeEnsembleModel
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.studio.messages import Setting, View
from rankmax.workflows.projects.project import Project
from rankmax.workflows.projects.roles import role_of
from rankmax.workflows.projects.suggestions import Suggestions, suggest
from rankmax.workflows.projects.texts import ProjectTexts
from rankmax.workflows.projects.workbench import Workbench, select_queries

_MOST_BENCHES = 6


class Session:
    """A project with its most recently used data sets.

    Parameters
    ----------
    project : Project

    Examples
    --------
    >>> import tempfile
    >>> from rankmax import write_dataset
    >>> from rankmax.data import planted_linear
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_dataset(planted_linear(5, 10, 3, seed=1).data, f"{folder}/train.npz")
    ...     session = Session(Project.at(folder))
    ...     bench = session.bench(View(data="train.npz"))
    ...     session.linear(Setting({"f2": 0.5}), bench).weights
    array([0. , 0.5, 0. ])
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.texts = ProjectTexts.of(project.folder)
        self._reading = Lock()
        self._suggesting = Lock()
        self._suggested: WeakKeyDictionary[Workbench, dict[Metric, Suggestions]] = WeakKeyDictionary()
        self._benches: OrderedDict[tuple[object, ...], Workbench] = OrderedDict()

    def bench(self, view: View) -> Workbench:
        """Return the data of a request; a file that has changed is read again.

        Parameters
        ----------
        view : View
        """
        with self._reading:
            return self._bench(view.data, view.queries)

    def part(self, view: View, name: str) -> Workbench:
        """Return the data of a file; the queries of a request are selected in the file that it names.

        Parameters
        ----------
        view : View
        name : str
            Name of a data file.
        """
        with self._reading:
            return self._bench(name, view.queries if name == view.data else ())

    def suggestions(self, view: View) -> Suggestions | None:
        """Return a reference and a normalization to begin with; None where nothing can be suggested.

        They are chosen by training queries, also for a request that shows validation or test queries. Without a file of
        training queries with the same features, validation queries choose, test queries never.

        Parameters
        ----------
        view : View
        """
        bench, metric = self._choosing(view), parse_metric(view.metric)
        if bench is None or not bench.data.n_features:
            return None
        with self._suggesting:
            known = self._suggested.setdefault(bench, {})
            if metric not in known:
                known[metric] = suggest(bench.data, metric)
            return known[metric]

    def prepare(self) -> None:
        """Read the data that the page asks for first, and load what evaluates it, while the browser starts."""
        if self.project.chosen is not None:
            with suppress(RankmaxError):  # the page asks again, and shows the error
                self.suggestions(View(data=self.project.chosen))

    def is_trained_on(self, model: ScoringModel, name: str) -> bool:
        """Return whether a model was trained on a data file, as far as its file tells.

        Parameters
        ----------
        model : ScoringModel
            It has a hash of its training data, or, of a library of trees, the number of documents in each leaf.
        name : str
            Name of a data file.
        """
        if isinstance(model, TreeEnsembleModel):
            return model.was_trained_on(self.bench(View(data=name)).data)
        known = model.provenance.data_hash
        return known is not None and known == self.bench(View(data=name)).content_hash

    def model(self, setting: Setting, bench: Workbench) -> ScoringModel:
        """Return the model of a setting.

        Parameters
        ----------
        setting : Setting
        bench : Workbench
            Data with the features that may have weights.
        """
        if setting.model is not None:
            model = self.project.model(setting.model)
            return _redrawn(model, setting) if setting.curves else model
        names = bench.data.feature_names
        for name in setting.weights:
            if name not in names:
                raise UnknownNameError("feature", name, names)
        weights = [setting.weights.get(name, 0.0) for name in names]
        return LinearModel(weights, names, Normalization.named(setting.normalize))  # type: ignore[arg-type]

    def linear(self, setting: Setting, bench: Workbench) -> LinearModel:
        """Return the linear model of a setting, or raise where it is not linear.

        Parameters
        ----------
        setting, bench
            As in :meth:`model`.
        """
        model = self.model(setting, bench)
        if not isinstance(model, LinearModel):
            raise InvalidParameterError(f"{setting.model} is not a linear model: it has no weights to vary")
        return model

    def _choosing(self, view: View) -> Workbench | None:
        shown, role = self.bench(view), role_of(view.data)
        if role in (None, "train"):
            return shown
        for name in self.project.data_names:
            if role_of(name) in (None, "train"):
                with suppress(RankmaxError):  # a text file may turn out to be something else
                    bench = self.part(view, name)
                    if set(bench.data.feature_names) == set(shown.data.feature_names):
                        return bench
        return None if role == "test" else shown

    def _bench(self, name: str, queries: tuple[str, ...]) -> Workbench:
        file = self.project.path_of(name).stat()
        key = (name, file.st_mtime_ns, file.st_size, queries)
        if key not in self._benches:
            data = self._bench(name, ()).data if queries else self.project.data(name)
            self._benches[key] = Workbench(select_queries(data, queries))
        self._benches.move_to_end(key)
        while len(self._benches) > _MOST_BENCHES:
            self._benches.popitem(last=False)
        return self._benches[key]


def _redrawn(model: ScoringModel, setting: Setting) -> AdditiveModel:
    """Return an additive model with other values of some curves; what its training found is not said of it."""
    if not isinstance(model, AdditiveModel):
        raise InvalidParameterError(f"{setting.model} is not an additive model: it has no curves")
    for name in setting.curves:
        if name not in model.feature_names:
            raise UnknownNameError("feature", name, model.feature_names)
    pairs = zip(model.feature_names, model.curves, strict=True)
    curves = (
        replace(curve, values=np.array(setting.curves[name]), deviations=None) if name in setting.curves else curve
        for name, curve in pairs
    )
    return replace(model, curves=tuple(curves), training=None)
