"""Smooth losses and expected gains with their gradients."""
