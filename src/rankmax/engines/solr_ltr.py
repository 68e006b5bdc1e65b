"""Apache Solr's learning to rank, as a LinearModel.

In single precision, in the order of the model's features:

    score(d) = Σ_j normalized_j(x_j(d)) · weight_j,    normalized(x) = (x - min) / (max - min), if asked for

Every feature has a weight; a normalizer's parameters are strings.
"""

from __future__ import annotations

from typing import Any

from rankmax.engines.export_target import AnyModel, Destination, Export, Request, Target
from rankmax.engines.export_text import commented, heading, listed
from rankmax.engines.learning_to_rank_plugin import scaled
from rankmax.engines.requirements import engine_normalization, linear_terms, within_float32

_TITLE = "Solr's learning to rank"


def _write(model: AnyModel, destination: Destination) -> Export:
    weights = linear_terms(model, _TITLE)
    engine_normalization(model, _TITLE, {"none": "none"})
    weights, ranges = scaled(weights, destination.ranges or {})
    body = {
        "class": "org.apache.solr.ltr.model.LinearModel",
        "name": destination.name,
        "store": destination.feature_set,
        "features": [_feature(name, ranges.get(name)) for name in weights],
        "params": {"weights": within_float32(weights)},
    }
    upload = Request("PUT", "schema/model-store", body)
    before = commented(
        "//",
        heading(model, f"Linear model for {_TITLE}"),
        f"The feature store {destination.feature_set!r} must have features named {listed(list(weights))}, which give "
        "the values that the model was trained on. Upload this file (Solr's parser skips comments), or send it "
        "with rankmax export --push http://HOST:8983/solr/COLLECTION:",
        "curl -X PUT http://HOST:8983/solr/COLLECTION/schema/model-store\n"
        "  -H Content-type:application/json --data-binary @THIS-FILE",
        f"Then rerank with rq={{!ltr model={destination.name} reRankDocs=1000}}.",
    )
    return Export(f"{before}\n{upload.json}\n", (upload,))


def _feature(name: str, limits: tuple[float, float] | None) -> dict[str, Any]:
    if limits is None:
        return {"name": name}
    parameters = {"min": repr(limits[0]), "max": repr(limits[1])}
    return {"name": name, "norm": {"class": "org.apache.solr.ltr.norm.MinMaxNormalizer", "params": parameters}}


SOLR = Target("solr", _TITLE, _write, scales=True)
