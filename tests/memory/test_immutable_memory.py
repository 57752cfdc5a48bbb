"""Memory whose bytes are never changed: a write replaces them, and only the backend can look at them.

The contract needs no addresses and no host memory.  A kernel that finds an invalid value raises ``BadValue``;
the reference computes on copies, in which tensors that share a storage do so too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import gnomon as gn
from gnomon.memory import backend as registry
from gnomon.memory.backend import Backend
from gnomon.memory.prepared import BadValue

pytestmark = pytest.mark.both_tiers


class Memory:
    """A block: bytes, which a write replaces."""

    def __init__(self, nbytes: int):
        self.content = bytes(nbytes)


def reciprocal(iterator: Any) -> None:
    """``1 / input``; 0 is left to the reference."""
    output, given = (iterator.tensor(position) for position in range(2))
    read = given.dtype.reader(memoryview(given.untyped_storage().memory.content))
    numbers = [read(offset) for offset in iterator.offsets(1)]
    if 0 in numbers:
        raise BadValue
    content = bytearray(output.untyped_storage().memory.content)
    write = output.dtype.writer(memoryview(content))
    for offset, number in zip(iterator.offsets(0), numbers):
        write(offset, 1.0 / number)
    output.untyped_storage().memory.content = bytes(content)


class Immutable(Backend):
    """A backend with one kernel."""

    contract_version = registry.CONTRACT_VERSION
    name = device_type = "immutable"
    kernels: dict[str, Any] = {"reciprocal": reciprocal}  # noqa: RUF012
    capabilities = {"reciprocal": ("float32",)}  # noqa: RUF012

    def allocate(self, nbytes: int, index: int) -> Memory:
        return Memory(nbytes)

    def copy_in(self, memory: Memory, offset: int, data: memoryview) -> None:
        old = memory.content
        memory.content = old[:offset] + data.tobytes() + old[offset + data.nbytes :]

    def copy_out(self, memory: Memory, offset: int, nbytes: int) -> bytes:
        return memory.content[offset : offset + nbytes]


@pytest.fixture(autouse=True)
def _registered(_silent_fallback: None) -> Iterator[None]:
    registry.register_backend(Immutable())
    gn.set_fallback_policy("allow")
    yield


def test_views_read_and_write_the_block_of_their_base() -> None:
    a = gn.arange(6, dtype=gn.float32, device="immutable").reshape(2, 3)
    before = a.untyped_storage().memory.content
    a.t()[1].mul_(10)
    assert a.tolist() == [[0, 10, 2], [3, 40, 5]]
    assert before == gn.arange(6, dtype=gn.float32, device="reference").untyped_storage().host_view()[:24]
    assert a.reciprocal()[1, 1].item() == pytest.approx(1 / 40)


def test_a_kernel_hands_an_invalid_value_to_the_reference() -> None:
    a = gn.tensor([2.0, 0.0, 4.0], device="immutable")
    before = dict(gn.fallbacks)
    assert a.reciprocal().tolist() == [0.5, float("inf"), 0.25]  # the reference does not refuse it
    assert a.reciprocal_().tolist() == [0.5, float("inf"), 0.25]
    assert dict(gn.fallbacks) == before  # it is no missing kernel
    gn.set_fallback_policy("error")
    assert gn.tensor([0.0], device="immutable").reciprocal().tolist() == [float("inf")]


def test_outputs_of_a_fallback_that_share_a_block_are_both_written() -> None:
    a = gn.tensor([[3.0, 1.0], [2.0, 5.0], [0.0, 4.0]], device="immutable")
    block = gn.zeros(2, 3, device="immutable")
    gn.aminmax(a, dim=1, out=(block[1], block[0]))
    assert block.tolist() == [[3, 5, 4], [1, 2, 0]]


def test_a_fallback_reads_each_block_once(monkeypatch: pytest.MonkeyPatch) -> None:
    a = gn.arange(4, dtype=gn.float32, device="immutable")
    copies: list[int] = []
    copy_out = Immutable.copy_out

    def counted(self: Any, memory: Memory, offset: int, nbytes: int) -> bytes:
        copies.append(nbytes)
        return copy_out(self, memory, offset, nbytes)

    monkeypatch.setattr(Immutable, "copy_out", counted)
    output = gn.empty(2, device="immutable")
    copies.clear()
    gn.mul(a[:2], a[2:], out=output)
    assert copies == [8, 16]  # the output's block, and the one of both inputs
