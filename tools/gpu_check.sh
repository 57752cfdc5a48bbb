#!/usr/bin/env bash
# All that needs a GPU, in one command of under ten minutes.
#
#   tools/gpu_check.sh [FOLDER]          run it; what comes of it is in FOLDER (default: build/gpu)
#   tools/gpu_check.sh --collect         where there is a network: the wheels that a machine without one needs,
#                                        into build/gpu_wheels; then carry the checkout there
#
# PYTHON is the interpreter (default: python3), whose PyTorch with CUDA is the peer of the timings, if it has one.
# Each step has a time limit and leaves a log; a step that fails does not stop the others.  The exit status is
# the number of steps that failed.
set -uo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
WHEELS=build/gpu_wheels

if [ "${1:-}" = --collect ]; then
    set -e
    mkdir -p "$WHEELS"
    GNOMON_C_VARIANTS=baseline "$PYTHON" -m pip wheel --quiet --no-deps --wheel-dir "$WHEELS" .
    "$PYTHON" -m pip download --quiet --dest "$WHEELS" cffi numpy pytest pytest-xdist hypothesis rich \
        nvidia-cuda-nvrtc-cu12 nvidia-cublas-cu12
    du -sh "$WHEELS"
    exit
fi

OUT=${1:-build/gpu}
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
FAILED=0

# step NAME SECONDS COMMAND...: its output goes to NAME.log, its end to the terminal.
step() {
    local name=$1 seconds=$2
    shift 2
    local began=$SECONDS status=0
    timeout "$seconds" "$@" >"$OUT/$name.log" 2>&1 || status=$?
    printf '\n== %s: %s in %d s\n' "$name" "$([ $status = 0 ] && echo good || echo "FAILED ($status)")" $((SECONDS - began))
    tail -n 25 "$OUT/$name.log"
    [ $status = 0 ] || FAILED=$((FAILED + 1))
}

install() {
    "$PYTHON" -m venv --system-site-packages "$OUT/venv"
    local from=()
    [ -d "$WHEELS" ] && from=(--no-index --find-links "$WHEELS")
    "$OUT/venv/bin/python" -m pip install --quiet "${from[@]}" 'gnomon[cuda,conformance]'
}

step install 120 install
BIN=$OUT/venv/bin
export GNOMON_CACHE_DIR=$OUT/cache
unset GNOMON_CUDA_EMULATE
step backends 30 "$BIN/gnomon" backends
step driver 20 nvidia-smi
WORKERS=$(($(nproc) < 8 ? $(nproc) : 8))

# conformance on the device, in a few dtypes; the report is a page
step conform 240 "$BIN/gnomon" conform cuda -n "$WORKERS" --property-seconds 10 --report "$OUT/report"

# what a kernel reads and writes beyond its memory, and races in shared memory
SAMPLE='^(add.Tensor|sum.dim_IntList|mm|_softmax|sort.stable|cumsum|index_add|convolution|max_pool2d_with_indices'
SAMPLE+='|linalg_(cholesky_ex|lu_factor_ex|lu_solve|solve_triangular|matrix_exp)|geqrf|_linalg_eigh)$'
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck; do
        step "$tool" 90 compute-sanitizer --tool "$tool" --error-exitcode 9 --target-processes all \
            "$BIN/python" -m pytest -q -p no:cacheprovider -p gnomon_conformance.plugin \
            --pyargs gnomon_conformance.tests.test_forward --gnomon-backend cuda --ops "$SAMPLE" --dtypes float32
    done
else
    echo "there is no compute-sanitizer: neither memcheck nor racecheck"
fi

# timings beside PyTorch's, turn by turn
if "$BIN/python" -c 'import torch; raise SystemExit(not torch.cuda.is_available())' 2>/dev/null; then
    step compare 200 "$BIN/python" benchmarks/compare.py --backend cuda --repeats 15
else
    echo "there is no PyTorch with a GPU to compare with"
fi

printf '\n%d steps failed; logs, the report and timings are in %s\n' "$FAILED" "$OUT"
exit "$FAILED"
