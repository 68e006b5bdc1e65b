"""Ways up: each moves along exact lines, never ends below its start, and can be stopped at any time."""
