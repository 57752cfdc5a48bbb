"""memory/prepared.py: the optional features of a fast backend are declared, and none is looked up by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
from gnomon.backends.listing import backend_info
from gnomon.memory import backend as registry
from gnomon.memory.backend import Backend, get_backend, offers_of
from gnomon.memory.prepared import OK, CallInC, PreparedCall, PreparingKernel
from gnomon.values.speedups import speedups
from gnomon_conformance.mutation import loopback

ROOT = Path(__file__).parents[2]
needs_c = pytest.mark.skipif(not backend_info("c").available, reason="needs the C backend")
# Files that ask backends, kernels and calls for their features, and the names that they look up there
# although these are not part of the protocol: attributes that decorators leave on functions, and those of a
# declaration that is being checked.
PLACES = {
    "reference/gnomon/memory/contract.py": {
        "hasattr(kernel, '__wrapped__')",
        "hasattr(kernel, 'func')",
        "getattr(kernel, '__wrapped__', None)",
        "getattr(kernel, '__code__', None)",
        "getattr(type(kernel).__call__, '__code__', None)",
        "getattr(kernel, '__module__', None)",
        "getattr(kernel, '__qualname__', type(kernel).__qualname__)",
        "getattr(backend, 'name', None)",
        "getattr(backend, attribute, None)",
        "getattr(backend, method, None)",
        "getattr(type(backend), method, None)",
        "getattr(backend, 'contract_version', Backend.contract_version)",
    },
    "reference/gnomon/memory/backend.py": {"getattr(loaded, 'name', loaded)"},
    "reference/gnomon/memory/storage.py": set(),
    "reference/gnomon/memory/spec.py": set(),
    "reference/gnomon/calls/launch.py": set(),
    "reference/gnomon/calls/running.py": set(),
    "reference/gnomon/accelerator/__init__.py": set(),
    "reference/gnomon/bindings/tensor_methods.py": set(),
    "conformance/gnomon_conformance/collection/signatures.py": set(),
    "conformance/gnomon_conformance/tests/test_huge.py": set(),
    "backends/gnomon_speedups/learning.py": {"getattr(node, 'saved', None)"},
}


def looked_for(text: str) -> set[str]:
    """Each hasattr, and each getattr with a default, in ``text``."""
    return {
        ast.unparse(node)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and (node.func.id == "hasattr" or (node.func.id == "getattr" and len(node.args) == 3))
    }


def test_nothing_is_found_by_its_name() -> None:
    for file, known in PLACES.items():
        assert looked_for((ROOT / file).read_text("utf-8")) == known, file
    assert looked_for(
        "x = hasattr(call, 'entry')\ny = getattr(call, 'run_new', None)\nz = getattr(a, 'b')"
    ) == {
        "hasattr(call, 'entry')",
        "getattr(call, 'run_new', None)",
    }


def test_what_is_declared_offers_nothing() -> None:
    call = PreparedCall()
    assert (call.address, call.is_claimed) == (0.0, False)
    assert call.entry(1, 0) is None and call.entry_with("scalar", False) is None
    assert call.entry_address(object()) == 0.0 and call.run_new_in_c() is None
    for function in (call.run, call.run_new):
        with pytest.raises(NotImplementedError, match="PreparedCall: run"):
            function([])
    backend = Backend()
    assert backend.allocate_entry() is None and backend.free_entry() == 0.0 and backend.device_module == ""
    with pytest.raises(NotImplementedError, match="record_stream must be defined"):
        backend.record_stream(None, None)
    assert offers_of(backend) is backend
    nothing = offers_of(object())
    assert type(nothing) is Backend and nothing.allocate_entry() is None


@needs_c
def test_kernels_of_gnomons_own_are_declared() -> None:
    kernels = get_backend("c").kernels
    assert kernels and all(
        isinstance(each, PreparingKernel) and not callable(each) for each in kernels.values()
    )
    x = gn.ones(3, device="c")
    call = kernels["exp"].prepare(None, [x, x], 1, ())
    assert isinstance(call, PreparedCall) and isinstance(call.run_new_in_c(), CallInC)


def test_a_kernel_that_can_neither_be_called_nor_prepares_is_refused() -> None:
    for bad in (3, object()):
        with pytest.raises(TypeError, match=r"kernels\['exp'\] must be a function or a PreparingKernel"):
            registry.check_declaration(loopback.Loopback({"exp": bad}))


class Squaring:
    """A kernel that can prepare calls but has no base class, as before PreparingKernel existed."""

    def __init__(self, call: type[Any]):
        self.call = call
        self.prepared: list[Any] = []

    def prepare(self, iterator: Any, tensors: Any, output_count: int, kernel_arguments: Any) -> Any:
        self.prepared.append(self.call())
        return self.prepared[-1]


class _Counting:
    def __init__(self) -> None:
        self.runs = 0

    def run(self, tensors: Any) -> int:
        self.runs += 1
        output, source = tensors
        output.copy_(gn.tensor([each * each for each in source.tolist()], device=output.device))
        return OK


class Bare(_Counting):
    """A call of an older backend."""


class Declared(_Counting, PreparedCall):
    """A call that defines only ``run``."""


@pytest.fixture
def _loopback() -> Iterator[None]:
    yield
    registry._backends.pop(loopback.DEVICE, None)
    registry._by_device_type.pop(loopback.DEVICE, None)


@pytest.mark.usefixtures("_loopback")
@pytest.mark.parametrize("call", [Bare, Declared])
def test_a_call_that_offers_nothing_but_run_is_prepared_once_and_run(call: type[Any]) -> None:
    kernel = Squaring(call)
    registry.register_backend(loopback.Loopback({"exp": kernel}))
    for count in (1, 2, 3):
        assert gn.tensor([2.0, 3.0], device=loopback.DEVICE).exp().tolist() == [4.0, 9.0]
        assert len(kernel.prepared) == 1 and kernel.prepared[0].runs == count


@needs_c
@pytest.mark.skipif(speedups is None, reason="no speedups")
@pytest.mark.usefixtures("_loopback")
def test_what_a_call_offers_is_used() -> None:
    """From the second call on, the plan calls the entry with addresses, and no longer ``run``."""
    c = get_backend("c")
    entered: list[tuple[float, ...]] = []

    class Offering(PreparedCall):
        is_claimed = True

        def __init__(self, own: Any):
            self.own, self.address = own, own.address

        def run(self, tensors: Any) -> int:
            return self.own.run(tensors)

        def entry(self, operands: int, numbers: int, inplace: bool = False) -> Any:
            found = self.own.entry(operands, numbers, inplace)

            def enter(*given: float) -> float:
                entered.append(given)
                return found(*given)

            return enter

    x = gn.tensor([1.0, 4.0], device="c")
    kind = type(c.kernels["sqrt"])
    prepare = kind.prepare
    patch = pytest.MonkeyPatch()
    patch.setattr(kind, "prepare", lambda self, *facts: Offering(prepare(self, *facts)))
    try:
        registry.register_backend(c)  # forgets all prepared calls
        for _ in range(4):
            assert x.sqrt().tolist() == [1.0, 2.0]
        assert len(entered) >= 2 and all(given[1] == float(x.data_ptr()) for given in entered)
    finally:
        patch.undo()
        registry.register_backend(c)


def test_streams_are_the_backends_to_know_of() -> None:
    for device in ("reference", "meta"):
        with pytest.raises(NotImplementedError, match=f"device {device} does not support streams"):
            gn.ones(1, device=device).record_stream(None)
