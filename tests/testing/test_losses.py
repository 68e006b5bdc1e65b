"""The contract of losses holds for all that there are, and catches bad ones."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from rankmax._arrays import F64, I64
from rankmax.losses.registry import LOSSES
from rankmax.losses.squared import Squared
from rankmax.losses.surrogate_loss import Surrogate
from rankmax.testing.losses import LossContract

TESTS = [name for name in dir(LossContract) if name.startswith("test_")]


class Compared(LossContract):
    def definition(self, loss: Surrogate, scores: object, gains: object) -> float | None:
        return sum((s - g) ** 2 for s, g in zip(scores, gains, strict=True))  # type: ignore[call-overload]


def failures(loss: Surrogate, contract: LossContract) -> list[str]:
    contract.losses, found = (loss,), []
    for test in TESTS:
        try:
            getattr(contract, test)()
        except AssertionError:
            found.append(test)
    return found


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_keeps_the_contract(name: str) -> None:
    assert failures(LOSSES.load(name)(), LossContract()) == []


@dataclass(frozen=True, kw_only=True)
class Doubled(Squared):
    def by_query(self, scores: F64, gains: F64, query_offsets: I64) -> tuple[F64, F64]:
        values, gradient = super().by_query(scores, gains, query_offsets)
        return 2 * values, gradient


@dataclass(frozen=True, kw_only=True)
class Destructive(Squared):
    def by_query(self, scores: F64, gains: F64, query_offsets: I64) -> tuple[F64, F64]:
        found = super().by_query(scores, gains, query_offsets)
        scores += 1
        return found


def test_bad_losses_are_caught() -> None:
    assert failures(Squared(), Compared()) == []
    assert "test_the_gradient_is_that_of_the_value" in failures(Doubled(), LossContract())
    assert "test_the_value_is_that_of_the_definition" in failures(Doubled(), Compared())
    assert "test_scores_are_left_alone" in failures(Destructive(), LossContract())
