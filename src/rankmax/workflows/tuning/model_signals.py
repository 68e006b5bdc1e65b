"""Models as the signals of a tuning: their scores of documents that none of them was trained on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rankmax.data.content_hash import data_hash
from rankmax.data.dataset import RankingDataset
from rankmax.errors import IncompatibleError, InvalidDataError
from rankmax.fusion.signals import Signals, signals_of_features
from rankmax.models.stacked_model import Member, StackedModel, scores_as_features
from rankmax.models.tree_ensemble_model import TreeEnsembleModel

NOT_HELD_OUT = (
    "weights of models, and the values here, hold only if no model was trained on these queries: train on one part of "
    "the queries, tune on another"
)
"""What a tuning of models says, as no file tells all queries that a model has seen."""


def signals_of_models(data: RankingDataset, models: Mapping[str, object], *, source: str = "the data") -> Signals:
    """Return the scores of models as signals, or refuse a model that was trained on the same documents.

    A model of rankmax knows the hash of its training data. Files of LightGBM and CatBoost have the number of training
    documents in each leaf; if the data's documents fall into the leaves in the same numbers, they are those.

    Parameters
    ----------
    data : RankingDataset
        Judged documents, with the features of all models.
    models : mapping of str to model
    source : str
        Name of the data for messages.
    """
    if len(models) < 2:
        raise IncompatibleError(f"{', '.join(models) or 'no model'}: give two models or more, to weigh them")
    members: dict[str, Member] = {}
    own_hash = data_hash(data)
    for name, model in models.items():
        if not isinstance(model, Member):
            what = "a stack of models" if isinstance(model, StackedModel) else f"a {type(model).__name__}"
            raise IncompatibleError(
                f"{name} is {what}; stacks hold models that score by features alone: linear, additive, of expected "
                "gain, or sums of trees"
            )
        trained_here = model.provenance.data_hash == own_hash
        if isinstance(model, TreeEnsembleModel):
            model = model.named_by(data)
            trained_here = model.was_trained_on(data)
        if trained_here:
            raise InvalidDataError(
                f"{name} was trained on the documents of {source}: its scores of these are not held out, and it would "
                "get too much weight; tune on queries that no model was trained on"
            )
        members[name] = model
    scored = scores_as_features(data, list(members.values()), tuple(members))
    signals = signals_of_features(scored)
    constant = [name for name in members if name not in signals.names]
    if constant:
        raise InvalidDataError(f"{constant[0]} gives all documents the same score; leave it out")
    return replace(signals, models=members, warnings=(NOT_HELD_OUT,))
