"""Optimizers built on the exact line search: none ends below its start, and each can be stopped at any time."""

from rankmax.optimizers.ascent import Ascent, Budget, Progress
from rankmax.optimizers.ascent_state import AscentState, Point
from rankmax.optimizers.branch_and_bound import BranchAndBound
from rankmax.optimizers.cancellation import Cancellation
from rankmax.optimizers.coordinate_ascent import CoordinateAscent
from rankmax.optimizers.faces import Box
from rankmax.optimizers.forward_selection import ForwardSelection
from rankmax.optimizers.grid_search import GridSearch
from rankmax.optimizers.iterated_ascent import IteratedAscent
from rankmax.optimizers.optimizer import Optimizer
from rankmax.optimizers.powell import Powell
from rankmax.optimizers.proof import Proof
from rankmax.optimizers.smoothed_ascent import SmoothedAscent
from rankmax.optimizers.steepest_ascent import SteepestAscent

__all__ = [
    "Ascent",
    "AscentState",
    "Box",
    "BranchAndBound",
    "Budget",
    "Cancellation",
    "CoordinateAscent",
    "ForwardSelection",
    "GridSearch",
    "IteratedAscent",
    "Optimizer",
    "Point",
    "Powell",
    "Progress",
    "Proof",
    "SmoothedAscent",
    "SteepestAscent",
]
