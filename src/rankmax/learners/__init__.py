"""Learners: estimators that fit a ranking model to judged queries."""
