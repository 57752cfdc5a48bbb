"""autograd: the graph, its rules, and the state after a failed backward."""

from __future__ import annotations

import gc
import weakref

import pytest

import gnomon as gn
from gnomon.autograd import gradcheck, gradgradcheck
from gnomon.autograd.node import AccumulateGrad
from time_limits import join, start


def leaf(*numbers: float) -> gn.Tensor:
    return gn.tensor(list(numbers), requires_grad=True)


def test_nodes_edges_and_names(device: str) -> None:
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    z = (x * y).exp()
    assert z.grad_fn.name() == "ExpBackward0"
    (mul, input_nr), *rest = z.grad_fn.next_functions
    assert mul.name() == "MulBackward0" and input_nr == 0 and not rest
    accumulators = [node for node, _ in mul.next_functions]
    assert [type(node) for node in accumulators] == [AccumulateGrad, AccumulateGrad]
    assert accumulators[0].variable is x and accumulators[1].variable is y
    assert (x + 1).grad_fn.next_functions[1] == (None, 0)
    assert x.is_leaf and not z.is_leaf and x.grad_fn is None and z.output_nr == 0
    assert mul._saved_other.tolist() == [3.0, 4.0]
    values, indices = gn.stack([x, y]).max(0)
    assert values.requires_grad and not indices.requires_grad


def test_a_leaf_has_one_accumulator_and_no_cycle_with_it(device: str) -> None:
    x = leaf(1.0)
    y, z = x * 2, x * 3
    accumulator = y.grad_fn.next_functions[0][0]
    assert accumulator is z.grad_fn.next_functions[0][0] and accumulator.variable is x
    freed = weakref.ref(x)
    gc.disable()
    try:
        del x
        assert freed() is None and accumulator.variable is None
    finally:
        gc.enable()
    (y + z).sum().backward()  # the leaf is freed, so its gradient is dropped


def test_gradients_accumulate_in_the_tensor_that_is_there(device: str) -> None:
    x = leaf(1.0, 2.0)
    (x * x).sum().backward()
    first = x.grad
    (x * 3.0).sum().backward()
    assert x.grad is first and first.tolist() == [5.0, 7.0]
    assert x.grad.is_leaf and not x.grad.requires_grad


def test_gradients_of_two_leaves_never_share_memory(device: str) -> None:
    x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
    seed = gn.ones(2)
    (x + y).backward(seed)
    x.grad.add_(10.0)
    assert y.grad.tolist() == [1.0, 1.0] and seed.tolist() == [1.0, 1.0]


def test_broadcasting_is_undone_by_the_engine(device: str) -> None:
    x, y = gn.ones(2, 1, requires_grad=True), gn.ones(3, requires_grad=True)
    (x * y).sum().backward()
    assert x.grad.tolist() == [[3.0], [3.0]] and y.grad.tolist() == [2.0, 2.0, 2.0]
    half = gn.ones(2, dtype=gn.float16, requires_grad=True)
    (half * gn.ones(2)).sum().backward()
    assert half.grad.dtype is gn.float16


def test_backward_twice_needs_retain_graph(device: str) -> None:
    x = leaf(2.0)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.tolist() == [8.0]
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()
    assert x.grad.tolist() == [8.0]


def test_a_failing_backward_leaves_every_grad_as_it_was(device: str) -> None:
    x, y = leaf(2.0), leaf(3.0)
    (x * y).sum().backward()
    kept = (x.grad, y.grad)
    z = x * y
    broken = y.exp() * y.exp()
    total = (z * 2).sum() + broken.sum()
    broken.grad_fn.next_functions[0][0].release_variables()
    with pytest.raises(RuntimeError, match="second time"):
        total.backward()
    assert x.grad is kept[0] and y.grad is kept[1]
    assert x.grad.tolist() == [3.0] and y.grad.tolist() == [2.0]


def test_roots_are_checked(device: str) -> None:
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        (x * 2).backward()
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        gn.ones(1).backward()
    with pytest.raises(RuntimeError, match=r"Mismatch in shape: grad_output\[0\]"):
        (x * 2).backward(gn.ones(3))
    with pytest.raises(RuntimeError, match="real scalar outputs"):
        (x[0] * 1j).backward()


def test_grad_does_not_touch_grad(device: str) -> None:
    x, y, unused = leaf(1.0), leaf(2.0), leaf(3.0)
    z = (x * x * y).sum()
    gradients = gn.autograd.grad(z, [x, y], retain_graph=True)
    assert [each.tolist() for each in gradients] == [[4.0], [1.0]]
    assert x.grad is None and y.grad is None
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        gn.autograd.grad(z, [unused], retain_graph=True)
    assert gn.autograd.grad(z, [unused], retain_graph=True, allow_unused=True) == (None,)
    (zeros,) = gn.autograd.grad(z, [unused], retain_graph=True, materialize_grads=True)
    assert zeros.tolist() == [0.0]
    with pytest.raises(RuntimeError, match="does not require grad"):
        gn.autograd.grad(z, [gn.ones(1)])


def test_gradients_of_intermediates_and_of_some_inputs(device: str) -> None:
    x = leaf(3.0)
    middle = x * x
    end = (middle * middle).sum()
    assert gn.autograd.grad(end, middle, retain_graph=True)[0].tolist() == [18.0]
    assert gn.autograd.grad(end, [x, middle], retain_graph=True)[0].tolist() == [108.0]
    y = leaf(1.0)
    ((x * y).sum() + end).backward(inputs=[x])
    assert x.grad.tolist() == [109.0] and y.grad is None


def test_double_backward(device: str) -> None:
    x = leaf(2.0)
    (first,) = gn.autograd.grad((x**3).sum(), x, create_graph=True)
    assert first.tolist() == [12.0] and first.requires_grad
    (second,) = gn.autograd.grad(first.sum(), x, create_graph=True)
    assert second.tolist() == [12.0]
    (third,) = gn.autograd.grad(second.sum(), x)
    assert third.tolist() == [6.0] and not third.requires_grad


def test_exp_keeps_its_result_without_keeping_itself_alive(device: str) -> None:
    x = leaf(1.0)
    y = x.exp()
    node = weakref.ref(y.grad_fn)
    gc.disable()
    try:
        del y
        assert node() is None  # no reference cycle between a Node and its saved output
    finally:
        gc.enable()


def test_grad_mode_is_per_thread_and_nests() -> None:
    assert gn.is_grad_enabled()
    with gn.no_grad():
        assert not gn.is_grad_enabled()
        with gn.enable_grad():
            assert gn.is_grad_enabled()
        seen = []
        join(start(lambda: seen.append(gn.is_grad_enabled())))
        assert seen == [True]
        assert not gn.is_grad_enabled()

    @gn.no_grad()
    def quiet(x: gn.Tensor) -> gn.Tensor:
        return x * 2

    assert not quiet(leaf(1.0)).requires_grad and gn.is_grad_enabled()
    with pytest.raises(ValueError), gn.no_grad():
        raise ValueError
    assert gn.is_grad_enabled()
    gn.set_grad_enabled(False)
    assert not gn.is_grad_enabled()
    gn.set_grad_enabled(True)


def test_leaf_rules(device: str) -> None:
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"):
        x.mul_(2.0)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        x[0].mul_(2.0)
    y = x * 2
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        y.requires_grad_(False)
    with pytest.raises(RuntimeError, match="only Tensors of floating point and complex dtype"):
        gn.ones(1, dtype=gn.int64).requires_grad_()
    assert not y.detach().requires_grad and y.detach().data_ptr() == y.data_ptr()
    with pytest.raises(RuntimeError, match=r"out=\.\.\. arguments don't support automatic differentiation"):
        gn.add(x, x, out=gn.empty(1))


def test_inplace_changes_the_history(device: str) -> None:
    x = leaf(2.0, 3.0)
    y = x * 1.0
    y.mul_(x)
    assert y.grad_fn.name() == "MulBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [4.0, 6.0]


def test_inplace_on_a_view_changes_the_base(device: str) -> None:
    x = leaf(1.0, 2.0, 3.0)
    base = x * 1.0
    view = base[1:]
    other = base[:2]
    view.mul_(gn.tensor([10.0, 100.0]))
    assert base.tolist() == [1.0, 20.0, 300.0]
    assert base.grad_fn.name() == "CopySlices" and view._base is base
    assert other.grad_fn.name() == "AsStridedBackward0"  # the old one was stale and is replaced
    (base.sum() + other.sum()).backward()
    assert x.grad.tolist() == [2.0, 20.0, 100.0]


def test_writing_a_variable_into_a_constant_makes_it_one(device: str) -> None:
    x = leaf(5.0)
    base = gn.zeros(3)
    base[1] = x[0] * 2
    assert base.requires_grad
    (base * gn.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [20.0]


def test_transposed_base_and_view_of_a_view(device: str) -> None:
    x = gn.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    base = x.t() * 1.0  # transposed in memory
    base[1:].t()[0].mul_(7.0)
    (base * base).sum().backward()
    expected = [[2.0, 2 * 2.0 * 49, 2 * 3.0 * 49], [8.0, 10.0, 12.0]]
    assert x.grad.tolist() == expected


def test_hooks_and_retain_grad(device: str) -> None:
    x = leaf(1.0, 2.0)
    seen = []
    y = x * 2
    y.retain_grad()
    handle = y.register_hook(lambda gradient: seen.append(gradient.tolist()))
    x.register_hook(lambda gradient: gradient * 10)
    y.sum().backward()
    assert seen == [[1.0, 1.0]] and y.grad.tolist() == [1.0, 1.0] and x.grad.tolist() == [20.0, 20.0]
    handle.remove()
    (y * 1.0).sum()
    (x * 2).sum().backward()
    assert len(seen) == 1
    with pytest.raises(RuntimeError, match="doesn't require gradient"):
        gn.ones(1).register_hook(print)


def test_a_graph_of_a_million_nodes_runs_and_is_freed_without_recursion() -> None:
    x = leaf(1.0)
    first = x + 1.0
    y = first
    for _ in range(1_000_000):
        y = y + 1.0
    y.sum().backward()
    assert x.grad.tolist() == [1.0]
    gone = weakref.ref(first.grad_fn)
    del y, first
    gc.collect()
    assert gone() is None


def test_diamonds_run_each_node_once_in_reverse_order(device: str) -> None:
    x = leaf(2.0)
    order = []
    a = x * 3.0
    b, c = a.exp(), a * a
    for name, tensor in (("a", a), ("b", b), ("c", c)):
        tensor.register_hook(lambda gradient, name=name: order.append(name))
    (b + c).sum().backward()
    assert order == ["c", "b", "a"]


def test_assigning_grad_is_checked(device: str) -> None:
    x = leaf(1.0, 2.0)
    x.grad = gn.ones(2)
    with pytest.raises(RuntimeError, match="different size"):
        x.grad = gn.ones(3)
    with pytest.raises(RuntimeError, match="different type"):
        x.grad = gn.ones(2, dtype=gn.float64)
    with pytest.raises(TypeError, match="Tensor or None"):
        x.grad = 1.0
    x.grad = None
    assert x.grad is None


def test_gradcheck_tells_right_from_wrong() -> None:
    x = gn.tensor([0.5, -1.5, 2.0], dtype=gn.float64, requires_grad=True)
    assert gradcheck(lambda a: a.exp() * a, [x]) and gradgradcheck(lambda a: a.exp() * a, [x])
    assert gradcheck(lambda a: (a * (1 + 2j)).abs(), [x])
    z = gn.tensor([1 + 2j, -0.5 + 0.3j], dtype=gn.complex128, requires_grad=True)
    assert gradcheck(lambda a: (a * a.conj()).real, [z]) and gradcheck(lambda a: a * a, [z])

    def wrong(a: gn.Tensor) -> gn.Tensor:
        return a * a.detach()

    with pytest.raises(RuntimeError, match="Jacobian mismatch for output 0 with respect to input 0"):
        gradcheck(wrong, [x])
    assert not gradcheck(wrong, [x], raise_exception=False)
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        gradcheck(wrong, [x.detach()])
    with pytest.warns(UserWarning, match="not a double precision"):
        gradcheck(lambda a: a * 2, [leaf(1.0)], eps=1e-2, atol=1e-2)


def test_a_retained_gradient_is_a_tensor_of_its_own(device: str) -> None:
    x = leaf(1.0, 1.0)
    y = x * 2
    y.retain_grad()
    y.sum().backward()
    assert y.grad.stride() == (1,)
    y.grad[0] = 5.0
    assert y.grad.tolist() == [5.0, 1.0] and x.grad.tolist() == [2.0, 2.0]


def test_the_gradient_of_a_deviation_of_0_is_0(device: str) -> None:
    x = gn.ones(2, 3, requires_grad=True)
    x.std(1).sum().backward()
    assert x.grad.tolist() == [[0.0] * 3] * 2
