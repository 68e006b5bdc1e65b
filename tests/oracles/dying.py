"""A process that dies at some inputs, to be noticed."""

from __future__ import annotations

import os
import signal
from typing import Any


def die_at_three(_names: Any, _seed: int, first: int, last: int, _seconds: float, current: Any, sender: Any) -> None:
    """Count the inputs, and die at the fourth of all."""
    for number in range(first, last):
        current.value = number
        if number == 3:
            os.kill(os.getpid(), signal.SIGKILL)
    current.value = last
    sender.close()
