"""gnomon.accelerator: the memory that tensors occupy, a limit on it, and synchronization."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import gnomon as gn
from gnomon.memory import backend as backends
from gnomon.memory.backend import register_backend
from gnomon.values.late_bound import forget_calls
from gnomon_conformance.mutation import loopback

needs_c = pytest.mark.skipif(not gn.backends()["c"].available, reason="the C extension is not built")


@needs_c
def test_tensors_are_counted() -> None:
    with gn.device("c"):
        before = gn.accelerator.memory_allocated()
        gn.accelerator.reset_peak_memory_stats()
        x = gn.empty(1 << 20)
        assert gn.accelerator.memory_allocated() == before + (4 << 20)
        del x
        assert gn.accelerator.memory_allocated() == before
        assert gn.accelerator.max_memory_allocated() == before + (4 << 20)
        stats = gn.accelerator.memory_stats()
        assert stats["allocated_bytes.all.current"] == before
        assert stats["allocated_bytes.all.peak"] == before + (4 << 20)
        assert stats["reserved_bytes.all.current"] >= before + (4 << 20)
        gn.accelerator.empty_cache()
        assert gn.accelerator.memory_reserved() == gn.accelerator.memory_allocated()
    assert gn.accelerator.memory_stats("c") == gn.accelerator.memory_stats(gn.device("c"))


@needs_c
def test_a_limit_raises_and_frees_what_it_can() -> None:
    with gn.device("c"):
        try:
            kept = gn.empty(1 << 20)
            gn.accelerator.empty_cache()
            del kept
            gn.accelerator.set_memory_limit(gn.accelerator.memory_allocated() + (6 << 20))
            cycle: list[object] = [gn.empty(5 << 18)]  # 5 MiB, which only the garbage collector frees
            cycle.append(cycle)
            del cycle
            x = gn.ones(1 << 20)  # fits only after they are freed
            for _ in range(2):
                with pytest.raises(gn.OutOfMemoryError, match="in use"):
                    x + x
            with pytest.raises(gn.OutOfMemoryError):
                gn.empty(1 << 20)
            assert x[7].item() == 1.0
            gn.accelerator.set_memory_limit(None)
            assert (x + x)[7].item() == 2.0
        finally:
            gn.accelerator.set_memory_limit(None)


def test_a_backend_that_does_not_count() -> None:
    assert gn.accelerator.memory_stats("reference") == {}
    assert gn.accelerator.memory_allocated("reference") == 0
    with pytest.raises(RuntimeError, match="does not support a memory limit"):
        gn.accelerator.set_memory_limit(1 << 30, "reference")
    with pytest.raises(RuntimeError, match="positive number of bytes"):
        gn.accelerator.set_memory_limit(0, "reference")


def test_synchronize_raises_what_a_kernel_met():
    """On a device that runs its kernels later, the next synchronization raises the error, and only once."""
    backend = loopback.Queueing()
    register_backend(backend)
    try:
        x = gn.arange(6.0, device=loopback.DEVICE).reshape(2, 3)
        y = x.gather(1, gn.tensor([[7]], device=loopback.DEVICE))
        with pytest.raises(RuntimeError, match="index 7 is out of bounds for dimension 1 with size 3"):
            gn.accelerator.synchronize(loopback.DEVICE)
        gn.accelerator.synchronize(loopback.DEVICE)
        assert y.shape == (1, 1) and x.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
        gn.accelerator.synchronize()
        gn.accelerator.synchronize(0)
        with pytest.raises(RuntimeError):
            gn.accelerator.synchronize("no_such_device")
    finally:
        backends._backends.pop(loopback.DEVICE, None)
        backends._by_device_type.pop(loopback.DEVICE, None)


@pytest.fixture
def no_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnomon.accelerator.devices.is_available", lambda: False)
    forget_calls()


def test_without_an_accelerator_its_functions_say_so(no_accelerator: None) -> None:
    accelerator = gn.accelerator
    text = r"^Cannot access accelerator device when none is available\.$"
    calls = [
        *(accelerator.current_device_index, accelerator.current_stream, accelerator.get_device_capability),
        *(accelerator.get_memory_info, accelerator.empty_host_cache, accelerator.Graph),
        accelerator.reset_accumulated_memory_stats,
        lambda: accelerator.set_device_index(0),
        lambda: accelerator.device_index(0).__enter__(),
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match=text):
            call()
    for call, instead in (
        (accelerator.current_device_idx, "current_device_index"),
        (lambda: accelerator.set_device_idx(0), "set_device_index"),
    ):
        with (
            pytest.warns(FutureWarning, match=f"^Use `{instead}` instead.$"),
            pytest.raises(RuntimeError, match=text),
        ):
            call()
    with accelerator.device_index(None) as entered:
        assert entered is None
    with pytest.raises(TypeError, match=r"argument 'stream' must be a stream, not NoneType"):
        accelerator.set_stream(None)
    assert accelerator.max_memory_reserved("reference") == 0


def with_a_number(number: int) -> list[Callable[[], object]]:
    """Calls that take a number as a device."""
    x = gn.ones(2)
    return [
        lambda: gn.device(number),
        lambda: x.to(number),
        lambda: x.to(number, gn.float64),
        lambda: x.new_zeros(2, device=number),
        lambda: gn.ones(2, device=number),
        lambda: gn.ones_like(x, device=number),
        lambda: gn.tensor([1.0, 2.0], device=number),
        lambda: gn.as_tensor([1.0, 2.0], device=number),
        lambda: gn.rand(2, device=number),
        lambda: gn.arange(2, device=number),
        lambda: gn.nn.Linear(2, 2, device=number),
        lambda: gn.nn.Linear(2, 2).to(number),
        lambda: gn.Generator(number),
    ]


def test_a_number_is_a_device_of_the_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gnomon.accelerator.devices.ACCELERATOR", "reference")
    forget_calls()
    where = gn.device("reference")
    for call in with_a_number(0):
        made = call()
        found = made.weight.device if isinstance(made, gn.nn.Module) else getattr(made, "device", made)
        assert found == where
    with pytest.raises(RuntimeError, match="device 'reference:1' does not exist"):
        gn.ones(2, device=1)
    for call in with_a_number(-1):
        with pytest.raises(RuntimeError, match="Device index must not be negative, got -1"):
            call()
    for number in (False, True):  # after 0 and 1, which equal them
        for call in with_a_number(number)[:1] + with_a_number(number)[3:11]:  # to() has bools of its own
            with pytest.raises(TypeError, match="device"):
                call()


def test_without_an_accelerator_a_number_is_no_device(no_accelerator: None) -> None:
    text = r"^Cannot access accelerator device when none is available\.$"
    for call in with_a_number(0):
        with pytest.raises(RuntimeError, match=text):
            call()


@pytest.mark.oracle
def test_the_names_are_pytorchs() -> None:
    torch = pytest.importorskip("torch")
    assert [name for name in torch.accelerator.__all__ if not hasattr(gn.accelerator, name)] == []
