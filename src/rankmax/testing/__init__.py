"""Contract tests that a third party's metric or learner can inherit."""
