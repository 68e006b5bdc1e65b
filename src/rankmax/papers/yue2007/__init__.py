"""Yue, Finley, Radlinski & Joachims 2007: a support vector method for optimizing average precision."""

from rankmax.papers.papers import Paper
from rankmax.papers.yue2007.exhibits import TABLE_5, TABLE_6, TABLE_7, TABLE_8, TABLE_9, TABLE_10, TABLE_11
from rankmax.papers.yue2007.learning import METHODS, OURS
from rankmax.papers.yue2007.toy_examples import TABLE_1, TABLE_2, TABLE_3, TABLE_4

PAPER = Paper(
    "yue2007",
    (TABLE_1, TABLE_2, TABLE_3, TABLE_4, TABLE_5, TABLE_6, TABLE_7, TABLE_8, TABLE_9, TABLE_10, TABLE_11),
    (*METHODS, OURS),
)
