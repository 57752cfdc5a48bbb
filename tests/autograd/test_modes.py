"""Grad modes: blocks, decorators, generators, threads, async tasks; inference mode."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy
import pytest

from time_limits import join, start

pytestmark = pytest.mark.both_tiers


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
        join(start(lambda: seen.append(lib.is_grad_enabled())))
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


PACKED = [  # what is saved, and what the pack hook sees: (is a Parameter, requires grad, is a leaf)
    (lambda lib, p: (p, p.sin()), (True, True, True)),
    (lambda lib, p: (b := p * 2, b.sin()), (False, True, False)),
    (lambda lib, p: (c := lib.ones(2), p * c), (False, False, True)),
    (lambda lib, p: (v := p[:1], v.sin()), (False, True, False)),
    (lambda lib, p: (b := p * 2, b.exp_()), (False, True, False)),
]


@pytest.mark.parametrize(("record", "expected"), PACKED)
def test_the_tensor_itself_is_packed(lib: Any, record: Any, expected: Any) -> None:
    parameter = lib.nn.Parameter(lib.ones(2))
    packed = []

    def pack(tensor: Any) -> Any:
        packed.append(tensor)
        assert not lib.is_grad_enabled() and not (tensor * 2).requires_grad
        return tensor.detach().clone()

    with lib.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        source, result = record(lib, parameter)
    seen = packed[-1]
    assert seen is source
    assert (isinstance(seen, lib.nn.Parameter), seen.requires_grad, seen.is_leaf) == expected
    result.sum().backward()
    assert parameter.grad is not None


def test_an_output_is_packed_with_its_history(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    packed = []
    with lib.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t.detach(), lambda t: t):
        y = x.exp()
    assert packed[0].grad_fn is y.grad_fn
    saved = y.grad_fn._saved_result
    assert saved.grad_fn is y.grad_fn and saved is not y


def test_packed_for_a_function(lib: Any) -> None:
    class Multiply(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            result = x * y
            ctx.save_for_backward(x, y, result)
            return result

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            x, y, result = ctx.saved_tensors
            kinds.extend((each.is_leaf, each.requires_grad) for each in (x, y, result))
            return gradient * y, gradient * x

    kinds: list[Any] = []
    packed = []
    x = lib.ones(2, requires_grad=True)
    y = x * 3
    with lib.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t.detach(), lambda t: t):
        z = Multiply.apply(x, y)
    assert packed[0] is x and packed[1] is y and packed[2].grad_fn is z.grad_fn
    z.sum().backward()
    assert kinds == [(True, True), (False, True), (False, True)] and x.grad.tolist() == [6.0, 6.0]


@pytest.mark.parametrize("unpacked", [lambda t: t.clone(), lambda t: t.t().clone().t(), lambda t: t.detach()])
def test_an_unpacked_leaf_is_a_leaf_whose_gradient_is_the_leafs(lib: Any, unpacked: Any) -> None:
    x = lib.ones(2, 3, requires_grad=True)
    with lib.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), unpacked):
        y = x.exp() + x**3
        node = y.grad_fn.next_functions[1][0]
    saved = node._saved_self
    assert saved.is_leaf and saved.requires_grad and saved is not x and saved.grad_fn is None
    (first,) = lib.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = lib.autograd.grad(first.sum(), x)
    assert (second - 6).sub(x.exp()).abs().max().item() < 1e-5


def test_what_is_unpacked_has_the_history_of_what_was_saved(lib: Any) -> None:
    other = lib.ones(2, requires_grad=True)
    x = lib.ones(2, requires_grad=True)
    for unpacked in (lambda t: other, lambda t: other * 5):
        with lib.autograd.graph.saved_tensors_hooks(lambda t: t, unpacked):
            y = x * lib.ones(2)
        assert not y.grad_fn._saved_other.requires_grad
        (gradient,) = lib.autograd.grad(y.sum(), x, create_graph=True)
        assert not gradient.requires_grad


def test_a_leaf_of_inference_mode_is_not_recorded(lib: Any) -> None:
    with lib.inference_mode():
        p = lib.ones(2, requires_grad=True)
    assert p.requires_grad and p.is_leaf
    for result in (p.sum(), p * p, p.exp(), p[0], lib.cat([p, p])):
        assert not result.requires_grad
    with pytest.raises(RuntimeError, match="does not require grad"):
        p.sum().backward()
    x = lib.ones(2, requires_grad=True)
    (x + p).sum().backward()  # together with a normal tensor it is recorded
    assert x.grad.tolist() == p.grad.tolist() == [1.0, 1.0]
    assert p.clone().requires_grad and (p * 2).requires_grad


@pytest.mark.parametrize("name", ["no_grad", "enable_grad", "inference_mode", "set_grad_enabled"])
def test_decorating_a_class_warns(lib: Any, name: str) -> None:
    mode = getattr(lib, name)

    class Plain:
        def __init__(self) -> None:
            self.was_enabled = lib.is_grad_enabled()

    decorator = mode(False) if name == "set_grad_enabled" else mode()
    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):
        made = decorator(Plain)
    assert made().was_enabled is (name == "enable_grad") and lib.is_grad_enabled()


def test_set_multithreading_enabled(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    with lib.autograd.set_multithreading_enabled(False):
        (x * 2).sum().backward()
    lib.autograd.set_multithreading_enabled(True)
    assert x.grad.tolist() == [2.0, 2.0]
    with pytest.raises(TypeError, match="must be bool, not int"):
        lib.autograd.set_multithreading_enabled(1)


def test_saved_tensors_may_be_written_to(lib: Any) -> None:
    with lib.autograd.graph.allow_mutation_on_saved_tensors():
        x = lib.full((2,), 3.0, requires_grad=True)
        b = x * 1
        output = b.exp()
        y = output.sum() * 0 + (b**3).sum() + (x * x).sum()
        output.zero_()
        b.sin_()
        with lib.no_grad():
            x.add_(7)
        y.backward()
        assert x.grad.tolist() == [33.0, 33.0]


def test_saved_tensors_of_gnomon_may_be_written_to_by_their_views() -> None:
    import gnomon as gn

    with gn.autograd.graph.allow_mutation_on_saved_tensors():  # (PyTorch uses the second value of b)
        x = gn.full((2, 2), 3.0, requires_grad=True)
        b = x * 1
        view = b[0]
        y = (view * view).sum() + (b**3).sum()
        b[1].mul_(5)
        b.sin_()
        gn.add(b.detach(), 1, out=b.detach())
        y.backward()
        assert x.grad.tolist() == [[33.0, 33.0], [27.0, 27.0]]


def test_saved_tensors_may_be_written_to_twice(lib: Any) -> None:
    with lib.autograd.graph.allow_mutation_on_saved_tensors():
        x = lib.full((2,), 3.0, requires_grad=True)
        b = x * 1
        y = (b**3).sum()
        b.mul_(2)
        (first,) = lib.autograd.grad(y, x, create_graph=True)
        b.mul_(3)
        (second,) = lib.autograd.grad(first.sum(), x)
        assert first.tolist() == [27.0, 27.0] and second.tolist() == [18.0, 18.0]


def test_saved_tensors_may_be_written_to_inside_only(lib: Any) -> None:
    allow = lib.autograd.graph.allow_mutation_on_saved_tensors
    x = lib.ones(2, requires_grad=True)
    with allow():
        y = x.exp().sum()
    with pytest.raises(AssertionError, match="outside of the 'allow_mutation_on_saved_tensors' context"):
        y.backward()
    with pytest.raises(RuntimeError, match="cannot be nested"), allow(), allow():
        pass
    b = x * 1
    z = (b * b).sum()
    with allow(), pytest.raises(RuntimeError, match="modified by an inplace operation"):
        b.mul_(2)
        z.backward()


def test_anomaly_mode_ends_however_an_interrupt_left_it():
    """An interrupt during a switch may leave speedups off without the mode, or the mode on with speedups."""
    import gnomon as gn
    from gnomon.autograd import anomaly_mode as anomaly

    gn.autograd.set_detect_anomaly(True)
    anomaly.readable_everywhere.remove(anomaly._NAME)
    gn.autograd.set_detect_anomaly(False)
    assert not gn.is_anomaly_enabled()
    anomaly.readable_everywhere.append(anomaly._NAME)
    gn.autograd.set_detect_anomaly(True)
    gn.autograd.set_detect_anomaly(False)
    assert not anomaly.readable_everywhere


def test_inference_mode_writes_to_its_tensors_whatever_others_take_part(lib: Any) -> None:
    normal = lib.ones(2)
    with lib.inference_mode():
        x = lib.ones(2)
        assert x.add_(normal).tolist() == [2.0, 2.0]
        assert x.copy_(normal).tolist() == [1.0, 1.0]
        assert lib.add(normal, 1, out=lib.empty(2)).tolist() == [2.0, 2.0]
        x[0] = normal[1] * 5
        x.lerp_(normal, 1.0).addcmul_(normal, normal)
        x.index_put_((lib.tensor([0]),), lib.tensor([7.0]))
        x[:1].mul_(normal[:1] * 2)
        assert x.tolist() == [14.0, 2.0] and x.is_inference()
        normal.add_(x)
        assert normal._version == 1 and not normal.is_inference()
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
        x.add_(1)
    if lib.__name__ == "gnomon":  # PyTorch has already written when it raises
        assert x.tolist() == [14.0, 2.0]


def test_requires_grad_is_a_bool(lib: Any) -> None:
    x = lib.ones(2)
    for wrong in ("no", 1, None, numpy.bool_(True)):
        with pytest.raises(RuntimeError, match="requires_grad must be a bool"):
            x.requires_grad = wrong
        with pytest.raises(TypeError, match="must be bool, not"):
            x.requires_grad_(wrong)
    assert not x.requires_grad
    for make in (lib.ones, lib.zeros, lib.empty, lib.tensor, lib.asarray):
        with pytest.raises(TypeError, match=r"argument 'requires_grad' must be bool, not int"):
            make(2, requires_grad=1)
        with pytest.raises(TypeError, match=r"argument 'requires_grad' must be bool, not numpy"):
            make(2, requires_grad=numpy.bool_(True))
    for make in (lib.rand, lib.arange):  # PyTorch's error lists the overloads of these
        with pytest.raises(TypeError, match="requires_grad"):
            make(2, requires_grad=1)
