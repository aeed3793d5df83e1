# Every target explains itself: `make help`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.setup-stamp
NATIVE := $(wildcard engine/native/*.cpp engine/native/*.hpp)
RUN_ARGS ?=
TEST_ARGS ?=
# Processes that run tests; 0 runs them in one process, which shows prints and takes a debugger.
TEST_JOBS ?= auto

.DEFAULT_GOAL := help
.PHONY: help setup run test test-slow check format lock stubs golden bench sanitize clean audit docs evidence wheel

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

setup: $(STAMP) ## build the native core and install everything into .venv

$(VENV)/.deps-stamp: requirements.lock
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	touch $@

$(STAMP): $(VENV)/.deps-stamp pyproject.toml CMakeLists.txt $(NATIVE)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps \
		--config-settings=cmake.define.SPIDERVET_MARCH=native --editable .
	touch $@

run: setup ## set up, serve on http://127.0.0.1:8000 and, on an empty ledger, run a sample job
	$(BIN)/spidervet serve --sample $(RUN_ARGS)

test: setup ## every test that takes less than ten minutes together
	$(BIN)/python -m pytest -m "not slow" -n $(TEST_JOBS) --dist loadgroup $(TEST_ARGS)

test-slow: setup ## the long tests: tens of thousands of games, soak runs
	$(BIN)/python -m pytest -m slow $(TEST_ARGS)

check: setup ## lint, format, types, import direction, stubs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m nanobind.stubgen -m engine._core -q -o build/_core.pyi && diff -u engine/_core.pyi build/_core.pyi

audit: setup ## known vulnerabilities of what is pinned (needs the network; not in CI)
	$(VENV)/audit/bin/pip-audit --version >/dev/null 2>&1 || { $(PYTHON) -m venv $(VENV)/audit && \
		$(VENV)/audit/bin/pip install --quiet --disable-pip-version-check pip-audit; }
	$(VENV)/audit/bin/pip-audit --strict --require-hashes --disable-pip -r requirements-runtime.lock
	$(VENV)/audit/bin/pip-audit --strict --require-hashes --disable-pip -r requirements.lock

format: setup ## rewrite the sources in the project's format
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

stubs: setup ## write engine/_core.pyi anew from the built core
	$(BIN)/python -m nanobind.stubgen -m engine._core -q -o engine/_core.pyi

golden: setup ## write golden deals, perft counts, playthroughs and the OpenAPI description anew; read the diff
	$(BIN)/python -m tests.engine.golden
	$(BIN)/python -m tests.api.golden

docs: setup ## write the tables of settings, routes and commands in docs anew from the code
	$(BIN)/python docs/tables.py

evidence: setup ## write docs/winnability.md from docs/evidence; `python -m tools.evidence run` makes more of it
	$(BIN)/python -m tools.evidence page

wheel: setup ## build a wheel into dist, install it with its pinned needs into a fresh environment, evaluate there
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps -w dist .
	rm -rf build/wheel-check && $(PYTHON) -m venv build/wheel-check
	build/wheel-check/bin/pip install --quiet --disable-pip-version-check -r requirements-runtime.lock
	build/wheel-check/bin/pip install --quiet --disable-pip-version-check --no-deps --no-index --find-links dist spidervet
	cd / && $(abspath build/wheel-check)/bin/spidervet evaluate --variant spider-1 --seeds 1-3 --player hint --solver 200000
	cd / && $(abspath build/wheel-check)/bin/python -c "import worker.app, kombu.transport.redis, psycopg"

bench: setup ## how fast the rules are played, natively and by the reference
	$(BIN)/python -m benchmarks.playouts

# The instrumented core stands beside a copy of the sources; -S keeps the editable install's hooks out.
SANITIZED := build/sanitize/site
SANITIZE_TESTS ?= tests/engine
sanitize: setup ## the native core's tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(BIN)/cmake -S . -B build/sanitize/cmake -DSPIDERVET_SANITIZE=ON -DCMAKE_BUILD_TYPE=None -DSKBUILD_PROJECT_VERSION=0 \
		-DPython_EXECUTABLE=$(abspath $(BIN))/python -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir) >/dev/null
	$(BIN)/cmake --build build/sanitize/cmake -j2
	rm -rf $(SANITIZED) && mkdir -p $(SANITIZED)
	cp -r $(filter-out build,$(wildcard *)) $(SANITIZED)
	cp build/sanitize/cmake/_core*.so $(SANITIZED)/engine/
	cd $(SANITIZED) && export ASAN_OPTIONS=detect_leaks=0 \
		LD_PRELOAD="$$($${CXX:-c++} -print-file-name=libasan.so) $$($${CXX:-c++} -print-file-name=libubsan.so)" \
		PYTHONPATH=.:$$(echo $(abspath $(VENV))/lib/python3*/site-packages) && \
		$(abspath $(BIN))/python -S -c "from engine import _core; assert '/sanitize/' in _core.__file__, _core.__file__" && \
		$(abspath $(BIN))/python -S -m pytest -p no:cacheprovider -m "not slow" $(SANITIZE_TESTS)

lock: ## write requirements.lock anew (needs uv on the path)
	uv pip compile pyproject.toml --group dev --universal --generate-hashes --no-emit-index-url --no-header -q -o requirements.lock
	uv pip compile pyproject.toml -c requirements.lock --universal --generate-hashes --no-emit-index-url --no-header -q -o requirements-runtime.lock

clean: ## remove what was built
	rm -rf build dist $(VENV)
