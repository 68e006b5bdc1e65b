"""File formats of data sets, runs, judgments and topics, one module per format."""

from rankmax.formats.interchange import as_qrels, as_run
from rankmax.formats.letor import read_letor, write_letor
from rankmax.formats.registry import read_dataset, write_dataset
from rankmax.formats.shards import Shards, write_shards
from rankmax.formats.topics import read_topics
from rankmax.formats.trec import read_qrels, read_run, write_qrels, write_run

__all__ = [
    "Shards",
    "as_qrels",
    "as_run",
    "read_dataset",
    "read_letor",
    "read_qrels",
    "read_run",
    "read_topics",
    "write_dataset",
    "write_letor",
    "write_qrels",
    "write_run",
    "write_shards",
]
