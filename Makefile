# The two commands a newcomer needs: `make demo` and `make test`. Both create .venv and install what they use.
# Besides: `make slow` runs the tests that take long, `make coverage` says which lines no test runs, `make pages` runs
# the documentation, `make fuzz` tries random
# inputs, `make faults` faults of the machine, `make lowest` old dependencies.
PYTHON ?= python3
BIN := .venv/bin
# Some tests wait for other processes: one worker more than there are cores.
JOBS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

# How long `make fuzz` goes on, in seconds, and from where; TARGETS="readers notation" leaves the others out.
SECONDS ?= 60
SEED ?= 0

.PHONY: demo test lint unit slow coverage pages snapshots fuzz faults lowest bench clean

demo: .venv/installed
	$(BIN)/metameter demo --out demo

test: lint unit

lint: .venv/developing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# The quick tests. The slow ones, most of which measure error rates by simulation, and those that run whole pages of the
# documentation are targets of their own, which CI runs, too.
unit: .venv/developing
	$(BIN)/python -m pytest -n $(JOBS) -m "not pages and not slow"

slow: .venv/developing
	$(BIN)/python -m pytest -n $(JOBS) -m "slow and not pages"

# Which lines the quick tests run. A run of its own: tests under a trace function are slower.
coverage: .venv/developing
	$(BIN)/python -m pytest -n $(JOBS) -m "not pages and not slow" --cov --cov-report=term --cov-fail-under=85

pages: .venv/developing
	$(BIN)/python -m pytest -n $(JOBS) -m pages tests

# What commands show on a terminal, as the tests know it: look at what changed before you commit it.
snapshots: .venv/developing
	METAMETER_SNAPSHOTS=write $(BIN)/python -m pytest -n 0 tests/cli/test_snapshots.py

fuzz: .venv/developing
	$(BIN)/python -m fuzz.campaign --seconds $(SECONDS) --seed $(SEED) --jobs $(JOBS) $(TARGETS)

faults: .venv/developing
	$(BIN)/python -m fuzz.faults

# With the lowest versions allowed; TESTS="tests src" runs all of them.
TESTS ?= tests/read tests/scoring tests/stats/test_golden.py tests/cli/commands/test_score.py tests/cli/test_options.py tests/view
lowest: .venv-lowest/installed
	.venv-lowest/bin/python -m pytest -n $(JOBS) $(TESTS)

bench: .venv/developing
	$(BIN)/python benchmarks/bench.py

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --upgrade pip

.venv/installed: .venv/bin/python pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --constraint constraints.txt --editable .
	touch $@

.venv/developing: .venv/installed
	$(BIN)/pip install --quiet --constraint constraints.txt --group dev
	touch $@

.venv-lowest/installed: pyproject.toml constraints.txt constraints-lowest.txt
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/pip install --quiet --constraint constraints.txt --upgrade pip
	.venv-lowest/bin/pip install --quiet --constraint constraints.txt --group test --editable .
	.venv-lowest/bin/pip install --quiet --requirement constraints-lowest.txt
	.venv-lowest/bin/pip check
	touch $@

clean:
	rm -rf .venv .venv-lowest demo dist build .pytest_cache .mypy_cache .ruff_cache .coverage*
