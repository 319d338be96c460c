# Two commands do everything on a fresh machine with python3 and make: `make reproduce` and `make test`.

PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
SECONDS ?= 60
WORKERS ?= 2
TOGETHER = -n $(WORKERS) --dist loadfile
QUICK  := not slow and not long

.DEFAULT_GOAL := help
.PHONY: help install data data-all reproduce reproduce-all test test-long test-slow test-lowest test-between test-newest test-spark test-deep fuzz mutants written prove docs check bench peers conform clean

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("tcloseness needs Python 3.11 or newer, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else 0'
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

$(VENV)-docs/.installed: pyproject.toml constraints.txt $(VENV)/.installed
	$(PY) -m venv $(VENV)-docs
	$(VENV)-docs/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[docs]'
	@touch $@

install: $(VENV)/.installed  ## make .venv with everything in it

data: install  ## fetch and verify the Adult data
	@$(PY) -m experiments data

data-all: install  ## fetch and verify the Adult data and four other data sets
	@$(PY) -m experiments data --all

reproduce: data  ## run the standard studies and write results/: report.html, report.pdf, article.md, tables, checksums
	$(PY) -m experiments run
	$(PY) -m experiments verify
	$(PY) -m experiments archive

reproduce-all: data-all  ## the same with the studies that need more: four other data sets (85 MB to fetch), or time
	$(PY) -m experiments run --all
	$(PY) -m experiments verify
	$(PY) -m experiments archive

test: data  ## run the tests, all but those that take long and those that prove and docs run (under five minutes)
	$(PY) -m pytest $(TOGETHER) -m "$(QUICK) and not coq and not site"

test-long: data  ## run the tests that take half a second or more each (some minutes)
	$(PY) -m pytest $(TOGETHER) -m "long and not slow and not coq and not site"

test-slow: data  ## run the tests that take longer still: every study interrupted, every command ended and its disk full
	$(PY) -m pytest $(TOGETHER) --no-loadscope-reorder -m slow $(ROOMS)

test-lowest: data  ## run the tests with the lowest versions that pyproject.toml admits (makes an environment)
	$(PY) -m proofs_tests.environments lowest -- $(TOGETHER) -m '$(QUICK)' $(ROOMS)

test-between: data  ## run the tests with Python 3.12 and the versions of make test (makes an environment)
	$(PY) -m proofs_tests.environments between -- $(TOGETHER) -m '$(QUICK)' $(ROOMS)

test-newest: data  ## run the tests with the newest Python that is here and the newest versions (makes an environment)
	$(PY) -m proofs_tests.environments newest -- $(TOGETHER) -m '$(QUICK)' $(ROOMS)

test-spark: data  ## run the tests that need Spark, on two cores of this machine (makes an environment; needs Java)
	TCLOSENESS_REQUIRE_SPARK=1 $(PY) -m proofs_tests.environments spark -- -m spark proofs_tests/microdata

test-deep: data  ## try every law on many more examples (takes long)
	HYPOTHESIS_PROFILE=deep $(PY) -m pytest -n $(WORKERS) -m hypothesis

fuzz: data  ## try commands, readers, certificates, signals and full disks at random for SECONDS (60)
	$(PY) -m proofs_tests.fuzz --seconds $(SECONDS)

mutants: data  ## put faults into the mathematical core, one at a time, and see that the tests notice (hours)
	$(PY) -m proofs_tests.mutants

written: install  ## write the files that repeat the catalogue of models: options, schemas, docs/models.md
	$(PY) -m proofs_tests.written

prove: install  ## build the machine-checked proofs anew and run their tests (needs Coq; says what is missing)
	$(PY) -m proofs_tests.gallina check
	@$(MAKE) --no-print-directory -C proofs_tests/coq tools clean all
	TCLOSENESS_REQUIRE_COQ=1 $(PY) -m pytest $(TOGETHER) -m coq proofs_tests/test_coq.py proofs_tests/test_coq_conditions.py proofs_tests/test_verify_page.py proofs_tests/gallina

docs: data $(VENV)-docs/.installed  ## build the site into site/html, open each of its pages and run its code (needs npm, Chromium)
	rm -rf site/html site/doctrees docs/jobs docs/reference/generated docs/reference/*.rst
	$(VENV)-docs/bin/python -m sphinx -q -T -W --keep-going -d site/doctrees docs site/html
	TCLOSENESS_REQUIRE_SITE=1 $(PY) -m pytest $(TOGETHER) -m site proofs_tests/site

check: data  ## ruff, mypy, and a smoke run of the studies
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(PY) -m experiments run --smoke --results .smoke

bench: data  ## measure speed as ratios, also beside other packages (makes an environment for them; 20 minutes)
	$(PY) -m experiments bench

peers: install  ## make the environments of other implementations, as far as they can be installed here
	$(PY) -m experiments peers

conform: data peers  ## ask all implementations all test vectors; write docs/conformance (some minutes)
	$(PY) -m experiments conform

clean:  ## remove environments, caches and results; the fetched data stays
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-between $(VENV)-newest $(VENV)-spark $(VENV)-docs site .bench-peers .peers .smoke .mutants results .hypothesis .mypy_cache .pytest_cache .ruff_cache
	$(MAKE) --no-print-directory -C proofs_tests/coq clean
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
