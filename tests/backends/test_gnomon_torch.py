"""gnomon_torch: PyTorch's kernels run on gnomon's own memory, and no difference in their results is hidden.

The conformance suite shows the differences: ``gnomon conform torch``, a part of ``make oracle``.
"""

import math
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

import gnomon as gn
from gnomon.memory.backend import get_backend
from gnomon_conformance.execution.instrumentation import native_runs

pytestmark = pytest.mark.oracle
if find_spec("torch") is None:
    pytest.skip("PyTorch is not installed", allow_module_level=True)
if find_spec("gnomon_torch") is None or "torch" not in gn.backends():
    pytest.skip("the backend is not installed", allow_module_level=True)

import gnomon_torch  # noqa: E402
from gnomon_conformance.collection.selection import random_fills  # noqa: E402
from time_limits import LIMIT  # noqa: E402

BACKEND = get_backend("torch")


@pytest.fixture(autouse=True)
def _no_fallback(_silent_fallback: None) -> Iterator[None]:
    """A fallback raises in these tests."""
    gn.set_fallback_policy("error")
    yield


def test_asking_for_backends_does_not_import_pytorch() -> None:
    program = (
        "import sys, gnomon_torch; backend = gnomon_torch.TorchBackend(); assert backend.is_available()[0]; "
        "print('torch' in sys.modules, 'gnomon_conformance' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=LIMIT
    )
    assert done.stdout.strip() == "False False"


def test_without_pytorch_the_backend_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    backend = gnomon_torch.TorchBackend()
    assert backend.is_available() == (False, "PyTorch is not installed (pip install torch)")


def test_cpu_is_never_this_backend() -> None:
    assert gn.zeros(1, device="cpu").device.type != "torch"


@pytest.mark.parametrize("name", ["bool", "uint8", "int64", "float16", "bfloat16", "float64", "complex64"])
def test_a_tensor_is_shown_in_place_whatever_its_strides(name: str) -> None:
    from gnomon_torch.kernels import shown

    kind = getattr(gn, name)
    base = (gn.arange(12) % 5).to("torch").to(kind)
    for view in (base, base[3:], base[1::3], base.reshape(3, 4).t(), base.as_strided((2, 3), (0, 2), 1)):
        found = shown(view)
        assert str(found.dtype) == f"torch.{name}"
        assert found.stride() == view.stride() and found.storage_offset() == view.storage_offset()
        assert found.untyped_storage().data_ptr() == view.untyped_storage().data_ptr()
        assert found.tolist() == view.tolist()
    shown(base[5:6]).fill_(1)
    assert base.tolist()[5] == kind.cast(1)


def test_memory_is_pytorchs_and_outlives_who_shows_it() -> None:
    memory = BACKEND.allocate(6, 0)
    view = BACKEND.host_view(memory, 6)
    BACKEND.copy_in(memory, 2, memoryview(b"abc"))
    assert bytes(BACKEND.copy_out(memory, 2, 3)) == b"abc"
    assert memory.tolist()[2:5] == [97, 98, 99]
    del memory
    assert bytes(view[2:5]) == b"abc"
    assert BACKEND.host_view(BACKEND.allocate(0, 0), 0).nbytes == 0
    with pytest.raises(gn.OutOfMemoryError, match="torch: can not allocate 4611686018427387904 bytes"):
        BACKEND.allocate(2**62, 0)


def test_foreign_memory_is_not_copied() -> None:
    data = bytearray(b"\x01\x02\x03")
    memory = BACKEND.wrap_host_memory(memoryview(data), 0)
    data[1] = 9
    assert memory.tolist() == [1, 9, 3]
    assert BACKEND.wrap_host_memory(memoryview(bytes(3)), 0) is None
    assert BACKEND.wrap_host_memory(memoryview(bytearray()), 0).numel() == 0


def test_results_go_where_the_strides_say() -> None:
    output = gn.zeros(4, 6, device="torch")
    a = gn.arange(6, dtype=gn.float32, device="torch").reshape(3, 2)
    gn.add(a, a, alpha=2, out=output.t()[1:6:2, 1:3])
    assert output.tolist() == [
        [0] * 6,
        [0, 0, 0, 6, 0, 12],
        [0, 3, 0, 9, 0, 15],
        [0] * 6,
    ]


def test_kernels_without_out_write_there_as_well() -> None:
    a = gn.arange(8, dtype=gn.float32, device="torch").reshape(1, 2, 4)
    assert BACKEND.kernels["reflection_pad1d_backward"].out is None
    found = gn.ops.aten.reflection_pad1d_backward(gn.ones(1, 2, 6, device="torch"), a, (1, 1))
    assert found.tolist() == [[[1, 2, 2, 1], [1, 2, 2, 1]]]


def test_reductions_are_told_their_dimensions() -> None:
    a = gn.arange(24, dtype=gn.int32, device="torch").reshape(2, 3, 4)
    with native_runs() as ran:
        assert a.sum().tolist() == 276 and a.sum().dtype is gn.int64
        assert a.sum((0, 2), keepdim=True).tolist() == [[[60], [92], [124]]]
        assert a.amax().tolist() == 23
        assert a.float().var(1, correction=0).tolist()[0] == pytest.approx([32 / 3] * 4)
    assert ran["torch", "sum.dim_IntList"] == 3


@pytest.mark.filterwarnings("ignore:Use of index_put_ on expanded tensors")
def test_adding_to_an_expanded_tensor_adds_to_its_one_element() -> None:
    base = gn.arange(2, device="torch").reshape(2, 1)
    index = gn.tensor([1, 1, 1], device="torch"), gn.arange(3, device="torch")
    base.expand(2, 3).index_put_(index, gn.tensor(5, device="torch"), accumulate=True)
    assert base.tolist() == [[0], [16]]


def test_what_pytorch_refuses_the_reference_refuses_in_its_words() -> None:
    texts = []
    for device in ("torch", "reference"):
        with pytest.raises(RuntimeError) as caught:
            gn.arange(3, device=device).gather(0, gn.tensor([7], device=device))
        texts.append(str(caught.value))
    assert texts == ["gather: index 7 is out of bounds for dimension 0 with size 3"] * 2


def test_what_pytorch_alone_refuses_is_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference's kernel has already run: its success must not count as PyTorch's result."""

    def refuse(*arguments: Any, **keywords: Any) -> None:
        raise NotImplementedError('"sinh" not implemented for this')

    refuse._schema = BACKEND.kernels["sinh"].out._schema
    monkeypatch.setattr(BACKEND.kernels["sinh"], "out", refuse)
    with pytest.raises(
        RuntimeError, match='sinh: PyTorch raised NotImplementedError: "sinh" not implemented'
    ):
        gn.sinh(gn.ones(2, device="torch"))


def test_a_result_of_another_dtype_or_size_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    kernel = BACKEND.kernels["reflection_pad1d_backward"]

    def other(*arguments: Any) -> Any:
        return torch.zeros(1, 2, 4, dtype=torch.float64)

    other._schema = kernel.function._schema
    monkeypatch.setattr(kernel, "function", other)
    a = gn.ones(1, 2, 4, device="torch")
    with pytest.raises(RuntimeError, match=r"result is torch.float64 \(1, 2, 4\), gnomon's torch.float32"):
        gn.ops.aten.reflection_pad1d_backward(gn.ones(1, 2, 6, device="torch"), a, (1, 1))


def test_each_kernel_says_what_it_calls() -> None:
    assert BACKEND.kernel_source("add.Tensor") == "torch.ops.aten.add.out"
    assert BACKEND.kernel_source("convolution") == "torch.ops.aten.convolution.default"
    assert BACKEND.kernel_source("div_floor") == "gnomon_conformance.pytorch.oracle.EQUIVALENTS['div_floor']"


def test_everything_is_claimed_but_another_stream_of_random_numbers() -> None:
    missing = set(get_backend("reference").kernels) - set(BACKEND.kernels)
    assert missing == {*random_fills(), "_standard_gamma", "binomial", "poisson", "randperm.generator"}
    assert "random" not in BACKEND.traits
    assert set(BACKEND.capabilities) == set(BACKEND.kernels)
    assert BACKEND.capabilities["sin"] is None


def test_what_pytorchs_kernels_refuse_is_not_claimed() -> None:
    assert "complex64" not in BACKEND.capabilities["convolution"]
    assert "int64" in BACKEND.capabilities["convolution"]
    assert BACKEND.capabilities["sigmoid_backward"] == (
        "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
    )  # fmt: skip
    with pytest.raises(NotImplementedError, match="has no kernel for dtypes"):
        ones = gn.ones(2, dtype=gn.int64, device="torch")
        gn.ops.aten.sigmoid_backward(ones, ones)


def test_equal_elements_keep_their_order() -> None:
    a = gn.arange(60, device="torch") % 2
    assert a.sort().indices.tolist() == [*range(0, 60, 2), *range(1, 60, 2)]


def test_a_range_of_integers_has_the_count_that_gnomon_found() -> None:
    for kind in (gn.int32, gn.float32):
        found = gn.arange(0, 10, 2.5, dtype=kind, device="torch")
        assert found.tolist() == ([0, 2, 4, 6] if kind is gn.int32 else [0, 2.5, 5, 7.5])


def test_the_norm_of_complex_numbers_is_real() -> None:
    found = gn.linalg.vector_norm(gn.tensor([3 + 4j, 12j], device="torch"))
    assert found.dtype is gn.float32 and found.item() == 13


def test_gradients_that_do_not_lie_densely() -> None:
    """PyTorch's kernel assumes that its arguments are contiguous."""
    found = []
    for device in ("torch", "reference"):
        base = (gn.arange(48, dtype=gn.float32) ** 2 % 7).reshape(2, 4, 6).to(device)
        x = base.transpose(1, 2).detach().requires_grad_()
        weights = (gn.arange(48, dtype=gn.float32) % 5).reshape(2, 4, 6).to(device).transpose(1, 2)
        (gn.nn.functional.group_norm(x, 3) * weights).sum().backward()
        found.append(x.grad.flatten().tolist())
    assert found[0] == pytest.approx(found[1], rel=1e-4, abs=1e-5)


def test_a_network_learns_on_it() -> None:
    """The losses are those of the reference, up to rounding."""
    nn = gn.nn
    losses = []
    for device in ("torch", "reference"):
        gn.manual_seed(3)
        with gn.device("reference"):
            model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
        model.to(device)
        x = (gn.arange(12, dtype=gn.float32).reshape(4, 3) / 12).to(device)
        optimizer = gn.optim.Adam(model.parameters(), lr=0.05)
        found = []
        for _ in range(5):
            optimizer.zero_grad()
            loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
            loss.backward()
            optimizer.step()
            found.append(loss.item())
        losses.append(found)
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    assert losses[0][-1] < losses[0][0] and math.isfinite(losses[0][-1])
