"""What search engines compute, as documented, from an exported text alone: scores of one query's documents.

Columns are by feature, a number for each document; for the engines that combine lists of hits, 0 means that the list
does not hold the document. Engines that compute in single precision do so here.
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

Columns = Mapping[str, Sequence[float]]
F32 = np.float32


def requests_in(text: str) -> list[tuple[str, str, dict[str, Any]]]:
    """Return the requests of a console's text: method, path, body. Lines that begin with # are comments."""
    code = "\n".join(line for line in text.split("\n") if not line.startswith("#"))
    found = []
    for match in re.finditer(r"^(GET|POST|PUT) (\S+)\n", code, re.M):
        body, _ = json.JSONDecoder().raw_decode(code, match.end())
        found.append((match[1], match[2], body))
    return found


def plugin_scores(text: str, columns: Columns) -> list[float]:
    """Learning to Rank plugin: LinearRanker behind a FeatureNormalizingRanker, in floats."""
    model = requests_in(text)[0][2]["model"]["model"]
    assert model["type"] == "model/linear"
    ranges = {name: norm["min_max"] for name, norm in model.get("feature_normalizers", {}).items()}
    return _dot_products(
        json.loads(model["definition"]),
        {name: (limits["minimum"], limits["maximum"]) for name, limits in ranges.items()},
        columns,
    )


def solr_scores(text: str, columns: Columns) -> list[float]:
    """Solr: LinearModel with MinMaxNormalizer, in floats; the parser reads past comments."""
    model = json.loads("\n".join(line for line in text.splitlines() if not line.startswith("//")))
    assert model["class"] == "org.apache.solr.ltr.model.LinearModel"
    names = [feature["name"] for feature in model["features"]]
    weights = {name: model["params"]["weights"][name] for name in names}  # each has one
    ranges = {}
    for feature in model["features"]:
        if "norm" in feature:
            limits = feature["norm"]["params"]
            assert all(isinstance(limit, str) for limit in limits.values())
            ranges[feature["name"]] = (float(limits["min"]), float(limits["max"]))
    return _dot_products(weights, ranges, columns)


def _dot_products(
    weights: Mapping[str, float], ranges: Mapping[str, tuple[float, float]], columns: Columns
) -> list[float]:
    n_documents = len(next(iter(columns.values())))
    scores = []
    for i in range(n_documents):
        score = F32(0)
        for name, weight in weights.items():
            value = F32(columns[name][i])
            if name in ranges:
                low, high = map(F32, ranges[name])
                assert low < high
                value = (value - low) / (high - low)
            score += F32(weight) * value
        scores.append(float(score))
    return scores


def retriever_scores(text: str, columns: Columns) -> list[float]:
    """Elasticsearch: linear and rrf retrievers, in floats."""
    ((_, _, body),) = requests_in(text)
    ((kind, combined),) = body["retriever"].items()
    n_documents = len(next(iter(columns.values())))
    scores = [F32(0)] * n_documents
    for component in combined["retrievers"]:
        assert component["weight"] >= 0
        (retriever,) = component["retriever"].values()
        hits = _hits(columns[retriever["_name"]])[: combined["rank_window_size"]]
        if kind == "linear":
            values = _ELASTICSEARCH[component["normalizer"]]([score for _, score in hits])
        else:
            assert isinstance(combined["rank_constant"], int)
            assert combined["rank_constant"] >= 1
            values = [F32(1) / F32(combined["rank_constant"] + rank) for rank in range(1, len(hits) + 1)]
        for (document, _), value in zip(hits, values, strict=True):
            scores[document] += F32(component["weight"]) * value
    return [float(score) for score in scores]


def hybrid_scores(text: str, columns: Columns) -> list[float]:
    """OpenSearch: normalization-processor with arithmetic_mean, score-ranker-processor with rrf, in floats."""
    (_, _, pipeline), (_, _, search) = requests_in(text)
    ((kind, processor),) = pipeline["phase_results_processors"][0].items()
    combination = processor["combination"]
    weights = combination["parameters"]["weights"]
    hybrid = search["query"]["hybrid"]
    clauses = [body["_name"] for clause in hybrid["queries"] for field in clause.values() for body in field.values()]
    assert len(weights) == len(clauses) <= 5
    assert all(isinstance(weight, float) and 0 <= weight <= 1 for weight in weights)  # read as a list of doubles
    assert abs(sum(map(F32, weights)) - 1) <= 0.01
    n_documents = len(next(iter(columns.values())))
    by_clause = np.zeros((len(clauses), n_documents), F32)
    for c, name in enumerate(clauses):
        hits = _hits(columns[name])[: hybrid["pagination_depth"]]
        raw = [score for _, score in hits]
        if kind == "score-ranker-processor":
            assert 1 <= combination["rank_constant"] <= 10_000
            values = [F32(round(1 / (combination["rank_constant"] + rank), 10)) for rank in range(1, len(hits) + 1)]
        else:
            assert combination["technique"] == "arithmetic_mean"
            values = _OPENSEARCH[processor["normalization"]["technique"]](raw)
        for (document, _), value in zip(hits, values, strict=True):
            by_clause[c, document] = value
    scores = []
    for i in range(n_documents):
        total, weight_sum = F32(0), F32(0)
        for weight, score in zip(map(F32, weights), by_clause[:, i], strict=True):
            total += weight * score
            weight_sum += weight
        scores.append(float(total if kind == "score-ranker-processor" else total / weight_sum))
    return scores


def _hits(column: Sequence[float]) -> list[tuple[int, np.float32]]:
    """Return the documents that a list holds, best first, with their scores."""
    found = [(i, F32(score)) for i, score in enumerate(column) if score != 0]
    return sorted(found, key=lambda hit: -hit[1])


def _minmax(scores: list[np.float32]) -> list[np.float32]:
    low, high = min(scores, default=F32(0)), max(scores, default=F32(0))
    return [F32(1) if abs(low - high) < F32(1e-6) else (score - low) / (high - low) for score in scores]


def _l2_norm(scores: list[np.float32]) -> list[np.float32]:
    length = math.sqrt(sum(float(score * score) for score in scores))
    return scores if length < 1e-6 else [F32(float(score) / length) for score in scores]


def _opensearch_l2(scores: list[np.float32]) -> list[np.float32]:
    total = F32(0)
    for score in scores:
        total += score * score
    length = F32(np.sqrt(total))
    return [F32(0) if length == 0 else score / length for score in scores]


def _opensearch_min_max(scores: list[np.float32]) -> list[np.float32]:
    low, high = min(scores, default=F32(0)), max(scores, default=F32(0))
    if low == high:
        return [F32(1)] * len(scores)
    return [(score - low) / (high - low) or F32(0.001) for score in scores]


def _opensearch_z_score(scores: list[np.float32]) -> list[np.float32]:
    if not scores:
        return []
    values = np.array(scores, np.float64)
    mean = F32(values.mean())
    deviation = F32(values.std(ddof=1)) if values.size > 1 else F32(0)
    normalized = []
    for score in scores:
        if score == mean:
            normalized.append(max(scores))
        elif deviation == 0:
            normalized.append(min(scores))
        else:
            standard = (score - mean) / deviation
            normalized.append(F32(0.001) if standard <= 0 else standard)
    return normalized


Normalizer = Callable[[list[np.float32]], list[np.float32]]
_ELASTICSEARCH: dict[str, Normalizer] = {"none": lambda scores: scores, "minmax": _minmax, "l2_norm": _l2_norm}
_OPENSEARCH: dict[str, Normalizer] = {
    "min_max": _opensearch_min_max,
    "l2": _opensearch_l2,
    "z_score": _opensearch_z_score,
}


def vespa_scores(text: str, columns: Columns) -> list[float]:
    """Vespa: ranking expressions in doubles; a comment above a function names the feature that it stands for."""
    functions = dict(re.findall(r"function (\w+)\(\) \{\n\s+expression: (.*)\n\s+\}", text))
    features = {function: name for name, function in re.findall(r"# (.*)\n\s+function (\w+)\(\)", text)}
    ((_, score),) = re.findall(r"(global|first)-phase \{\n\s+expression: (.*)", text)[-1:]
    if "global-phase" in text:
        assert int(re.search(r"rerank-count: (\d+)", text)[1]) >= len(next(iter(columns.values())))  # type: ignore[index]

    def code(expression: str) -> str:
        quoted = re.sub(r"(normalize_linear|reciprocal_rank)\((\w+)", r'\1("\2"', expression)
        return quoted.replace("if (", "if_(")

    def value(i: int, expression: str) -> float:
        class Names(dict[str, Any]):
            def __missing__(self, name: str) -> float:
                return float(columns[features[name]][i]) if name in features else value(i, functions[name])

        names = Names(
            if_=lambda condition, yes, no: yes if condition else no,
            exp=math.exp,
            max=max,
            normalize_linear=lambda function: _normalize_linear(columns[features[function]])[i],
            reciprocal_rank=lambda function, k: _reciprocal_rank(columns[features[function]], k)[i],
        )
        return float(eval(code(expression), {"__builtins__": {}}, names))

    return [value(i, score) for i in range(len(next(iter(columns.values()))))]


def _normalize_linear(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    scale, middle = (1 / (high - low), (low + high) * 0.5) if high > low else (0.0, 0.0)
    return [0.5 + scale * (value - middle) for value in values]


def _reciprocal_rank(values: Sequence[float], k: float) -> list[float]:
    order = sorted(range(len(values)), key=lambda i: -values[i])
    ranked = [0.0] * len(values)
    for place, i in enumerate(order):
        ranked[i] = 1.0 / (k + 1.0 + place)
    return ranked


def python_scores(text: str, columns: Columns, of_query: Mapping[str, Any] | None = None) -> list[float]:
    """Run the function, on documents that have nothing but the features that it asks for, where they are not 0."""
    module: dict[str, Any] = {}
    exec(text, module)
    n_documents = len(next(iter(columns.values())))
    found: list[float] = module["scores"](
        [{name: columns[name][i] for name in module["FEATURES"] if columns[name][i]} for i in range(n_documents)],
        *(of_query or {}).values(),
    )
    return found


def sql_scores(text: str, columns: Columns, of_query: Mapping[str, Any] | None = None) -> list[float]:
    """Run the query in SQLite, beside another query's documents; NULL in place of 0."""
    n_documents = len(next(iter(columns.values())))
    missing = {name: [value or None for value in column] for name, column in columns.items()}
    columns = {**missing, **{name: [value] * n_documents for name, value in (of_query or {}).items()}}
    names = ["query", "document", *columns]
    listed = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    with sqlite3.connect(":memory:") as database:
        database.execute(f"CREATE TABLE candidates ({listed})")
        rows = [("q", i, *(column[i] for column in columns.values())) for i in range(n_documents)]
        other = [("other", -1, *([1.0] * len(columns))), ("other", -2, *([2.0] * len(columns)))]
        database.executemany(f"INSERT INTO candidates VALUES ({', '.join('?' * len(names))})", [*other, *rows])
        found = database.execute(text).fetchall()
    scores = {document: score for query, document, score in found if query == "q"}
    assert [score for query, _, score in found if query == "q"] == sorted(scores.values(), reverse=True)
    return [scores[i] for i in range(n_documents)]
