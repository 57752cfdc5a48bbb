"""Grad modes: blocks, decorators, generators, threads, async tasks; inference mode."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest


def test_blocks_nest(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    with lib.no_grad():
        assert not (x * 2).requires_grad
        with lib.enable_grad():
            assert (x * 2).requires_grad
            with lib.set_grad_enabled(False):
                assert not lib.is_grad_enabled()
            assert lib.is_grad_enabled()
        assert not lib.is_grad_enabled()
    assert lib.is_grad_enabled()


def test_blocks_end_with_exceptions(lib: Any) -> None:
    with pytest.raises(KeyError), lib.no_grad():
        raise KeyError
    assert lib.is_grad_enabled()


def test_decorators(lib: Any) -> None:
    @lib.no_grad()
    def without() -> bool:
        """Says whether it records."""
        return lib.is_grad_enabled()

    @lib.no_grad
    def bare() -> bool:
        return lib.is_grad_enabled()

    @lib.set_grad_enabled(False)
    def disabled() -> bool:
        return lib.is_grad_enabled()

    assert lib.is_grad_enabled()
    assert without() is bare() is disabled() is False
    assert without.__name__ == "without" and without.__doc__ == "Says whether it records."
    with lib.no_grad():
        assert lib.enable_grad()(lib.is_grad_enabled)() is True


def test_set_grad_enabled_as_a_function(lib: Any) -> None:
    lib.set_grad_enabled(False)
    try:
        assert not lib.is_grad_enabled()
    finally:
        lib.set_grad_enabled(True)
    assert lib.is_grad_enabled()


def test_generators_keep_their_own_mode(lib: Any) -> None:
    @lib.no_grad()
    def generate() -> Any:
        received = yield lib.is_grad_enabled()
        while True:
            received = yield (received, lib.is_grad_enabled())

    made = generate()
    assert next(made) is False
    assert lib.is_grad_enabled()
    assert made.send("word") == ("word", False)
    assert lib.is_grad_enabled()
    made.close()
    assert lib.is_grad_enabled()


def test_generators_can_be_thrown_into(lib: Any) -> None:
    @lib.no_grad()
    def generate() -> Any:
        try:
            yield 1
        except KeyError:
            yield lib.is_grad_enabled()

    made = generate()
    next(made)
    assert made.throw(KeyError) is False
    assert lib.is_grad_enabled()


def test_methods_and_classes(lib: Any) -> None:
    class Model:
        @lib.no_grad()
        def evaluate(self) -> bool:
            return lib.is_grad_enabled()

        @staticmethod
        @lib.inference_mode()
        def infer() -> bool:
            return lib.is_inference_mode_enabled()

    assert Model().evaluate() is False and Model.infer() is True


def test_threads_have_their_own_mode(lib: Any) -> None:
    seen = []
    with lib.no_grad():
        thread = threading.Thread(target=lambda: seen.append(lib.is_grad_enabled()))
        thread.start()
        thread.join()
        assert not lib.is_grad_enabled()
    assert seen == [True]


def test_factories_are_not_touched(lib: Any) -> None:
    with lib.no_grad():
        x = lib.ones(1, requires_grad=True)
    assert x.requires_grad and (x * 2).requires_grad


def test_views_under_no_grad(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    with lib.no_grad():
        view = x[:1]
    assert view._base is x and view.grad_fn is None
    assert view.requires_grad and view.is_leaf  # a view requires grad when its base does
    (view * 3).sum().backward()
    assert view.grad is None and x.grad is None  # but its gradient goes nowhere


def test_inference_tensors(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    with lib.inference_mode():
        assert lib.is_inference_mode_enabled() and not lib.is_grad_enabled()
        y = x * 2
        assert y.is_inference() and not y.requires_grad
        y.add_(1)
        assert not x.is_inference()
    assert not lib.is_inference_mode_enabled() and lib.is_grad_enabled()
    assert y.tolist() == [3.0, 3.0]
    assert y.is_inference() and not (y + 1).is_inference()


def test_inference_tensors_have_no_version(lib: Any) -> None:
    with lib.inference_mode():
        y = lib.ones(2)
    with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
        _ = y._version


def test_inference_tensors_are_not_saved(lib: Any) -> None:
    with lib.inference_mode():
        y = lib.ones(2)
    x = lib.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        x * y
    assert (x + y).requires_grad  # an addition saves nothing
    assert (x * y.clone()).requires_grad


def test_inference_tensors_outside_are_not_written_to(lib: Any) -> None:
    with lib.inference_mode():
        y = lib.ones(2)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        y.add_(1)
    with pytest.raises(RuntimeError, match="inference tensor outside InferenceMode"):
        y.requires_grad_()
    assert y.view(2, 1).is_inference()
    with lib.inference_mode():
        assert y.add_(1) is y


def test_views_of_normal_tensors_in_inference_mode(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    y = x * 1
    with lib.inference_mode():
        view = y[:1]
        y.mul_(2)
    assert not view.is_inference() and y._version == 1
    with pytest.raises(RuntimeError, match="inference mode and is being modified inplace"):
        view.mul_(lib.ones(1, requires_grad=True))


def test_inference_mode_off_inside(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    with lib.inference_mode():
        with lib.inference_mode(False):
            y = x * 2
            assert y.requires_grad and not y.is_inference()
        assert lib.is_inference_mode_enabled()


def test_inference_mode_as_a_decorator(lib: Any) -> None:
    @lib.inference_mode()
    def infer(x: Any) -> Any:
        return x * 2

    @lib.inference_mode
    def bare(x: Any) -> Any:
        return x * 2

    x = lib.ones(1, requires_grad=True)
    assert infer(x).is_inference() and bare(x).is_inference()


def test_saved_tensor_hooks(lib: Any) -> None:
    x = lib.tensor([2.0], requires_grad=True)
    packed, unpacked = [], []

    def pack(tensor: Any) -> Any:
        packed.append(tensor.tolist())
        return ("packed", tensor * 10)

    def unpack(packet: Any) -> Any:
        assert packet[0] == "packed"
        unpacked.append(packet[1].tolist())
        return packet[1] / 10

    with lib.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x * x
        z = y.exp()
    w = z * 3
    assert packed[:2] == [[2.0], [2.0]] and len(packed) == 3 and unpacked == []
    w.sum().backward()
    assert len(unpacked) == 3
    expected = 3 * 2 * 2.0 * 54.598150033
    assert abs(x.grad.item() - expected) < 1e-3


def test_saved_tensor_hooks_nest(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    order = []
    hooks = lib.autograd.graph.saved_tensors_hooks
    with hooks(lambda t: order.append("outer") or t, lambda t: t):
        with hooks(lambda t: order.append("inner") or t, lambda t: t):
            x.exp()
        x.exp()
    x.exp()
    assert order == ["inner", "outer"]


def test_saved_tensor_hooks_can_be_disabled(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    with lib.autograd.graph.disable_saved_tensors_hooks("not here"):
        with pytest.raises(RuntimeError, match="not here"):
            with lib.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
                pass
        x.exp()


def test_what_pack_does_not_return_is_not_kept(lib: Any) -> None:
    import gc
    import weakref

    x = lib.ones(10, requires_grad=True)
    kept = {}

    def pack(tensor: Any) -> int:
        kept[len(kept)] = tensor.detach().clone()
        return len(kept) - 1

    middle = x * 2
    gone = weakref.ref(middle)
    with lib.autograd.graph.saved_tensors_hooks(pack, lambda key: kept[key]):
        total = middle * middle
    del middle
    gc.collect()
    assert gone() is None
    total.sum().backward()
    assert x.grad.tolist() == [8.0] * 10


def test_hooks_of_one_saved_tensor(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    y = x.exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda t: t * 0 + 5, lambda t: t * 2)
    y.sum().backward()
    assert x.grad.tolist() == [10.0]
    z = x.exp()
    raw = z.grad_fn._raw_saved_result
    raw.register_hooks(lambda t: t, lambda t: t)
    with pytest.raises(RuntimeError, match="already"):
        raw.register_hooks(lambda t: t, lambda t: t)


def test_unpack_must_return_a_tensor(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    with lib.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: "no tensor"):
        y = x.exp()
    with pytest.raises(TypeError):
        y.sum().backward()


def test_save_on_cpu(lib: Any) -> None:
    x = lib.tensor([3.0], requires_grad=True)
    with lib.autograd.graph.save_on_cpu():
        y = (x * x).exp()
    y.sum().backward()
    assert abs(x.grad.item() - 6 * 8103.0839) < 0.1


def test_async_tasks_of_gnomon_have_their_own_mode() -> None:
    """PyTorch's modes belong to the thread, so that tasks disturb each other; gnomon's belong to the task."""
    import gnomon as gn

    async def without() -> bool:
        with gn.no_grad():
            await asyncio.sleep(0)
            return gn.is_grad_enabled()

    async def with_() -> bool:
        await asyncio.sleep(0)
        return gn.is_grad_enabled()

    async def both() -> list[bool]:
        return await asyncio.gather(without(), with_(), without())

    assert asyncio.run(both()) == [False, True, False]


def test_one_set_grad_enabled_may_be_used_twice(lib: Any) -> None:
    context = lib.set_grad_enabled(False)
    lib.set_grad_enabled(True)
    for _ in range(2):
        with context:
            assert not lib.is_grad_enabled()
        assert lib.is_grad_enabled()
    context = lib.set_grad_enabled(False)
    first, second = context(lib.is_grad_enabled), context(lib.is_grad_enabled)
    assert lib.is_grad_enabled() and not first() and not second() and lib.is_grad_enabled()


@pytest.mark.parametrize("wrong", ["a", 1, None])
def test_a_mode_is_a_bool(lib: Any, wrong: Any) -> None:
    with pytest.raises(
        TypeError, match=r"set_grad_enabled\(\): argument 'enabled' \(position 1\) must be bool"
    ):
        lib.set_grad_enabled(wrong)
    with pytest.raises(
        TypeError, match=r"set_anomaly_enabled\(\): argument 'enabled' \(position 1\) must be"
    ):
        lib.autograd.set_detect_anomaly(wrong)
    assert lib.is_grad_enabled()
