"""Rules of a gate, and mistakes in them."""

from __future__ import annotations

from typing import Any

import pytest

from rankmax.errors import InvalidParameterError
from rankmax.workflows.relevance_gate.gate_rules import Floor, rules_of


def test_metrics_of_all_rules_come_once() -> None:
    rules = rules_of(
        {"metrics": ["nDCG@10"], "guardrails": ["R@100"], "margins": {"MAP": 0.1}, "floors": ["ndcg@10>=0.4"]}
    )
    assert [metric.name for metric in rules.all_metrics] == ["nDCG@10", "AP", "R@100"]
    assert rules.margin_by_metric == {"AP": 0.1}


def test_floors_are_parsed() -> None:
    rules = rules_of({"floors": ["AP(rel=2) >= 0.25", "nDCG@10>=.5 in kind=a b"]})
    assert rules.floor_list == [Floor("AP(rel=2)", 0.25, None), Floor("nDCG@10", 0.5, "kind=a b")]


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"metrics": []}, "metrics"),
        ({"metrics": ["nDGC"]}, "nDGC"),
        ({"floors": ["nDCG@10 > 0.4"]}, "nDCG@10 > 0.4"),
        ({"floors": ["nDCG@10 >= x"]}, "nDCG@10 >= x"),
        ({"margins": {"AP": -1.0}}, "margins"),
        ({"margins": {"XY": 1.0}}, "XY"),
        ({"unjudged": {"share": 2}}, "share"),
        ({"latency": {"p99": 2}}, "p99"),
        ({"level": 0.7}, "level"),
        ({"missing_queries": "skip"}, "missing_queries"),
        ({"treshold": 1}, "treshold"),
    ],
)
def test_mistakes_are_named(values: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidParameterError, match=named.replace(">", ".")) as error:
        rules_of(values)
    assert str(error.value).startswith("check: ")
