# One command per chore; each does its own set-up on a fresh machine with Python 3.11.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
TEST_WORKERS ?= 2

.PHONY: demo test lint bench bench-papers bench-peers bench-ledger format clean

demo: .venv/ready          ## simulate a city, publish it at epsilon 1, evaluate, write demo/report.html
	$(BIN)/seqveil demo --out demo

test: .venv/ready lint     ## everything that must hold before a commit lands
	$(BIN)/python -m pytest -n $(TEST_WORKERS) --dist worksteal -q

lint: .venv/ready          ## style, types, and who may import whom
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/lint-imports
	$(BIN)/mypy

bench: .venv/ready         ## the speed and accuracy bars, as a table
	$(BIN)/python benchmarks/bars.py

bench-papers: .venv/ready  ## the papers' tables beside ours, into docs/results/; an interrupted run goes on where it was
	$(BIN)/seqveil bench msnbc-count msnbc-topk --page docs/results/msnbc.md
	$(BIN)/seqveil bench flights-count flights-topk --page docs/results/flights.md
	$(BIN)/seqveil bench ablations --page docs/results/ablations.md

bench-peers: .venv/ready   ## what people use today, in an environment of its own, by the same metrics, into docs/results/peers.md
	$(BIN)/python benchmarks/peers/compare.py --page docs/results/peers.md

bench-ledger: .venv/ready  ## a release at ledgers of up to 100,000 entries, and 64 processes at once; run it alone
	$(BIN)/python benchmarks/ledger.py

format: .venv/ready
	$(BIN)/ruff check --fix src tests benchmarks
	$(BIN)/ruff format src tests benchmarks

clean:
	rm -rf .venv .venv-peers demo build dist

.venv/ready: pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Seqveil needs Python 3.11 or newer: no python3 was found on this machine."; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

.PHONY: audit-full faults fuzz sbom materials

audit-full: .venv/ready    ## every attack on every method, as hard as we know how (about 20 minutes); a dated report in audit/
	$(BIN)/seqveil audit all --budget full --out audit

faults: .venv/ready        ## kill publish at every step and 300 times at random, race for a cap, press Ctrl-C 350 times in every verb that takes long
	$(BIN)/python benchmarks/faults.py

fuzz: .venv/ready          ## a million inputs at every door; guided by coverage where the extra `fuzz` is installed
	$(BIN)/python benchmarks/fuzz.py

sbom: .venv/ready          ## write the bill of materials anew
	$(BIN)/python -m seqveil.audit.sbom docs/sbom.json

materials: .venv/ready     ## every package pinned, none with a known advisory where that data is at hand
	$(BIN)/python -m seqveil.audit.sbom --check docs/sbom.json

lint: materials
