# All commands of the project. Each sets up what it needs: Python 3.11, make and a package index are enough.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
WORKERS ?= 2

VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
READY := $(VENV)/.ready
BARE := $(VENV)/bare/.ready
OUT := out
PIP := $(BIN)/python -m pip --disable-pip-version-check
LOCK := $(BIN)/pip-compile --quiet --strip-extras --upgrade \
	--no-emit-find-links --no-emit-index-url --no-emit-trusted-host

.DEFAULT_GOAL := help
.PHONY: help setup demo studio test check docs pictures bench bench-studio soak lock clean chromium

help: ## show this list
	@echo "drycell: simulate a robot cell before you build it"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-19s %s\n", $$1, $$2 }'

setup: $(READY) ## create the virtual environment .venv (all other commands do this themselves)

# Stamp files are written last, so that an interrupted setup starts again. They are renewed when a lock file or the
# project changes. Running cells needs only the core; tests, checks and benchmarks add the rest.
$(CORE): requirements.lock pyproject.toml
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "drycell needs Python 3.11 or later, found: $(PYTHON)"; echo "  try: make PYTHON=/path/to/python3.11"; exit 1; }
	@if [ -x $(BIN)/python ]; then echo "bringing .venv up to date …"; \
		else echo "setting up .venv (first time only, about a minute) …"; "$(PYTHON)" -m venv $(VENV); fi
	@$(PIP) install --quiet --requirement requirements.lock
	@$(PIP) install --quiet --no-deps --editable .
	@$(BIN)/python -m compileall -q src
	@touch $@

$(READY): $(CORE) requirements-dev.lock
	@echo "adding what tests and benchmarks need to .venv …"
	@$(PIP) install --quiet --requirement requirements-dev.lock
	@touch $@

# The packages that `pip install drycell` installs, without drycell itself: a test adds the wheel.
$(BARE): $(CORE) requirements.lock
	@[ -x $(VENV)/bare/bin/python ] || $(BIN)/python -m venv $(VENV)/bare
	@$(VENV)/bare/bin/python -m pip --disable-pip-version-check install --quiet --requirement requirements.lock
	@touch $@

demo: $(CORE) ## simulate an hour of a cell with two machines and one arm
	@mkdir -p $(OUT)
	@$(BIN)/drycell run examples/30_event_cell --until 1h --seed 7 \
		--journal $(OUT)/demo.journal --record $(OUT)/demo.dry --picture $(OUT)/demo.svg --view iso-back --zoom 1.25

studio: $(CORE) ## open the demo cell in the browser
	@$(BIN)/drycell studio examples/30_event_cell

# Known defect: the last bits of lines of five-axis arms come from LAPACK (robots/arm.py, `_solve`) and so depend on the
# kernels that OpenBLAS picks for the CPU. Until that is mended, the pinned journals hold for these kernels.
test soak: export OPENBLAS_CORETYPE ?= Haswell

test: check chromium $(BARE) ## run the checks and all tests except the long ones; SEED=1 shuffles them
	$(BIN)/python -m pytest -q -n $(WORKERS) -m "not soak" $(if $(SEED),--shuffle $(SEED))

# The tests of the studio use a real browser, which comes from the system and not from the package index.
chromium:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || { \
		echo "the tests of the studio need Chromium: installing it with apt …"; \
		SUDO=$$([ "$$(id -u)" = 0 ] || echo sudo); \
		$$SUDO apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$SUDO apt-get install -qq -y --no-install-recommends \
			chromium >/dev/null && command -v chromium >/dev/null; } || \
		{ echo "Chromium could not be installed: install it by hand (apt install chromium), then run make test again"; exit 1; }

check: $(READY) ## check format, lint, types, layers and wording: seconds
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/voice.py

docs: $(READY) ## build the documentation with the API reference as a site, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

pictures: $(READY) chromium ## remake the pictures of the studio in docs/images/studio
	$(BIN)/python tests/studio/browser/tutorial_pictures.py

bench: $(READY) ## measure the speed, as ratios to other libraries
	@$(BIN)/python -m benchmarks

bench-studio: $(READY) chromium ## measure how fast the studio responds, with Chromium
	@$(BIN)/python -m benchmarks studio

soak: $(READY) ## run the long tests; GROUP=model runs those in tests/model and prints their figures
	$(BIN)/python -m pytest -q -m soak -o faulthandler_timeout=3600 $(if $(GROUP),-s tests/$(GROUP),-n $(WORKERS))

lock: $(READY) ## update both lock files from the bounds in pyproject.toml
	$(LOCK) --output-file=requirements.lock pyproject.toml
	$(LOCK) --all-extras --constraint=requirements.lock --output-file=requirements-dev.lock pyproject.toml

clean: ## remove everything that these commands made, including .venv
	rm -rf $(VENV) $(OUT) site dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find src tests benchmarks tools -name __pycache__ -prune -exec rm -rf {} +
