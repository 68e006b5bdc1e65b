"""Fusion of several systems' scores, with learned or fixed weights."""
