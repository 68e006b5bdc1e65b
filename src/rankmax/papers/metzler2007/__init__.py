"""Metzler 2005, and Metzler & Croft 2007: weights of linear models, found by maximizing the metric itself."""

from rankmax.papers.metzler2007.exhibits import FIGURE_1, TABLE_3, TABLE_6, TABLE_7
from rankmax.papers.metzler2007.optimum import OPTIMUM
from rankmax.papers.metzler2007.searches import SEARCHES
from rankmax.papers.papers import Paper

PAPER = Paper("metzler2007", (TABLE_3, TABLE_6, TABLE_7, FIGURE_1, SEARCHES, OPTIMUM))
