"""Progress reporting of long-running functions."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext


class Stage:
    """A stage of work; this one shows nothing."""

    def advance(self) -> None:
        """Count one unit of work as done."""

    def say(self, description: str) -> None:
        """Change the description beside the progress bar.

        Parameters
        ----------
        description : str
        """


class Progress:
    """Receives stages of work and notes; this one shows nothing.

    Examples
    --------
    >>> with Progress().stage("Reading", total=2) as stage:
    ...     stage.advance()
    """

    def stage(self, description: str, total: int | None = None) -> AbstractContextManager[Stage]:
        """Begin a stage, which ends with the block.

        Parameters
        ----------
        description : str
        total : int, optional
            Units of work, where their number is known.
        """
        return nullcontext(Stage())

    def note(self, message: str) -> None:
        """Report a note beside the result.

        Parameters
        ----------
        message : str
        """
