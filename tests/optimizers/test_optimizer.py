from __future__ import annotations

import pytest

from rankmax.errors import InvalidParameterError
from rankmax.optimizers.optimizer import Budget


@pytest.mark.parametrize("budget", [{"lines": 0}, {"seconds": -1.0}, {"seconds": float("nan")}, {"evaluations": 0}])
def test_an_empty_budget_is_refused(budget: dict[str, float]) -> None:
    with pytest.raises(InvalidParameterError, match="leaves nothing to do"):
        Budget(**budget)  # type: ignore[arg-type]
