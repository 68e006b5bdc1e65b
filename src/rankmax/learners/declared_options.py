"""Options of learners, from which the command line and the studio's form are generated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from rankmax.errors import UnknownNameError

if TYPE_CHECKING:
    from rankmax.metrics.metric import Metric


@dataclass(frozen=True)
class Option:
    """A parameter of a learner that users may set by name.

    Attributes
    ----------
    name : str
        Name of the parameter of the learner's ``__init__`` or ``fit_dataset``.
    type : type
        bool, int, float, str, or Path for a file to write.
    default : object
        The learner's default; None if it depends on something, which `help` then explains.
    help : str
        One sentence.
    choices : tuple of str
        The values allowed; any when empty.
    many : bool
        Whether several values may be given, of which validation queries select one.
    minimum, maximum, above : float, optional
        Bounds of a number; `above` is a lower bound that is not allowed itself.
    flag : str, optional
        Name on the command line; by default the parameter's name without ``n_``.
    in_studio : bool
        Whether the studio's form has it.
    unit : str
        Unit of a number, shown beside its label.

    Examples
    --------
    >>> option = Option("n_restarts", int, help="Number of starts.", minimum=1)
    >>> option.spelled, option.label
    ('restarts', 'Restarts')
    """

    name: str
    type: type
    default: Any = None
    help: str = ""
    choices: tuple[str, ...] = ()
    many: bool = False
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    flag: str | None = None
    in_studio: bool = True
    unit: str = ""

    @property
    def spelled(self) -> str:
        """The name on the command line, without dashes in front."""
        return self.flag or self.name.removeprefix("n_").replace("_", "-")

    @property
    def label(self) -> str:
        """The label in a form."""
        words = self.name.removeprefix("n_").replace("_", " ")
        return words[0].upper() + words[1:] + (f" ({self.unit})" if self.unit else "")

    def check(self, value: Any) -> None:
        """Raise an error for a value that is not among the choices; learners check numbers themselves.

        Parameters
        ----------
        value : object
            None stands for the default.

        Examples
        --------
        >>> Option("kind", str, choices=("pearson", "spearman")).check("kendall")
        Traceback (most recent call last):
        rankmax.errors.UnknownNameError: unknown kind 'kendall'. Known: pearson, spearman
        """
        if self.choices and isinstance(value, str) and value not in self.choices:
            raise UnknownNameError(self.name, value, self.choices)

    def described(self) -> dict[str, Any]:
        """Return the option as plain data, from which a form can be built."""
        return {
            "name": self.name,
            "label": self.label,
            "type": self.type.__name__,
            "choices": list(self.choices),
            "default": self.default,
            "help": self.help,
            "minimum": self.minimum if self.above is None else self.above,
            "maximum": self.maximum,
        }


class BuildableLearner(Protocol):
    """Entry of the learner registry: a learner class, or a :class:`Preset`."""

    @property
    def options(self) -> tuple[Option, ...]:
        """The options it takes."""

    def from_options(self, metric: Metric, normalization: str, options: Mapping[str, Any]) -> Any:
        """Return an unfitted learner."""


@dataclass(frozen=True)
class Preset:
    """A learner that is imported when it is built.

    Attributes
    ----------
    options : tuple of Option
    path : str
        Function (metric, normalization, options) -> Learner, as "module:name" below ``rankmax.learners``.
    """

    options: tuple[Option, ...]
    path: str

    def from_options(self, metric: Metric, normalization: str, options: Mapping[str, Any]) -> Any:
        """Return the learner.

        Parameters
        ----------
        metric : Metric
        normalization : str
        options : mapping of str to object
        """
        module, _, name = self.path.partition(":")
        return attrgetter(name)(import_module(f"rankmax.learners.{module}"))(metric, normalization, options)


C = Option(
    "C",
    float,
    help="Regularization constant(s); with validation queries the best is selected.  [default: 100, or a wide range]",
    many=True,
    above=0,
)
RELEVANT_FROM = Option("relevant_from", float, help="Lowest relevant grade, for learners with binary relevance.")
BALANCE = Option(
    "balance",
    str,
    default="none",
    help="How relevant and nonrelevant documents are balanced.",
    choices=("none", "costs", "undersample"),
)
SEED = Option("seed", int, default=0, help="Random seed.", minimum=0)
BACKEND = Option(
    "backend",
    str,
    help="Backend that reads and processes shards: local, dask:local (workers on this machine) or dask://host:port; "
    "results do not depend on it.  [default: local]",
    in_studio=False,
)
MEMORY = Option(
    "memory",
    str,
    help="Memory limit of the local backend, such as 4GB; features of shards stay on disk.",
    in_studio=False,
)
CHECKPOINT = Option(
    "checkpoint",
    Path,
    help="File to record progress in; if it exists, the same training resumes from it.",
    in_studio=False,
)
