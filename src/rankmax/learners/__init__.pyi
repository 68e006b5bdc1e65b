from rankmax.learners.direct.linear_ranker import LinearRanker as LinearRanker
from rankmax.learners.pairwise.ranking_svm import RankingSVM as RankingSVM
from rankmax.learners.pointwise.classification_svm import ClassificationSVM as ClassificationSVM
from rankmax.learners.pointwise.least_squares import LeastSquaresRanker as LeastSquaresRanker
from rankmax.learners.pointwise.maximum_entropy import MaximumEntropyRanker as MaximumEntropyRanker
from rankmax.learners.pointwise.plug_in import PlugInRanker as PlugInRanker
from rankmax.learners.structural.structural_svm import StructuralSVM as StructuralSVM
from rankmax.learners.surrogate.surrogate_ranker import SurrogateRanker as SurrogateRanker
