"""Outputs that their own Node saved: who may free them or write to them, and when."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import gnomon as gn

pytestmark = pytest.mark.both_tiers

DEVICES = [name for name, info in gn.backends().items() if info.available and info.host_memory]

FUNCTIONS = {
    "exp": (lambda x: x.exp(), lambda x: x.exp()),
    "tanh": (lambda x: x.tanh(), lambda x: 1 - x.tanh() ** 2),
    "sigmoid": (lambda x: x.sigmoid(), lambda x: x.sigmoid() * (1 - x.sigmoid())),
    "relu": (lambda x: x.relu(), lambda x: (x > 0).to(x.dtype)),
    "softmax": (lambda x: x.softmax(0)[0], None),
    "norm": (lambda x: x.norm(), None),
    "pow": (lambda x: 2.0 ** (x * x), None),
    "cumprod": (lambda x: (x * x).cumprod(0), None),
    "max": (lambda x: x.max(0).values * x.max(0).values, None),
}


def leaf(lib: Any, device: str | None = None) -> Any:
    return lib.tensor([0.5, -0.25, 1.5], device=device, requires_grad=True)


def close(actual: Any, expected: Any) -> None:
    assert all(abs(a - b) < 1e-5 for a, b in zip(actual.detach().tolist(), expected.detach().tolist()))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_first_and_second_gradients_of_dead_and_living_outputs(name: str, device: str) -> None:
    function, _ = FUNCTIONS[name]
    results = []
    for keep in (False, True):
        for _ in range(2):  # the second call may use a plan
            x = leaf(gn, device)
            y = function(x)
            kept = [y] if keep else []
            z = (y * 1).sum()
            del y
            (gradient,) = gn.autograd.grad(z, x, create_graph=True)
            (second,) = gn.autograd.grad((gradient * gradient).sum(), x)
            z = (function(x) * 1).sum()
            z.backward()
            results.append((gradient.detach().tolist(), second.tolist(), x.grad.tolist()))
            del kept
    assert all(each == results[0] for each in results)
    assert results[0][0] == results[0][2]


@pytest.mark.parametrize("name", ["exp", "tanh", "sigmoid", "relu"])
def test_gradients(lib: Any, name: str) -> None:
    function, derivative = FUNCTIONS[name]
    for _ in range(2):
        x = leaf(lib)
        function(function(x)).sum().backward()
        inner = function(x.detach())
        close(x.grad, derivative(inner) * derivative(x.detach()))


def test_a_write_is_seen_whoever_holds_the_output(lib: Any) -> None:
    text = (
        rf"modified by an inplace operation: \[{lib.__name__}.FloatTensor \[3\]\], which is output 0 of Exp, "
        "is at version 1; expected version 0 instead. Hint: enable anomaly detection"
    )

    def in_place(y: Any) -> Any:
        return y.add_(1)

    def without_grad(y: Any) -> Any:
        with lib.no_grad():
            y.add_(1)
        return y

    def through_a_view(y: Any) -> Any:
        y[:1].zero_()
        return y

    def through_what_was_detached(y: Any) -> Any:
        y.detach().zero_()
        return y

    for write in (in_place, without_grad, through_a_view, through_what_was_detached):
        for _ in range(2):
            z = write(leaf(lib).exp()) * 1  # the output is freed
            with pytest.raises(RuntimeError, match=text):
                z.sum().backward()
            y = leaf(lib).exp()
            z = write(y) * 1  # the output is alive
            with pytest.raises(RuntimeError, match=text):
                z.sum().backward()


def test_written_after_another_operator_has_it(lib: Any) -> None:
    for _ in range(2):
        x = leaf(lib)
        y = x.exp()
        z = y + 1  # does not need y
        y.mul_(2)
        with pytest.raises(RuntimeError, match="output 0 of Exp"):
            z.sum().backward()


def test_detached_in_place_and_moved(lib: Any) -> None:
    for _ in range(2):
        x = leaf(lib)
        y = x.exp()
        z = y * 1
        y.detach_()
        assert y.grad_fn is None
        z.sum().backward(retain_graph=True)
        close(x.grad, x.exp())
        y.zero_()
        with pytest.raises(RuntimeError, match="output 0 of Exp, is at version 1"):
            z.sum().backward()
        x = leaf(lib)
        y = x.exp()
        z = y * 1
        y.data = lib.zeros(3)
        z.sum().backward()
        close(x.grad, x.exp())


def test_transposed_in_place(lib: Any) -> None:
    for _ in range(2):
        x = lib.tensor([[0.5, 1.0, 2.0]], requires_grad=True)
        y = x.exp()
        y.t_()
        assert tuple(y.shape) == (3, 1)
        with pytest.raises(RuntimeError, match=r"FloatTensor \[1, 3\]\], .*is at version 1"):
            y.sum().backward()


def test_what_was_saved_can_be_read(lib: Any) -> None:
    for _ in range(2):
        x = leaf(lib)
        y = x.exp()
        z = y * 1
        node = y.grad_fn
        for _ in range(2):
            saved = node._saved_result
            close(saved, x.exp())
            assert saved.grad_fn is node and saved.requires_grad
            y = saved = None
        with lib.no_grad():
            assert node._saved_result.grad_fn is node
        z.sum().backward()
        with pytest.raises(RuntimeError, match="after they have already been freed"):
            _ = node._saved_result


def test_a_node_that_is_held_alone(lib: Any) -> None:
    for _ in range(2):
        x = leaf(lib)
        node = x.exp().grad_fn
        gradient = node(lib.ones(3))
        close(gradient, x.exp())


def test_packed_later(lib: Any) -> None:
    for keep in (True, False):
        for _ in range(2):
            seen = []
            x = leaf(lib)
            y = x.exp()
            z, node = y * 1, y.grad_fn
            if not keep:
                del y

            def pack(tensor: Any, seen: Any = seen) -> Any:
                seen.append("pack")
                return tensor * 2

            node._raw_saved_result.register_hooks(pack, lambda packed: packed / 2)
            others = lib.autograd.graph.saved_tensors_hooks(pack, lambda packed: packed)
            with others:
                z.sum().backward()
            close(x.grad, x.exp())
            assert seen == ["pack"]


def test_retained_graph_and_hooks(lib: Any) -> None:
    for _ in range(2):
        x = leaf(lib)
        y = x.tanh()
        y.retain_grad()
        z = (y * y).sum()
        z.backward(retain_graph=True)
        close(y.grad, 2 * y)
        del y
        z.backward()
        close(x.grad, 4 * x.tanh() * (1 - x.tanh() ** 2))


def test_no_cycle_keeps_an_output() -> None:
    gc.disable()
    try:
        for _ in range(3):
            x = leaf(gn)
            y = x.exp()
            reference, node = weakref.ref(y), weakref.ref(y.grad_fn)
            del y
            assert reference() is None and node() is None
            y = x.exp()
            z = y * 1
            node = weakref.ref(y.grad_fn)
            kept = weakref.ref(y.grad_fn._saved_result)
            del y
            z.sum().backward()
            del z
            assert node() is None and kept() is None
    finally:
        gc.enable()


def test_in_a_cycle_that_is_collected() -> None:
    for _ in range(3):
        x = leaf(gn)
        y = x.exp()
        z = (y * 1).sum()
        ring: dict[str, Any] = {"y": y}
        ring["self"] = ring
        del y, ring
        gc.collect()
        z.backward()
        close(x.grad, x.exp())


@pytest.mark.parametrize("device", DEVICES)
def test_memory_is_given_back_once(device: str) -> None:
    """Each block is freed when the last of output, views and Node is, in any order."""
    for order in range(6):
        for _ in range(3):
            x = leaf(gn, device)
            y = x.exp()
            things: dict[str, Any] = {"y": y, "view": y[1:], "z": y * 1}
            del y
            names = [["y", "view", "z"], ["view", "y", "z"], ["z", "y", "view"], ["z", "view", "y"],
                     ["y", "z", "view"], ["view", "z", "y"]][order]  # fmt: skip
            for name in names:
                if name == "z":
                    things[name].sum().backward()
                    close(x.grad, x.exp())
                del things[name]
            filler = [gn.full((3,), float(number), device=device) for number in range(8)]
            assert [each.tolist()[0] for each in filler] == [float(number) for number in range(8)]


def test_tangents_stay_with_the_output() -> None:
    forward_ad = gn.autograd.forward_ad
    for keep in (True, False):
        for _ in range(2):
            x, v = leaf(gn), gn.tensor([1.0, 2.0, 3.0])
            with forward_ad.dual_level():
                y = forward_ad.make_dual(x, v).exp()
                z = (y * 1).sum()
                if not keep:
                    del y
                (gradient,) = gn.autograd.grad(z, x)
                close(forward_ad.unpack_dual(gradient).tangent, x.exp() * v)
