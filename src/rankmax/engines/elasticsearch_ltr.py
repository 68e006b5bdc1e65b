"""Elasticsearch with the Learning to Rank plugin."""

from __future__ import annotations

from rankmax.engines.export_target import AnyModel, Destination, Export, Target
from rankmax.engines.learning_to_rank_plugin import plugin_export


def _write(model: AnyModel, destination: Destination) -> Export:
    return plugin_export(model, destination, "Elasticsearch", "Kibana's Dev Tools")


ELASTICSEARCH_LTR = Target("elasticsearch-ltr", "Elasticsearch's Learning to Rank plugin", _write, scales=True)
