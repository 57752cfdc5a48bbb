"""DLPack with PyTorch and JAX: the same memory on both sides, and PyTorch's rules."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

import gnomon as gn
from gnomon.interop.dlpack_layout import CODES
from time_limits import LONG_LIMIT

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("kind", CODES, ids=str)
def test_pytorch_and_gnomon_share_memory(kind: gn.dtype, device: str) -> None:
    import torch

    x = gn.tensor([[1.0, 0, 1], [0, 1, 1]]).to(kind).t()
    y = torch.from_dlpack(x)
    assert str(y.dtype) == f"torch.{kind.name}" and y.stride() == x.stride() and y.data_ptr() == x.data_ptr()
    z = gn.from_dlpack(y)
    assert z.dtype is kind and z.stride() == x.stride() and z.data_ptr() == x.data_ptr()


@pytest.mark.parametrize(
    "make",
    [
        lambda lib: lib.ones(2, requires_grad=True),
        lambda lib: lib.eye(2).to_sparse(),
        lambda lib: lib.ones(2, device="meta"),
    ],
)
def test_errors_are_pytorchs(make: Any) -> None:
    import torch

    with pytest.raises(BufferError) as theirs:
        make(torch).__dlpack__()
    with pytest.raises(BufferError) as ours:
        make(gn).__dlpack__()
    assert str(ours.value) == str(theirs.value).replace("torch.", "gnomon.")


def test_versions_and_capsules_are_pytorchs() -> None:
    import torch

    for lib in (gn, torch):
        assert '"dltensor"' in repr(lib.ones(2).__dlpack__())
        assert '"dltensor_versioned"' in repr(lib.ones(2).__dlpack__(max_version=(1, 0)))
        assert tuple(map(int, lib.ones(2).__dlpack_device__())) == (1, 0)
        capsule = lib.ones(2).__dlpack__()
        lib.from_dlpack(capsule)
        with pytest.raises(RuntimeError, match="can be consumed only once"):
            lib.from_dlpack(capsule)


def test_devices_have_pytorchs_numbers() -> None:
    import torch

    from gnomon.utils.dlpack import DLDeviceType

    theirs = {name: int(value) for name, value in torch.utils.dlpack.DLDeviceType.__members__.items()}
    assert theirs == {name: int(value) for name, value in DLDeviceType.__members__.items()}


def test_jax_and_gnomon_share_memory() -> None:
    jnp = pytest.importorskip("jax.numpy")
    x = gn.arange(6.0).reshape(2, 3)
    y = jnp.from_dlpack(x)
    assert y.tolist() == x.tolist() and y.unsafe_buffer_pointer() == x.data_ptr()
    z = gn.from_dlpack(jnp.arange(4))
    assert z.tolist() == [0, 1, 2, 3] and z.dtype is gn.int32


@pytest.mark.parametrize("speedups", ["", "none"])
def test_the_interpreter_ends_while_jax_has_a_tensors_memory(speedups: str) -> None:
    pytest.importorskip("jax.numpy")
    code = (
        "import gnomon as gn, jax.numpy as jnp\n"
        "kept = [jnp.from_dlpack(gn.ones(size)) for size in (5, 70, 100000)]\n"
        "print([int(each.sum()) for each in kept])\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=LONG_LIMIT,
        env={**os.environ, "GNOMON_SPEEDUPS": speedups, "JAX_PLATFORMS": "cpu"},
    )
    assert (ran.returncode, ran.stdout) == (0, "[5, 70, 100000]\n"), ran.stderr
