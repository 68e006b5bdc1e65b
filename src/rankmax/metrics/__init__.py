"""Rank metrics as value objects: ``nDCG(gain="exp2") @ 10``, or from a name with :func:`parse_metric`."""

from rankmax.metrics.average_precision import AP, AveragePrecision
from rankmax.metrics.bpref import BinaryPreference, Bpref
from rankmax.metrics.custom import FunctionMetric, TableMetric, from_function, from_tables
from rankmax.metrics.dcg import DCG, DiscountedCumulativeGain, NormalizedDCG, nDCG
from rankmax.metrics.dcg_like import DCGLike, PowerERR
from rankmax.metrics.err import ERR, ExpectedReciprocalRank
from rankmax.metrics.evaluator import Evaluator, evaluate_metrics
from rankmax.metrics.judged import Judged, JudgedRate
from rankmax.metrics.letor_scripts import LetorAveragePrecision, LetorMeanNDCG, LetorNDCG, LetorPrecision
from rankmax.metrics.metric import Metric, NoRelevant, TabularMetric
from rankmax.metrics.precision import P, Precision, R, Recall, Rprec, RPrecision, Success
from rankmax.metrics.rbp import RBP, RankBiasedPrecision
from rankmax.metrics.reciprocal_rank import RR, ReciprocalRank
from rankmax.metrics.registry import parse_metric, register, registered_metrics
from rankmax.metrics.roc import ROC, ROCArea
from rankmax.metrics.ties import TiePolicy

__all__ = [
    "AP",
    "DCG",
    "ERR",
    "RBP",
    "ROC",
    "RR",
    "AveragePrecision",
    "BinaryPreference",
    "Bpref",
    "DCGLike",
    "DiscountedCumulativeGain",
    "Evaluator",
    "ExpectedReciprocalRank",
    "FunctionMetric",
    "Judged",
    "JudgedRate",
    "LetorAveragePrecision",
    "LetorMeanNDCG",
    "LetorNDCG",
    "LetorPrecision",
    "Metric",
    "NoRelevant",
    "NormalizedDCG",
    "P",
    "PowerERR",
    "Precision",
    "R",
    "ROCArea",
    "RPrecision",
    "RankBiasedPrecision",
    "Recall",
    "ReciprocalRank",
    "Rprec",
    "Success",
    "TableMetric",
    "TabularMetric",
    "TiePolicy",
    "evaluate_metrics",
    "from_function",
    "from_tables",
    "nDCG",
    "parse_metric",
    "register",
    "registered_metrics",
]
