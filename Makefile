# `make demo` and `make test` need Python 3.11 or later and pip, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Commands that tests start load what was compiled before, also where the shell says otherwise.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-all test-oldest lint bench bench-smoke requirements clean

demo: $(VENV)/installed
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh

# Property tests draw few examples. Schemathesis takes seconds to load, and only slow tests use it. Three processes keep
# two processors busy, as some tests wait.
test: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n 3 -m "not slow" --hypothesis-profile few -p no:schemathesis

# What `make test` leaves out: crashes, PostgreSQL's slow half, the browser, real models, documentation, and the other
# examples of property tests. One process runs all tests of a file, so that what they share is set up once.
test-all: $(VENV)/installed-dev
	$(BIN)/polyadic models fetch
	$(BIN)/python -m tests.real_model.weights
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m "slow or hypothesis"

# The stores again, on the earliest PostgreSQL and pgvector that are said to do, with few examples: what depends on the
# statements that a server runs. Its package cannot start servers that tests configure themselves.
STATEMENTS := $(addprefix tests/postgres/,test_isolation.py test_migrations.py test_size.py test_statements.py \
	test_vector_search.py test_whole_store_reads.py test_workspaces_command.py test_writing.py)
test-oldest: $(VENV)/installed-dev
	@$(BIN)/python -m pip install --quiet --require-hashes --no-deps --upgrade --target $(VENV)/oldest \
		-r requirements-oldest.txt
	PYTHONPATH=$(VENV)/oldest $(BIN)/python -m pytest -n 2 -k postgres --hypothesis-profile few tests/storage \
		$(STATEMENTS)

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/biome check --error-on-warnings src/polyadic/server/page/files

# Beside its peers, which are installed below .bench: the better part of an hour, and docs/performance.md has the table.
bench: $(VENV)/installed
	$(BIN)/python -m benchmarks.peers

# Polyadic alone: do its costs stay within wide margins?
bench-smoke: $(VENV)/installed
	$(BIN)/python -m benchmarks.peers --quick

$(VENV)/installed: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Polyadic needs Python 3.11 or later, this is " + sys.version.split()[0])'
	@echo "setting up $(VENV) (about half a minute)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --require-hashes -r requirements.txt
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

# Modules are compiled when they are first imported: most of these are never imported.
$(VENV)/installed-dev: $(VENV)/installed requirements-dev.txt
	@$(BIN)/python -m pip install --quiet --no-compile --require-hashes -r requirements-dev.txt
	@touch $@

# Pins and hashes are exported without index addresses, so that they serve wherever packages come from.
COMPILE := $(BIN)/pip-compile --quiet --generate-hashes --strip-extras --allow-unsafe --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host
requirements:
	$(BIN)/python -m pip install --quiet pip-tools
	$(COMPILE) -o requirements.txt --extra build pyproject.toml
	$(COMPILE) -o requirements-serve.txt --extra build --extra formats --extra hierarchy --extra mcp --extra otel \
		--extra postgres --extra serve --extra watch -c requirements.txt pyproject.toml
	$(COMPILE) -o requirements-dev.txt --all-extras -c requirements-serve.txt pyproject.toml

clean:
	rm -rf $(VENV) demo-workspace demo-ordinary-workspace
