"""einsum: the results of equations, with new plans and with cached ones."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

import gnomon as gn
from gnomon.ops.linalg import einsum as einsum_module

# equation, sizes of the operands, strides of the result (PyTorch's)
CASES: list[tuple[str, list[tuple[int, ...]], tuple[int, ...]]] = [
    ("ij,jk->ik", [(2, 3), (3, 4)], (4, 1)),
    ("ij,jk->ki", [(2, 3), (3, 4)], (2, 1)),
    ("ij,ij->i", [(2, 3), (2, 3)], (1,)),
    ("ij,ji->", [(2, 3), (3, 2)], ()),
    ("i,i", [(3,), (3,)], ()),
    ("bij,bjk->bik", [(2, 2, 3), (2, 3, 4)], (8, 4, 1)),
    ("bij,bjk->ikb", [(2, 2, 3), (2, 3, 4)], (4, 1, 8)),
    ("bhid,bhjd->bihj", [(2, 3, 2, 4), (2, 3, 5, 4)], (30, 5, 10, 1)),
    ("ij,jk->ik", [(2, 1), (3, 4)], (4, 1)),
    ("ij,jk->ik", [(1, 3), (3, 1)], (1, 1)),
    ("ij,jk->ik", [(2, 0), (0, 4)], (4, 1)),
    ("ijk,jl->il", [(2, 3, 2), (3, 4)], (4, 1)),
    ("ii,ij->j", [(3, 3), (3, 2)], (1,)),
    ("iji,jk->ik", [(2, 3, 2), (3, 2)], (2, 1)),
    ("...ij,...jk->...ik", [(2, 1, 2, 3), (4, 3, 2)], (16, 2, 8, 1)),
    ("...i,i->...", [(2, 3), (3,)], (1,)),
    ("i,j->ji", [(2,), (3,)], (2, 1)),
    ("ij,j->ij", [(2, 3), (3,)], (3, 1)),
    ("ij->ji", [(2, 3)], (1, 3)),
    ("ij->j", [(2, 3)], (1,)),
    ("ii", [(3, 3)], ()),
    ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 2)], (2, 1)),
    ("a,b,ab->", [(2,), (3,), (2, 3)], ()),
    ("ij,kj,ik->i", [(2, 3), (4, 3), (2, 4)], (1,)),
]


def operands(sizes: list[tuple[int, ...]], device: str) -> list[gn.Tensor]:
    made = []
    for number, size in enumerate(sizes):
        count = math.prod(size)
        numbers = [(7 * k + 3 * number) % 5 - 2.0 for k in range(count)]
        made.append(gn.tensor(numbers, device=device).reshape(size))
    return made


def spelled_out(equation: str, tensors: list[gn.Tensor]) -> dict[tuple[int, ...], float]:
    """The result by index: a sum over all values of all subscripts. The equation has no ellipsis."""
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    letters = sorted(set("".join(terms)))
    if not arrow:
        right = "".join(each for each in letters if left.count(each) == 1)
    extent = dict.fromkeys(letters, 1)
    for term, tensor in zip(terms, tensors):
        for letter, size in zip(term, tensor.shape):
            extent[letter] = size if extent[letter] == 1 else extent[letter]
    lists = [tensor.tolist() for tensor in tensors]
    sums: dict[tuple[int, ...], float] = {}
    for chosen in itertools.product(*(range(extent[letter]) for letter in letters)):
        where = dict(zip(letters, chosen))
        value = 1.0
        for term, tensor, numbers in zip(terms, tensors, lists):
            each: Any = numbers
            for letter, size in zip(term, tensor.shape):
                each = each[where[letter] if size != 1 else 0]
            value *= each
        place = tuple(where[letter] for letter in right)
        sums[place] = sums.get(place, 0.0) + value
    return sums


@pytest.mark.parametrize(("equation", "sizes", "strides"), CASES)
def test_sums_of_products(
    equation: str, sizes: list[tuple[int, ...]], strides: tuple[int, ...], device: str
) -> None:
    tensors = operands(sizes, device)
    results = [gn.einsum(equation, *tensors), gn.einsum(equation, tensors)]  # a new plan, a cached one
    for result in results:
        assert result.stride() == strides
        assert result.dtype is gn.float32
        if "..." not in equation:
            for place, value in spelled_out(equation, tensors).items():
                assert result[place].item() == value
    if equation == "...ij,...jk->...ik":
        assert gn.equal(results[0], tensors[0] @ tensors[1])
    if equation == "...i,i->...":
        assert gn.equal(results[0], tensors[0] @ tensors[1])


@pytest.mark.parametrize(("equation", "sizes", "strides"), CASES)
def test_operands_may_lie_in_any_order(
    equation: str, sizes: list[tuple[int, ...]], strides: tuple[int, ...], device: str
) -> None:
    tensors = operands(sizes, device)
    turned = []
    for each in tensors:
        order = list(reversed(range(each.ndim)))
        turned.append(each.permute(order).contiguous().permute(order))
    assert gn.equal(gn.einsum(equation, *turned), gn.einsum(equation, *tensors))


@pytest.mark.parametrize(("equation", "sizes", "strides"), CASES)
def test_gradients(
    equation: str, sizes: list[tuple[int, ...]], strides: tuple[int, ...], device: str
) -> None:
    """The gradient for one operand is a sum of products of the others."""
    tensors = [each.requires_grad_() for each in operands(sizes, device)]
    result = gn.einsum(equation, *tensors)
    gradients = gn.autograd.grad(result.sum(), tensors)
    for tensor, gradient in zip(tensors, gradients):
        assert gradient.shape == tensor.shape
        # Euler: a function that is linear in the operand is the inner product with its gradient
        assert (gradient * tensor).sum().item() == result.sum().item()


def test_one_operand_is_shown_and_not_copied(device: str) -> None:
    x = operands([(2, 3)], device)[0]
    for equation in ("ij->ij", "ij->ji"):
        result = gn.einsum(equation, x)
        assert result.data_ptr() == x.data_ptr()
        assert result._base is x._base
    square = operands([(3, 3)], device)[0]
    diagonal = gn.einsum("ii->i", square)
    diagonal.fill_(9.0)
    assert [square[k, k].item() for k in range(3)] == [9.0, 9.0, 9.0]


def test_two_operands_share_no_memory_with_the_result(device: str) -> None:
    x, y = operands([(1, 1), (1, 1)], device)
    result = gn.einsum("ij,jk->ik", x, y)
    assert result.data_ptr() not in (x.data_ptr(), y.data_ptr())
    assert not result._is_view()


def test_a_plan_is_made_once_for_sizes_whatever_the_dtypes(device: str) -> None:
    einsum_module._plan.cache_clear()
    for dtype in (gn.float32, gn.float64, gn.int64):
        x, y = (each.to(dtype) for each in operands([(2, 3), (3, 4)], device))
        result = gn.einsum("ij,jk->ik", x, y)
        assert result.dtype is dtype
        assert gn.equal(result, x @ y)
    assert einsum_module._plan.cache_info().misses == 1
    gn.einsum("ij,jk->ik", *operands([(3, 3), (3, 3)], device))
    assert einsum_module._plan.cache_info().misses == 2


@pytest.mark.parametrize(
    ("equation", "sizes", "text"),
    [
        ("ij,jk->ik", [(2, 3), (4, 4)], "subscript j has size 4 for operand 1 which does not broadcast"),
        ("ij", [(2,)], "the number of subscripts in the equation (2) does not match"),
        ("i,j", [(2,)], "fewer operands were provided"),
        ("i", [(2,), (2,)], "more operands were provided"),
        ("ii->i", [(2, 3)], "subscript i is repeated for an operand but the sizes don't match, 3 != 2"),
        ("ij->kk", [(2, 3)], "output subscript k appears more than once"),
        ("ij->k", [(2, 3)], "output subscript k does not appear"),
        ("i.j->ij", [(2, 3)], "that is not part of any ellipsis"),
    ],
)
def test_what_does_not_fit_is_refused_each_time(
    equation: str, sizes: list[tuple[int, ...]], text: str, device: str
) -> None:
    for _ in range(2):
        with pytest.raises(RuntimeError) as caught:
            gn.einsum(equation, *operands(sizes, device))
        assert text in str(caught.value)
