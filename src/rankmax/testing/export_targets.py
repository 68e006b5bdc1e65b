"""The contract of an export target, as tests to inherit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankmax.engines.export_target import Destination, Export, Target
from rankmax.errors import IncompatibleError
from rankmax.models import LinearModel
from rankmax.models.varying_model import VaryingModel
from rankmax.preprocessing.feature_normalization import Normalization
from rankmax.preprocessing.registry import NORMALIZATIONS


class ExportTargetContract:
    """Tests that every export target passes; inherit in a test class whose name starts with ``Test``.

    A target writes a model as text, or refuses it with an :class:`~rankmax.errors.IncompatibleError` that says what
    would make it expressible.

    Attributes
    ----------
    target : Target
        The target under test.

    Examples
    --------
    >>> from rankmax.engines.solr_ltr import SOLR
    >>> class TestSolr(ExportTargetContract):
    ...     target = SOLR
    >>> TestSolr().test_text_ends_with_a_line_break()
    """

    target: Target

    def test_some_model_can_be_written(self) -> None:
        """There is a normalization that the target can express."""
        assert any(self._exports(LinearModel(np.array([0.5, 2.0]), ("bm25", "e5"), n)) for n in _normalizations())

    def test_writing_twice_gives_the_same_text(self) -> None:
        """An export depends on the model and the destination alone."""
        for model in self._models():
            assert self._exports(model) == self._exports(model)

    def test_text_ends_with_a_line_break(self) -> None:
        """The text is a file as it stands."""
        for model in self._models():
            written = self._exports(model)
            assert written is None or written.text.endswith("\n")

    def test_a_line_break_in_a_name_begins_no_line(self) -> None:
        """What a name holds stays a part of the comment or string that it stands in."""
        for model in self._models("b\nEVIL", metric="AP\nEVIL"):
            written = self._exports(model)
            assert written is None or "EVIL" not in written.text.splitlines()

    def test_weights_by_query_are_written_or_refused(self) -> None:
        """A target that cannot choose weights for each query says so."""
        model = VaryingModel("kind", None, ("what",), np.array([[1.0]]), np.array([2.0]), ("bm25",))
        try:
            written = self.target.export(model, Destination())
        except IncompatibleError:
            assert self.target.write_varying is None
        else:
            assert written.text

    def _models(self, name: str = "e5", metric: str | None = None) -> Iterator[LinearModel]:
        for normalization in _normalizations():
            for weight in (2.0, 0.0, -1.0):
                yield LinearModel(np.array([0.5, weight]), ("bm25", name), normalization, metric=metric)

    def _exports(self, model: LinearModel) -> Export | None:
        """Return what is written, or None where the model is refused; nothing else may be raised."""
        try:
            return self.target.export(model, Destination())
        except IncompatibleError:
            return None


def _normalizations() -> list[Normalization]:
    return [kind() for kind in NORMALIZATIONS.load_all().values()]
