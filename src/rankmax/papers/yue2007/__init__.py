"""Yue, Finley, Radlinski & Joachims 2007: a support vector method for optimizing average precision."""

from rankmax.papers.papers import Paper
from rankmax.papers.yue2007.exhibits import TABLE_6, TABLE_7, TABLE_8, TABLE_9, TABLE_10, TABLE_11

PAPER = Paper("yue2007", (TABLE_6, TABLE_7, TABLE_8, TABLE_9, TABLE_10, TABLE_11))
