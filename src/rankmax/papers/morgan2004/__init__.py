"""Morgan, Greiff & Henderson 2004: term weights by hill-climbing on average precision, and by maximum entropy."""

from rankmax.papers.morgan2004.exhibits import FIGURE_1, FIGURE_2, FIGURE_3, TABLE_1
from rankmax.papers.papers import Paper

PAPER = Paper("morgan2004", (TABLE_1, FIGURE_1, FIGURE_2, FIGURE_3))
