"""Classification SVMs, which separate relevant from nonrelevant documents by a hyperplane."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from threading import Lock
from typing import Any, ClassVar

import numpy as np

from rankmax.data.binned_matrix import BinnedMatrix
from rankmax.data.dataset import RankingDataset
from rankmax.data.feature_matrix import take_rows
from rankmax.errors import IncompatibleError, InvalidParameterError, MissingDependencyError
from rankmax.learners.declared_options import Option
from rankmax.learners.pointwise.binary_examples import Balance, Examples, center_and_scale
from rankmax.learners.presets import CLASSIFICATION_SVM
from rankmax.learners.regularized import RegularizedLearner, RegularizedProblem, Solution, require_varying
from rankmax.metrics.metric import Metric
from rankmax.preprocessing.feature_normalization import Normalization

_LIBLINEAR = Lock()  # one random generator serves its whole process: threads would draw from each other's seeds
_INTERCEPT = 10.0  # liblinear penalizes b too: as a hundredth of what it would be as a weight


class ClassificationSVM(RegularizedLearner):
    r"""Linear SVM that classifies documents as relevant or not; ranks by the distance from its hyperplane.

    .. math:: \min_{w,b} \frac{1}{2} \lVert w \rVert^2 + C \sum_i c_i \max(0, 1 - y_i (w^T x_i + b))

    with y = 1 for relevant documents, -1 for the others, and costs c that sum to 1. All queries share one threshold,
    and most documents are nonrelevant: two weaknesses that the balanced and normalized variants address. Solved by
    liblinear through scikit-learn (``pip install 'rankmax[svm]'``), or for binned features by the same descent on their
    codes. It penalizes b too, but a hundred times less than a weight.

    The SVMs that the papers compare with:

    - SVM-acc, and Nallapati's on all documents: the defaults;
    - SVM-acc2: ``balance="costs"``, where the ratio of the costs of misses and false alarms is that of the numbers of
      other and relevant documents: of the documents it learns from, or a given `cost_ratio`;
    - SVM-acc3 and SVM-acc4: on features binned after ``normalization="percentile"`` or ``"min-max"``
      (:class:`~rankmax.preprocessing.binning.Binning` has both); here with that `normalization` where they are not
      binned;
    - Nallapati's balanced SVM: ``balance="undersample"``.

    Parameters
    ----------
    C : float or sequence of float, optional
        Regularization constant(s): the larger, the weaker the regularization. Validation queries select one of several.
        By default 100, or the best of 0.01 to 100,000 on validation queries. If losses are summed instead of averaged,
        as in liblinear itself, C/n with n documents is equivalent.
    balance : str
        "none", "costs" or "undersample"; see :class:`~rankmax.learners.pointwise.binary_examples.Examples`.
    standardize : bool
        Whether features are first divided by their standard deviations, so that the penalty does not depend on their
        units; the weights are for the original features. Binned features have no units: set it to False.
    relevant_from : float, optional
        Lowest relevant grade; 1 by default, as for the metrics.
    metric : str or Metric
        Metric for model selection and :meth:`score`.
    normalization : str or Normalization
        Applied within each query before fitting, and again when predicting.
    seed : int
        Nonnegative random seed, for undersampling and for the order in which liblinear visits documents.
    max_iterations : int
        Maximum number of passes over the documents (later passes are over the unsettled ones only). If it is reached,
        mostly for a C above 1000, `stopped_by_` is "iterations".
    tolerance : float
        Largest allowed violation of an optimality condition.
    cost_ratio : float, optional
        With ``balance="costs"``, the cost of an error on a relevant document divided by that on another; by default
        that of the numbers of other and relevant documents. The paper's is of all its data, not of a training part.

    Attributes
    ----------
    coef_ : array of float64, shape (n_features,)
    model_ : LinearModel
    C_, intercept_, value_, validation_value_, validation_values_, skipped_queries_, stopped_by_
        See :class:`~rankmax.learners.regularized.RegularizedLearner`.

    Examples
    --------
    >>> X, grades = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    >>> learner = ClassificationSVM(C=100.0).fit(X, grades, qid=[1, 1, 2, 2])
    >>> learner.coef_.round(1), round(learner.intercept_, 1)
    (array([1.]), -2.0)

    References
    ----------
    Yue, Finley, Radlinski & Joachims 2007, section 5.2.1; Nallapati 2004, Discriminative models for information
    retrieval; Metzler & Croft 2007, sections 3 and 4.1. Fan, Chang, Hsieh, Wang & Lin 2008, LIBLINEAR.
    """

    _needs_finite_costs: ClassVar[bool] = True

    options: ClassVar[tuple[Option, ...]] = CLASSIFICATION_SVM.options

    def __init__(
        self,
        C: float | Sequence[float] | None = None,
        balance: Balance = "none",
        standardize: bool = True,
        relevant_from: float | None = None,
        metric: str | Metric = "AP",
        normalization: str | Normalization = "none",
        seed: int = 0,
        max_iterations: int = 10_000,
        tolerance: float = 1e-3,
        cost_ratio: float | None = None,
    ) -> None:
        self.C = C
        self.balance = balance
        self.standardize = standardize
        self.relevant_from = relevant_from
        self.metric = metric
        self.normalization = normalization
        self.seed = seed
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.cost_ratio = cost_ratio

    def _problem(self, data: RankingDataset) -> RegularizedProblem:
        for name, value in (("max_iterations", self.max_iterations), ("tolerance", self.tolerance)):
            if not value > 0:
                raise InvalidParameterError(f"{name} is {value}; expected a positive number")
        examples = Examples.of(
            data,
            relevant_from=self.relevant_from,
            balance=self.balance,
            cost_ratio=self.cost_ratio,
            seed=self.seed,
        )
        options = {"max_iter": int(self.max_iterations), "tol": float(self.tolerance), "random_state": int(self.seed)}
        if isinstance(data.features, BinnedMatrix):
            return _BinnedHingeProblem(data, data.features, examples, self.standardize, options)
        return _HingeProblem(data, examples, self.standardize, options)


class _HingeProblem(RegularizedProblem):
    """Hinge loss over standardized examples, solved by liblinear."""

    def __init__(self, data: RankingDataset, examples: Examples, standardize: bool, options: dict[str, Any]) -> None:
        center, scale = center_and_scale(data, examples.documents)
        require_varying(scale)
        inverse = np.divide(1, scale if standardize else 1, out=np.zeros_like(scale), where=scale > 0)
        rows = take_rows(data.features, examples.documents)
        if isinstance(rows, np.ndarray):  # dense features are centered too, which moves the intercept alone
            self._rows: Any = np.ascontiguousarray((rows - center) * inverse)
        else:
            self._rows, center = _for_liblinear(rows.tocsc().multiply(inverse).tocsr()), np.zeros_like(center)
        self.skipped = examples.skipped
        self._center, self._inverse = center, inverse
        self._examples, self._options = examples, options

    def solve(self, C: float, near: Solution | None) -> Solution:
        """Solve the dual by coordinate descent, always from 0."""
        try:
            from sklearn.svm import LinearSVC
        except ImportError:
            raise MissingDependencyError("scikit-learn", "svm", "a classification SVM") from None
        svm = LinearSVC(C=C, loss="hinge", dual=True, intercept_scaling=_INTERCEPT, **self._options)
        with _LIBLINEAR, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it did not converge is told by stopped_by
            svm.fit(self._rows, self._examples.relevant, sample_weight=self._examples.costs)
        weights = svm.coef_[0] * self._inverse
        return Solution(
            weights,
            "converged" if svm.n_iter_ < self._options["max_iter"] else "iterations",
            float(svm.intercept_[0] - self._center @ weights),
        )


class _BinnedHingeProblem(RegularizedProblem):
    """Hinge loss over examples whose indicators are stored as codes, solved by liblinear's algorithm."""

    def __init__(
        self,
        data: RankingDataset,
        features: BinnedMatrix,
        examples: Examples,
        standardize: bool,
        options: dict[str, Any],
    ) -> None:
        _, scale = center_and_scale(data, examples.documents)
        require_varying(scale)
        inverse = np.divide(1, scale if standardize else 1, out=np.zeros_like(scale), where=scale > 0)
        self._order, *self._stretches = features.take_rows(examples.documents).stretches()
        self._squares = np.square(inverse[self._order])
        self._signs = np.where(examples.relevant, 1.0, -1.0)
        self.skipped = examples.skipped
        self._examples, self._options = examples, options

    def solve(self, C: float, near: Solution | None) -> Solution:
        """Solve the dual by coordinate descent, always from 0."""
        from rankmax._kernels.margins.dual_descent import descend_dual

        found = np.zeros(self._squares.size + 1)
        passes = self._options["max_iter"]
        state = np.random.SeedSequence(self._options["random_state"]).generate_state(1, np.uint64) | np.uint64(1)
        n_passes = descend_dual(
            *self._stretches,
            self._signs,
            C * self._examples.costs,
            self._squares,
            _INTERCEPT,
            self._options["tol"],
            passes,
            state,
            found,
        )
        weights = np.empty(self._squares.size)
        weights[self._order] = found[:-1]
        return Solution(weights, "converged" if n_passes < passes else "iterations", float(_INTERCEPT * found[-1]))


def _for_liblinear(rows: Any) -> Any:
    """Return sparse rows with the 32-bit indices that liblinear requires."""
    if rows.nnz > np.iinfo(np.int32).max:
        raise IncompatibleError(
            f"liblinear takes at most {np.iinfo(np.int32).max} entries of sparse features, not {rows.nnz}; use fewer "
            "thresholds or documents, or RankingSVM"
        )
    rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    return rows
