# make demo       trains a digit classifier on every backend present, and compares their curves
# make test       checks style and types, runs the tests, and puts some of the C backend's operators to the
#                 conformance suite
# make test-all   runs the rest: tests that build, install, run suites in processes of their own or compile for the
#                 emulated GPU; the whole conformance suite on the C backend, some of it by its own threads and by
#                 OpenMP's, and on some of the emulated GPU's operators
#
# All work from nothing: they make .venv, install gnomon into it, and run.  Other targets: lint, emulated, compiled,
# oracle, array-api, distributed, sanitize, soak, bench-quick, bench, perf-check, asv-run and its kin, docs, notebooks,
# wheel, cross, clean.  PYTHON is the Python that .venv is made with.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# pytest-xdist's workers: compiling and the reference's loops use one core each.
WORKERS ?= 2

# Without a C compiler there is no C backend, and without a C++ compiler no emulated GPU: nothing of them to test.
HAS_C := $(BIN)/python -c "import gnomon; raise SystemExit(not gnomon.backends()['c'].available)"
EMULATED := GNOMON_CUDA_EMULATE=1 $(BIN)/
HAS_GPU := $(EMULATED)python -c "import gnomon; raise SystemExit(not gnomon.backends()['cuda'].available)"

SHARED := backends/gnomon_speedups/plan.py reference/gnomon/values/dispatch_key.py
NATIVE := $(SHARED) $(shell find csrc cffi_build -type f -not -path '*/__pycache__/*')
HELLO := $(wildcard backends/gnomon_hello/pyproject.toml)
NUMPY := $(wildcard backends/gnomon_numpy/pyproject.toml backends/gnomon_numpy/gnomon_numpy/*.py)
TORCH := $(wildcard backends/gnomon_torch/pyproject.toml backends/gnomon_torch/gnomon_torch/*)
JAX := $(wildcard backends/gnomon_jax/pyproject.toml backends/gnomon_jax/gnomon_jax/*)
COMPILED := $(VENV)/.compiled
DEMO := $(VENV)/.demo
INSTALLED := $(VENV)/.installed
ORACLE := $(VENV)/.oracle

.PHONY: demo test test-all slow conform-c parts-native parts-openmp some-emulated lint style types stubs
.PHONY: wheel cross emulated compiled docs notebooks
.PHONY: oracle array-api distributed sanitize soak bench-quick bench perf-check clean
.PHONY: asv-machine asv-run asv-continuous asv-compare asv-publish asv-preview

# Packages are fetched while the C files are compiled.
MAKEFLAGS += --jobs=2

demo: $(DEMO) $(COMPILED)
	$(BIN)/gnomon demo

# Of the emulated GPU's operators, some of each kind: compiling all of them takes minutes.
SOME := ^(add|exp|copy_|sum|mm|gather)([._]|$$)

# Of the C backend's, some of each way in which work is cut for several threads: as if each call had enough for two.
# One worker: OpenMP's threads would wait for those of another.
PARTS := ^(add|exp|sum|cumsum|sort|topk|mm|_softmax|gather|nonzero)([._]|$$)

# Of the JAX backend's, some of each kind: XLA compiles a program for each size of most.
SOME_OF_JAX := ^(add|exp|copy_|sum|mm|gather|_softmax|perceptron|convolutional|transformer)([._]|$$)

# A file is one worker's, so that what its tests share is made once.
PYTEST := $(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder
# How many calls are drawn in a given time depends on the machine; this says the same on all of them.
# CONFORM_DTYPES: the only dtypes, if it is set, of the suite on the C backend.
CONFORM := conform c --property-seconds 0 $(if $(CONFORM_DTYPES),--dtypes $(CONFORM_DTYPES))

# A child of fork may wait for ever for a lock that another thread of its parent had, so these tests do not share
# a process with tests that start threads.
FORKING := tests/multiprocessing tests/utils/data/test_dataloader.py

test: lint
	$(PYTEST) -m 'not slow' tests conformance $(FORKING:%=--ignore=%)
	$(PYTEST) -m 'not slow' $(FORKING)
	$(HAS_C) || exit 0; $(BIN)/gnomon $(CONFORM) -n $(WORKERS) --dtypes float32 --ops '$(PARTS)'

test-all: parts-native parts-openmp some-emulated

slow: $(INSTALLED)
	$(PYTEST) -m slow tests

conform-c: slow
	$(HAS_C) || exit 0; $(BIN)/gnomon $(CONFORM) -n $(WORKERS)

# These use one core each.
parts-native parts-openmp: parts-%: conform-c
	$(HAS_C) || exit 0; GNOMON_PARALLEL=$* GNOMON_GRAIN=1 GNOMON_NUM_THREADS=2 \
		$(BIN)/gnomon $(CONFORM) -n 1 --dtypes float32 --ops '$(PARTS)'

some-emulated: conform-c
	$(HAS_GPU) || exit 0; $(EMULATED)gnomon conform cuda -n $(WORKERS) --dtypes float32 --ops '$(SOME)' \
		--property-seconds 0

# Each part uses one core.
lint: style types stubs

style: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(INSTALLED)
	$(BIN)/mypy reference backends benchmarks conformance tools

stubs: $(INSTALLED)
	GNOMON_SPEEDUPS=none $(BIN)/python -m mypy.stubtest --concise --mypy-config-file pyproject.toml \
		--allowlist tools/stubtest_allowlist.txt gnomon

# What others install: the C library for each instruction set.
wheel: $(INSTALLED)
	GNOMON_REQUIRE_C=1 GNOMON_C_VARIANTS=all $(BIN)/python -m build --wheel --no-isolation

# Does the C library compile for other systems?  docs/packages.md
cross: $(INSTALLED)
	$(BIN)/python tools/cross_compile.py

# The site of the documentation: build/site/html/index.html.
docs: $(INSTALLED)
	$(BIN)/python tools/site build/site

# The tour's chapters as notebooks, in build/tour.
notebooks: $(INSTALLED)
	$(BIN)/python tools/notebooks.py docs/tour/[0-9]*.md --output build/tour

# All that the emulated GPU runs itself: some minutes.
emulated: $(INSTALLED)
	GNOMON_TEST_ALL_KERNELS=1 $(BIN)/python -m pytest -q -n $(WORKERS) tests/cuda/test_cuda_*.py
	$(EMULATED)gnomon conform cuda -n $(WORKERS) --property-seconds 0

# Shows those CUDA kernels that have changed to NVIDIA's compiler, which needs no GPU, and writes down what each
# needs of one: forty minutes of a processor for all of them.
compiled: $(INSTALLED)
	$(BIN)/python tools/compile_kernels.py --jobs $(WORKERS)

# Compares gnomon with PyTorch: schemas, results, gradients, training curves; two minutes of random calls and
# programs; PyTorch's database of operators; PyTorch's kernels, as a backend, with the reference, and some of
# JAX's.  Then records PyTorch's answers for where it is
# absent, and writes the table of operators and the page of PyTorch's kernels anew.
oracle: $(ORACLE)
	$(BIN)/python -m pytest -q -n $(WORKERS) -m oracle tests conformance
	$(HAS_C) || exit 0; $(BIN)/python tools/fuzz.py
	$(BIN)/python tools/op_db.py --workers $(WORKERS) --markdown docs/op_db.md
	$(BIN)/gnomon conform torch -n $(WORKERS) --report build/torch
	$(BIN)/python -m gnomon_torch.summary build/torch/report.json > docs/pytorch_as_a_backend.md
	$(BIN)/gnomon conform jax -n $(WORKERS) --dtypes float32,int64 --ops '$(SOME_OF_JAX)' --property-seconds 0
	$(BIN)/python -m gnomon_conformance.goldens
	$(BIN)/gnomon operators --markdown > docs/operators.md
	$(BIN)/python tools/public_names.py docs/pytorch_names.md

# The public test suite of the Python array API standard on gnomon.array_api: SUITE is a checkout of
# github.com/data-apis/array-api-tests with its submodule.  It runs on the default device,
# which GNOMON_BACKEND sets.
array-api: $(INSTALLED)
	$(BIN)/python tools/array_api_suite.py '$(SUITE)' -n $(WORKERS)

# The C library under AddressSanitizer and UndefinedBehaviorSanitizer, with the whole conformance suite; its
# threads under ThreadSanitizer; the emulated GPU under the first two.
sanitize: $(INSTALLED)
	$(BIN)/python tools/sanitize.py address
	$(BIN)/python tools/sanitize.py thread
	GNOMON_SANITIZE=1 $(BIN)/python -m pytest -q tests/cuda/test_emulation.py -k address_sanitizer
	$(BIN)/python tools/sanitize.py cuda

# Four ranks, ranks that are killed at random times, and the time of a data-parallel step beside PyTorch's (where
# that is installed): what of gnomon.distributed takes longer than the tests of `make test`.
distributed: $(INSTALLED)
	$(BIN)/python -m pytest -q -m slow tests/distributed tests/examples/test_distributed_examples.py
	$(BIN)/python tools/kill_ranks.py
	$(BIN)/python benchmarks/distributed.py
	$(BIN)/gnomon plan-scale --check

# Random calls of operators on the C backend against the reference; SECONDS says for how long.
SECONDS ?= 1800
soak: $(INSTALLED)
	$(BIN)/python tools/soak.py --seconds $(SECONDS)

# All backends and the other libraries that are installed, in turn: rough figures, and build/bench/bench.html.
bench-quick: $(INSTALLED)
	$(BIN)/gnomon bench --quick --report build/bench

# The same with more and longer samples.
bench: $(INSTALLED)
	$(BIN)/gnomon bench --report build/bench

# Is this tree slower than BASE, and where?
BASE ?= HEAD~1
perf-check: $(INSTALLED)
	$(BIN)/python -m gnomon_bench.guard --base $(BASE)

# asv over commits.  RANGE: which, as git has it; OLD and NEW: two to compare.
ASV := cd benchmarks && ../$(BIN)/python -m asv
RANGE ?= HEAD~3..HEAD
OLD ?= HEAD~1
NEW ?= HEAD
asv-machine: $(INSTALLED)
	$(ASV) machine --yes

asv-run: asv-machine
	$(ASV) run $(ASV_OPTIONS) $(RANGE)

asv-continuous: asv-machine
	$(ASV) continuous $(ASV_OPTIONS) $(OLD) $(NEW)

asv-compare: $(INSTALLED)
	$(ASV) compare $(OLD) $(NEW)

asv-publish: $(INSTALLED)
	$(ASV) publish

asv-preview: asv-publish
	$(ASV) preview

# The C files that have changed, or a header of theirs.
$(COMPILED): $(VENV)/.made $(NATIVE) setup.py
	$(BIN)/python setup.py --quiet build_ext --inplace
	touch $@

# Type checkers do not run the code by which an editable installation finds its folders, but they read this.
SHOW_TYPES = printf '%s\n' '$(CURDIR)/reference' '$(CURDIR)/conformance' \
	> "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/gnomon_sources.pth"

# What the demonstration needs, and no more.
$(DEMO): $(VENV)/.made pyproject.toml
	GNOMON_WITHOUT_C=1 $(PIP) install --no-build-isolation --editable '.[demo]'
	$(SHOW_TYPES)
	touch $@

$(INSTALLED): $(VENV)/.made pyproject.toml $(HELLO) $(NUMPY) | $(COMPILED)
	GNOMON_WITHOUT_C=1 $(PIP) install --no-build-isolation --editable '.[conformance,demo,dev]'
	$(SHOW_TYPES)
	$(if $(HELLO),$(PIP) install --no-deps --no-build-isolation ./backends/gnomon_hello)
	$(if $(NUMPY),$(PIP) install --no-deps --no-build-isolation ./backends/gnomon_numpy)
	touch $@ $(DEMO)

$(ORACLE): $(INSTALLED) $(TORCH) $(JAX)
	$(PIP) install 'torch==2.13.0' 'jax==0.10.2' tinygrad dask array-api-compat array-api-strict mpmath
	$(if $(TORCH),$(PIP) install --no-deps --no-build-isolation ./backends/gnomon_torch)
	$(if $(JAX),$(PIP) install --no-deps --no-build-isolation ./backends/gnomon_jax)
	touch $@

$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install 'setuptools>=77' 'cffi>=1.16'
	touch $@

clean:
	rm -rf $(VENV) build dist digits.png
	find . -name '*.egg-info' -prune -exec rm -rf {} +
	find . -name __pycache__ -prune -exec rm -rf {} +
	rm -rf .pytest_cache .ruff_cache .mypy_cache .hypothesis benchmarks/.asv benchmarks/results benchmarks/html
	find backends -name '*.so' -delete
