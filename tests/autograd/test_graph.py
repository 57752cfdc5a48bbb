"""Nodes, edges, metadata, leaves: the graph as users see it."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

pytestmark = pytest.mark.both_tiers


def test_names_and_next_functions(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    y = (x * 2).sum()
    assert y.grad_fn.name() == "SumBackward0"
    (multiply, input_nr), *rest = y.grad_fn.next_functions
    assert multiply.name() == "MulBackward0" and input_nr == 0 and rest == []
    (leaf, leaf_nr), number = multiply.next_functions
    assert "AccumulateGrad" in leaf.name() and leaf.variable is x and leaf_nr == 0
    assert number == (None, 0)
    assert leaf.next_functions == ()


@pytest.mark.parametrize(
    "expression, name",
    [
        ("x.sum()", "SumBackward0"),
        ("x.sum(0)", "SumBackward1"),
        ("x.mean()", "MeanBackward0"),
        ("x.mean(0)", "MeanBackward1"),
        ("x.max()", "MaxBackward1"),
        ("x.max(0)[0]", "MaxBackward0"),
        ("x.t()", "TBackward0"),
        ("x[0]", "SelectBackward0"),
        ("x[:1]", "SliceBackward0"),
        ("x.view(-1)", "ViewBackward0"),
        ("x.reshape(4)", "ViewBackward0"),
        ("x.clone()", "CloneBackward0"),
        ("x @ x", "MmBackward0"),
        ("x.matmul(x[0])", "MvBackward0"),
        ("x.exp()", "ExpBackward0"),
        ("x.pow(2)", "PowBackward0"),
        ("x - x", "SubBackward0"),
        ("lib.rsub(x, x)", "RsubBackward0"),
        ("lib.div(x, x, rounding_mode='floor')", "DivBackward2"),
        ("x.trace()", "TraceBackward0"),
        ("-x", "NegBackward0"),
        ("x / 2", "DivBackward0"),
        ("lib.stack([x, x])", "StackBackward0"),
        ("lib.cat([x, x])", "CatBackward0"),
        ("x.expand(2, 2, 2)", "ExpandBackward0"),
        ("x.unbind(0)[1]", "UnbindBackward0"),
        ("x.split(1)[1]", "SplitBackward0"),
        ("x.chunk(2)[1]", "SplitBackward0"),
        ("x.softmax(0)", "SoftmaxBackward0"),
        ("x.log_softmax(0)", "LogSoftmaxBackward0"),
        ("x.norm()", "LinalgVectorNormBackward0"),
        ("x.var()", "VarBackward0"),
        ("x.std()", "StdBackward0"),
        ("x.permute(1, 0)", "PermuteBackward0"),
        ("x.transpose(0, 1)", "TransposeBackward0"),
        ("x.squeeze()", "SqueezeBackward0"),
        ("x.unsqueeze(0)", "UnsqueezeBackward0"),
        ("x.to(lib.float64)", "ToCopyBackward0"),
        ("lib.where(x > 0, x, 0 * x)", "WhereBackward0"),
        ("lib.nn.functional.relu(x)", "ReluBackward0"),
        ("lib.nn.functional.linear(x, x, x[0])", "AddmmBackward0"),
        ("lib.nn.functional.gelu(x)", "GeluBackward0"),
        ("x.clamp(0, 1)", "ClampBackward1"),
        ("x.prod()", "ProdBackward0"),
        ("x.cumsum(0)", "CumsumBackward0"),
        ("x.sort()[0]", "SortBackward0"),
        ("x.gather(0, lib.zeros(1, 2, dtype=lib.int64))", "GatherBackward0"),
        ("x[lib.tensor([0, 1])]", "IndexBackward0"),
        ("x.index_select(0, lib.tensor([0]))", "IndexSelectBackward0"),
        ("x.contiguous()", None),
        ("x.detach()", None),
    ],
)
def test_the_name_of_a_node(lib: Any, expression: str, name: str | None) -> None:
    x = lib.ones(2, 2, requires_grad=True)
    made = eval(expression, {"lib": lib, "x": x})
    assert (made.grad_fn and made.grad_fn.name()) == name


def test_metadata_is_the_users(lib: Any) -> None:
    node = lib.ones(1, requires_grad=True).exp().grad_fn
    assert node.metadata == {}
    node.metadata["layer"] = 3
    assert node.metadata == {"layer": 3}


def test_sequence_numbers_grow(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    first, second = x.exp(), x.sin()
    assert first.grad_fn._sequence_nr() < second.grad_fn._sequence_nr()


def test_saved_attributes(lib: Any) -> None:
    x, y = lib.tensor([2.0], requires_grad=True), lib.tensor([3.0], requires_grad=True)
    node = (x * y).grad_fn
    assert node._saved_self is x and node._saved_other is y
    result = x.exp()
    assert result.grad_fn._saved_result.tolist() == result.tolist()
    assert result.grad_fn._saved_result.grad_fn is result.grad_fn
    assert x.sum(0, keepdim=True).grad_fn._saved_keepdim is True
    assert x.pow(3).grad_fn._saved_exponent == 3
    assert x.view(1, 1).grad_fn._saved_self_sym_sizes == (1,)


def test_saved_attributes_are_freed_by_backward(lib: Any) -> None:
    x = lib.tensor([2.0], requires_grad=True)
    y = x * x
    y.sum().backward()
    with pytest.raises(RuntimeError, match="after they have already been freed"):
        _ = y.grad_fn._saved_self


def test_numbers_are_kept_after_backward(lib: Any) -> None:
    x = lib.tensor([2.0], requires_grad=True)
    y = x + x
    y.sum().backward()
    y.sum().backward()  # nothing was saved, so nothing is missing
    assert x.grad.tolist() == [4.0]


def test_a_multi_output_node(lib: Any) -> None:
    x = lib.arange(4.0).requires_grad_()
    first, second = x.split(2)
    assert first.grad_fn is second.grad_fn
    assert (first.output_nr, second.output_nr) == (0, 1)
    second.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 1.0, 1.0]


def test_gradient_edges(lib: Any) -> None:
    x = lib.arange(4.0).requires_grad_()
    _, second = (x * 2).split(2)
    edge = lib.autograd.graph.get_gradient_edge(second)
    assert edge.node is second.grad_fn and edge.output_nr == 1
    leaf = lib.autograd.graph.get_gradient_edge(x)
    assert leaf.node.variable is x and leaf.output_nr == 0
    total = second.sum()
    (gradient,) = lib.autograd.grad(total, edge, retain_graph=True)
    assert gradient.tolist() == [1.0, 1.0]
    (gradient,) = lib.autograd.grad(lib.autograd.graph.get_gradient_edge(total), x)
    assert gradient.tolist() == [0.0, 0.0, 2.0, 2.0]


def test_leaf_rules(lib: Any) -> None:
    x = lib.ones(2)
    assert x.is_leaf and not x.requires_grad and x.grad_fn is None
    y = (x * 2).requires_grad_()
    assert y.is_leaf
    z = y * 2
    assert not z.is_leaf and z.requires_grad
    with pytest.raises(RuntimeError, match="only change requires_grad flags of leaf variables"):
        z.requires_grad_(False)
    assert z.detach().is_leaf and not z.detach().requires_grad
    with pytest.raises(RuntimeError, match="floating point"):
        lib.ones(2, dtype=lib.int64).requires_grad_()


def test_requires_grad_of_a_non_leaf_may_be_set_to_true(lib: Any) -> None:
    z = lib.ones(2, requires_grad=True) * 2
    assert z.requires_grad_() is z
    with pytest.raises(RuntimeError, match="leaf variables"):
        z.requires_grad = False


def test_detach_shares_memory_and_version(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    y = x * 1
    version = y._version
    d = y.detach()
    d.add_(1)
    assert y.tolist() == [2.0, 2.0] and y._version == version + 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z = y.exp()
        w = z.sum()
        z.detach().mul_(2)
        w.backward()


def test_data_shares_memory_but_no_version(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    y = x * x
    x.data.mul_(3)
    assert x.tolist() == [3.0, 3.0] and x._version == 0
    y.sum().backward()  # .data hides the write from autograd
    assert x.grad.tolist() == [6.0, 6.0]


def test_grad_of_a_non_leaf_warns(lib: Any) -> None:
    y = lib.ones(1, requires_grad=True) * 2
    with pytest.warns(UserWarning, match="not a leaf Tensor is being accessed"):
        assert y.grad is None


def test_an_intermediate_that_nothing_names_is_freed(lib: Any) -> None:
    x = lib.ones(1000, requires_grad=True)
    middle = x + 1  # add saves nothing, and neither does the sum
    total = middle.sum()
    gone = weakref.ref(middle)
    del middle
    gc.collect()
    assert gone() is None
    total.backward()


class Witness:
    """An object in a Node's metadata, which lives as long as the Node."""


def test_a_node_lives_until_its_graph_is_gone(lib: Any) -> None:
    x = lib.ones(10, requires_grad=True)
    middle = x * 2
    witness = Witness()
    gone = weakref.ref(witness)
    middle.grad_fn.metadata["witness"] = witness
    total = (middle * middle).sum()
    del middle, witness
    gc.collect()
    assert gone() is not None
    total.backward()
    del total
    gc.collect()
    assert gone() is None


def test_no_cycle_through_a_saved_output(lib: Any) -> None:
    gc.collect()
    gc.disable()
    try:
        y = lib.ones(10, requires_grad=True).exp()
        gone = weakref.ref(y)
        del y
        assert gone() is None
    finally:
        gc.enable()


def test_undefined_gradients_are_carried(lib: Any) -> None:
    x = lib.ones(2, 2, requires_grad=True)
    first, _ = x.unbind(0)
    first.sum().backward()  # the second output's gradient is undefined; the formula fills in zeros
    assert x.grad.tolist() == [[1.0, 1.0], [0.0, 0.0]]


def test_a_node_can_be_called(lib: Any) -> None:
    x = lib.tensor([2.0], requires_grad=True)
    y = x * 3
    first, second = y.grad_fn(lib.tensor([10.0]))
    assert first.tolist() == [30.0] and second is None
    assert x.grad is None


def test_nodes_are_nodes(lib: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    assert isinstance((x * 2).grad_fn, lib.autograd.graph.Node)
    assert issubclass(lib.autograd.Function, object)


def test_deepcopy_is_for_leaves(lib: Any) -> None:
    import copy

    x = lib.ones(1, requires_grad=True)
    assert copy.deepcopy(x).requires_grad
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(x * 2)


def test_increment_version(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    y = x * 1
    z = y * y
    lib.autograd.graph.increment_version(y)
    assert y._version == 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_saved_geometry(lib: Any) -> None:
    x, y = lib.ones(2, 3, requires_grad=True), lib.ones(3, 2, requires_grad=True)
    node = (x @ y).grad_fn
    assert tuple(node._saved_self_sym_sizes) == (2, 3) and tuple(node._saved_mat2_sym_strides) == (2, 1)
    assert tuple(x.sum(0).grad_fn._saved_self_sym_sizes) == (2, 3)
    assert [each for each in dir(lib.cat([x, x]).grad_fn) if each.startswith("_saved")] == ["_saved_dim"]


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_a_number_beside_none_gets_the_gradient(lib: Any, name: str) -> None:
    one = lib.tensor([1.0, float("nan"), 2.0], requires_grad=True)
    other = lib.tensor([float("nan"), 1.0, 2.0], requires_grad=True)
    getattr(lib, name)(one, other).sum().backward()
    assert one.grad.tolist() == other.grad.tolist() == [1.0, 1.0, 0.5]


def test_a_product_of_one_factor_passes_the_gradient(lib: Any) -> None:
    x = lib.tensor([[float("inf"), float("nan"), 2.0]], requires_grad=True)
    x.cumprod(0).sum().backward()
    assert x.grad.tolist() == [[1.0, 1.0, 1.0]]
