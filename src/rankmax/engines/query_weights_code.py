"""Weights that fit the query as code: constants and functions in Python and in JavaScript, which compute the same.

The functions are written out in full for both languages, and a model is a table of constants beside them. A list is cut
to its 100 documents of highest score as in :mod:`rankmax.preprocessing.query_features`; equal scores go by id,
descending.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from rankmax.engines.formulas import number
from rankmax.errors import IncompatibleError
from rankmax.models.query_weights_model import FARTHEST, QueryWeightsModel
from rankmax.preprocessing.indicators import Indicator
from rankmax.preprocessing.query_features import COLUMN, LIST_LENGTH, QUESTION_WORDS, TEXT, TOP

PYTHON_WEIGHTS = """
def weights(lists, query=None):
    \"\"\"Return the weight of each of SYSTEMS for a query.

    lists: what each system found: a mapping from its name to pairs of document id and score, or to a mapping.
    query: a mapping with the query's "text" and the columns that QUERY_FEATURES name, where they do.
    \"\"\"
    in_order = [ranked(dict(lists.get(name) or ())) for name in SYSTEMS]
    found = list(WEIGHTS)
    for kind, of, mean, deviation, changes in QUERY_FEATURES:
        z = (query_feature(kind, of, in_order, query or {}) - mean) / deviation
        z = min(max(z, -FARTHEST), FARTHEST)
        found = [weight + z * change for weight, change in zip(found, changes)]
    found = [max(weight, 0.0) for weight in found]
    return found if any(found) else list(WEIGHTS)


def ranked(scores):
    kept = [(float(x), i) for i, x in scores.items() if x is not None and x == x and x != 0]
    kept.sort(key=lambda pair: str(pair[1]), reverse=True)  # equal scores: by id, descending
    kept.sort(key=lambda pair: -pair[0])
    return kept[:LIST_LENGTH]


def query_feature(kind, of, lists, query):
    if kind == "column":
        value = float(query[of])
        if not math.isfinite(value):
            raise ValueError(f"{of!r} of the query is {query[of]!r}; expected a finite number")
        return value
    if kind == "length":
        return float(len(query["text"].split()))
    if kind == "question":
        words = query["text"].lower().split()
        return float(bool(words) and (words[0] in QUESTION_WORDS or words[-1].endswith("?")))
    if kind in ("overlap", "agreement"):
        length = None if kind == "overlap" else TOP
        sets = [{i for _, i in own[:length]} for own in lists]
        pairs = [(a, b) for i, a in enumerate(sets) for b in sets[i + 1 :]]
        shares = [len(a & b) / (TOP if length else max(len(a | b), 1)) for a, b in pairs]
        return math.fsum(shares) / len(shares) if shares else 0.0
    own = lists if of == "" else [lists[SYSTEMS.index(of)]]
    return math.fsum(statistic(kind, [x for x, _ in one]) for one in own) / len(own)


def statistic(kind, x):
    if kind == "deviation":
        mean = math.fsum(x) / len(x) if x else 0.0
        return math.sqrt(math.fsum((one - mean) ** 2 for one in x) / len(x)) if x else 0.0
    if not x or x[0] <= x[-1]:
        return 0.0 if kind == "gap" else 1.0
    heights = [(one - x[-1]) / (x[0] - x[-1]) for one in x]
    if kind == "gap":
        return (x[0] - x[1]) / (x[0] - x[-1])
    shares = [height / math.fsum(heights) for height in heights]
    return abs(math.fsum(share * math.log(share) for share in shares if share > 0)) / math.log(len(x))
"""
JAVASCRIPT_WEIGHTS = """
/**
 * Return the weight of each of SYSTEMS for a query.
 * @param {Object | Map} lists  what each system found, by its name: pairs of document id and score, or a Map
 * @param {Object | Map} query  the query's "text" and the columns that QUERY_FEATURES name, where they do
 * @returns {number[]}
 */
export function weights(lists, query = {}) {
  const inOrder = SYSTEMS.map((name) => ranked(valueOf(lists, name) ?? []));
  let found = [...WEIGHTS];
  for (const [kind, of, mean, deviation, changes] of QUERY_FEATURES) {
    const z = Math.min(Math.max((queryFeature(kind, of, inOrder, query) - mean) / deviation, -FARTHEST), FARTHEST);
    found = found.map((weight, j) => weight + z * changes[j]);
  }
  found = found.map((weight) => Math.max(weight, 0));
  return found.some((weight) => weight > 0) ? found : [...WEIGHTS];
}

function valueOf(values, name) {
  if (values instanceof Map) return values.get(name);
  return Object.prototype.hasOwnProperty.call(values, name) ? values[name] : undefined;
}

function ranked(pairs) {
  const kept = [...new Map(pairs)].filter(([, x]) => x !== null && x !== undefined && !Number.isNaN(x) && x !== 0);
  kept.sort(([a, x], [b, y]) => y - x || byCodePoints(String(b), String(a)));
  return kept.slice(0, LIST_LENGTH);
}

function byCodePoints(a, b) {
  const [first, second] = [[...a], [...b]];
  for (let i = 0; i < Math.min(first.length, second.length); i++) {
    const apart = first[i].codePointAt(0) - second[i].codePointAt(0);
    if (apart) return apart;
  }
  return first.length - second.length;
}

function words(query) {
  const text = valueOf(query, "text");
  if (typeof text !== "string") throw new Error("the weights depend on the text of the query");
  return text.split(SPACES).filter((word) => word !== "");
}

function queryFeature(kind, of, lists, query) {
  if (kind === "column") {
    const given = valueOf(query, of);
    const value = typeof given === "string" && given.trim() === "" ? NaN : Number(given ?? NaN);
    if (!Number.isFinite(value)) throw new Error(`${of} of the query is ${given}; expected a finite number`);
    return value;
  }
  if (kind === "length") return words(query).length;
  if (kind === "question") {
    const found = words(query).map((word) => word.toLowerCase());
    return found.length && (QUESTION_WORDS.includes(found[0]) || found.at(-1).endsWith("?")) ? 1 : 0;
  }
  if (kind === "overlap" || kind === "agreement") {
    const sets = lists.map((own) => new Set((kind === "overlap" ? own : own.slice(0, TOP)).map(([id]) => id)));
    const shares = sets.flatMap((a, i) =>
      sets.slice(i + 1).map((b) => {
        const shared = [...a].filter((id) => b.has(id)).length;
        return shared / (kind === "overlap" ? Math.max(a.size + b.size - shared, 1) : TOP);
      }),
    );
    return shares.length ? sum(shares) / shares.length : 0;
  }
  const own = of === "" ? lists : [lists[SYSTEMS.indexOf(of)]];
  return sum(own.map((one) => statistic(kind, one.map(([, x]) => x)))) / own.length;
}

function statistic(kind, x) {
  if (kind === "deviation") {
    const mean = x.length ? sum(x) / x.length : 0;
    return x.length ? Math.sqrt(sum(x.map((one) => (one - mean) ** 2)) / x.length) : 0;
  }
  if (!x.length || x[0] <= x[x.length - 1]) return kind === "gap" ? 0 : 1;
  const heights = x.map((one) => (one - x[x.length - 1]) / (x[0] - x[x.length - 1]));
  if (kind === "gap") return (x[0] - x[1]) / (x[0] - x[x.length - 1]);
  const total = sum(heights);
  const shares = heights.map((height) => height / total).filter((share) => share > 0);
  return Math.abs(sum(shares.map((share) => share * Math.log(share)))) / Math.log(x.length);
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
"""
# what Python's str.split takes for white space
_SPACES = r"/[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/"


def python_constants(model: QueryWeightsModel) -> str:
    """Return the constants of a model as Python.

    Parameters
    ----------
    model : QueryWeightsModel
    """
    rows = "".join(
        f"    ({kind!r}, {of!r}, {number(mean)}, {number(deviation)}, {_numbers(changes)}),\n"
        for kind, of, mean, deviation, changes in _rows(model)
    )
    return (
        f"SYSTEMS = {list(model.feature_names)!r}\nWEIGHTS = {_numbers(model.weights.tolist())}\n"
        "# kind, system or column, mean, standard deviation, change of the weights for one of these\n"
        f"QUERY_FEATURES = [\n{rows}]\nFARTHEST, LIST_LENGTH, TOP = {FARTHEST}, {LIST_LENGTH}, {TOP}\n"
        f"QUESTION_WORDS = set({' '.join(QUESTION_WORDS)!r}.split())\n"
    )


def javascript_constants(model: QueryWeightsModel) -> str:
    """Return the constants of a model as JavaScript.

    Parameters
    ----------
    model : QueryWeightsModel
    """
    rows = "".join(
        f"  [{_text(kind)}, {_text(of)}, {number(mean)}, {number(deviation)}, {_numbers(changes)}],\n"
        for kind, of, mean, deviation, changes in _rows(model)
    )
    return (
        f"export const SYSTEMS = [{', '.join(map(_text, model.feature_names))}];\n"
        f"const WEIGHTS = {_numbers(model.weights.tolist())};\n"
        "// kind, system or column, mean, standard deviation, change of the weights for one of these\n"
        f"const QUERY_FEATURES = [\n{rows}];\n"
        f"const FARTHEST = {FARTHEST};\nconst LIST_LENGTH = {LIST_LENGTH};\nconst TOP = {TOP};\n"
        f'const QUESTION_WORDS = "{" ".join(QUESTION_WORDS)}".split(" ");\nconst SPACES = {_SPACES};\n'
    )


def told_of_queries(model: QueryWeightsModel) -> list[str]:
    """Return the keys of what must be told of a query besides its lists: its text, and columns.

    Parameters
    ----------
    model : QueryWeightsModel
    """
    moving = [model.query_features[k] for k in sorted(model.moving)]
    return list(dict.fromkeys(one.of if one.kind == COLUMN else TEXT for one in moving if one.needs_topics))


def require_plain(model: QueryWeightsModel) -> None:
    """Refuse a model whose systems are thresholds of features.

    Parameters
    ----------
    model : QueryWeightsModel
    """
    binned = next((name for name in model.feature_names if Indicator.parse(name)), None)
    if binned is not None:
        raise IncompatibleError(f"weights that fit the query are those of lists, and {binned!r} reads as a threshold")


def _rows(model: QueryWeightsModel) -> list[tuple[str, str, float, float, list[float]]]:
    return [
        (
            model.query_features[k].kind,
            model.query_features[k].of,
            float(model.means[k]),
            float(model.deviations[k]),
            model.variation[k].tolist(),
        )
        for k in sorted(model.moving)
    ]


def _numbers(values: Sequence[float]) -> str:
    return f"[{', '.join(map(number, values))}]"


def _text(value: str) -> str:
    """Return a JavaScript string, in characters that no reader of the file mistakes."""
    return json.dumps(value)
