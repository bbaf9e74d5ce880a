# Needs git, make and Python >= 3.11 with venv and pip; everything else is installed into $(VENV).
#   make test PYTHON=python3.13 VENV=.venv-3.13    another Python beside the first
#   make test PYTEST_ARGS='-k rng -x'              further arguments for pytest
#   make cards-mutation CARDS='BS-13 RO-005'    only cards whose ids begin so
#   make rules-mutation MUTATION_ARGS='--mutants 20 --seed 2 jumpgate_env/rules.py'    fewer, others, one module
#   make test-examples TORCH='torch --index-url https://download.pytorch.org/whl/cpu'    a torch without CUDA
#   make test-examples FRAMEWORKS='sb3 rllib'    only these; each has an environment .venv-NAME
#   make bench BENCH_ARGS='--game jumpgate --quick'    and for the benchmarks; also bench-ratios ...

PYTHON ?= python3
PYTHON_LOWEST ?= python3.11
PYTHONS ?= python3.11 python3.12 python3.13
VENV ?= .venv
VENV_LOWEST ?= .venv-lowest
VENV_BENCH ?= .venv-bench
VENV_UV ?= .venv-uv
TORCH ?= torch
FRAMEWORKS ?= torch sb3 torchrl tianshou rllib
WORKERS ?= 2
PYTEST_ARGS ?=
BENCH_ARGS ?=
SOAK_ARGS ?=
FUZZ_ARGS ?=
MUTATION_ARGS ?=

PIP_INSTALL = -m pip install --quiet --disable-pip-version-check
PRINT_PEERS = 'import tomllib; \
	project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	print(*project["optional-dependencies"]["bench-peers"], sep="\n")'
EXAMPLES_torch = common ppo_selfplay probe_observations
EXAMPLES_sb3 = sb3_maskable_ppo
EXAMPLES_torchrl = torchrl_ppo
EXAMPLES_tianshou = tianshou_dqn
EXAMPLES_rllib = rllib_ppo ray_rollouts
WARMUP = -m tabletop_core warmup
PYTEST = -m pytest tests -n $(WORKERS) --dist loadgroup $(PYTEST_ARGS)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PRECIOUS: .venv-%/.example
.PHONY: help rollouts test test-long test-lowest test-matrix soak fuzz test-browser test-examples cards-mutation rules-mutation bench bench-ratios bench-limits bench-check docs lint wheel clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

rollouts: $(VENV)/.cli ## play random games and print how fast they go
	$(VENV)/bin/python -m tabletop_core rollouts

test: $(VENV)/.dev ## the fast test suite
	$(VENV)/bin/python $(WARMUP)
	$(VENV)/bin/python $(PYTEST) -m "not long"

test-long: $(VENV)/.dev ## the tests that take longer
	$(VENV)/bin/python $(WARMUP)
	$(VENV)/bin/python $(PYTEST) -m long

test-lowest: $(VENV_LOWEST)/.lowest ## the fast suite with the lowest allowed versions (Python 3.11)
	$(VENV_LOWEST)/bin/python $(WARMUP)
	$(VENV_LOWEST)/bin/python $(PYTEST) -m "not long and not lint"

test-matrix: test-lowest ## the fast suite with the newest versions on Python 3.11, 3.12 and 3.13, too
	@for python in $(PYTHONS); do \
		$(MAKE) test PYTHON=$$python VENV=.venv-$$python || exit 1; done

soak: $(VENV)/.dev ## ten million decisions of each game through each view
	$(VENV)/bin/python tests/soak.py $(SOAK_ARGS)

fuzz: $(VENV)/.fuzz ## damaged inputs for everything that reads, guided by coverage, a minute each
	$(VENV)/bin/python tests/fuzz.py $(FUZZ_ARGS)

test-browser: $(VENV)/.browser ## replay pages in headless Chromium (Debian: apt install chromium-driver)
	$(VENV)/bin/python -m pytest browser_tests $(PYTEST_ARGS)

test-examples: $(FRAMEWORKS:%=test-example-%) ## train a little with each framework, a line for each

test-example-%: .venv-%/.example
	@log=.venv-$*/test.log; \
		.venv-$*/bin/python -m pytest -q $(EXAMPLES_$*:%=examples/tests/test_%.py) $(PYTEST_ARGS) >$$log 2>&1 || \
		{ cat $$log; echo "$*: failed" >&2; exit 1; }; \
		echo "$*: $$(tail -n 1 $$log)"

cards-mutation: $(VENV)/.dev ## change every clause of every Stargate card: scenarios must notice
	$(VENV)/bin/python tests/cards_mutation.py $(CARDS)

rules-mutation: $(VENV)/.dev ## change kernels of the rules, a fixed sample: the fast suite must notice
	NUMBA_DISABLE_JIT=1 $(VENV)/bin/python tests/rules_mutation.py $(MUTATION_ARGS)

bench: $(VENV_BENCH)/.bench ## how fast each layer of each game is, beside other libraries
	$(VENV_BENCH)/bin/python -m benchmarks --plot svg $(BENCH_ARGS)

bench-ratios: $(VENV_BENCH)/.bench ## the promised ratios to plain C and to other libraries
	$(VENV_BENCH)/bin/python -m benchmarks ratios $(BENCH_ARGS)

bench-limits: $(VENV_BENCH)/.bench ## memory, starts and what else the games keep to
	$(VENV_BENCH)/bin/python -m benchmarks limits $(BENCH_ARGS)

bench-check: $(VENV)/.cli ## compare instructions per step with the stored ones (needs valgrind)
	$(VENV)/bin/python -m benchmarks check $(BENCH_ARGS)

docs: $(VENV)/.docs ## build the documentation as a site, into site/
	$(VENV)/bin/python -m sphinx -q -W --keep-going -c docs . site

lint: $(VENV)/.dev ## formatting, style, types and import contracts
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

wheel: $(VENV)/.dev ## build the wheel into dist/
	$(VENV)/bin/python -m build --wheel --no-isolation

clean: ## remove environments, builds and caches
	rm -rf .venv .venv-* build dist site *.egg-info .hypothesis .fuzz crash-* .import_linter_cache
	rm -rf .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# An environment holds `.ready` while nothing is being installed into it. Without it, an earlier
# run was interrupted and the environment is made anew. Stamps are written last.

$(VENV)/.cli: pyproject.toml
	$(call open_environment,$(PYTHON),$(VENV))
	$(VENV)/bin/python $(PIP_INSTALL) --editable '.[cli]'
	@touch $(VENV)/.ready $@

$(VENV)/.dev: pyproject.toml
	$(call open_environment,$(PYTHON),$(VENV))
	$(VENV)/bin/python $(PIP_INSTALL) --editable '.[arena,cli,data,render,dev]'
	@touch $(VENV)/.ready $(VENV)/.cli $@

$(VENV)/.docs: pyproject.toml
	$(call open_environment,$(PYTHON),$(VENV))
	$(VENV)/bin/python $(PIP_INSTALL) --editable '.[cli,docs]'
	@touch $(VENV)/.ready $(VENV)/.cli $@

$(VENV)/.fuzz: $(VENV)/.dev
	$(VENV)/bin/python $(PIP_INSTALL) --editable '.[arena,cli,data,render,dev,fuzz]'
	@touch $@

$(VENV)/.browser: $(VENV)/.dev
	$(VENV)/bin/python $(PIP_INSTALL) --editable '.[arena,cli,data,render,dev,browser]'
	@touch $@

# Only what users install is held at its lowest version, the test tools are new.
$(VENV_LOWEST)/.lowest: pyproject.toml
	$(call open_environment,$(PYTHON_LOWEST),$(VENV_LOWEST))
	$(VENV_LOWEST)/bin/python $(PIP_INSTALL) uv
	$(VENV_LOWEST)/bin/uv pip compile --quiet --python $(VENV_LOWEST)/bin/python \
		--resolution lowest-direct --extra arena --extra cli --extra data --extra render pyproject.toml --output-file $(VENV_LOWEST)/lowest.txt
	$(VENV_LOWEST)/bin/uv pip install --quiet --python $(VENV_LOWEST)/bin/python \
		--constraint $(VENV_LOWEST)/lowest.txt --editable '.[arena,cli,data,render,dev]'
	@touch $(VENV_LOWEST)/.ready $@

# The frameworks' requirements conflict, so each has an environment. pip fetches torch once, as
# $(TORCH) says; uv links it and all else into every environment, so that files are there once.
$(VENV_UV)/.uv: pyproject.toml
	$(call open_environment,$(PYTHON),$(VENV_UV))
	rm -rf $(VENV_UV)/torch
	$(VENV_UV)/bin/python $(PIP_INSTALL) uv
	$(VENV_UV)/bin/python -m pip download --quiet --disable-pip-version-check --no-deps --dest $(VENV_UV)/torch $(TORCH)
	@touch $(VENV_UV)/.ready $@

.venv-%/.example: pyproject.toml $(VENV_UV)/.uv
	$(call open_environment,$(PYTHON),.venv-$*)
	$(VENV_UV)/bin/uv pip install --quiet --cache-dir $(VENV_UV)/cache --link-mode hardlink \
		--python .venv-$*/bin/python $(VENV_UV)/torch/*.whl --editable '.[$*]' pytest
	@touch .venv-$*/.ready $@

# Not every peer has a release for every machine and Python. If they cannot be installed together,
# each is tried alone, and the benchmarks skip the rows of those that are missing.
$(VENV_BENCH)/.bench: pyproject.toml
	$(call open_environment,$(PYTHON),$(VENV_BENCH))
	$(VENV_BENCH)/bin/python $(PIP_INSTALL) --editable '.[cli,bench]'
	@$(VENV_BENCH)/bin/python $(PIP_INSTALL) --editable '.[cli,bench,bench-peers]' || \
		$(VENV_BENCH)/bin/python -c $(PRINT_PEERS) | while read -r peer; do \
			$(VENV_BENCH)/bin/python $(PIP_INSTALL) --editable '.[cli,bench]' "$$peer" </dev/null || \
				echo "$$peer cannot be installed here: its rows will be skipped" >&2; done
	@touch $(VENV_BENCH)/.ready $@

# $(call open_environment,python,folder)
define open_environment
	@if ! command -v "$(1)" >/dev/null; then \
		echo "There is no '$(1)'. Name a Python >= 3.11, for example: make PYTHON=python3.12" >&2; exit 1; fi
	@if ! "$(1)" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
		echo "'$(1)' is $$("$(1)" --version 2>&1), but 3.11 or newer is needed:" \
			"make PYTHON=python3.12" >&2; exit 1; fi
	@if ! "$(1)" -c 'import venv, ensurepip' 2>/dev/null; then \
		echo "'$(1)' has no venv module (on Debian and Ubuntu: apt install python3-venv)" >&2; exit 1; fi
	@if [ ! -e $(2)/.ready ] || ! $(2)/bin/python -c '' 2>/dev/null; then \
		echo "Making $(2)"; "$(1)" -m venv --clear $(2); fi
	@rm -f $(2)/.ready
endef
