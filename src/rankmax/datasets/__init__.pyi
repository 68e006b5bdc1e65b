from rankmax.datasets.collection import TextCollection as TextCollection
from rankmax.datasets.documentation import docstrings as docstrings
