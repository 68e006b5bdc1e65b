"""Python source fragments from which exported modules are assembled."""

from __future__ import annotations

NORMALIZATIONS = {
    "min-max": """
def by_min_max(values):
    low, high = min(values), max(values)
    return [(x - low) / (high - low) if low < high else 0.0 for x in values]
""",
    "z-score": """
def by_z_score(values):
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in values) / len(values))
    return [(x - mean) / deviation if min(values) < max(values) else 0.0 for x in values]
""",
    "percentile": """
def by_percentile(values):
    in_order = sorted(values)
    return [bisect.bisect_right(in_order, x) / len(values) for x in values]
""",
    "sum": """
def by_sum(values):
    total = math.fsum(map(abs, values))
    return [x / total if total else 0.0 for x in values]
""",
    "l2": """
def by_l2(values):
    length = math.hypot(*(x for x in values if x is not None))
    return [x / length if x is not None and length else 0.0 for x in values]
""",
    "retrieved-min-max": """
def by_retrieved_min_max(values):
    found = [x for x in values if x is not None]
    low, high = min(found, default=0.0), max(found, default=0.0)
    return [0.0 if x is None else (x - low) / (high - low) if low < high else 1.0 for x in values]
""",
    "elasticsearch-min-max": """
def by_elasticsearch_min_max(values):
    found = [x for x in values if x is not None]
    low, high = min(found, default=0.0), max(found, default=0.0)
    return [0.0 if x is None else (x - low) / (high - low) if high - low >= 1e-6 else 1.0 for x in values]
""",
    "opensearch-min-max": """
def by_opensearch_min_max(values):
    values = [x or None for x in values]  # to OpenSearch a score of 0 is no hit
    found = [x for x in values if x is not None]
    low, high = min(found, default=0.0), max(found, default=0.0)
    return [0.0 if x is None else (x - low) / (high - low) or 0.001 if low < high else 1.0 for x in values]
""",
    "retrieved-z-score": """
def by_retrieved_z_score(values):
    found = [x for x in values if x is not None]
    if not found or min(found) == max(found):
        return [0.0] * len(values)
    mean = math.fsum(found) / len(found)
    deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in found) / len(found))
    return [((min(found) if x is None else x) - mean) / deviation for x in values]
""",
    "opensearch-z-score": """
def by_opensearch_z_score(values):
    values = [x or None for x in values]  # to OpenSearch a score of 0 is no hit
    found = [x for x in values if x is not None]
    if not found:
        return [0.0] * len(values)
    mean = math.fsum(found) / len(found)
    close = 1e-9 * max(map(abs, found))
    deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in found) / max(len(found) - 1, 1))

    def normalized(x):
        if abs(x - mean) <= close:
            return max(found)
        return 0.001 if x < mean else (x - mean) / deviation

    return [0.0 if x is None else normalized(x) for x in values]
""",
    "milvus-inner-product": """
def by_milvus_inner_product(values):
    return [0.0 if x is None else 0.5 + math.atan(x) / math.pi for x in values]
""",
    "reciprocal-rank": """
def by_reciprocal_rank(values, ids, k):
    order = [i for i, x in enumerate(values) if x is not None]
    if ids is not None:  # equal scores: by id, descending
        order.sort(key=lambda i: str(ids[i]), reverse=True)
    order.sort(key=lambda i: -values[i])
    rank = {i: place for place, i in enumerate(order, 1)}
    return [1.0 / (k + rank[i]) if i in rank else 0.0 for i in range(len(values))]
""",
}
"""Each function maps the values of one query's documents, as the normalization of that name in rankmax.preprocessing
does. None means that a document was not retrieved; functions that look at all documents get 0 for it."""
COLUMN_OF = """
def column(documents, name):  # None: not retrieved
    values = [document.get(name) for document in documents]
    return [None if x is None or x != x else float(x) for x in values]
"""
OR_ZERO = """
def or_zero(values):
    return [0.0 if x is None else x for x in values]
"""
ABOVE = """
def above(threshold, values):
    return [1.0 if x > threshold else 0.0 for x in values]
"""
WEIGHTED_SUM = """
def weighted_sum(weighted, i):
    total = 0.0
    for weight, values in weighted:  # one by one, as rankmax adds up: equal scores stay equal
        total += weight * values[i]
    return total
"""
LINEAR = """
def scores(documents, ids=None):
    \"\"\"Return the score of each document; higher is better.\"\"\"
    if not documents:
        return []
    weighted = [
{columns}
    ]
    return [weighted_sum(weighted, i) for i in range(len(documents))]
"""
EXPECTED_GAIN = """
GAINS = {gains}
INTERCEPTS = {intercepts}


def scores(documents, ids=None):
    \"\"\"Return the expected gain of each document; higher is better.\"\"\"
    if not documents:
        return []
    weighted = [  # by as many weights as there are gains
{columns}
    ]
    found = []
    for i in range(len(documents)):
        logits = [
            intercept + math.fsum(weights[level] * values[i] for weights, values in weighted)
            for level, intercept in enumerate(INTERCEPTS)
        ]
        likelihoods = [math.exp(logit - max(logits)) for logit in logits]
        found.append(math.fsum(map(lambda gain, share: gain * share, GAINS, likelihoods)) / math.fsum(likelihoods))
    return found
"""
RANKING = """
def ranking(documents):
    \"\"\"Return the ids of documents, given as a mapping from id to features, from the best down.\"\"\"
    found = dict(zip(documents, scores(list(documents.values()), list(documents))))
    return sorted(found, key=lambda i: (found[i], str(i)), reverse=True)
"""
LINEAR_CURVE = """
def linear(x, knots, values):
    passed = bisect.bisect_left(knots, x)
    if passed == 0 or passed == len(knots):
        return values[max(passed - 1, 0)]
    share = (x - knots[passed - 1]) / (knots[passed] - knots[passed - 1])
    return values[passed - 1] + (values[passed] - values[passed - 1]) * share
"""
CONSTANT_CURVE = """
def constant(x, knots, values):
    return values[bisect.bisect_left(knots, x)]
"""
SHAPED = """
def shaped(curve, knots, values, column, absent=None, given=None):  # absent: the value if not retrieved
    found = [curve(x, knots, values) for x in column]
    return found if given is None else [absent if raw is None else y for y, raw in zip(found, given)]
"""
ADDITIVE = """
def scores(documents, ids=None):
    \"\"\"Return the score of each document; higher is better.\"\"\"
    if not documents:
        return []
    columns = [
{columns}    ]
    found = []
    for i in range(len(documents)):
        total = 0.0
        for values in columns:  # one by one, as rankmax adds up: equal scores stay equal
            total += values[i]
        for first, second, weight in PRODUCTS:
            total += columns[first][i] * columns[second][i] * weight
        found.append(total)
    return found
"""
BY_NUMBER = """
def weights(number):
    \"\"\"Return the weights of a query, by its COLUMN.\"\"\"
    share = min(max((float(number) - {low}) / ({high} - {low}), 0.0), 1.0)
    return [(1 - share) * low + share * high for low, high in zip(LOWEST, HIGHEST)]
"""
BY_GROUP = """
def weights(group):
    \"\"\"Return the weights of a query, by its COLUMN.\"\"\"
    return WEIGHTS.get(str(group), OTHERWISE)
"""
VARYING = """
def scores(documents, value, ids=None):
    \"\"\"Return the score of each document of a query with this value of COLUMN; higher is better.\"\"\"
    if not documents:
        return []
    columns = [
{columns}
    ]
    weighted = list(zip(weights(value), columns))
    return [weighted_sum(weighted, i) for i in range(len(documents))]
"""
VARYING_RANKING = """
def ranking(documents, value):
    \"\"\"Return the ids of documents, given as a mapping from id to features, from the best down.\"\"\"
    found = dict(zip(documents, scores(list(documents.values()), value, list(documents))))
    return sorted(found, key=lambda i: (found[i], str(i)), reverse=True)
"""
FITTING = """
def scores(documents, query=None, ids=None):
    \"\"\"Return the score of each document of a query; higher is better.\"\"\"
    if not documents:
        return []
    names = [str(i) for i in range(len(documents))] if ids is None else ids
    lists = {{name: list(zip(names, column(documents, name))) for name in SYSTEMS}}
    columns = [
{columns}
    ]
    weighted = list(zip(weights(lists, query), columns))
    return [weighted_sum(weighted, i) for i in range(len(documents))]
"""
FITTING_RANKING = """
def ranking(documents, query=None):
    \"\"\"Return the ids of documents, given as a mapping from id to features, from the best down.\"\"\"
    found = dict(zip(documents, scores(list(documents.values()), query, list(documents))))
    return sorted(found, key=lambda i: (found[i], str(i)), reverse=True)
"""
