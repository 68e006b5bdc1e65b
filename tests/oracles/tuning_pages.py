"""Small tunings, and what a browser makes of their pages."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

from rankmax.data.dataset import RankingDataset
from rankmax.data.synthetic import planted_linear
from rankmax.fusion.signals import signals_of_features
from rankmax.metrics import AP
from rankmax.workflows.tuning.confidence import WeightConfidence, weight_confidence
from rankmax.workflows.tuning.report import write_report
from rankmax.workflows.tuning.tuning import tune_systems
from rankmax.workflows.tuning.tuning_result import SystemTuning

Tuned = tuple[SystemTuning, WeightConfidence]


def tuned(data: RankingDataset, **options) -> Tuned:
    tuning = tune_systems(signals_of_features(data), [AP()], n_repeats=1, n_folds=2, **options)
    return tuning, weight_confidence(tuning.search, tuning.learned_fusion.weights)


def planted(n_systems: int, n_queries: int = 12) -> RankingDataset:
    return planted_linear(n_queries, 6, n_systems, noise=1.0, seed=3).data


def page_of(tuning: SystemTuning, confidence: WeightConfidence, folder: Path, **options) -> str:
    write_report(tuning, confidence, folder / "tuning.html", **options)
    return (folder / "tuning.html").read_text("utf-8")


class Reader(HTMLParser):
    """What a browser makes of a page: its elements, attributes, rows of tables, and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.rows: list[list[str]] = []
        self.text = ""
        self._cell = self._silent = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._cell = True
        self._silent = tag in ("style", "script")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._cell = False

    def handle_data(self, data: str) -> None:
        if self._silent:
            return
        self.text += data
        if self._cell:
            self.rows[-1][-1] += data
