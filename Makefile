# `make test` and `make demo` each set up what they need. Other interpreter: make test PYTHON=python3.13

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help demo warm-up test engines replay lint javascript types docs wheel unit coverage format bench clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-12s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/package ## Index, tune, learn and compare on the docstrings of numpy and scipy
	$(BIN)/rankmax demo
	@echo "(rankmax is $(BIN)/rankmax here; make warm-up compiles what the demo did not need)"

warm-up: $(VENV)/kernels ## Compile all kernels, on all cores, so that no verb waits for them at its first use

test: $(VENV)/kernels $(VENV)/browser ## Everything a change has to pass
	$(MAKE) --jobs=2 unit lint types docs wheel replay  # the tests in one slot, all the others one by one in the second

engines: ## Fetch the search engines that can be had into .engines, for replay
	$(PYTHON) tools/fetch_engines.py

replay: $(VENV)/tools ## Test exports on the real engines that make engines has fetched; the others are skipped with the reason
	$$(ls .engines/python/bin/python $(BIN)/python 2>/dev/null | head -1) -m pytest tests/engines/real -p no:cacheprovider -rs

lint: $(VENV)/tools javascript ## Style and formatting
	$(BIN)/ruff check
	$(BIN)/ruff format --check

javascript: ## Style, formatting and types of the scripts; skipped where there is no node or npm
	$(PYTHON) tools/check_javascript.py

types: $(VENV)/tools ## mypy --strict
	$(BIN)/mypy

docs: $(VENV)/tools ## Build the documentation into docs/_build/html; any warning is an error
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet --jobs=auto docs docs/_build/html

wheel: $(VENV)/tools ## Build sdist and wheels, install the one with compiled kernels in a clean environment, run every verb
	$(BIN)/python tools/check_wheel.py

unit: $(VENV)/kernels $(VENV)/browser ## Tests and doctests
	$(BIN)/pytest --numprocesses=2 --durations=20 --ignore=tests/engines/real  # which replay runs

coverage: $(VENV)/kernels $(VENV)/browser ## Tests and doctests, with the lines that they miss
	$(BIN)/pytest --cov --numprocesses=2

format: $(VENV)/tools ## Format the code and apply safe fixes
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(PYTHON) tools/check_javascript.py --fix

bench: $(VENV)/tools ## Run every benchmark; takes hours
	$(PIP) install --group bench
	@for script in $$(grep -l __main__ benchmarks/*.py); do \
		echo "== $$script"; $(BIN)/python "$$script" || exit 1; done

clean: ## Remove everything that can be made again
	rm -rf $(VENV) build dist benchmarks/results docs/_build docs/reference/generated .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache tools/javascript/node_modules .engines
	find src tests tools docs benchmarks -name __pycache__ -exec rm -rf {} +

$(VENV)/package: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("rankmax needs Python 3.11 or newer, found " \
		+ sys.version.split()[0] + "; name another one: make PYTHON=python3.13")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --no-compile --editable .  # what the demo needs, and no more, so that it begins soon
	@touch $@

$(VENV)/tools: $(VENV)/package
	$(PIP) install --upgrade "pip>=25.1"  # the first that knows --group
	$(PIP) install --editable ".[all]" --group dev
	@touch $@

$(VENV)/kernels: $(VENV)/tools $(shell find src/rankmax/_kernels -name "*.py")  # two test workers would compile all twice
	$(BIN)/rankmax warm-up
	@touch $@

$(VENV)/browser: $(VENV)/tools  # for the studio's page: Debian's Chromium where there is none and it can be had
	@$(BIN)/python tools/chromium.py
	@touch $@
