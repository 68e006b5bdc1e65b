"""The contract of export targets holds for all that there are, and catches bad ones."""

from __future__ import annotations

import pytest

from rankmax.engines.export_target import AnyModel, Destination, Export, Target
from rankmax.engines.registry import TARGETS
from rankmax.errors import IncompatibleError
from rankmax.testing.export_targets import ExportTargetContract

TESTS = [name for name in dir(ExportTargetContract) if name.startswith("test_")]


def failures(target: Target) -> list[str]:
    contract, found = ExportTargetContract(), []
    contract.target = target
    for test in TESTS:
        try:
            getattr(contract, test)()
        except (AssertionError, KeyError):
            found.append(test)
    return found


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_keeps_the_contract(name: str) -> None:
    assert failures(TARGETS.load(name)) == []


def test_bad_targets_are_caught() -> None:
    numbers = iter(range(10_000))

    def refusing(model: AnyModel, destination: Destination) -> Export:
        raise IncompatibleError("use another model")

    def crashing(model: AnyModel, destination: Destination) -> Export:
        raise KeyError(model)

    bad = {
        "test_some_model_can_be_written": refusing,
        "test_writing_twice_gives_the_same_text": lambda model, destination: Export(f"{next(numbers)}\n"),
        "test_text_ends_with_a_line_break": lambda model, destination: Export("weights"),
        "test_a_line_break_in_a_name_begins_no_line": lambda model, destination: Export(
            f"# {model.feature_names[1]}\n"
        ),
    }
    for test, write in bad.items():
        assert failures(Target("bad", "A bad engine", write)) == [test]
    assert len(failures(Target("bad", "A bad engine", crashing))) == 4
