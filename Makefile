# Two commands: `make demo` evaluates the bundled subject, `make test` runs the whole suite. Both set everything up.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help demo test lint docs bench nightly snapshots system browser clean

help:
	@echo "make demo     evaluate the bundled subject against the cachetools task and print the table"
	@echo "make test     lint, type-check and run the whole test suite"
	@echo "make docs     build the documentation site in build/site (make test builds it too)"
	@echo "make bench    measure the figures that the documentation quotes (slow; wants a quiet machine)"
	@echo "make nightly  the slow proofs: whole attack matrix, all tasks"

demo: $(READY)
	@mkdir -p .demo
	@$(BIN)/qualityscore evaluate examples/cachetools_fair --task cachetools --json .demo/report.json || { \
	  code=$$?; [ $$code = 3 ] || exit $$code; \
	  echo "What is missing above could not be measured on this host just now, for the reasons given;"; \
	  echo "nothing is wrong with the subject. When the host is quiet, run it again."; }

test: $(READY) browser lint
	$(BIN)/python -m pytest -q -m "not slow" -n 2 --dist loadfile --timeout 600 --durations 60 || { \
	  echo "== once more, alone: what failed beside other tests =="; \
	  $(BIN)/python -m pytest -q -m "not slow" --timeout 600 --last-failed --last-failed-no-failures none; }

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	for script in tests/bench/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

nightly: $(READY) browser
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements/ray.txt
	$(BIN)/python -m pytest -q tests tests/nightly
	PYTHONPATH=.:tests $(BIN)/python -m attacks.run --stages all --user both
	PYTHONPATH=.:tests $(BIN)/python tests/nightly/verdict_equality.py

docs: $(READY)
	$(BIN)/mkdocs build --strict

snapshots: $(READY)
	for task in baselines/*/task.toml; do \
	  id=$$(basename $$(dirname $$task)); \
	  minor=$$($(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
	  $(BIN)/qualityscore baseline $$id -o baselines/$$id/baseline-$$minor.json || exit 1; \
	done

browser:
	@PYTHON=$(PYTHON) sh scripts/system-packages.sh browser

system:
	@PYTHON=$(PYTHON) sh scripts/system-packages.sh

$(READY): requirements/bootstrap.txt requirements/run.txt requirements/dev.txt pyproject.toml | system
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bootstrap.txt
	$(BIN)/uv pip sync --quiet --compile-bytecode --python $(BIN)/python --require-hashes requirements/bootstrap.txt requirements/run.txt requirements/dev.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q qualityscore  # as an installed wheel is
	@touch $(READY)

clean:
	rm -rf $(VENV) .demo build dist
