"""Structural support vector machines: rankings learned with margins that a rank metric decides."""
