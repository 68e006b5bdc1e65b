"""Options of the learners, apart from their classes: help and forms are made from these without importing a learner."""

from __future__ import annotations

from rankmax.learners.declared_options import (
    BACKEND,
    BALANCE,
    CHECKPOINT,
    MEMORY,
    RELEVANT_FROM,
    SEED,
    C,
    Option,
    Preset,
)
from rankmax.losses.registry import LOSSES
from rankmax.spaces.registry import SPACES

LINEAR_RANKER = Preset(
    (
        Option(
            "space",
            str,
            default="euclidean",
            help="Constraint on the weights: any sign (euclidean) or nonnegative (simplex).",
            choices=tuple(SPACES.names()),
        ),
        Option("n_bags", int, help="Average over this many bootstrap samples of the queries.", minimum=1, flag="bag"),
        Option(
            "shrinkage",
            float,
            help="Share of the surrogate's weights in the result; with 0, only the training metric counts.  "
            "[default: 0.75, or 0.5 without smoothing]",
            minimum=0,
            maximum=1,
        ),
        Option(
            "smoothing",
            float,
            help="Noise of each weight under which the expected metric is maximized; with 0, the metric itself is.  "
            "[default: 0.5]",
            minimum=0,
        ),
        Option("n_restarts", int, help="Number of starts.  [default: 1, or 10 without smoothing]", minimum=1),
        SEED,
        Option("n_jobs", int, default=1, help="Number of processes; changes no weight.", minimum=1, in_studio=False),
        BACKEND,
        MEMORY,
        Option("time_limit", float, help="Time limit in seconds; the best weights so far are kept.", above=0, unit="s"),
        CHECKPOINT,
    ),
    "direct.linear_ranker:LinearRanker.from_options",
)

ADDITIVE_RANKER = Preset(
    (
        Option(
            "curves",
            str,
            default="lines",
            help="Straight lines between knots, or steps, which trees of search engines rank exactly by.",
            choices=("lines", "steps"),
        ),
        Option("n_knots", int, help="Maximum number of knots of a curve.  [default: 16, or 64 of steps]", minimum=2),
        Option(
            "smoothness",
            float,
            help="Penalty on the distance of curves from straight lines, as a number of queries; inf for lines.  "
            "[default: 100, unless cross-validation or validation queries clearly prefer another]",
            above=0,
        ),
        Option(
            "monotone",
            str,
            help="A feature whose curve must not fall (recency=up) or not rise (price=down).",
            many=True,
            in_studio=False,
        ),
        Option("n_products", int, help="Add up to this many products of two curves that are not monotone.", minimum=0),
        Option("n_bags", int, help="Average over this many bootstrap samples of the queries.", minimum=1, flag="bag"),
        Option(
            "shrinkage",
            float,
            default=0.75,
            help="Share of the surrogate's curves in the result; with 0, only the training metric counts.",
            minimum=0,
            maximum=1,
        ),
        Option(
            "smoothing",
            float,
            default=0.5,
            help="Noise of a step under which the expected metric is maximized; with 0, the surrogate decides alone.",
            minimum=0,
        ),
        Option("sweep_knots", bool, default=False, help="Search the value at each knot, too; takes longer."),
        SEED,
    ),
    "additive.additive_ranker:AdditiveRanker.from_options",
)

STRUCTURAL_SVM = Preset((C, RELEVANT_FROM, BACKEND), "structural.structural_svm:StructuralSVM.from_options")

SURROGATE_RANKER = Preset(
    (
        Option("loss", str, default="cross-entropy", help="Surrogate loss to minimize.", choices=tuple(LOSSES.names())),
        Option(
            "alpha",
            float,
            help="Sharpness of cross-entropy's target distribution; validation queries select one of several.  "
            "[default: 2, or validation queries select from 0.1 to 10]",
            many=True,
            above=0,
        ),
        Option("ridge", float, default=0.1, help="Penalty on large weights.", minimum=0),
        BACKEND,
        MEMORY,
    ),
    "surrogate.surrogate_ranker:SurrogateRanker.from_options",
)

RANKING_SVM = Preset((C,), "pairwise.ranking_svm:RankingSVM.from_options")

CLASSIFICATION_SVM = Preset(
    (C, BALANCE, RELEVANT_FROM, SEED), "pointwise.classification_svm:ClassificationSVM.from_options"
)

MAXIMUM_ENTROPY = Preset(
    (C, BALANCE, RELEVANT_FROM, SEED), "pointwise.maximum_entropy:MaximumEntropyRanker.from_options"
)

LEAST_SQUARES = Preset(
    (Option("ridge", float, default=0.0, help="Penalty on large weights.", minimum=0),),
    "pointwise.least_squares:LeastSquaresRanker.from_options",
)

EXPECTED_GAIN = Preset(
    (
        *SURROGATE_RANKER.options,
        Option(
            "epsilon",
            float,
            help="Probability above which a grade counts as certain in training; validation queries select one of "
            "several.  [default: 1, or validation queries select from 0.6 to 1]",
            many=True,
            above=0.5,
            maximum=1,
        ),
        Option("n_restarts", int, help="Number of random starts, in place of the linear optimum.", minimum=1),
        Option("polish", bool, default=False, help="After training, choose the gains that maximize the metric itself."),
        SEED,
    ),
    "surrogate.expected_gain_ranker:expected_gain_ranker",
)
