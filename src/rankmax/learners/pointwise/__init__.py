"""Pointwise learners: least squares, classification, maximum entropy and plug-in estimators."""
