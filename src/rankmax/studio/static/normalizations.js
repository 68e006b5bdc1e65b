// Explanations of the score normalizations, in the order in which to try them.

/** @type {Record<string, string>} */
const EXPLAINED = {
  none: "raw scores",
  "min-max": "lowest 0, highest 1 within a query",
  "z-score": "mean 0, standard deviation 1 within a query",
  percentile: "share of the query's documents that score no higher",
  sum: "divided by the query's sum",
  l2: "divided by the Euclidean length of the query's scores",
  "reciprocal-rank": "by rank alone, as in reciprocal rank fusion",
  "retrieved-min-max": "lowest retrieved 0, highest 1",
  "retrieved-z-score": "mean 0, standard deviation 1 among retrieved documents",
  "opensearch-min-max": "as OpenSearch does",
  "opensearch-z-score": "as OpenSearch does",
  "elasticsearch-min-max": "as Elasticsearch does",
  "milvus-inner-product": "arc tangent, as Milvus does",
};
const ORDER = Object.keys(EXPLAINED);

/** @param {string} name */
export const explained = name => (name in EXPLAINED ? `${name}: ${EXPLAINED[name]}` : name);

/** @param {string[]} names */
export const inOrder = names => [
  ...ORDER.filter(name => names.includes(name)),
  ...names.filter(name => !ORDER.includes(name)),
];
