"""A repeated call behaves as on the readable path."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gnomon as gn
from gnomon.backends.listing import backend_info
from gnomon.calls import launch
from gnomon.memory.accessor import elements
from gnomon.values.dtype import ALL

pytestmark = pytest.mark.both_tiers

aten = gn.ops.aten
C_IS_THERE = backend_info("c").available
DTYPES = [
    each
    for each in ALL
    if each.name in ("bool", "uint8", "int32", "int64", "float16", "float32", "float64", "complex64")
]
BINARY = {
    "add.Tensor": (lambda a, b: a + b, (1,)),
    "sub.Tensor": (lambda a, b: a - b, (1,)),
    "mul.Tensor": (lambda a, b: a * b, ()),
    "div.Tensor": (lambda a, b: a / b, ()),
    "lt.Tensor": (lambda a, b: a < b, ()),
    "eq.Tensor": (lambda a, b: a == b, ()),
    "maximum": (lambda a, b: gn.maximum(a, b), ()),
}


def build(sizes: tuple[int, ...], dtype: gn.dtype, layout: str, device: str) -> gn.Tensor:
    """Small numbers in a layout; no operator overflows on them."""
    count = 1
    for size in sizes:
        count *= size
    numbers = [(7 * i) % 5 + 1 for i in range(max(count, 1) * 2 + 2)]
    flat = gn.tensor(numbers, device=device).to(dtype)
    if layout == "offset":
        return flat[1 : 1 + count].view(sizes)
    if layout == "transposed" and len(sizes) == 2:
        return flat[:count].view(sizes[::-1]).t()
    if layout == "expanded" and sizes:
        return flat[: sizes[-1]].expand(sizes)
    if layout == "gaps" and len(sizes) == 1:
        return flat[: 2 * count : 2]
    return flat[:count].clone().view(sizes)


LAYOUTS = st.sampled_from(["contiguous", "offset", "transposed", "expanded", "gaps"])
SIZES = st.sampled_from([(), (1,), (4,), (2, 3), (3, 1), (1, 3), (0,), (2, 0)])


@pytest.mark.skipif(not C_IS_THERE, reason="only prepared kernels have plans")
@settings(max_examples=300)
@given(
    st.sampled_from(sorted(BINARY)),
    SIZES,
    SIZES,
    LAYOUTS,
    LAYOUTS,
    st.sampled_from(DTYPES),
    st.sampled_from(DTYPES),
)
def test_binary_plans_agree_with_the_readable_path(
    name: str,
    sizes_a: tuple[int, ...],
    sizes_b: tuple[int, ...],
    layout_a: str,
    layout_b: str,
    dtype_a: gn.dtype,
    dtype_b: gn.dtype,
) -> None:
    function, constants = BINARY[name]
    a = build(sizes_a, dtype_a, layout_a, "c")
    b = build(sizes_b, dtype_b, layout_b, "c")
    try:
        expected = aten._find(name).dispatch(a, b, *constants)
    except (RuntimeError, NotImplementedError) as error:
        for _ in range(2):
            with pytest.raises(type(error)):
                function(a, b)
        return
    for _ in range(3):  # the first call makes the plan, the others use it
        result = function(a, b)
        assert result._spec is expected._spec
        assert elements(result) == elements(expected)


@pytest.mark.skipif(not C_IS_THERE, reason="only prepared kernels have plans")
@settings(max_examples=100)
@given(
    st.sampled_from(["add.Tensor", "mul.Tensor", "sub.Tensor", "div.Tensor", "lt.Tensor"]),
    st.sampled_from([gn.int32, gn.float32, gn.float64, gn.float16, gn.bool, gn.uint8]),
    st.sampled_from([1, 1.0, True, 0, 0.0, -0.0, 2.5, -3, 2**53 + 1, float("inf")]),
)
def test_numbers_of_each_type_promote_by_their_type(name: str, dtype: gn.dtype, number: float) -> None:
    function, constants = BINARY[name]
    a = build((3,), dtype, "contiguous", "c")
    try:
        expected = aten._find(name).dispatch(a, number, *constants)
    except RuntimeError:
        return
    for _ in range(3):
        result = function(a, number)
        assert result.dtype is expected.dtype
        assert repr(elements(result)) == repr(elements(expected))  # repr tells 0.0 from -0.0


def test_recording_is_the_same_on_both_paths(device: str) -> None:
    def graph(node: object, depth: int = 4) -> object:
        if node is None or depth == 0:
            return None
        return (node.name(), [graph(next_node, depth - 1) for next_node, _ in node.next_functions])

    def program(x: gn.Tensor, y: gn.Tensor) -> gn.Tensor:
        return ((x * y + 2.0) / x).exp().sum() + (x - y).relu().sum(0).sum()

    shapes = []
    gradients = []
    for _ in range(3):
        x = gn.tensor([1.0, 2.0, 4.0], requires_grad=True)
        y = gn.tensor([3.0, -1.0, 0.5], requires_grad=True)
        result = program(x, y)
        shapes.append(graph(result.grad_fn))
        result.backward()
        gradients.append((x.grad.tolist(), y.grad.tolist()))
    assert shapes[0] == shapes[1] == shapes[2]
    assert gradients[0] == gradients[1] == gradients[2]


def test_grad_mode_and_requires_grad_decide_anew_each_call(device: str) -> None:
    x = gn.ones(3)
    y = gn.ones(3, requires_grad=True)
    for _ in range(2):
        assert not (x + x).requires_grad
        assert (x + y).requires_grad and (y + x).requires_grad and (y * 2.0).requires_grad
        with gn.no_grad():
            assert not (x + y).requires_grad and not (y * 2.0).requires_grad and not y.exp().requires_grad
        assert not (y > x).requires_grad
        assert y.exp().grad_fn.name() == "ExpBackward0"
        assert y.sum().grad_fn is not None and y.view(3, 1).grad_fn.name() == "ViewBackward0"


def test_a_saved_tensor_that_was_modified_is_refused_on_both_paths(device: str) -> None:
    for _ in range(2):
        x = gn.ones(3, requires_grad=True)
        y = x * 2.0
        z = y * y
        with gn.no_grad():
            y.add_(1.0)
        with pytest.raises(RuntimeError, match="is at version 1; expected version 0"):
            z.sum().backward()
        assert x.grad is None


def test_intermediates_are_freed_when_nobody_holds_them(device: str) -> None:
    x = gn.ones(3, requires_grad=True)
    for _ in range(2):
        y = x + 1.0  # add saves neither operand nor result
        freed = weakref.ref(y)
        z = y + 1.0
        del y
        gc.collect()
        assert freed() is None and z.requires_grad


def test_inplace_plans_bump_versions_and_refuse_leaves(device: str) -> None:
    x = gn.ones(3)
    other = gn.tensor([1.0, 2.0, 3.0])
    for step in range(3):
        assert x.add_(other) is x
        assert x._version == step + 1
    assert x.tolist() == [4.0, 7.0, 10.0]
    view = x[1:]
    x.mul_(other)
    assert view.tolist() == [14.0, 30.0] and view._version == x._version
    leaf = gn.ones(3, requires_grad=True)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
            leaf.add_(other)
        with gn.no_grad():
            leaf.add_(other)
    assert leaf.tolist() == [3.0, 5.0, 7.0]


def test_inplace_with_overlapping_operands_is_refused(device: str) -> None:
    for _ in range(2):
        x = gn.arange(5).float()
        with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor"):
            x[1:].add_(x[:-1])
        assert x.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]


@pytest.mark.skipif(not C_IS_THERE, reason="needs an allocator with a limit")
@pytest.mark.parametrize(
    "name, place, others",
    [
        *((name, 2, (0, "index", "source")) for name in ("index_add_", "index_copy_", "scatter_")),
        ("scatter_add_", 2, (0, "index", "source")),
        ("scatter_reduce_", 2, (0, "index", "source", "sum")),
        ("index_reduce_", 2, (0, "index", "source", "prod")),
        ("put_", 1, ("index", "source")),
    ],
)
def test_a_tensor_is_not_its_own_source_after_calls_with_another(
    device: str, name: str, place: int, others: tuple[Any, ...]
) -> None:
    named = {"index": gn.tensor([2, 0, 1], device=device), "source": gn.ones(3, device=device)}
    given = [named.get(each, each) for each in others]
    x = gn.tensor([1.0, 2.0, 3.0], device=device)
    for _ in range(4):
        getattr(x, name)(*given)
    given[place], before = x, x.tolist()
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        getattr(x, name)(*given)
    assert x.tolist() == before


def test_running_out_of_memory_raises_and_leaves_the_operands() -> None:
    with gn.device("c"):
        row = gn.ones(2**23)
        huge = row.expand(2**23, 2**23)  # a view with 2**46 elements
        for _ in range(2):
            with pytest.raises(gn.OutOfMemoryError, match="can not allocate"):
                huge + huge
        assert row[0].item() == 1.0


@pytest.mark.skipif(not C_IS_THERE, reason="needs a second backend")
def test_fallbacks_are_counted_and_refused_by_policy(remove_kernel: Callable[[str, str], None]) -> None:
    with gn.device("c"):
        x = gn.tensor([-2.0, 0.0, 3.0, 1.0, 5.0, -1.0, 2.0])
        for _ in range(3):
            x.sgn()  # has a plan now
        remove_kernel("c", "sgn")
        before = launch.fallbacks["c", "sgn"]
        assert x.sgn().tolist() == [-1.0, 0.0, 1.0, 1.0, 1.0, -1.0, 1.0]
        assert x.sgn().device.type == "c"
        assert launch.fallbacks["c", "sgn"] == before + 2
        gn.set_fallback_policy("error")
        with pytest.raises(NotImplementedError, match="sgn: backend 'c' has no kernel for dtypes"):
            x.sgn()
        assert launch.fallbacks["c", "sgn"] == before + 2
