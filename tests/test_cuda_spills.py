"""NVIDIA's compiler, asked what kernels need: those in which time is spent keep numbers in registers."""

from __future__ import annotations

import re

import pytest

from gnomon.values.errors import BackendUnavailableError
from gnomon_cuda import attention, matmul, norms, softmax, sources
from gnomon_cuda.cache import ImageCache
from gnomon_cuda.compiler import NvrtcCompiler
from gnomon_cuda.tables import CODES

KERNELS = {
    "matmul.cu": matmul.kernels_for("float32"),
    "softmax.cu": [
        kernel
        for prefix in ("softmax", "softmax_gradient")
        for is_log in (False, True)
        for kernel in softmax.kernels_for("float32", prefix, is_log)
    ],
    "row_norm.cu": [
        kernel
        for name in ("norm_rows", "norm_gradient_rows")
        for kernel in norms.row_kernels("float32", name, False)
    ],
    "channel_norm.cu": norms.CHANNEL_KERNELS,
    "attention.cu": attention.kernels_for("float32"),
}


@pytest.mark.parametrize("text", list(KERNELS))
def test_no_kernel_keeps_numbers_in_memory(text):
    try:
        compiler = NvrtcCompiler([sources.folder() / each for each in (".", "cuda", "cuda/freestanding")])
    except BackendUnavailableError as error:
        pytest.skip(str(error))
    source = f"#define GN_CUDA_CODE {CODES['float32']}\n" + sources.text(f"cuda/{text}")
    log = ImageCache().compile(compiler, source, KERNELS[text], "sm_90").log
    spilled = re.findall(r"(\d+) bytes spill stores", log)
    assert len(spilled) == len(KERNELS[text]) and set(spilled) == {"0"}, log
    shared = [int(each) for each in re.findall(r"(\d+) bytes smem", log)]
    assert all(each <= 48 * 1024 for each in shared)
