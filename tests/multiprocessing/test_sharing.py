"""Memory that processes share: tensors and modules sent to other processes."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
from collections.abc import Iterator
from multiprocessing.reduction import ForkingPickler
from typing import Any

import pytest

import gnomon as gn
from shared_blocks import shared_blocks
from time_limits import LIMIT


@pytest.fixture(params=["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def context(request: pytest.FixtureRequest) -> Any:
    """The context of each start method; a spawned process imports everything again, which takes time."""
    return multiprocessing.get_context(request.param)


@pytest.fixture
def leaves_nothing() -> Iterator[None]:
    """The descriptors that are open afterwards are those that were open before."""
    before = len(shared_blocks())
    yield
    assert len(shared_blocks()) <= before  # an earlier test may have left some to the garbage collector


def sent(obj: Any) -> Any:
    """``obj`` as this process receives it from itself."""
    return pickle.loads(ForkingPickler.dumps(obj))


def run(context: Any, function: Any, *args: Any) -> None:
    """Run ``function(*args)`` in a process, and wait for its end."""
    process = context.Process(target=function, args=args)
    process.start()
    process.join(LIMIT)
    assert process.exitcode == 0


# -- share_memory_ -------------------------------------------------------------------------------------------


@pytest.mark.both_tiers
def test_sharing_moves_a_storage_with_all_its_tensors(device: str, leaves_nothing: None) -> None:
    base = gn.arange(12.0).view(3, 4)
    view = base.t()[1:]
    before = base.data_ptr()
    assert not base.is_shared() and not view.untyped_storage().is_shared()
    assert view.share_memory_() is view
    assert base.is_shared() and view.is_shared() and base.untyped_storage().is_shared()
    assert base.data_ptr() != before and view.data_ptr() == base.data_ptr() + 4
    assert view.tolist() == [[1, 5, 9], [2, 6, 10], [3, 7, 11]] and view.stride() == (1, 4)
    view.mul_(2)  # by the address that both have now
    assert base.tolist() == [[0, 2, 4, 6], [4, 10, 12, 14], [8, 18, 20, 22]]
    at = base.data_ptr()
    assert base.share_memory_().data_ptr() == at
    assert base.untyped_storage().filename is None


@pytest.mark.both_tiers
def test_shared_memory_can_not_grow(device: str) -> None:
    x = gn.ones(4).share_memory_()
    with pytest.raises(RuntimeError, match=r"^Trying to resize storage that is not resizable$"):
        x.untyped_storage().resize_(17)
    with pytest.raises(RuntimeError, match="not resizable"):
        x.resize_(5)
    assert x.tolist() == [1, 1, 1, 1]
    assert x.untyped_storage().resize_(8).nbytes() == 8 and x.is_shared()


def test_sharing_nothing_and_what_is_elsewhere(device: str) -> None:
    assert gn.ones(0).share_memory_().is_shared()
    with pytest.raises(RuntimeError, match=r"^_share_fd_: only available on CPU"):
        gn.ones(2, device="meta").share_memory_()
    assert not gn.ones(2, device="meta").is_shared()
    numpy = pytest.importorskip("numpy")
    array = numpy.ones(3, "float32")
    tensor = gn.from_numpy(array).share_memory_()
    tensor.add_(1)
    assert array.tolist() == [1, 1, 1] and tensor.tolist() == [2, 2, 2]


def test_a_module_is_shared_with_its_gradients_and_buffers(device: str) -> None:
    model = gn.nn.Sequential(gn.nn.Linear(2, 3), gn.nn.BatchNorm1d(3))
    model(gn.randn(4, 2)).sum().backward()
    parameters = list(model.parameters())
    assert model.share_memory() is model
    assert list(map(id, model.parameters())) == list(map(id, parameters))
    assert all(each.is_shared() and each.grad is not None and each.grad.is_shared() for each in parameters)
    assert all(each.is_shared() for each in model.buffers())
    with pytest.raises(RuntimeError, match=r"^Can't share memory on an uninitialized parameter or buffer"):
        gn.nn.LazyLinear(3).share_memory()


# -- pickled for another process -----------------------------------------------------------------------------


def test_a_tensor_that_arrives_twice_is_the_same_memory(device: str, leaves_nothing: None) -> None:
    base = gn.arange(12.0).view(3, 4)
    view, again, pair = base.t()[1:], base, [base, base[0]]
    found = sent(view)
    assert base.is_shared()  # it is moved there when it is sent
    assert found.untyped_storage() is base.untyped_storage()
    assert (found.stride(), found.storage_offset(), found.dtype) == ((1, 4), 1, gn.float32)
    assert sent(again).untyped_storage() is base.untyped_storage()
    one, row = sent(pair)
    assert row.untyped_storage() is one.untyped_storage()
    assert str(found.device) == device


def test_parameters_keep_their_kind(device: str) -> None:
    parameter = gn.nn.Parameter(gn.ones(3))
    parameter.note = "kept"  # type: ignore[attr-defined]
    found = sent(parameter)
    assert type(found) is gn.nn.Parameter and found.requires_grad and found.is_leaf and found.note == "kept"
    assert found.untyped_storage() is parameter.untyped_storage()
    frozen = sent(gn.nn.Parameter(gn.ones(3), requires_grad=False))
    assert not frozen.requires_grad
    storage = sent(parameter.untyped_storage())
    assert storage is parameter.untyped_storage()
    meta = sent(gn.empty(2, 3, device="meta"))
    assert meta.is_meta and meta.shape == (2, 3)


def test_what_can_not_be_sent(device: str) -> None:
    x = gn.ones(3, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match=r"^Cowardly refusing to serialize non-leaf tensor which"):
        sent(x)
    assert not x.is_shared()
    assert sent(x.detach()).untyped_storage() is x.untyped_storage()
    with pytest.raises(RuntimeError, match=r"^Cannot pickle meta storage; try pickling a meta"):
        sent(gn.empty(2, device="meta").untyped_storage())


def test_memory_is_freed_with_the_last_owner(device: str, leaves_nothing: None) -> None:
    x = gn.ones(1000).share_memory_()
    row = x[:10]
    array = x.untyped_storage().host_view()
    del x
    assert row.tolist() == [1.0] * 10
    del row
    gc.collect()
    assert bytes(array[:4]) == b"\0\0\x80?"  # a view of the bytes keeps them, but no descriptor
    del array


# -- processes -----------------------------------------------------------------------------------------------


def change(tensors: Any, answers: Any) -> None:
    received, again, model, view = tensors.get(), tensors.get(), tensors.get(), tensors.get()
    received.add_(1)
    with gn.no_grad():
        model.weight.fill_(3)
    view.zero_()
    answers.put((received.untyped_storage() is again.untyped_storage(), view.stride(), received[1:]))
    tensors.get()  # memory that it sent is fetched from this process, which must not end before


def test_both_sides_of_a_queue_see_what_the_other_writes(device: str, context: Any) -> None:
    tensors, answers = context.Queue(), context.Queue()
    x, model = gn.zeros(3), gn.nn.Linear(2, 2)
    base = gn.ones(2, 3)
    process = context.Process(target=change, args=(tensors, answers))
    process.start()
    for each in (x, x, model, base.t()[1:]):
        tensors.put(each)
    is_same, stride, part = answers.get(timeout=LIMIT)
    tensors.put(None)
    process.join(LIMIT)
    assert is_same and stride == (1, 3) and process.exitcode == 0
    assert x.tolist() == [1, 1, 1] and base.tolist() == [[1, 0, 0], [1, 0, 0]]
    assert model.weight.tolist() == [[3, 3], [3, 3]] and model.weight.is_shared()
    assert part.untyped_storage() is x.untyped_storage() and part.storage_offset() == 1


def add_one(tensor: gn.Tensor, parameter: gn.Tensor) -> None:
    assert parameter.requires_grad
    tensor.add_(1)


def test_arguments_of_processes_share_memory(device: str, context: Any) -> None:
    x = gn.zeros(3).share_memory_()
    run(context, add_one, x, gn.nn.Parameter(x[:2]))
    run(context, add_one, x[1:], gn.nn.Parameter(x[:2]))
    assert x.tolist() == [1, 2, 2]


def sum_of(tensor: gn.Tensor) -> gn.Tensor:
    return tensor.sum(0, keepdim=True).expand(3)


def test_a_pool_sends_tensors(device: str, context: Any) -> None:
    with context.Pool(2) as pool:
        found = pool.map_async(sum_of, [gn.arange(4.0), gn.ones(5000)]).get(LIMIT)
    assert [each.tolist() for each in found] == [[6, 6, 6], [5000, 5000, 5000]]
    assert all(each.is_shared() and each.stride() == (0,) for each in found)


def kill_itself(tensors: Any) -> None:
    tensors.put([gn.ones(5000), gn.ones(5000)])
    gn.ones(70000).share_memory_()
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_process_leaves_no_memory_behind(device: str, context: Any) -> None:
    tensors = context.SimpleQueue()
    process = context.Process(target=kill_itself, args=(tensors,))
    process.start()
    process.join(LIMIT)
    assert process.exitcode == -signal.SIGKILL
    assert [each for each in os.listdir("/dev/shm") if str(process.pid) in each] == []
