"""Three ways to a Jacobian of a function of tensors: by finite differences, by forward mode, by backward.

For each input element the function is evaluated one step up and one step down; the slopes are a column of the
Jacobian.  Backward computes a row of it, forward mode a column.  A complex number counts as two real ones,
its parts: the step is along both, and so are the gradients of outputs; the gradient of an input, and what it
is compared with, follows PyTorch's convention, the slope along the real axis plus i times that along the
imaginary one.

Source: torch/autograd/gradcheck.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..dispatch.dispatcher import aten
from ..memory.accessor import elements, fill_from
from ..memory.tensor import Tensor, empty_tensor
from . import engine, forward_ad
from .gradcheck_sparse import is_sparse

if TYPE_CHECKING:
    import random

Function = Callable[..., Any]
Numbers = list[Any]
Matrix = list[Numbers]  # a row for each output element, a column for each input element

SEED = 7  # of the random vectors, which are the same in each call


class GradcheckError(RuntimeError):
    """An analytic derivative differs from the numerical one, or violates another check.

    Source: torch.autograd.gradcheck.GradcheckError.
    """


# -- tensors and numbers -------------------------------------------------------------------------------------


def _is_float(value: Any) -> bool:
    return isinstance(value, Tensor) and value._spec.dtype.category >= 2


def is_checked(value: Any) -> bool:
    return isinstance(value, Tensor) and value.requires_grad


def _as_tuple(results: Any) -> tuple[Any, ...]:
    return tuple(results) if isinstance(results, (tuple, list)) else (results,)


def outputs_of(func: Function, inputs: Sequence[Any]) -> list[Tensor]:
    """The results that are floating point or complex.  Raises ValueError for a sparse one."""
    results = _as_tuple(func(*inputs))
    if any(is_sparse(each) for each in results):
        raise ValueError(
            "Sparse output is not supported at gradcheck yet. Please call to_dense(masked_grad=...) on the "
            "output of fn for gradcheck."
        )
    return [each for each in results if _is_float(each)]


def differentiable_outputs(func: Function, inputs: Sequence[Any]) -> list[Tensor]:
    """The outputs from which backward can start, without empty ones."""
    return [each for each in outputs_of(func, inputs) if each.requires_grad and each.numel()]


def tensor_of(numbers: Sequence[Any], like: Tensor) -> Tensor:
    """A contiguous tensor of these numbers."""
    made = empty_tensor(like._spec.contiguous())
    fill_from(made, numbers)
    return made


def _axes(tensor: Tensor) -> tuple[complex, ...]:
    """The directions in which one element can move."""
    return (1.0, 1.0j) if tensor.is_complex() else (1.0,)


def random_generator() -> random.Random:
    from random import Random  # 2 ms or more, and few programs check gradients

    return Random(SEED)


def random_vector(tensor: Tensor, generator: random.Random) -> Numbers:
    """A random direction of length 1."""
    numbers = [
        complex(generator.gauss(0, 1), generator.gauss(0, 1))
        if tensor.is_complex()
        else generator.gauss(0, 1)
        for _ in range(tensor.numel())
    ]
    length = math.sqrt(sum(abs(each) ** 2 for each in numbers)) or 1.0
    return [each / length for each in numbers]


def inner_product(one: Sequence[Any], other: Sequence[Any]) -> float:
    """The inner product of two complex vectors, as real vectors of twice the length."""
    return sum((complex(a).conjugate() * b).real for a, b in zip(one, other))


# -- three ways to a Jacobian --------------------------------------------------------------------------------


def numeric_slopes(
    func: Function, inputs: Sequence[Any], which: Tensor, direction: Numbers, eps: float
) -> list[Numbers]:
    """For each output, the slopes of its elements as ``which`` moves along ``direction``."""
    memory = which.data
    start = elements(memory)
    values: list[list[Tensor]] = []
    numbers: list[list[Numbers]] = []
    try:
        for sign in (1, -1):
            moved = [each + sign * eps * step for each, step in zip(start, direction)]
            aten.copy_.default(memory, tensor_of(moved, which), False)
            values.append(outputs_of(func, inputs))
            numbers.append([elements(aten.detach.default(each)) for each in values[-1]])
    finally:
        aten.copy_.default(memory, tensor_of(start, which), False)
    for one, other in zip(*values):
        for what in ("shape", "dtype"):
            if getattr(one, what) != getattr(other, what):
                raise AssertionError(
                    f"Expected `func` to return outputs with the same {what} when inputs are perturbed by "
                    f"{eps}, but got: {getattr(one, what)} and {getattr(other, what)}."
                )
    return [[(up - down) / (2 * eps) for up, down in zip(*pair)] for pair in zip(*numbers)]


def tangents_of(
    func: Function, inputs: Sequence[Any], which: Tensor, direction: Numbers, check_dtypes: bool = False
) -> list[Numbers]:
    """Like ``numeric_slopes``, by forward mode."""
    with forward_ad.dual_level():
        given = []
        for each in inputs:
            plain = aten.detach.default(each) if isinstance(each, Tensor) else each
            if is_checked(each):
                along = tensor_of(direction, which) if each is which else aten.zeros_like(plain)
                plain = forward_ad.make_dual(plain, along)
            given.append(plain)
        found: list[Numbers] = []
        for output in outputs_of(func, given):
            tangent = forward_ad.unpack_dual(output).tangent
            if tangent is None:
                found.append([0.0] * output.numel())
                continue
            if check_dtypes and tangent.dtype is not output.dtype:
                raise GradcheckError(
                    f"Forward AD gradient has dtype mismatch: {tangent.dtype} for an output of {output.dtype}"
                )
            found.append(elements(aten.detach.default(tangent)))
        return found


def _unit_vectors(tensor: Tensor) -> Iterator[tuple[int, complex, Numbers]]:
    """For each element and each axis, the vector that is 1 there and 0 elsewhere."""
    for element in range(tensor.numel()):
        for axis in _axes(tensor):
            numbers: Numbers = [0.0] * tensor.numel()
            numbers[element] = axis
            yield element, axis, numbers


def matrices_by_columns(
    columns_along: Callable[[Tensor, Numbers], list[Numbers]], outputs: Sequence[Tensor], which: Tensor
) -> list[Matrix]:
    """For each output the Jacobian with respect to ``which``, by columns."""
    matrices: list[Matrix] = [
        [[0.0] * which.numel() for _ in range(output.numel() * len(_axes(output)))] for output in outputs
    ]
    for element, axis, direction in _unit_vectors(which):
        for matrix, output, slopes in zip(matrices, outputs, columns_along(which, direction)):
            for part, seed in enumerate(_axes(output)):
                for row, slope in enumerate(slopes):
                    matrix[part * len(slopes) + row][element] += axis * inner_product([seed], [slope])
    return matrices


def _gradients(
    output: Tensor, checked: Sequence[Tensor], seeds: Numbers, check_dtypes: bool = False
) -> list[Numbers]:
    """For each input, its gradient for the gradient ``seeds`` of ``output``."""
    found = engine.grad(output, list(checked), tensor_of(seeds, output), True, allow_unused=True)
    for gradient, each in zip(found, checked):
        if gradient is not None and gradient._spec.layout is not each._spec.layout:
            raise GradcheckError(
                f"grad is incorrect layout ({gradient._spec.layout} is not {each._spec.layout})"
            )
        if check_dtypes and gradient is not None and gradient.dtype is not each.dtype:
            raise GradcheckError(
                f"Gradient has dtype mismatch: {gradient.dtype} for an input of {each.dtype}"
            )
    return [
        [0.0] * each.numel() if gradient is None else elements(aten.detach.default(gradient))
        for each, gradient in zip(checked, found)
    ]


def gradients_twice(
    output: Tensor, checked: Sequence[Tensor], seeds: Numbers, nondet_tol: float, check_dtypes: bool
) -> list[Numbers]:
    """Call ``_gradients`` twice.  Raises GradcheckError if the results differ."""
    first, second = (_gradients(output, checked, seeds, check_dtypes) for _ in range(2))
    for position, (one, other) in enumerate(zip(first, second)):
        for a, b in zip(one, other):
            if abs(a - b) > nondet_tol:
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output "
                    f"multiple times gives different values: {a} and {b} for input {position}. The tolerance "
                    f"for nondeterminism was {nondet_tol}."
                )
    return first


def matrices_by_rows(
    output: Tensor, checked: Sequence[Tensor], nondet_tol: float, check_dtypes: bool
) -> list[Matrix]:
    """For each input the Jacobian of ``output``, by rows."""
    matrices: list[Matrix] = [[] for _ in checked]
    for seed in _axes(output):
        for element in range(output.numel()):
            seeds: Numbers = [0.0] * output.numel()
            seeds[element] = seed
            for matrix, row in zip(
                matrices, gradients_twice(output, checked, seeds, nondet_tol, check_dtypes)
            ):
                matrix.append(row)
    return matrices
