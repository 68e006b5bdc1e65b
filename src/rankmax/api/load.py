"""`rankmax.load`: models and certificates from files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rankmax._io.files import read_bytes
from rankmax.models.json_file import check_schema

if TYPE_CHECKING:
    from rankmax.models.ranking_model import RankingModel
    from rankmax.workflows.proofs.certificate import Certificate


def load(path: str | os.PathLike[str]) -> RankingModel | Certificate:
    """Read a model or a certificate from its file.

    Parameters
    ----------
    path : path
        JSON file that rankmax wrote, or a model of LightGBM (text), XGBoost (JSON) or CatBoost (JSON).

    Returns
    -------
    LinearModel, ExpectedGainModel, VaryingModel, QueryWeightsModel, TreeEnsembleModel or Certificate
        As the file says.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax import LinearModel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     LinearModel([0.3, 0.7], ("bm25", "e5")).save(f"{folder}/model.json")
    ...     load(f"{folder}/model.json").feature_names
    ('bm25', 'e5')
    """
    from rankmax.models.model_files import MODELS_BY_SCHEMA, any_model
    from rankmax.models.trees.tree_files import LIBRARY_FILES, library_of
    from rankmax.workflows.proofs.certificate import Certificate

    content = read_bytes(path)
    if library_of(content, path) is not None:
        return any_model(content, path)
    known = (*MODELS_BY_SCHEMA, Certificate.schema)
    schema = check_schema(content, known, path, noun="model or certificate", other=LIBRARY_FILES)
    return Certificate.from_json(content, source=path) if schema == Certificate.schema else any_model(content, path)
