"""Elasticsearch with the Learning to Rank plugin."""

from __future__ import annotations

from rankmax.engines.learning_to_rank_plugin import plugin_target

ELASTICSEARCH_LTR = plugin_target("Elasticsearch", "Kibana's Dev Tools")
