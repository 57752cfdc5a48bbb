"""Plans of calls on CUDA: prepared once, launched with addresses, and memory is freed."""

from __future__ import annotations

import gc

import pytest

import gnomon as gn
from gnomon.memory.backend import get_backend
from gnomon_cuda.pointwise import PointwiseKernel

pytestmark = pytest.mark.usefixtures("cuda")


@pytest.fixture
def calls(monkeypatch):
    """The calls that were prepared, and the number of bytes copied from the host."""
    found = {"prepared": [], "copied": 0}
    prepare, upload = PointwiseKernel.prepare, get_backend("cuda").runtime.upload

    def noted(self, *arguments):
        found["prepared"].append(self.row.name)
        return prepare(self, *arguments)

    def counted(address, data, *rest):
        found["copied"] += len(data)
        upload(address, data, *rest)

    monkeypatch.setattr(PointwiseKernel, "prepare", noted)
    monkeypatch.setattr(get_backend("cuda").runtime, "upload", counted)
    return found


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: x + y,
        lambda x, y: x.exp(),
        lambda x, y: gn.clamp(x, 0.5, 2.5),
        lambda x, y: x * 0.625,
        lambda x, y: gn.lerp(x, y, y),
    ],
)
def test_a_call_of_a_kind_that_was_seen_is_not_prepared_again(calls, call):
    x, y = gn.tensor([1.0, 2.0, 3.0], device="cuda"), gn.tensor([4.0, 5.0, 6.0], device="cuda")
    expected = call(x.to("reference"), y.to("reference")).tolist()
    found = [call(x, y) for _ in range(2)]
    calls["prepared"].clear()
    calls["copied"] = 0
    found += [call(x, y) for _ in range(3)]
    assert not calls["prepared"] and not calls["copied"]
    for each in found:
        assert each.tolist() == pytest.approx(expected) and each.device == x.device
    assert len({each.data_ptr() for each in found}) == len(found)


def test_in_place_it_writes_where_the_tensor_lies(calls):
    x, y = gn.zeros(3, device="cuda"), gn.tensor([1.0, 2.0, 3.0], device="cuda")
    view, place = x[1:], x.data_ptr()
    for _ in range(4):
        x += y
        view.mul_(1.0)
        x += 0.5
    assert x.tolist() == [6.0, 10.0, 14.0] and x.data_ptr() == place
    assert x._version == 12


def test_memory_comes_back():
    x = gn.ones(1000, device="cuda")
    for _ in range(3):
        x + x
    gc.collect()
    before = gn.cuda.memory_allocated()
    held = [x + x for _ in range(5)]
    assert gn.cuda.memory_allocated() >= before + 5 * 4000
    held[0].untyped_storage()  # from here on the storage owns the memory
    view = held[1][10:]
    held.clear()
    gc.collect()
    assert before + 4000 <= gn.cuda.memory_allocated() < before + 2 * 4000
    assert view.tolist() == [2.0] * 990
    del view
    gc.collect()
    assert gn.cuda.memory_allocated() == before


def test_numbers_are_told_apart_by_their_bits():
    x = gn.ones(2, device="cuda")
    for _ in range(3):
        assert str((x * 0.0).tolist()) == "[0.0, 0.0]"
        assert str((x * -0.0).tolist()) == "[-0.0, -0.0]"
        assert str((x * float("nan")).tolist()) == "[nan, nan]"
        assert (gn.ones(2, dtype=gn.int64, device="cuda") * (2**53 + 1)).tolist() == [2**53 + 1] * 2


def test_what_the_kernel_refuses_raises_each_time():
    x, zero = gn.tensor([1, 2], device="cuda"), gn.tensor([1, 0], device="cuda")
    for _ in range(3):
        assert (x // gn.tensor([1, 2], device="cuda")).tolist() == [1, 1]
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            x // zero


def test_without_memory_it_says_so():
    x = gn.ones(100_000, device="cuda")
    for _ in range(3):
        x + x
    gc.collect()
    gn.cuda.empty_cache()
    gn.accelerator.set_memory_limit(gn.cuda.memory_reserved() + 1000, "cuda")
    try:
        with pytest.raises(gn.OutOfMemoryError, match=r"Tried to allocate 390\.62 KiB"):
            x + x
    finally:
        gn.accelerator.set_memory_limit(None, "cuda")
    assert (x + x)[0].item() == 2.0


def test_gradients_and_several_outputs():
    x = gn.tensor([[1.0, 5.0], [7.0, 2.0]], device="cuda", requires_grad=True)
    for count in range(1, 4):
        values, indices = x.max(dim=1)
        assert (values.tolist(), indices.tolist()) == ([5.0, 7.0], [1, 0])
        (values * values).sum().backward()
        assert x.grad.tolist() == [[0.0, 10.0 * count], [14.0 * count, 0.0]]
