"""Options of `rankmax train` that learners declare."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from rankmax.cli.shared_options import OUTPUT
from rankmax.learners.declared_options import Option
from rankmax.learners.registry import LEARNERS, Options, option_names

_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])

_CROSS_ENTROPY = "cross-entropy"


def learner_options(command: _Decorated) -> _Decorated:
    """Add the options of all learners, each once; whether they apply to the chosen learner is checked later."""
    for learners in reversed(_declared().values()):
        command = _click_option(learners)(command)
    return command


def require_own_options(learner: str, given: Options) -> None:
    """Raise an error for options of other learners, naming those learners."""
    for name in given:
        if name not in option_names(learner):
            declared = _declared()[name]
            spelled = next(iter(declared.values())).spelled
            raise click.UsageError(f"--{spelled} is not for the learner {learner}; it is for {', '.join(declared)}")
    if "alpha" in given and given.get("loss", _CROSS_ENTROPY) != _CROSS_ENTROPY:
        raise click.UsageError(f"--alpha is not for the loss {given['loss']}; it is for {_CROSS_ENTROPY}")


def _declared() -> dict[str, dict[str, Option]]:
    """Return each option's declarations by learner."""
    declared: dict[str, dict[str, Option]] = {}
    for name, learner in LEARNERS.load_all().items():
        for option in learner.options:
            declared.setdefault(option.name, {})[name] = option
    return declared


def _click_option(learners: dict[str, Option]) -> Callable[[_Decorated], _Decorated]:
    option = next(iter(learners.values()))
    return click.option(
        f"--{option.spelled}",
        option.name,
        type=_click_type(option),
        is_flag=option.type is bool,
        multiple=option.many,
        default=None,  # the learner has the default
        help=_help(learners),
    )


def _click_type(option: Option) -> Any:
    if option.choices:
        return click.Choice(option.choices)
    if option.type is Path:
        return OUTPUT
    low = option.minimum if option.above is None else option.above
    bounded = low is not None or option.maximum is not None
    ranges: dict[type, Any] = {int: click.IntRange, float: click.FloatRange}
    return ranges[option.type](low, option.maximum, min_open=option.above is not None) if bounded else option.type


def _help(learners: dict[str, Option]) -> str:
    """Return the help text of the first learner, and those of others that differ from it."""
    texts = {option.help: name for name, option in reversed(learners.items())}
    first = next(iter(learners.values()))
    others = [f"For {name}: {text}" for text, name in texts.items() if text != first.help]
    default = first.default
    agreed = all(option.default == default for option in learners.values())
    shown = f"  [default: {default}]" if agreed and default is not None and first.type is not bool else ""
    return " ".join([first.help, *reversed(others)]) + shown
