"""The command line: one file a verb, each importing what it needs only when it runs."""

from __future__ import annotations

from rankmax.cli.main import cli, main

__all__ = ["cli", "main"]
