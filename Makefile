# Two commands do everything on a fresh machine: `make reproduce` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
BENCH_STAMP := .venv/.installed-bench
MUTANTS_STAMP := .venv/.installed-mutants

# Tests start Python many times, and each start would compile what it imports.
unexport PYTHONDONTWRITEBYTECODE

# Side by side, and the output of each in one piece where make knows how.
TOGETHER = $(MAKE) --no-print-directory --jobs=4 $(if $(filter output-sync,$(.FEATURES)),--output-sync)
CHECKS := check-types check-style check-pages

.PHONY: help install reproduce test test-slow test-bounds mutants check $(CHECKS) warm pages docs bench dist audit-deps clean

help:
	@echo "make reproduce   set up, run the paper's experiments and more, leave a report in results/"
	@echo "make test        set up, check and test everything (under 10 minutes on 2 cores)"
	@echo "make test-slow   the statistical checks that take longer, and all that make test samples"
	@echo "make test-bounds the tests of compiled loops, with every array access checked"
	@echo "make mutants     change the private side in small steps: do its tests notice? (hours)"
	@echo "make check       ruff, mypy (over the examples too), import-linter, stale pages"
	@echo "make pages       write the parts of the docs that are made from data and code"
	@echo "make docs        build the documentation site into site/; a broken link fails (minutes)"
	@echo "make bench       measure speed against other libraries, in one run"
	@echo "make dist        build sdist and wheel; install and use every extra in empty environments"
	@echo "make audit-deps  ask pip-audit about every pinned version"

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'Hush needs Python 3.11 or newer')"
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

$(BENCH_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,bench]'
	touch $@

$(MUTANTS_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,mutants]'
	touch $@

reproduce: $(STAMP)
	$(BIN)/hush reproduce

check: $(STAMP)
	$(TOGETHER) $(CHECKS)

check-types: $(STAMP)
	$(BIN)/mypy
	$(BIN)/python -m tests.check_examples

check-style: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports

check-pages: $(STAMP)
	$(BIN)/python -m research --check

warm: $(STAMP)
	$(BIN)/python -m tests.warm

pages: $(STAMP)
	$(BIN)/python -m research

docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

test: $(STAMP)
	$(TOGETHER) $(CHECKS) warm
	$(BIN)/python -m pytest -m "not slow" -n auto --dist worksteal --cov --cov-report=term

test-slow: warm
	$(BIN)/python -m pytest -m "slow or hypothesis" --hypothesis-profile=full -o faulthandler_timeout=5400 -n auto --dist worksteal

test-bounds: $(STAMP)
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.numba-bounds $(BIN)/python -m pytest -m "not slow" -n auto --dist worksteal tests/simulation tests/numerics

mutants: $(MUTANTS_STAMP)
	$(BIN)/python -m tests.mutants

bench: $(BENCH_STAMP)
	$(BIN)/python -m benchmarks

dist: $(STAMP)
	$(BIN)/python -m tests.dist

audit-deps: $(STAMP)
	$(BIN)/python -m tests.audit_deps

clean:
	rm -rf .venv .numba-bounds mutants build dist results site .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
