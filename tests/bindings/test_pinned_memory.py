"""pin_memory and is_pinned, without an accelerator and with the emulated GPU."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import pytest

import gnomon as gn
from gnomon import accelerator
from gnomon.memory.backend import get_backend
from gnomon.nn.utils.rnn import pack_sequence
from gnomon.utils.data import DataLoader, TensorDataset
from gnomon.utils.data.pin_memory import pin_memory


def test_without_an_accelerator_nothing_is_pinned(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accelerator, "is_available", lambda: False)
    x = gn.ones(3)
    packed = pack_sequence([gn.ones(2), gn.ones(1)])
    assert not (x.is_pinned() or x.untyped_storage().is_pinned() or packed.is_pinned())
    for pin in (x.pin_memory, x.untyped_storage().pin_memory, packed.pin_memory):
        with pytest.raises(RuntimeError, match="accelerator device when none is available"):
            pin()
    with pytest.raises(RuntimeError, match="cannot pin 'MetaFloatType' only dense CPU"):
        gn.ones(2, device="meta").pin_memory()
    with pytest.warns(UserWarning, match="no accelerator is found"):
        (batch,) = next(iter(DataLoader(TensorDataset(x), pin_memory=True)))
    assert not batch.is_pinned()


@pytest.mark.filterwarnings("always:The argument 'device'")
def test_the_argument_device_is_deprecated(device: str) -> None:
    x = gn.ones(3)
    with pytest.warns(DeprecationWarning, match=r"^The argument 'device' of Tensor\.is_pinned\(\)"):
        assert not x.is_pinned("cpu")
    with pytest.warns(DeprecationWarning, match=r"of Tensor\.pin_memory\(\) is deprecated"):
        with pytest.raises(RuntimeError, match=f"^{x.device.type.upper()} device type not an accelerator"):
            x.pin_memory(x.device)


def test_batches_keep_their_types(monkeypatch: pytest.MonkeyPatch) -> None:
    class Own:
        def pin_memory(self) -> str:
            return "own"

    Pair = namedtuple("Pair", "a b")
    batch = {"pair": Pair(Own(), "text"), "list": [b"bytes", (1, Own())]}
    found = pin_memory(batch)
    assert found == {"pair": Pair("own", "text"), "list": [b"bytes", (1, "own")]}
    assert type(found["pair"]) is Pair and isinstance(batch["pair"], Pair) and found is not batch
    assert type(found["list"][1]) is tuple


def test_pinned_memory_of_the_emulated_gpu(cuda: str, device: str) -> None:
    x = gn.arange(6.0).view(2, 3).t().requires_grad_()
    pinned = x.pin_memory()
    assert pinned.is_pinned() and not x.is_pinned() and pinned[1:].is_pinned()
    assert pinned.pin_memory() is pinned
    assert (pinned.device, pinned.stride(), pinned.tolist()) == (x.device, (1, 3), [[0, 3], [1, 4], [2, 5]])
    pinned.sum().backward()
    assert x.grad is not None and x.grad.tolist() == [[1, 1]] * 3
    storage = gn.ones(4).untyped_storage().pin_memory()
    assert storage.is_pinned() and storage.pin_memory() is storage and storage.tolist()[:4] == [0, 0, 128, 63]
    assert pack_sequence([gn.ones(2), gn.ones(1)]).pin_memory().is_pinned()
    with pytest.raises(RuntimeError, match="cannot pin 'CUDAFloatType' only dense CPU"):
        gn.ones(2, device=cuda).pin_memory()


def test_a_copy_from_pinned_memory_is_done_when_it_returns(cuda: str, device: str) -> None:
    """The emulated GPU, like a real one, reads pinned memory later: when the stream is waited for."""
    pinned = gn.ones(1000).pin_memory()
    there = pinned[10:].to(cuda)
    pinned.fill_(5)
    assert there.cpu().sum().item() == 990


def test_pinned_memory_goes_back_to_the_pool(cuda: str, device: str) -> None:
    backend: Any = get_backend(cuda)
    before = backend.runtime.pinned.stats()["allocated"]
    x = gn.ones(1000).pin_memory()
    assert backend.runtime.pinned.stats()["allocated"] == before + 4096
    bytes_of_it = x.untyped_storage().host_view()
    del x
    assert backend.runtime.pinned.stats()["allocated"] == before + 4096  # a view keeps it
    del bytes_of_it
    assert backend.runtime.pinned.stats()["allocated"] == before
    batches = [batch for (batch,) in DataLoader(TensorDataset(gn.arange(4)), 2, pin_memory=True)]
    assert [each.tolist() for each in batches] == [[0, 1], [2, 3]] and batches[0].is_pinned()
