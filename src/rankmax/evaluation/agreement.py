"""Agreement of several judges: Krippendorff's alpha."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from rankmax._arrays import F64
from rankmax._result_views import Block, Facts, ResultView, Table, as_frame
from rankmax.errors import InvalidDataError, UnknownNameError

Level = Literal["nominal", "ordinal", "interval"]


def krippendorff_alpha(ratings: ArrayLike, level: Level = "ordinal") -> float:
    r"""Return Krippendorff's alpha, the agreement of judges beyond chance.

    .. math:: \alpha = 1 - D_o / D_e

    :math:`D_o` is the mean disagreement of pairs of ratings of one document, where a document with m ratings counts m
    times, and :math:`D_e` that of pairs of ratings of any documents. It is 1 for judges who always agree, 0 for judges
    who agree as often as chance would have it. Documents with one rating do not count.

    Parameters
    ----------
    ratings : array-like, shape (n_documents, n_judges)
        NaN where a judge gave none.
    level : {"nominal", "ordinal", "interval"}, default "ordinal"
        Disagreement of two grades: 1 if they differ; the square of the number of ratings between them, those at the
        ends counted half; or the square of their difference.

    Returns
    -------
    float
        NaN if all ratings are equal, or no document has two.

    Examples
    --------
    >>> krippendorff_alpha([[1, 1], [2, 2], [3, 3], [3, 2]], "interval")
    0.8...

    References
    ----------
    Krippendorff 2011, *Computing Krippendorff's alpha-reliability*.
    """
    if level not in get_args(Level):
        raise UnknownNameError("level of measurement", level, get_args(Level))
    matrix = np.asarray(ratings, np.float64)
    if matrix.ndim != 2:
        raise InvalidDataError("ratings must be a matrix of documents by judges")
    matrix = matrix[(~np.isnan(matrix)).sum(axis=1) > 1]
    grades = np.unique(matrix[~np.isnan(matrix)])
    if grades.size < 2:
        return float("nan")
    counts = (matrix[:, :, None] == grades).sum(axis=1).astype(np.float64)  # documents by grades
    n_of_document = counts.sum(axis=1)
    of_grade = counts.sum(axis=0)
    coincidences = (counts / (n_of_document - 1)[:, None]).T @ counts
    coincidences[np.diag_indices(grades.size)] -= (counts / (n_of_document - 1)[:, None]).sum(axis=0)
    expected = (np.outer(of_grade, of_grade) - np.diag(of_grade)) / (of_grade.sum() - 1)
    disagreement = _disagreements(grades, of_grade, level)
    return float(1 - (coincidences * disagreement).sum() / (expected * disagreement).sum())


@dataclass(frozen=True, slots=True)
class JudgeSummary:
    """Grades of one of several judges, beside those of the others.

    Attributes
    ----------
    judge : str
    n_ratings : int
    mean : float
        Mean grade.
    excess : float
        Mean of this judge's grade minus the mean of the others, over documents that others judged as well; NaN if
        there are none.
    alpha_without : float
        Ordinal alpha of the other judges: well above that of all, this judge judges unlike them. NaN for one other.
    """

    judge: str
    n_ratings: int
    mean: float
    excess: float
    alpha_without: float


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(ResultView):
    """Agreement of several judges.

    Attributes
    ----------
    alpha : dict of str to float
        Krippendorff's alpha for nominal, ordinal and interval grades.
    n_documents, n_shared : int
        Numbers of documents, and of those with two judges or more.
    judges : tuple of JudgeSummary
    """

    alpha: dict[str, float]
    n_documents: int
    n_shared: int
    judges: tuple[JudgeSummary, ...]

    @property
    def blocks(self) -> list[Block]:
        """The agreement, and a table of the judges."""
        facts = {f"alpha, {level}": _shown(value, ".3f") for level, value in self.alpha.items()}
        facts["documents"] = f"{self.n_documents:,}, {self.n_shared:,} with two judges or more"
        rows = [
            [
                *(one.judge, f"{one.n_ratings:,}", f"{one.mean:.3f}"),
                *(_shown(one.excess, "+.3f"), _shown(one.alpha_without, ".3f")),
            ]
            for one in self.judges
        ]
        return [Facts(facts), Table(["judge", "grades", "mean", "minus others", "ordinal alpha without"], rows)]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, which can be written as JSON."""
        return {
            "alpha": self.alpha,
            "documents": self.n_documents,
            "documents_with_several_judges": self.n_shared,
            "judges": [{name: getattr(one, name) for name in one.__slots__} for one in self.judges],
        }

    def to_frame(self) -> Any:
        """Return the table of judges as a pandas data frame."""
        names = JudgeSummary.__slots__
        return as_frame(names, [tuple(getattr(one, name) for name in names) for one in self.judges])


def judge_agreement(ratings: ArrayLike, judges: Sequence[str]) -> Agreement:
    """Return how well judges agree, and what each does.

    Parameters
    ----------
    ratings : array-like, shape (n_documents, n_judges)
        NaN where a judge gave none.
    judges : sequence of str

    Examples
    --------
    >>> found = judge_agreement([[1, 1, 0], [2, 2, 0], [3, 3, 1]], ["ann", "bob", "eve"])
    >>> found.alpha["ordinal"] < 0.2, found.judges[2].excess, found.judges[2].alpha_without
    (True, -1.66..., 1.0)
    """
    matrix = np.asarray(ratings, np.float64)
    given = ~np.isnan(matrix)
    if len(judges) < 2 or not (given.sum(axis=1) > 1).any():
        raise InvalidDataError("no document has grades of two judges; agreement needs some")
    return Agreement(
        alpha={level: krippendorff_alpha(matrix, level) for level in get_args(Level)},
        n_documents=len(matrix),
        n_shared=int((given.sum(axis=1) > 1).sum()),
        judges=tuple(_summary(matrix, column, judge) for column, judge in enumerate(judges)),
    )


def _summary(matrix: F64, column: int, judge: str) -> JudgeSummary:
    own, others = matrix[:, column], np.delete(matrix, column, axis=1)
    shared = ~np.isnan(own) & (~np.isnan(others)).any(axis=1)
    excess = own[shared] - np.nanmean(others[shared], axis=1)
    return JudgeSummary(
        judge,
        int((~np.isnan(own)).sum()),
        float(np.nanmean(own)),
        float(excess.mean()) if excess.size else float("nan"),
        krippendorff_alpha(others),
    )


def _shown(value: float, form: str) -> str:
    """Return a number as text, and a dash for one that does not exist."""
    return "-" if np.isnan(value) else f"{value:{form}}"


def _disagreements(grades: F64, of_grade: F64, level: str) -> F64:
    if level == "nominal":
        return 1.0 - np.eye(grades.size)
    if level == "interval":
        return (grades[:, None] - grades) ** 2
    middle = np.cumsum(of_grade) - of_grade / 2  # ratings below a grade, those of the grade itself counted half
    return (middle[:, None] - middle) ** 2
