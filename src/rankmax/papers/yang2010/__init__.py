"""Yang, Ravikumar & Lease 2010: expected gain as a ranking function, for DCG-like metrics."""

from rankmax.papers.papers import Paper
from rankmax.papers.yang2010.exhibits import FIGURE_1, TABLE_1

PAPER = Paper("yang2010", (TABLE_1, FIGURE_1))
