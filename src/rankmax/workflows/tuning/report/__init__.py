"""The web page of a tuning: one module per section, and one for the page."""

from rankmax.workflows.tuning.report.tuning_page import write_report

__all__ = ["write_report"]
