# Works on a fresh clone with git, make and Python 3.11 or later. `make help` lists what there is.

.DEFAULT_GOAL := help
ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif
.PHONY: help demo test environments test-quick faults mutants browser lowest package binder-check build check format docs linkcheck architecture pictures notebooks lab bench clean

VENV := .venv/bin/python
LAB := .venv-lab/bin/python
TESTS := $(addprefix tests/,unit integration package docs faults)
# What meets IPython, ipywidgets, ipykernel, websockets or pydantic: only that is another thing on the oldest versions.
# What a form makes of a schema's rules, and the panel of long records, is not.
LOWEST_TESTS := tests/faults tests/notebooks tests/unit/wire \
	$(addprefix tests/unit/jupyter/,magic panel show/test_formatters.py test_live_line.py test_versions.py) \
	$(addprefix --ignore=tests/unit/jupyter/panel/,test_history_flat.py $(addprefix form/,test_bounds.py test_schemas.py test_values_as_jsonschema.py)) \
	$(addprefix tests/unit/schema/,test_model.py test_tool.py) \
	$(addprefix tests/unit/values/,test_messages.py test_read_json.py test_secrets.py test_to_json.py) \
	$(addprefix tests/unit/client/,test_actions.py test_codec.py test_tools.py) \
	$(addprefix tests/integration/,test_magics.py test_render_magic.py) \
	$(addprefix tests/integration/kernels/,test_verbs.py test_panel.py test_situations.py)
# Twice as many as there are cores: somebody always waits for a kernel. Who has nothing left to do takes from another.
JOBS := -n $(shell echo $$(( $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2) * 2 ))) --dist worksteal
# What was compiled once need not be compiled by each process of each test, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE
# The panel is tested on kernels of these versions, too.
KERNELS := $(foreach version,6.31 7.0 7.3,.venv-kernel-$(version)/.installed)
# The tests start the newest and the oldest server we promise to work with by these Pythons.
export OPENENV_PYTHON := $(CURDIR)/.venv/bin/python
export OPENENV_OLD_PYTHON := $(CURDIR)/.venv-old/bin/python

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-19s %s\n", $$1, $$2 }'

demo: .venv/.installed-demo ## run the first notebook without a browser and print what it shows
	@$(VENV) notebooks/run.py notebooks/01_first_episode.ipynb

test: environments ## run all tests, also in a browser and on the oldest versions
	$(VENV) -m pytest $(JOBS) $(TESTS)
	@$(MAKE) --no-print-directory browser
	@$(MAKE) --no-print-directory lowest

# The first finds out whether Python is complete; then pip waits more than it works.
environments: .venv/.installed-test ## make what all tests need, side by side
	@$(MAKE) --no-print-directory -j4 SIDE_BY_SIDE=1 .venv-lab/.installed-browser .venv-lowest/.installed .venv-old/.installed $(KERNELS)

test-quick: .venv/.installed-test ## run what answers within a minute: the unit tests, and the first cells in a kernel
	$(VENV) -m pytest $(JOBS) tests/unit tests/integration/kernels/test_cells.py

faults: .venv/.installed-test .venv-old/.installed $(KERNELS) ## let all storms and searches run long: for the night
	OPENENV_TEST_PACE=long $(VENV) -m pytest $(JOBS) -o timeout=900 tests/unit tests/faults tests/integration
	OPENENV_TEST_PACE=long $(MAKE) --no-print-directory browser

browser: .venv-lab/.installed-browser .venv/.installed-test $(KERNELS) ## run the browser tests only
	@sh .ci/browser $(LAB)
	$(LAB) -m pytest -n auto --dist worksteal tests/browser

lowest: .venv-lowest/.installed .venv/.installed-test .venv-old/.installed ## run the tests that hold on the oldest versions
	.venv-lowest/bin/python -m pytest $(JOBS) $(LOWEST_TESTS)

package: .venv/.installed-test ## run only the tests of the wheel: as installed, on other kernels, on Colab's packages
	$(VENV) -m pytest tests/package

binder-check: .venv-lab/.installed-browser ## do what Binder does, in minutes: its steps, all notebooks, its JupyterLab
	@sh .ci/browser $(LAB)
	$(LAB) -m pytest -s tests/binder

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

pictures: .venv-lab/.installed-browser ## make the pictures of the README anew, in a real browser
	@sh .ci/browser $(LAB)
	$(LAB) docs/pictures.py

notebooks: .venv/.installed-test ## run the tutorials and write what their cells show into their files
	$(VENV) -m notebooks.make

lab: .venv-lab/.installed ## open the notebooks in JupyterLab
	$(LAB) -m jupyterlab $(if $(filter 0,$(shell id -u)),--allow-root) notebooks

bench: .venv/.installed-test ## measure against the official client, or BEFORE=/path/to/another/checkout
	$(VENV) $(if $(BEFORE),tests/benchmarks/against_checkout.py $(BEFORE),-m pytest tests/benchmarks -s -p no:cacheprovider)

clean: ## remove environments and caches
	rm -rf .venv .venv-lab .venv-old .venv-lowest .venv-kernel-* .venv-kept .venv-mutants mutants build dist docs/_build docs/tutorial/notebooks .*_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp a purpose: an environment grows by what is asked for, when that changes.
FORCE:

.venv/.installed-demo: FORCE
	@sh .ci/venv $@ --group demo -e .

.venv/.installed-test: FORCE
	@sh .ci/venv $@ --group test -e '.[fast,openenv]'

.venv/.installed-docs: FORCE
	@sh .ci/venv $@ --group docs -e .

.venv/.installed-check: FORCE
	@sh .ci/venv $@ --group lint -e .

# JupyterLab brings packages that make the official one take twice as long to import: it has an environment of its own.
.venv-lab/.installed: FORCE
	@sh .ci/venv $@ -e '.[lab,openenv]'

.venv-lab/.installed-browser: FORCE
	@sh .ci/venv $@ --group browser -e .

.venv-old/.installed: FORCE
	@sh .ci/venv $@ openenv==0.2.3

.venv-lowest/.installed: FORCE
	@PYTHON="python3.11 $${PYTHON:-python3.12 python3.13 python3}" sh .ci/venv $@ -r tests/lowest.txt -e .

.venv-kernel-%/.installed: FORCE
	@sh .ci/venv $@ -e . 'ipykernel~=$*.0'

# All mutants take hours, those of the protocol ten minutes. mutmut puts a copy with its results into mutants/.
mutants: .venv-mutants/.installed ## change the protocol one thing at a time, or ONLY='openenv_notebook.schema.*': which test notices?
	.venv-mutants/bin/mutmut run --max-children 1 $(or $(ONLY),'openenv_notebook.wire.protocol.*')
	@.venv-mutants/bin/mutmut results | grep -v 'not checked' || true

.venv-mutants/.installed: FORCE
	@sh .ci/venv $@ --group mutants -e '.[fast,openenv]'
