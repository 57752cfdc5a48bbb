"""Einstein summation: a formula of subscripts, worked out as matrix products.

Each pair of operands becomes one bmm: subscripts that stand in both and are kept make the batch, those that
stand in both and are not kept are summed by the product, the others make its rows and columns.

Source: aten/src/ATen/native/Linear.cpp (einsum, sumproduct_pair).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from ..dispatch.dispatcher import aten
from ..kit.native import native_function

ELLIPSIS = "."  # in lists of subscripts: the dimensions that "..." stands for, one for each


def _parse(term: str, what: str) -> list[str]:
    """The subscripts of one operand or of the output; "..." becomes one ELLIPSIS.  Raises RuntimeError."""
    subscripts: list[str] = []
    position = 0
    while position < len(term):
        letter = term[position]
        if letter == " ":
            position += 1
        elif letter == ".":
            if term[position : position + 3] != "...":
                raise RuntimeError(f"einsum(): found '.' for {what} that is not part of any ellipsis")
            if ELLIPSIS in subscripts:
                raise RuntimeError(f"einsum(): found '.' for {what} for which an ellipsis was already found")
            subscripts.append(ELLIPSIS)
            position += 3
        elif letter.isascii() and letter.isalpha():
            subscripts.append(letter)
            position += 1
        else:
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {position} in the equation string for {what}, "
                "subscripts must be in [a-zA-Z]"
            )
    return subscripts


def _output_subscripts(terms: Sequence[Sequence[str]]) -> list[str]:
    """The output of an equation without an arrow: what stands once, in alphabetical order."""
    everything = [letter for term in terms for letter in term]
    once = sorted(letter for letter in set(everything) - {ELLIPSIS} if everything.count(letter) == 1)
    return [ELLIPSIS, *once] if ELLIPSIS in everything else once


@functools.lru_cache(256)
def _formula(equation: str) -> tuple[list[list[str]], list[str], list[str]]:
    """The subscripts of each operand and of the output, and those that are summed over: never written to.

    Raises RuntimeError for what is no equation.
    """
    left, arrow, right = equation.partition("->")
    terms = [_parse(term, f"operand {number}") for number, term in enumerate(left.split(","))]
    output = _parse(right, "the output") if arrow else _output_subscripts(terms)
    return terms, output, sorted({letter for term in terms for letter in term} - set(output))


def _check_output(output: Sequence[str], terms: Sequence[Sequence[str]]) -> None:
    for letter in output:
        if output.count(letter) > 1:
            raise RuntimeError(f"einsum(): output subscript {letter} appears more than once in the output")
        if letter != ELLIPSIS and not any(letter in term for term in terms):
            raise RuntimeError(
                f"einsum(): output subscript {letter} does not appear in the equation for any input operand"
            )


def _labels(order: Sequence[str], covered: int) -> list[Any]:
    """Subscripts with the ellipsis written out: (ELLIPSIS, i) for the i-th dimension that it covers."""
    labels: list[Any] = []
    for letter in order:
        labels.extend([(ELLIPSIS, i) for i in range(covered)] if letter == ELLIPSIS else [letter])
    return labels


def _aligned(operand: Any, term: Sequence[str], covered: int, most: int, labels: Sequence[Any]) -> Any:
    """The operand with one dimension for each of ``labels``, of size 1 where it has no such subscript.

    A subscript that stands twice means the diagonal.
    """
    mine: list[Any] = []
    for letter in term:
        if letter == ELLIPSIS:
            mine.extend((ELLIPSIS, most - covered + i) for i in range(covered))
        elif letter in mine:
            first, second = mine.index(letter), len(mine)
            if operand.size(first) != operand.size(second):
                raise RuntimeError(
                    f"einsum(): subscript {letter} is repeated for an operand but the sizes don't match, "
                    f"{operand.size(second)} != {operand.size(first)}"
                )
            operand = operand.diagonal(0, first, second).movedim(-1, first)
        else:
            mine.append(letter)
    missing = [label for label in labels if label not in mine]
    operand = operand.permute([mine.index(label) for label in labels if label in mine])
    for position, label in enumerate(labels):
        if label in missing:
            operand = operand.unsqueeze(position)
    return operand


def _check_sizes(operands: Sequence[Any], labels: Sequence[Any]) -> None:
    """The operands' dimensions have to broadcast."""
    for position, label in enumerate(labels):
        size = 1
        for number, operand in enumerate(operands):
            each = operand._spec.sizes[position]
            if each != 1 and size not in (1, each):
                raise RuntimeError(
                    f"einsum(): subscript {label[0]} has size {each} for operand {number} which does not "
                    f"broadcast with previously seen size {size}"
                )
            size = each if size == 1 else size


def _sum_of_products(left: Any, right: Any, summed: Sequence[int]) -> Any:
    """The product of two tensors with the same dimensions (of size 1 where they repeat), summed over some.

    The summed dimensions stay, with size 1.
    """
    for dim in summed:  # what only one of them has can be summed first
        if left._spec.sizes[dim] != 1 and right._spec.sizes[dim] == 1:
            left = aten.sum.dim_IntList(left, (dim,), True, None)
        elif right._spec.sizes[dim] != 1 and left._spec.sizes[dim] == 1:
            right = aten.sum.dim_IntList(right, (dim,), True, None)
    mine, others = left._spec.sizes, right._spec.sizes
    shared = [dim for dim in range(len(mine)) if mine[dim] != 1 and others[dim] != 1]
    contracted = [dim for dim in shared if dim in summed]
    kept = [dim for dim in range(len(mine)) if dim not in summed]
    if not contracted:
        return aten.mul.Tensor(left, right)
    batch = [dim for dim in shared if dim not in summed]
    rows = [dim for dim in kept if mine[dim] != 1 and dim not in batch]
    columns = [dim for dim in kept if dim not in batch and dim not in rows]
    if rows and columns and columns[0] < rows[0] and others[columns[0]] != 1:
        return _sum_of_products(right, left, summed)  # so that the result lies as it is asked for

    def count(sizes: Sequence[int], dims: Sequence[int]) -> int:
        return math.prod([sizes[dim] for dim in dims])

    shapes = [count(mine, batch), count(mine, rows), count(mine, contracted), count(others, columns)]
    idle = [dim for dim in summed if dim not in contracted]
    first = left.permute([*batch, *rows, *contracted, *columns, *idle]).reshape(shapes[:3])
    second = right.permute([*batch, *contracted, *columns, *rows, *idle]).reshape((shapes[0], *shapes[2:]))
    product = aten.bmm.default(first, second)
    order = [*batch, *rows, *columns, *summed]
    sizes = [(others[dim] if mine[dim] == 1 else mine[dim]) if dim in kept else 1 for dim in order]
    return product.view(sizes).permute([order.index(dim) for dim in range(left.ndim)])


def _einsum(equation: str, tensors: Sequence[Any], path: Sequence[int] | None) -> Any:
    if not isinstance(equation, str):
        raise TypeError(
            f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}"
        )
    if not tensors:
        raise RuntimeError("einsum(): must provide at least one operand")
    terms, output, summed_letters = _formula(equation)
    if len(terms) != len(tensors):
        more = "fewer" if len(tensors) < len(terms) else "more"
        raise RuntimeError(f"einsum(): {more} operands were provided than specified in the equation")
    covered = []
    for number, (term, tensor) in enumerate(zip(terms, tensors)):
        named = len(term) - (ELLIPSIS in term)
        if tensor.ndim < named or (ELLIPSIS not in term and tensor.ndim != named):
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({named}) does not match the number of "
                f"dimensions ({tensor.ndim}) for operand {number}"
                + (" and no ellipsis was given" if ELLIPSIS not in term else "")
            )
        covered.append(tensor.ndim - named)
    _check_output(output, terms)
    most = max(covered)
    kept = _labels(output, most)
    labels = [*kept, *_labels(summed_letters, most)]
    operands = [
        _aligned(tensor, term, count, most, labels) for tensor, term, count in zip(tensors, terms, covered)
    ]
    _check_sizes(operands, labels)
    # where each summed subscript stands for the last time: behind that operand it can be summed
    last = {
        dim: max(
            number for number, operand in enumerate(operands) if operand._spec.sizes[dim] != 1 or number == 0
        )
        for dim in range(len(kept), len(labels))
    }
    result = operands[0]
    ready = [dim for dim, number in last.items() if number == 0]
    if len(operands) == 1:
        return aten.sum.dim_IntList(result, ready, False, None) if ready else result
    if ready:
        result = aten.sum.dim_IntList(result, ready, True, None)
    for number, operand in enumerate(operands[1:], 1):
        result = _sum_of_products(result, operand, [dim for dim, where in last.items() if where == number])
    for _ in range(len(kept), len(labels)):
        result = result.squeeze(-1)
    return result


einsum = native_function(
    "einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor",
    composite=_einsum,
    doc="""The sum of products that ``equation`` names: ``"ij,jk->ik"`` is the matrix product.

    A letter stands for a dimension; those that are not in the output are summed over; one that stands twice
    in an operand means its diagonal; "..." stands for the dimensions that are not named, which broadcast.
    Without "->" the output is what stands once, in alphabetical order.  Operands are multiplied from left to
    right, whatever ``path`` says.  Raises RuntimeError for what does not fit.""",
)
