# Commands for a machine with Python 3.11, pip and make:
#   make train   install, then train the quickstart experiment
#   make play    install, then play in the browser
#   make test    install, then lint, type-check and test
# They install into .venv and install nothing again the second time.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
INPUTS := pyproject.toml constraints.txt

.PHONY: train play test lint types pytest docs benchmark calibrate clean
.DEFAULT_GOAL := train

train: $(VENV)/.installed
	$(BIN)/python scripts/train.py configs/quickstart.yaml $(ARGS)

play: $(VENV)/.installed-serve
	$(BIN)/python scripts/serve.py --open $(ARGS)

test: lint types pytest

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/pyright

pytest: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n 2 $(ARGS)

docs: $(VENV)/.installed-dev
	$(BIN)/mkdocs build --strict

benchmark: $(VENV)/.installed-dev
	$(BIN)/python scripts/benchmark.py $(ARGS)

calibrate: $(VENV)/.installed
	$(BIN)/python scripts/calibrate.py $(ARGS)

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis build dist

# The stamp is written last, so that an interrupted installation is taken up again.
$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(INPUTS) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $@

$(VENV)/.installed-serve: $(INPUTS) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[serve]'
	touch $@ $(VENV)/.installed

$(VENV)/.installed-dev: $(INPUTS) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,video,tensorboard,serve,distributed,docs]'
	touch $@ $(VENV)/.installed $(VENV)/.installed-serve
