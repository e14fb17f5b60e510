# One command per chore. Each does its own set-up on a fresh machine with Python 3.11, 3.12 or 3.13 and make.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
TEST_WORKERS ?= 2
# Many images forbid Python to keep bytecode: every process would then compile some 230 files of ours again.
export PYTHONDONTWRITEBYTECODE =
# Matrices are small here: several threads of linear algebra only wait for each other, the more so beside other workers.
export OPENBLAS_NUM_THREADS ?= 1

BUILD_SITE := cd docs && ../$(BIN)/python -m sitebuilder

.PHONY: demo studio docs site test test-python lint bench bench-papers bench-peers bench-ledger help format clean

demo: .venv/ready          ## Simulate a city, publish its trips at epsilon 1, compare, and write demo/report.html.
	$(BIN)/seqveil demo --out demo

studio: .venv/ready        ## Open the local web page with the demo's data, which is simulated first if it is not there.
	@test -f demo/trips.csv || $(BIN)/seqveil demo --out demo
	$(BIN)/seqveil studio --folder demo

docs: .venv/ready          ## Build the documentation site and show it on this machine (http://127.0.0.1:8000). Stop with Ctrl-C.
	$(BUILD_SITE) --serve

site: .venv/ready          ## Build the documentation site in build/site. A warning, such as a link without a target, is an error.
	$(BUILD_SITE)

test: .venv/ready lint     ## Run the full test suite. Tests on real data run where $$SEQVEIL_DATA names its folder.
	$(BIN)/python -m pytest -n $(TEST_WORKERS) --dist worksteal -q

test-python:               ## Run tests with another Python, in its own environment: make test-python PYTHON=python3.13 TESTS=tests/wall
	$(PYTHON) -m venv build/python
	build/python/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	build/python/bin/python -m pytest -n $(TEST_WORKERS) --dist worksteal -q $(TESTS)

lint: .venv/ready          ## Check style, formatting, import contracts, types, and pinned packages.
	$(BIN)/ruff check src tests benchmarks docs/sitebuilder
	$(BIN)/ruff format --check src tests benchmarks docs/sitebuilder
	$(BIN)/lint-imports
	$(BIN)/mypy

bench: .venv/ready         ## Measure speed and accuracy against their targets. Real data is skipped without $$SEQVEIL_DATA.
	$(BIN)/python benchmarks/bars.py

bench-papers: .venv/ready  ## Write the papers' tables beside ours to docs/results/. Resumes after an interruption. Needs $$SEQVEIL_DATA.
	$(BIN)/seqveil bench msnbc-count msnbc-topk --page docs/results/msnbc.md
	$(BIN)/seqveil bench flights-count flights-topk --page docs/results/flights.md
	$(BIN)/seqveil bench ablations --page docs/results/ablations.md

bench-peers: .venv/ready   ## Compare with other tools, in their own environment, in docs/results/peers.md. Needs $$SEQVEIL_DATA.
	$(BIN)/python benchmarks/peers/compare.py --page docs/results/peers.md

bench-ledger: .venv/ready  ## Measure releases with ledgers of up to 100,000 entries and 64 processes at once. Run it alone.
	$(BIN)/python benchmarks/ledger.py

help:                      ## List these commands.
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | sed 's/\$$\$$/$$/g' | expand -t 14

format: .venv/ready        ## Format the code and fix what ruff can fix.
	$(BIN)/ruff check --fix src tests benchmarks docs/sitebuilder
	$(BIN)/ruff format src tests benchmarks docs/sitebuilder

clean:                     ## Delete environments and everything that was built.
	rm -rf .venv .venv-peers demo build dist

.venv/ready: pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Seqveil needs Python 3.11, 3.12 or 3.13: no python3 was found on this machine."; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

.PHONY: audit-full faults fuzz spark-full sbom materials picture dist dist-check

dist: .venv/ready          ## Build the wheel and the source distribution in dist/.
	rm -rf dist
	$(BIN)/python -m build --outdir dist .

dist-check: dist           ## Install the wheel in a clean environment, and publish, query and verify with it. Takes minutes.
	$(BIN)/python benchmarks/wheel.py dist/*.whl

audit-full: .venv/ready    ## Run every attack on every method (20 to 40 minutes). Writes a dated report to audit/.
	$(BIN)/seqveil audit all --budget full --out audit

faults: .venv/ready        ## Kill publish at every step and 300 times at random, race for a cap, interrupt every slow verb 350 times.
	$(BIN)/python benchmarks/faults.py

spark-full: .venv/ready    ## Run every method, unit, replay and format on a Spark cluster of two workers. Takes long; `make test` runs a part.
	$(BIN)/python -m pytest -n 0 -q -m 'wide or not wide' tests/engines/spark tests/sources/spark tests/faults/test_faults_spark.py

fuzz: .venv/ready          ## Feed a million inputs to every reader. Guided by coverage where the extra `fuzz` is installed.
	$(BIN)/python benchmarks/fuzz.py

picture: .venv/ready       ## Draw the picture of the studio in the README, docs/pictures/studio.png, anew.
	$(BIN)/python tests/studio/screenshots.py docs/pictures/studio.png

sbom: .venv/ready          ## Write the bill of materials, docs/sbom.json.
	$(BIN)/python -m seqveil.audit.sbom docs/sbom.json

materials: .venv/ready     ## Check that every package is pinned and, where that data is available, has no known advisory.
	$(BIN)/python -m seqveil.audit.sbom --check docs/sbom.json

lint: materials
