"""Structural support vector machines, whose margins are given by the loss of a rank metric."""
