"""Checkpoints: the same gradients with fewer saved tensors, and how a different recomputation is detected."""

from __future__ import annotations

import contextlib
import gc
import weakref
from importlib import import_module

import pytest

import gnomon as gn

BOTH = pytest.mark.parametrize("use_reentrant", [False, True])


@pytest.fixture
def module(lib):
    """torch.utils.checkpoint, or gnomon's."""
    return import_module(f"{lib.__name__}.utils.checkpoint")


def close(actual, expected):
    assert tuple(actual.shape) == tuple(expected.shape)
    assert bool(((actual - expected).abs() <= 1e-5).all())


def leaf(lib, *sizes):
    count = 1
    for size in sizes:
        count *= size
    return ((lib.arange(count, dtype=lib.float32) + 1) * 0.37).sin().reshape(sizes).requires_grad_()


def block(x, w):
    return ((x @ w).tanh() * x.exp()).sin()


def gradients_of(output, *leaves):
    for each in leaves:
        each.grad = None
    output.pow(2).sum().backward()
    return [each.grad.clone() for each in leaves]


@BOTH
def test_gradients_are_the_same(lib, module, use_reentrant):
    x, w = leaf(lib, 3, 3), leaf(lib, 3, 3)
    expected = gradients_of(block(x, w), x, w)
    output = module.checkpoint(block, x, w, use_reentrant=use_reentrant)
    close(output, block(x, w))
    assert output.requires_grad
    for actual, wanted in zip(gradients_of(output, x, w), expected):
        close(actual, wanted)


@BOTH
def test_the_function_runs_twice(lib, module, use_reentrant):
    x, calls = leaf(lib, 3), []

    def function(a):
        calls.append(lib.is_grad_enabled())
        return a.exp().sin()

    output = module.checkpoint(function, x, use_reentrant=use_reentrant)
    assert len(calls) == 1
    output.sum().backward()
    assert calls == [not use_reentrant, True]


def test_unwanted_gradients_do_not_run_it_again(lib, module):
    x, y, calls = leaf(lib, 3), leaf(lib, 3), []

    def function(a):
        calls.append(1)
        return a.exp().sin()

    output = module.checkpoint(function, x, use_reentrant=False) + y
    lib.autograd.grad(output.sum(), y)
    assert len(calls) == 1


def test_early_stop(lib, module):
    x, reached = leaf(lib, 3), []

    def function(a):
        b = a.sin().exp()
        reached.append("middle")
        c = b + 1  # saves nothing
        reached.append("end")
        return c

    for options, expected in (({}, 1), ({"early_stop": False}, 2)):
        reached.clear()
        module.checkpoint(function, x, use_reentrant=False, **options).sum().backward()
        assert reached.count("end") == expected
    reached.clear()
    with module.set_checkpoint_early_stop(False):
        output = module.checkpoint(function, x, use_reentrant=False)
    output.sum().backward()
    assert reached.count("end") == 2


@BOTH
def test_random_numbers_are_drawn_again(lib, module, use_reentrant):
    x = leaf(lib, 50)

    def function(a):
        return lib.nn.functional.dropout(a.exp(), 0.5).sin()

    lib.manual_seed(3)
    expected = gradients_of(function(x), x)[0]
    lib.manual_seed(3)
    output = module.checkpoint(function, x, use_reentrant=use_reentrant)
    after = lib.rand(1)
    actual = gradients_of(output, x)[0]
    close(actual, expected)
    assert float(lib.rand(1)) != float(after)  # recomputation restored the random state
    lib.manual_seed(3)
    output = module.checkpoint(function, x, use_reentrant=use_reentrant, preserve_rng_state=False)
    assert bool((gradients_of(output, x)[0] != expected).any())


def test_nested(lib, module):
    x, w = leaf(lib, 3, 3), leaf(lib, 3, 3)

    def inner(a):
        return (a @ w).tanh().exp()

    def outer(a):
        b = module.checkpoint(inner, a.sin(), use_reentrant=False)
        return module.checkpoint(lambda c: c.cos() * c, b, use_reentrant=False).exp()

    expected = gradients_of(((inner(x.sin()).cos()) * inner(x.sin())).exp(), x, w)
    actual = gradients_of(module.checkpoint(outer, x, use_reentrant=False), x, w)
    for one, other in zip(actual, expected):
        close(one, other)


def test_second_derivatives_and_backward_twice(lib, module):
    x = leaf(lib, 3)

    def function(a):
        return a.sin() * a.exp()

    def second(of):
        (first,) = lib.autograd.grad(of(x).sum(), x, create_graph=True)
        return lib.autograd.grad(first.pow(2).sum(), x)[0]

    close(second(lambda a: module.checkpoint(function, a, use_reentrant=False)), second(function))
    output = module.checkpoint(function, x, use_reentrant=False).sum()
    (one,) = lib.autograd.grad(output, x, retain_graph=True)
    (other,) = lib.autograd.grad(output, x)
    close(one, other)


def test_nested_structures_keywords_and_closures(lib, module):
    x, w = leaf(lib, 3), leaf(lib, 3)

    def function(tree, scale=1.0):
        return {"out": (tree["a"] * w).exp() * scale, "other": 3}

    output = module.checkpoint(function, {"a": x}, scale=2.0, use_reentrant=False)
    assert output["other"] == 3
    expected = gradients_of((x * w).exp() * 2, x, w)
    for one, other in zip(gradients_of(output["out"], x, w), expected):
        close(one, other)


def test_an_input_that_was_written_to(lib, module):
    x = leaf(lib, 3)
    y = x * 1
    output = module.checkpoint(lambda a: a.exp().sin(), y, use_reentrant=False)
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        output.sum().backward()


def test_contexts(lib, module):
    x, entered = leaf(lib, 3), []

    @contextlib.contextmanager
    def context(name):
        entered.append(name)
        yield
        entered.append(f"end of {name}")

    output = module.checkpoint(
        lambda a: a.sin(),
        x,
        use_reentrant=False,
        early_stop=False,
        context_fn=lambda: (context("forward"), context("again")),
    )
    assert entered == ["forward", "end of forward"]
    output.sum().backward()
    assert entered[2:] == ["again", "end of again"]


def changing(first, later):
    calls = []

    def function(a):
        calls.append(1)
        return (first if len(calls) == 1 else later)(a)

    return function


def test_another_number_of_tensors(lib, module):
    x = leaf(lib, 3)
    function = changing(lambda a: a.sin().cos().exp(), lambda a: a.sin())
    with pytest.raises(module.CheckpointError, match="different number of tensors"):
        module.checkpoint(function, x, use_reentrant=False).sum().backward()
    assert issubclass(module.CheckpointError, RuntimeError)


def test_other_tensors(lib, module):
    x = leaf(lib, 3)
    function = changing(lambda a: a.sin().cos(), lambda a: a[:2].sin().cos())
    with pytest.raises(module.CheckpointError, match="different metadata"):
        module.checkpoint(function, x, use_reentrant=False).sum().backward()
    function = changing(lambda a: a.sin().cos(), lambda a: a[:1].sin().cos())
    module.checkpoint(function, x, use_reentrant=False, determinism_check="none").sum().backward()


def test_debug_tells_what_ran(lib, module):
    x = leaf(lib, 3)
    function = changing(lambda a: a.sin().cos().exp(), lambda a: a.sin())
    with pytest.raises(module.CheckpointError) as caught:
        module.checkpoint(function, x, use_reentrant=False, debug=True).sum().backward()
    assert "recomputation" in str(caught.value) and "cos" in str(caught.value)


def test_a_tensor_is_handed_out_once(lib, module):
    class Twice(lib.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * 2

        @staticmethod
        def backward(ctx, grad):
            assert len(ctx.saved_tensors) == 1
            return grad * ctx.saved_tensors[0]

    output = module.checkpoint(Twice.apply, leaf(lib, 3), use_reentrant=False)
    with pytest.raises(module.CheckpointError, match="already unpacked once"):
        output.sum().backward()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"use_reentrant": False, "determinism_check": "a"}, "determinism_check should be one of"),
        ({"use_reentrant": True, "debug": True}, "only supported when use_reentrant=False"),
        ({"use_reentrant": True, "scale": 2}, "Unexpected keyword arguments: scale"),
        ({"use_reentrant": False, "debug": True, "context_fn": lambda: ()}, "incompatible with non-default"),
    ],
)
def test_options_that_do_not_go_together(lib, module, options, text):
    with pytest.raises(ValueError, match=text):
        module.checkpoint(lib.sin, leaf(lib, 3), **options)


def test_reentrant_and_single_gradients(lib, module):
    x = leaf(lib, 3)
    output = module.checkpoint(lib.sin, x, use_reentrant=True)
    with pytest.raises(RuntimeError, match="incompatible with"):
        lib.autograd.grad(output.sum(), x)
    with pytest.raises(RuntimeError, match="this checkpoint"):
        module.checkpoint(lambda a: a.detach(), x, use_reentrant=True).sum().backward()


def test_warnings(lib, module):
    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed explicitly"):
        module.checkpoint(lib.sin, leaf(lib, 3))
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        module.checkpoint(lib.sin, lib.ones(3), use_reentrant=True)


@BOTH
def test_without_grad(lib, module, use_reentrant):
    x = leaf(lib, 3)
    with lib.no_grad():
        output = module.checkpoint(lib.sin, x, use_reentrant=use_reentrant)
    assert not output.requires_grad
    close(output, x.detach().sin())


@BOTH
def test_sequential(lib, module, use_reentrant):
    nn = lib.nn
    lib.manual_seed(1)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2))
    x = leaf(lib, 5, 3)
    expected = gradients_of(net(x), x, *net.parameters())
    for segments in (1, 2, 3, 5):
        output = module.checkpoint_sequential(net, segments, x, use_reentrant=use_reentrant)
        for one, other in zip(gradients_of(output, x, *net.parameters()), expected):
            close(one, other)
    steps = [lib.sin, lib.exp, lib.tanh]
    close(module.checkpoint_sequential(steps, 2, x, use_reentrant=use_reentrant), x.sin().exp().tanh())
    with pytest.raises(ValueError, match="Unexpected keyword"):
        module.checkpoint_sequential(net, 2, x, use_reentrant=use_reentrant, other=1)


# -- what only gnomon has: its tensors are freed at once -------------------------------------------------


def test_memory_is_freed():
    checkpoint = import_module("gnomon.utils.checkpoint").checkpoint
    x = leaf(gn, 100)
    kept, again = [], []

    def function(a):
        b = a.sin()
        c = b.exp()
        (kept if not kept else again).extend([weakref.ref(b), weakref.ref(c)])
        return (c * b).cos()

    output = checkpoint(function, x, use_reentrant=False)
    assert all(each() is None for each in kept)
    output.sum().backward()
    del output
    gc.collect()
    assert len(again) == 2 and all(each() is None for each in again)


def test_an_inner_checkpoint_keeps_no_input_of_its_own():
    checkpoint = import_module("gnomon.utils.checkpoint").checkpoint
    x, kept = leaf(gn, 100), []

    def outer(a):
        b = a.sin()
        kept.append(weakref.ref(b))
        return checkpoint(lambda c: c.exp().cos(), b, use_reentrant=False)

    output = checkpoint(outer, x, use_reentrant=False)
    assert kept[0]() is None
    (gradient,) = gn.autograd.grad(output.sum(), x)
    (expected,) = gn.autograd.grad(x.sin().exp().cos().sum(), x)
    close(gradient, expected)


def test_a_selective_checkpoint_keeps_the_results_of_a_policy() -> None:
    from gnomon.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

    aten = gn.ops.aten
    x, w = leaf(gn, 3, 3), leaf(gn, 3, 3)
    expected = gradients_of(block(x, w), x, w)

    def choose(context, operator, *args, **kwargs):
        assert context.is_recompute is False and context.op_output is not None
        return (
            CheckpointPolicy.MUST_SAVE if operator is aten.mm.default else CheckpointPolicy.PREFER_RECOMPUTE
        )

    def ran_again(policy):
        """The operators that the second run called, below the modes of the checkpoint."""
        names = []

        class Listening(gn.DispatchMode):
            def __gnomon_dispatch__(self, func, types, args=(), kwargs=None):
                names.append(func)
                return func(*args, **(kwargs or {}))

        def contexts():
            return create_selective_checkpoint_contexts(policy)

        with Listening():
            output = checkpoint(block, x, w, use_reentrant=False, context_fn=contexts)
            names.clear()
            for actual, wanted in zip(gradients_of(output, x, w), expected):
                close(actual, wanted)
        with pytest.raises(RuntimeError, match="backward"):
            output.sum().backward()
        return names

    nothing = ran_again(lambda *args, **kwargs: False)
    assert nothing.count(aten.exp.default) == 1 and nothing.count(aten.tanh.default) == 1
    assert ran_again(choose).count(aten.mm.default) == nothing.count(aten.mm.default) - 1
    kept = ran_again([aten.exp.default, aten.mm.default])
    assert kept.count(aten.exp.default) == 0 and kept.count(aten.tanh.default) == 1
    with pytest.raises(ValueError, match="Please name an overload"):
        create_selective_checkpoint_contexts([aten.mm])
    with pytest.raises(TypeError, match="must be either a function or a list of ops"):
        create_selective_checkpoint_contexts(3)


def test_a_kept_result_must_not_be_written_to() -> None:
    from gnomon.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

    def function(x, is_written):
        y = x.exp()
        z = y * y
        if is_written:
            with gn.no_grad():
                y.detach().mul_(2)
        return z.sin()

    for allows in (False, True):
        x = leaf(gn, 3)
        output = checkpoint(
            function,
            x,
            True,
            use_reentrant=False,
            context_fn=lambda allows=allows: create_selective_checkpoint_contexts(
                [gn.ops.aten.exp.default], allows
            ),
        )
        if allows:
            output.sum().backward()
        else:
            with pytest.raises(RuntimeError, match="has been mutated"):
                output.sum().backward()
