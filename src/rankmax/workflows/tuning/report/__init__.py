"""The web page of a tuning: one module for each of its sections, and one for all."""

from rankmax.workflows.tuning.report.tuning_page import write_report

__all__ = ["write_report"]
