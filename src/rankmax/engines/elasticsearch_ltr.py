"""Elasticsearch with the Learning to Rank plugin."""

from __future__ import annotations

from rankmax.engines.curves import trees_of_curves
from rankmax.engines.export_target import AnyModel, Destination, Export, Target
from rankmax.engines.learning_to_rank_plugin import plugin_export, plugin_trees
from rankmax.models.additive_model import AdditiveModel
from rankmax.models.tree_ensemble_model import TreeEnsembleModel


def _write(model: AnyModel, destination: Destination) -> Export:
    return plugin_export(model, destination, "Elasticsearch", "Kibana's Dev Tools")


def _write_trees(model: TreeEnsembleModel, destination: Destination) -> Export:
    return plugin_trees(model, destination, "Elasticsearch", "Kibana's Dev Tools")


def _write_additive(model: AdditiveModel, destination: Destination) -> Export:
    trees, remark = trees_of_curves(model, "Elasticsearch's Learning to Rank plugin", "script-score")
    return plugin_trees(trees, destination, "Elasticsearch", "Kibana's Dev Tools", remark)


ELASTICSEARCH_LTR = Target(
    "elasticsearch-ltr",
    "Elasticsearch's Learning to Rank plugin",
    _write,
    scales=True,
    write_trees=_write_trees,
    write_additive=_write_additive,
)
