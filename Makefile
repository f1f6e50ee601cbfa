# Works on a fresh clone with git, make and Python 3.11 or later. `make help` lists what there is.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test browser lowest package binder-check build check format docs linkcheck architecture pictures notebooks lab bench clean

VENV := .venv/bin/python
TESTS = $(wildcard $(addprefix tests/,unit integration notebooks package docs faults))
LOWEST_TESTS = $(wildcard tests/unit tests/faults $(addprefix tests/integration/,test_magics.py test_render_magic.py) tests/notebooks) \
	$(wildcard $(addprefix tests/integration/kernels/,test_verbs*.py test_mistakes.py test_panel.py test_reruns.py test_spaces.py))
# Most tests run on every core, a file at a time. These hold to tenths of a second: they run alone.
ALONE = $(wildcard $(addprefix tests/integration/,test_imports.py test_interrupts.py test_lifetimes.py test_rollouts.py \
	$(addprefix kernels/,test_interrupts.py test_lifetimes.py test_rollouts.py)))
ALONE_IN_BROWSER = $(wildcard $(addprefix tests/browser/,test_panel_kernels.py test_panel_speed.py))
TOGETHER = --dist loadfile $(addprefix --ignore=,$(ALONE) $(ALONE_IN_BROWSER))
# One more than there are cores: somebody always waits for a kernel.
JOBS := -n $(shell echo $$(( $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2) + 1 )))
# The tests start the newest and the oldest server we promise to work with by these Pythons.
export OPENENV_PYTHON := $(CURDIR)/.venv/bin/python
export OPENENV_OLD_PYTHON := $(CURDIR)/.venv-old/bin/python

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-19s %s\n", $$1, $$2 }'

demo: .venv/.installed-demo ## run the first notebook without a browser and print what it shows
	@$(VENV) notebooks/run.py notebooks/01_first_episode.ipynb

test: .venv/.installed-test .venv-old/.installed ## run all tests, also in a browser and on the oldest versions
	$(VENV) -m pytest $(JOBS) $(TOGETHER) $(TESTS)
	$(VENV) -m pytest $(ALONE)
	@$(MAKE) --no-print-directory browser
	@$(MAKE) --no-print-directory lowest

# The panel is tested on kernels of these versions, too.
KERNELS := $(foreach version,6.31 7.0 7.3,.venv-kernel-$(version)/.installed)

browser: .venv/.installed-browser $(KERNELS) ## run the browser tests only
	@sh .ci/browser $(VENV)
	$(VENV) -m pytest -n auto $(TOGETHER) tests/browser
	$(VENV) -m pytest $(ALONE_IN_BROWSER)

lowest: .venv-lowest/.installed .venv/.installed-test .venv-old/.installed ## run the tests that hold on the oldest versions
	.venv-lowest/bin/python -m pytest $(JOBS) $(TOGETHER) $(LOWEST_TESTS)

package: .venv/.installed-test ## run only the tests of the wheel: as installed, on other kernels, on Colab's packages
	$(VENV) -m pytest tests/package

binder-check: .venv/.installed-browser ## do what Binder does, in minutes: its steps, all notebooks, its JupyterLab
	@sh .ci/browser $(VENV)
	$(VENV) -m pytest -s tests/binder

build: .venv/.installed-test ## build the wheel and the source distribution into dist
	rm -rf dist
	$(VENV) -m hatchling build -d dist

check: .venv/.installed-check ## lint, format, types, imports
	$(VENV) -m ruff check .
	$(VENV) -m ruff format --check .
	$(VENV) -m mypy
	$(VENV) -m pyright --project tests/typing --pythonpath $(VENV)
	.venv/bin/lint-imports

format: .venv/.installed-check ## put the code into its form
	$(VENV) -m ruff check --fix .
	$(VENV) -m ruff format .

docs: .venv/.installed-docs ## build the documentation into docs/_build; warnings are errors
	$(VENV) -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo docs/_build/html/index.html

linkcheck: .venv/.installed-docs ## ask every external link of the documentation
	$(VENV) -m sphinx -W --keep-going -q -b linkcheck docs docs/_build/linkcheck

architecture: .venv/.installed-docs ## draw the floors of the package anew, from its imports
	$(VENV) docs/architecture.py

pictures: .venv/.installed-browser ## make the pictures of the README anew, in a real browser
	@sh .ci/browser $(VENV)
	$(VENV) docs/pictures.py

notebooks: .venv/.installed-test ## run the tutorials and write what their cells show into their files
	$(VENV) -m notebooks.make

lab: .venv/.installed-lab ## open the notebooks in JupyterLab
	$(VENV) -m jupyterlab $(if $(filter 0,$(shell id -u)),--allow-root) notebooks

bench: .venv/.installed-test ## measure against the official client, or BEFORE=/path/to/another/checkout
	$(VENV) $(if $(BEFORE),tests/benchmarks/against_checkout.py $(BEFORE),-m pytest tests/benchmarks -s -p no:cacheprovider)

clean: ## remove environments and caches
	rm -rf .venv .venv-old .venv-lowest .venv-kernel-* build dist docs/_build docs/tutorial/notebooks .*_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp a purpose: an environment grows by what is asked for.
.venv/.installed-demo: pyproject.toml
	@sh .ci/venv .venv --group demo -e .
	@touch $@

.venv/.installed-test: pyproject.toml
	@sh .ci/venv .venv --group test -e '.[fast,openenv]'
	@touch $@

.venv/.installed-browser: pyproject.toml
	@sh .ci/venv .venv --group browser -e .
	@touch $@

.venv/.installed-docs: pyproject.toml
	@sh .ci/venv .venv --group docs -e .
	@touch $@

.venv/.installed-check: pyproject.toml
	@sh .ci/venv .venv --group lint -e .
	@touch $@

.venv/.installed-lab: pyproject.toml
	@sh .ci/venv .venv -e '.[lab,openenv]'
	@touch $@

.venv-old/.installed:
	@sh .ci/venv .venv-old openenv==0.2.3
	@touch $@

.venv-lowest/.installed: pyproject.toml tests/lowest.txt
	@PYTHON="python3.11 $${PYTHON:-python3.12 python3.13 python3}" sh .ci/venv .venv-lowest -r tests/lowest.txt -e .
	@touch $@

.venv-kernel-%/.installed: pyproject.toml
	@sh .ci/venv .venv-kernel-$* -e . 'ipykernel~=$*.0'
	@touch $@
