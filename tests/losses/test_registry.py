from __future__ import annotations

import pytest

from rankmax.errors import UnknownNameError
from rankmax.losses.cross_entropy import CrossEntropy
from rankmax.losses.registry import LOSSES, loss_named


def test_names_give_losses_with_their_defaults() -> None:
    assert loss_named("cross-entropy") == CrossEntropy()
    assert {type(loss_named(name)) for name in LOSSES} == set(LOSSES.load_all().values())


def test_a_loss_stays_itself() -> None:
    loss = CrossEntropy(alpha=3.0)
    assert loss_named(loss) is loss


def test_unknown_names() -> None:
    with pytest.raises(UnknownNameError, match="unknown loss 'cosinus'; did you mean 'cosine'"):
        loss_named("cosinus")
