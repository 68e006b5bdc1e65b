"""The data model: ranking data sets, judgments, runs and identifiers."""

from rankmax.data.dataset import RankingDataset
from rankmax.data.judging import JudgedRun, join_runs, judge
from rankmax.data.judgments import Judgments
from rankmax.data.runs import Qrels, Run
from rankmax.data.splits import LetorFold, QueryFold, concatenate, k_folds, letor_folds, split_queries
from rankmax.data.synthetic import PlantedProblem, mslr_like, mslr_like_chunks, planted_linear

__all__ = [
    "JudgedRun",
    "Judgments",
    "LetorFold",
    "PlantedProblem",
    "Qrels",
    "QueryFold",
    "RankingDataset",
    "Run",
    "concatenate",
    "join_runs",
    "judge",
    "k_folds",
    "letor_folds",
    "mslr_like",
    "mslr_like_chunks",
    "planted_linear",
    "split_queries",
]
