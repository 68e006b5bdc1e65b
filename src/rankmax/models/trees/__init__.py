"""Regression trees as arrays, and readers of the model files of LightGBM, XGBoost and CatBoost."""
