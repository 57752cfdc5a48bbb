"""einsum, computed by matrix products.

Each pair of operands becomes one bmm: subscripts of both that are kept form the batch, subscripts of both
that are not kept are contracted, and the others form rows and columns.

Source: aten/src/ATen/native/Linear.cpp (einsum, sumproduct_pair).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...calls.native import native_function
from ...dispatch.dispatcher import aten
from ...values.geometry import Ints

ELLIPSIS = "."  # in a list of subscripts, stands for all dimensions that "..." covers


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
    """The output of an equation without an arrow: the subscripts that occur once, in alphabetical order."""
    everything = [letter for term in terms for letter in term]
    once = sorted(letter for letter in set(everything) - {ELLIPSIS} if everything.count(letter) == 1)
    return [ELLIPSIS, *once] if ELLIPSIS in everything else once


@functools.lru_cache(256)
def _formula(equation: str) -> tuple[list[list[str]], list[str], list[str]]:
    """The subscripts of each operand, of the output, and those summed over.  The lists are cached: do not
    modify them.

    Raises RuntimeError for an invalid equation.
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
    """Subscripts with the ellipsis expanded to (ELLIPSIS, i) for the i-th dimension that it covers."""
    labels: list[Any] = []
    for letter in order:
        labels.extend([(ELLIPSIS, i) for i in range(covered)] if letter == ELLIPSIS else [letter])
    return labels


class _Alignment(NamedTuple):
    """How one operand gets one dimension for each label: diagonals for repeated subscripts, then a
    permutation, then dimensions of size 1 for the labels that it lacks.

    ``sizes`` are its sizes afterwards.
    """

    diagonals: tuple[tuple[int, int], ...]
    order: Ints
    missing: Ints
    sizes: Ints

    def apply(self, operand: Any) -> Any:
        operand = self.diagonal_of(operand).permute(self.order)
        for position in self.missing:
            operand = operand.unsqueeze(position)
        return operand

    def diagonal_of(self, operand: Any) -> Any:
        for first, second in self.diagonals:
            operand = operand.diagonal(0, first, second).movedim(-1, first)
        return operand

    def own(self, order: Sequence[int]) -> Ints:
        """The permutation of the operand's own dimensions that equals ``order`` of the aligned ones."""
        present = [position for position in range(len(self.sizes)) if position not in self.missing]
        return tuple([self.order[present.index(position)] for position in order if position in present])


def _align(sizes: Ints, term: Sequence[str], covered: int, most: int, labels: Sequence[Any]) -> _Alignment:
    mine: list[Any] = []
    left = list(sizes)  # after taking diagonals
    diagonals = []
    for letter in term:
        if letter == ELLIPSIS:
            mine.extend((ELLIPSIS, most - covered + i) for i in range(covered))
        elif letter in mine:
            first, second = mine.index(letter), len(mine)
            if left[first] != left[second]:
                raise RuntimeError(
                    f"einsum(): subscript {letter} is repeated for an operand but the sizes don't match, "
                    f"{left[second]} != {left[first]}"
                )
            diagonals.append((first, second))
            del left[second]
        else:
            mine.append(letter)
    order = [mine.index(label) for label in labels if label in mine]
    missing = [position for position, label in enumerate(labels) if label not in mine]
    aligned = [left[mine.index(label)] if label in mine else 1 for label in labels]
    return _Alignment(tuple(diagonals), tuple(order), tuple(missing), tuple(aligned))


def _check_sizes(operands: Sequence[Ints], labels: Sequence[Any]) -> None:
    """Raises RuntimeError unless the operands' dimensions broadcast."""
    for position, label in enumerate(labels):
        size = 1
        for number, sizes in enumerate(operands):
            each = sizes[position]
            if each != 1 and size not in (1, each):
                raise RuntimeError(
                    f"einsum(): subscript {label[0]} has size {each} for operand {number} which does not "
                    f"broadcast with previously seen size {size}"
                )
            size = each if size == 1 else size


class _Pair(NamedTuple):
    """The product of two aligned tensors (size 1 broadcasts), summed over some dimensions, which are kept
    with size 1.

    first_sums, second_sums  dimensions that only one operand has, summed before the product
    orders, shapes           the permutation and shape of each operand for bmm; orders is None for an
                             elementwise product
    sizes, order             the view and the permutation of the bmm's result
    kept                     how many of ``sizes``, at the front, are not summed over
    is_swapped               the second operand is the bmm's first
    """

    first_sums: Ints
    second_sums: Ints
    orders: tuple[Ints, Ints] | None = None
    shapes: tuple[Ints, Ints] = ((), ())
    sizes: Ints = ()
    order: Ints = ()
    kept: int = 0
    is_swapped: bool = False

    def apply(self, first: Any, second: Any) -> Any:
        for dim in self.first_sums:
            first = aten.sum.dim_IntList(first, (dim,), True, None)
        for dim in self.second_sums:
            second = aten.sum.dim_IntList(second, (dim,), True, None)
        if self.orders is None:
            return aten.mul.Tensor(first, second)
        if self.is_swapped:
            first, second = second, first
        first = first.permute(self.orders[0]).reshape(self.shapes[0])
        second = second.permute(self.orders[1]).reshape(self.shapes[1])
        return aten.bmm.default(first, second).view(self.sizes).permute(self.order)


def _pair(first: Ints, second: Ints, summed: Sequence[int]) -> tuple[_Pair, Ints]:
    """The _Pair for operands of these sizes, and the sizes of its result."""
    first_sums = tuple([dim for dim in summed if first[dim] != 1 and second[dim] == 1])
    second_sums = tuple([dim for dim in summed if first[dim] == 1 and second[dim] != 1])
    mine = [1 if dim in first_sums else size for dim, size in enumerate(first)]
    others = [1 if dim in second_sums else size for dim, size in enumerate(second)]
    shared = [dim for dim in range(len(mine)) if mine[dim] != 1 and others[dim] != 1]
    contracted = [dim for dim in shared if dim in summed]
    kept = [dim for dim in range(len(mine)) if dim not in summed]
    result = tuple(
        [1 if dim in contracted else (b if a == 1 else a) for dim, (a, b) in enumerate(zip(mine, others))]
    )
    if not contracted:
        return _Pair(first_sums, second_sums), result
    batch = [dim for dim in shared if dim not in summed]

    def rows_and_columns() -> tuple[list[int], list[int]]:
        rows = [dim for dim in kept if mine[dim] != 1 and dim not in batch]
        return rows, [dim for dim in kept if dim not in batch and dim not in rows]

    rows, columns = rows_and_columns()
    is_swapped = bool(rows and columns and columns[0] < rows[0] and others[columns[0]] != 1)
    if is_swapped:  # so that the result needs no permutation
        mine, others = others, mine
        rows, columns = rows_and_columns()

    def count(sizes: Sequence[int], dims: Sequence[int]) -> int:
        return math.prod([sizes[dim] for dim in dims])

    shapes = [count(mine, batch), count(mine, rows), count(mine, contracted), count(others, columns)]
    idle = [dim for dim in summed if dim not in contracted]
    order = [*batch, *rows, *columns, *summed]
    pair = _Pair(
        first_sums,
        second_sums,
        orders=(
            (*batch, *rows, *contracted, *columns, *idle),
            (*batch, *contracted, *columns, *rows, *idle),
        ),
        shapes=(tuple(shapes[:3]), (shapes[0], *shapes[2:])),
        sizes=tuple([result[dim] for dim in order]),
        order=tuple([order.index(dim) for dim in range(len(mine))]),
        kept=len(kept),
        is_swapped=is_swapped,
    )
    return pair, result


class _Plan(NamedTuple):
    """How to compute an equation for operands of given sizes.

    alignments  of the operands
    first       dimensions that only the first operand has, summed before the products
    pairs       the products, from left to right
    summed      how many dimensions of size 1 remain after those of the output
    alone       if one bmm is all there is: the permutations of the two operands and of the result (None if
                it needs none)
    """

    alignments: tuple[_Alignment, ...]
    first: Ints
    pairs: tuple[_Pair, ...]
    summed: int
    alone: tuple[Ints, Ints, Ints | None] | None


@functools.lru_cache(1024)
def _plan(equation: str, sizes: tuple[Ints, ...]) -> _Plan:
    """The plan of an equation.  Raises RuntimeError if it is invalid, or if the operands do not match it."""
    terms, output, summed_letters = _formula(equation)
    if len(terms) != len(sizes):
        more = "fewer" if len(sizes) < len(terms) else "more"
        raise RuntimeError(f"einsum(): {more} operands were provided than specified in the equation")
    covered = []
    for number, (term, each) in enumerate(zip(terms, sizes)):
        named = len(term) - (ELLIPSIS in term)
        if len(each) < named or (ELLIPSIS not in term and len(each) != named):
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({named}) does not match the number of "
                f"dimensions ({len(each)}) for operand {number}"
                + (" and no ellipsis was given" if ELLIPSIS not in term else "")
            )
        covered.append(len(each) - named)
    _check_output(output, terms)
    most = max(covered)
    kept = _labels(output, most)
    labels = [*kept, *_labels(summed_letters, most)]
    alignments = tuple(
        [_align(each, term, count, most, labels) for each, term, count in zip(sizes, terms, covered)]
    )
    aligned = [each.sizes for each in alignments]
    _check_sizes(aligned, labels)
    # the last operand that has each summed subscript: after that one it can be summed over
    last = {
        dim: max(number for number, each in enumerate(aligned) if each[dim] != 1 or number == 0)
        for dim in range(len(kept), len(labels))
    }
    first = tuple([dim for dim, number in last.items() if number == 0])
    result = tuple([1 if dim in first else size for dim, size in enumerate(aligned[0])])
    pairs = []
    for number, each in enumerate(aligned[1:], 1):
        pair, result = _pair(result, each, [dim for dim, where in last.items() if where == number])
        pairs.append(pair)
    alone = None
    if len(pairs) == 1 and not first and pairs[0].orders and not pairs[0].first_sums + pairs[0].second_sums:
        pair, orders = pairs[0], pairs[0].orders
        one, other = reversed(alignments) if pair.is_swapped else alignments
        order = pair.order[: pair.kept]  # without the summed dimensions, which are last
        is_given = order == tuple(range(pair.kept))
        alone = one.own(orders[0]), other.own(orders[1]), None if is_given else order
    return _Plan(alignments, first, tuple(pairs), len(last), alone)


def _einsum(equation: str, tensors: Sequence[Any], path: Sequence[int] | None) -> Any:
    if not isinstance(equation, str):
        raise TypeError(
            f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}"
        )
    if not tensors:
        raise RuntimeError("einsum(): must provide at least one operand")
    plan = _plan(equation, tuple([each._spec.sizes for each in tensors]))
    if plan.alone is not None:
        return _one_product(plan, *tensors)
    operands = [alignment.apply(tensor) for alignment, tensor in zip(plan.alignments, tensors)]
    result = operands[0]
    if len(operands) == 1:
        return aten.sum.dim_IntList(result, plan.first, False, None) if plan.first else result
    first = [dim for dim in plan.first if result.size(dim) != 1]  # a sum would promote integers
    if first:
        result = aten.sum.dim_IntList(result, first, True, None)
    for pair, operand in zip(plan.pairs, operands[1:]):
        result = pair.apply(result, operand)
    for _ in range(plan.summed):
        result = result.squeeze(-1)
    return result


def _one_product(plan: _Plan, first: Any, second: Any) -> Any:
    """The most common equations: a single bmm of two operands, possibly permuted."""
    pair = plan.pairs[0]
    first_order, second_order, order = plan.alone  # type: ignore[misc]
    first, second = (
        alignment.diagonal_of(each) if alignment.diagonals else each
        for alignment, each in zip(plan.alignments, (first, second))
    )
    if pair.is_swapped:
        first, second = second, first
    product = aten.bmm.default(
        _reshaped(first, first_order, pair.shapes[0]), _reshaped(second, second_order, pair.shapes[1])
    ).view(pair.sizes[: pair.kept])
    return product if order is None else product.permute(order)


def _reshaped(operand: Any, order: Ints, shape: Ints) -> Any:
    """The operand permuted to ``order`` and reshaped to ``shape``, which merges dimensions."""
    if order != tuple(range(len(order))):
        operand = operand.permute(order)
    return operand if operand._spec.sizes == shape else operand.reshape(shape)


einsum = native_function(
    "einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor",
    composite=_einsum,
    doc="""Computes the sum of products that ``equation`` describes: ``"ij,jk->ik"`` is the matrix product.

    Each letter is the subscript of a dimension; subscripts missing from the output are summed over; a
    repeated subscript of one operand takes the diagonal; "..." covers the other dimensions, which broadcast.
    Without "->" the output has the subscripts that occur once, in alphabetical order.  Operands are
    contracted from left to right; ``path`` is ignored.  Raises RuntimeError if equation and operands do not
    match.""",
)
