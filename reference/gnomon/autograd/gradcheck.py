"""gradcheck: compares backward and forward mode with finite differences.

For each input element the function is evaluated one step up and one step down; the slopes are a column of the
Jacobian.  Backward computes a row of it, forward mode a column.  A complex number counts as two real ones,
its parts: the step is along both, and so are the gradients of outputs; the gradient of an input, and what it
is compared with, follows PyTorch's convention, the slope along the real axis plus i times that along the
imaginary one.

*Fast mode* only compares products with one random vector, u for the inputs and v for the outputs: v^T (J u),
by two evaluations, with (v^T J) u, by one backward.  A wrong J passes only if u or v happen to be orthogonal
to the error.  If they differ, slow mode finds the element.

Source: torch/autograd/gradcheck.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..dispatch.dispatcher import aten
from ..memory.accessor import elements, fill_from
from ..memory.tensor import Tensor, empty_tensor
from ..values import dtype as dtypes
from ..values import late_bound
from ..values.errors import warn
from . import engine, forward_ad
from .grad_mode import enable_grad
from .gradcheck_sparse import is_sparse, of_strided
from .node import Node, gradient_edge, next_sequence_number, set_history

if TYPE_CHECKING:
    import random

Function = Callable[..., Any]
Numbers = list[Any]
Matrix = list[Numbers]  # a row for each output element, a column for each input element

SEED = 7  # of the random vectors, which are the same in each call
BY_FORWARD_MODE = "computed with forward mode "
SHOWN = 6  # rows, columns, and differences of a Jacobian in an error message


class GradcheckError(RuntimeError):
    """An analytic derivative differs from the numerical one, or violates another check.

    Source: torch.autograd.gradcheck.GradcheckError.
    """


# -- tensors and numbers -------------------------------------------------------------------------------------


def _is_float(value: Any) -> bool:
    return isinstance(value, Tensor) and value._spec.dtype.category >= 2


def _is_checked(value: Any) -> bool:
    return isinstance(value, Tensor) and value.requires_grad


def _as_tuple(results: Any) -> tuple[Any, ...]:
    return tuple(results) if isinstance(results, (tuple, list)) else (results,)


def _outputs(func: Function, inputs: Sequence[Any]) -> list[Tensor]:
    """The results that are floating point or complex.  Raises ValueError for a sparse one."""
    results = _as_tuple(func(*inputs))
    if any(is_sparse(each) for each in results):
        raise ValueError(
            "Sparse output is not supported at gradcheck yet. Please call to_dense(masked_grad=...) on the "
            "output of fn for gradcheck."
        )
    return [each for each in results if _is_float(each)]


def _differentiable(func: Function, inputs: Sequence[Any]) -> list[Tensor]:
    """The outputs from which backward can start, without empty ones."""
    return [each for each in _outputs(func, inputs) if each.requires_grad and each.numel()]


def _tensor_of(numbers: Sequence[Any], like: Tensor) -> Tensor:
    """A contiguous tensor of these numbers."""
    made = empty_tensor(like._spec.contiguous())
    fill_from(made, numbers)
    return made


def _axes(tensor: Tensor) -> tuple[complex, ...]:
    """The directions in which one element can move."""
    return (1.0, 1.0j) if tensor.is_complex() else (1.0,)


def _random_generator() -> random.Random:
    from random import Random  # 2 ms or more, and few programs check gradients

    return Random(SEED)


def _random_vector(tensor: Tensor, generator: random.Random) -> Numbers:
    """A random direction of length 1."""
    numbers = [
        complex(generator.gauss(0, 1), generator.gauss(0, 1))
        if tensor.is_complex()
        else generator.gauss(0, 1)
        for _ in range(tensor.numel())
    ]
    length = math.sqrt(sum(abs(each) ** 2 for each in numbers)) or 1.0
    return [each / length for each in numbers]


def _along(one: Sequence[Any], other: Sequence[Any]) -> float:
    """The inner product of two complex vectors, as real vectors of twice the length."""
    return sum((complex(a).conjugate() * b).real for a, b in zip(one, other))


# -- three ways to a Jacobian --------------------------------------------------------------------------------


def _numeric_slopes(
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
            aten.copy_.default(memory, _tensor_of(moved, which), False)
            values.append(_outputs(func, inputs))
            numbers.append([elements(aten.detach.default(each)) for each in values[-1]])
    finally:
        aten.copy_.default(memory, _tensor_of(start, which), False)
    for one, other in zip(*values):
        for what in ("shape", "dtype"):
            if getattr(one, what) != getattr(other, what):
                raise AssertionError(
                    f"Expected `func` to return outputs with the same {what} when inputs are perturbed by "
                    f"{eps}, but got: {getattr(one, what)} and {getattr(other, what)}."
                )
    return [[(up - down) / (2 * eps) for up, down in zip(*pair)] for pair in zip(*numbers)]


def _tangents(
    func: Function, inputs: Sequence[Any], which: Tensor, direction: Numbers, check_dtypes: bool = False
) -> list[Numbers]:
    """Like ``_numeric_slopes``, by forward mode."""
    with forward_ad.dual_level():
        given = []
        for each in inputs:
            plain = aten.detach.default(each) if isinstance(each, Tensor) else each
            if _is_checked(each):
                along = _tensor_of(direction, which) if each is which else aten.zeros_like(plain)
                plain = forward_ad.make_dual(plain, along)
            given.append(plain)
        found: list[Numbers] = []
        for output in _outputs(func, given):
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


def _matrices_by_columns(
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
                    matrix[part * len(slopes) + row][element] += axis * _along([seed], [slope])
    return matrices


def _gradients(
    output: Tensor, checked: Sequence[Tensor], seeds: Numbers, check_dtypes: bool = False
) -> list[Numbers]:
    """For each input, its gradient for the gradient ``seeds`` of ``output``."""
    found = engine.grad(output, list(checked), _tensor_of(seeds, output), True, allow_unused=True)
    for gradient, each in zip(found, checked):
        if check_dtypes and gradient is not None and gradient.dtype is not each.dtype:
            raise GradcheckError(
                f"Gradient has dtype mismatch: {gradient.dtype} for an input of {each.dtype}"
            )
    return [
        [0.0] * each.numel() if gradient is None else elements(aten.detach.default(gradient))
        for each, gradient in zip(checked, found)
    ]


def _gradients_twice(
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


def _matrices_by_rows(
    output: Tensor, checked: Sequence[Tensor], nondet_tol: float, check_dtypes: bool
) -> list[Matrix]:
    """For each input the Jacobian of ``output``, by rows."""
    matrices: list[Matrix] = [[] for _ in checked]
    for seed in _axes(output):
        for element in range(output.numel()):
            seeds: Numbers = [0.0] * output.numel()
            seeds[element] = seed
            for matrix, row in zip(
                matrices, _gradients_twice(output, checked, seeds, nondet_tol, check_dtypes)
            ):
                matrix.append(row)
    return matrices


# -- comparison and messages ---------------------------------------------------------------------------------


def _index(element: int, sizes: Sequence[int]) -> tuple[int, ...]:
    """The index of an element, given its row-major position."""
    index = []
    for size in reversed(sizes):
        index.append(element % size)
        element //= size
    return tuple(reversed(index))


def _shown(matrix: Matrix) -> str:
    """A matrix as text, truncated if it is large."""

    def line(numbers: Numbers) -> str:
        text = ", ".join(f"{each:.6g}" for each in numbers[:SHOWN])
        return f"  [{text}, ...]" if len(numbers) > SHOWN else f"  [{text}]"

    return "\n".join([*map(line, matrix[:SHOWN]), *(["  ..."] if len(matrix) > SHOWN else [])])


def _mismatch(
    analytic: Matrix,
    numeric: Matrix,
    outputs_and_position: tuple[Tensor, int],
    inputs_and_position: tuple[Tensor, int],
    atol: float,
    rtol: float,
    how: str,
) -> str:
    """A message with the differences of two Jacobians of one output and one input, or ""."""
    output, output_position = outputs_and_position
    which, input_position = inputs_and_position
    found = []
    for row, (mine, wanted) in enumerate(zip(analytic, numeric)):
        for column, (a, n) in enumerate(zip(mine, wanted)):
            if not abs(a - n) <= atol + rtol * abs(n) and not (a != a and n != n):
                difference = abs(a - n)
                found.append((math.inf if difference != difference else difference, row, column, a, n))
    if not found:
        return ""
    found.sort(key=lambda each: -each[0])
    count = output.numel()
    lines = []
    if all(row >= count for _, row, *_ in found):
        lines.append("While considering the imaginary part of complex outputs only,")
    lines.append(
        f"Jacobian {how}mismatch for output {output_position} with respect to input {input_position}: "
        f"{len(found)} of {sum(map(len, numeric))} elements differ by more than {atol} + {rtol} * |numerical|"
    )
    for _, row, column, a, n in found[:SHOWN]:
        part = "" if not output.is_complex() else "imaginary part of " if row >= count else "real part of "
        lines.append(
            f"  {part}output element {_index(row % count, output.shape)}, input element "
            f"{_index(column, which.shape)}: numerical: {n}, analytical: {a}"
        )
    if len(found) > SHOWN:
        lines.append(f"  ... and {len(found) - SHOWN} more")
    rows = "a row for each output element" + (
        ", first their real and then their imaginary parts" if output.is_complex() else ""
    )
    lines.extend([f"numerical ({rows}):", _shown(numeric), "analytical:", _shown(analytic)])
    return "\n".join(lines)


class _Check:
    """One gradcheck: the function, its inputs, the tolerances, and the comparisons."""

    def __init__(
        self,
        func: Function,
        inputs: Sequence[Any],
        eps: float,
        atol: float,
        rtol: float,
        nondet_tol: float,
        check_dtypes: bool,
    ):
        self.func = func
        self.inputs = inputs
        self.checked = [each for each in inputs if _is_checked(each)]
        self.eps, self.atol, self.rtol = eps, atol, rtol
        self.nondet_tol = nondet_tol
        self.check_dtypes = check_dtypes

    def numeric(self, which: Tensor, direction: Numbers) -> list[Numbers]:
        """For each output the slopes along ``direction``, by finite differences."""
        return _numeric_slopes(self.func, self.inputs, which, direction, self.eps)

    def tangents(self, which: Tensor, direction: Numbers) -> list[Numbers]:
        """Like ``numeric``, by forward mode."""
        return _tangents(self.func, self.inputs, which, direction, self.check_dtypes)

    def slow(self, is_forward: bool) -> None:
        """Compare whole Jacobians.  Raises GradcheckError."""
        outputs = _outputs(self.func, self.inputs)
        if not is_forward and not any(each.requires_grad for each in outputs):
            self.constant(outputs)
            return
        numeric = [_matrices_by_columns(self.numeric, outputs, each) for each in self.checked]
        forward = (
            [_matrices_by_columns(self.tangents, outputs, each) for each in self.checked]
            if is_forward
            else []
        )
        for position, output in enumerate(outputs):
            if is_forward:
                analytic = [matrices[position] for matrices in forward]
            elif output.requires_grad:
                analytic = _matrices_by_rows(output, self.checked, self.nondet_tol, self.check_dtypes)
            else:
                continue
            for number, which in enumerate(self.checked):
                problem = _mismatch(
                    analytic[number],
                    numeric[number][position],
                    (output, position),
                    (which, number),
                    self.atol,
                    self.rtol,
                    BY_FORWARD_MODE if is_forward else "",
                )
                if problem:
                    raise GradcheckError(problem)

    def constant(self, outputs: Sequence[Tensor]) -> None:
        """Check that outputs that do not require grad do not depend on the inputs.  Raises GradcheckError."""
        for number, which in enumerate(self.checked):
            for position, matrix in enumerate(_matrices_by_columns(self.numeric, outputs, which)):
                if any(abs(each) > self.atol for row in matrix for each in row):
                    raise GradcheckError(
                        f"Numerical gradient for function expected to be zero: output {position} does not "
                        f"require grad, but depends on input {number}. numerical:\n{_shown(matrix)}"
                    )

    def fast(self, is_forward: bool) -> None:
        """Compare the products of the Jacobians with random vectors.  Raises GradcheckError."""
        generator = _random_generator()
        outputs = _outputs(self.func, self.inputs)
        if not is_forward and not any(each.requires_grad for each in outputs):
            self.constant(outputs)
            return
        us = [_random_vector(each, generator) for each in self.checked]
        vs = [_random_vector(each, generator) for each in outputs]
        numeric = [self.numeric(each, u) for each, u in zip(self.checked, us)]
        forward = [self.tangents(each, u) for each, u in zip(self.checked, us)] if is_forward else []
        for position, (output, v) in enumerate(zip(outputs, vs)):
            if not is_forward and not output.requires_grad:
                continue
            gradients = (
                []
                if is_forward
                else _gradients_twice(output, self.checked, v, self.nondet_tol, self.check_dtypes)
            )
            for number, u in enumerate(us):
                expected = _along(v, numeric[number][position])
                found = _along(v, forward[number][position]) if is_forward else _along(gradients[number], u)
                # the sum of the tolerances of all elements of J
                atol = self.atol * sum(map(abs, u)) * sum(map(abs, v))
                if not abs(found - expected) <= atol + self.rtol * abs(expected):
                    raise GradcheckError(self._slowly(is_forward, position, number, expected, found))

    def _slowly(self, is_forward: bool, output: int, number: int, expected: float, found: float) -> str:
        """The message for a mismatch in fast mode, with the elements that slow mode finds."""
        how = BY_FORWARD_MODE if is_forward else ""
        text = (
            f"Jacobian {how}mismatch for output {output} with respect to input {number}, in fast mode, "
            f"multiplied with random vectors on both sides: numerical: {expected}, analytical: {found}"
        )
        try:
            self.slow(is_forward)
        except GradcheckError as error:
            return f"{text}\nIn slow mode:\n{error}"
        return (
            f"{text}\nIn slow mode all elements are within the tolerances: the function may not be smooth "
            "here, or the tolerances may be too small for a sum of many elements."
        )


# -- other checks --------------------------------------------------------------------------------------------


class UndefinedGrad(Node):
    """Returns an undefined gradient.  Source: torch/csrc/autograd/functions/basic_ops.h."""

    __slots__ = ()

    def apply(self, gradients: Sequence[Tensor | None]) -> Sequence[Tensor | None]:
        return (None,)


def _without_gradient(output: Tensor) -> Tensor:
    """An alias of ``output`` that gives its Node an undefined gradient."""
    node = UndefinedGrad()
    node.next_edges = (gradient_edge(output),)
    node.sequence_nr = next_sequence_number()
    node.metadata_specs = (output._spec,)
    alias = aten.detach.default(output)
    set_history(alias, node, 0)
    return alias


def _check_undefined_backward(check: _Check) -> None:
    """Check that backward treats undefined gradients as zeros, all of them and each one alone."""
    count = len(_differentiable(check.func, check.inputs))
    if not count:
        return
    for missing in [None, *range(count)] if count > 1 else [None]:
        outputs = _differentiable(check.func, check.inputs)
        roots = [
            _without_gradient(each) if missing is None or missing == position else each
            for position, each in enumerate(outputs)
        ]
        zeros = [aten.zeros_like(aten.detach.default(each)) for each in outputs]
        try:
            found = engine.grad(roots, check.checked, zeros, allow_unused=True)
        except Exception as error:
            raise GradcheckError(
                "Expected backward function to handle undefined output grads: with "
                f"{'all' if missing is None else f'number {missing}'} of them undefined it raised "
                f"{type(error).__name__}: {error}"
            ) from error
        for position, gradient in enumerate(found):
            if gradient is not None and any(elements(gradient)):
                raise GradcheckError(
                    "Expected all input grads to be undefined or zero when all output grads are undefined or "
                    f"zero: that of input {position} is {gradient}"
                )


def _check_multiplied(check: _Check) -> None:
    """Check that backward returns zeros for zero gradients."""
    outputs = _differentiable(check.func, check.inputs)
    if not outputs:
        return
    zeros = [aten.zeros_like(aten.detach.default(each)) for each in outputs]
    for position, gradient in enumerate(engine.grad(outputs, check.checked, zeros, allow_unused=True)):
        if gradient is not None and any(elements(gradient)):
            raise GradcheckError(
                f"backward not multiplied by grad_output: for input {position} it is {gradient}"
            )


def _check_undefined_forward(check: _Check) -> None:
    """Check that forward mode treats an undefined tangent as zeros."""
    generator = _random_generator()
    along = [_tensor_of(_random_vector(each, generator), each) for each in check.checked]

    def pushed(undefined: int, with_zeros: bool) -> list[Any]:
        numbers = iter(range(len(along)))
        with forward_ad.dual_level():
            given = []
            for each in check.inputs:
                plain = aten.detach.default(each) if isinstance(each, Tensor) else each
                if _is_checked(each):
                    number = next(numbers)
                    if number != undefined:
                        plain = forward_ad.make_dual(plain, aten.clone.default(along[number], None))
                    elif with_zeros:
                        plain = forward_ad.make_dual(plain, aten.zeros_like(plain))
                given.append(plain)
            tangents = [forward_ad.unpack_dual(each).tangent for each in _outputs(check.func, given)]
            return [None if each is None else elements(aten.detach.default(each)) for each in tangents]

    for undefined in range(len(along)):
        for position, (one, other) in enumerate(zip(pushed(undefined, True), pushed(undefined, False))):
            if one is None or other is None:
                continue
            if any(abs(a - b) > 1e-8 + 1e-5 * abs(b) for a, b in zip(one, other)):
                raise GradcheckError(
                    f"Mismatch in tangent values for output with index: {position} when input: {undefined} "
                    f"has an undefined tangent value. Got: {one} with zeros, and: {other} without"
                )


def _check_batched(check: _Check, is_forward: bool) -> None:
    """Check that derivatives under ``vmap`` equal those computed one after the other."""
    generator = _random_generator()
    outputs = _outputs(check.func, check.inputs)
    cases: list[tuple[str, Tensor, Callable[[Tensor], tuple[Tensor, ...]]]] = []
    if is_forward:
        for number, which in enumerate(check.checked):

            def push(along: Tensor, which: Tensor = which) -> tuple[Tensor, ...]:
                with forward_ad.dual_level():
                    dual = forward_ad.make_dual(aten.detach.default(which), along)
                    given = [dual if each is which else each for each in check.inputs]
                    unpacked = [forward_ad.unpack_dual(each) for each in _outputs(check.func, given)]
                    return tuple(
                        aten.zeros_like(primal) if tangent is None else tangent
                        for primal, tangent in unpacked
                    )

            cases.append((f"tangents along input {number}", which, push))
    else:
        for number, output in enumerate(outputs):
            if not output.requires_grad:
                continue

            def pull(gradient: Tensor, output: Tensor = output) -> tuple[Tensor, ...]:
                found = engine.grad(output, check.checked, gradient, True, allow_unused=True)
                return tuple(
                    aten.zeros_like(each) if one is None else one for one, each in zip(found, check.checked)
                )

            cases.append((f"gradients of output {number}", output, pull))
    for what, like, function in cases:
        several = [_tensor_of(_random_vector(like, generator), like) for _ in range(2)]
        expected = [function(each) for each in several]
        try:
            found = late_bound.vmap(function)(aten.stack.default(several, 0))
        except Exception as error:
            kind = "forward " if is_forward else ""
            raise GradcheckError(
                f"While computing batched {kind}gradients, got: {error}\n\ngradcheck or gradgradcheck failed "
                f"while testing batched gradient computation: the {what} under vmap. The function, or the "
                "derivative of an operator in it, does what vmap does not support; check_batched_grad=False "
                "leaves this out."
            ) from error
        for position, (at_once, *singly) in enumerate(zip(found, *expected)):
            pairs = zip(
                elements(aten.detach.default(at_once)),
                [x for one in singly for x in elements(aten.detach.default(one))],
            )
            if any(abs(a - b) > 1e-8 + 1e-5 * abs(b) for a, b in pairs):
                raise GradcheckError(
                    f"gradcheck or gradgradcheck failed while testing batched gradient computation: number "
                    f"{position} of the {what} is {at_once} under vmap, and one after the other {singly}"
                )


# -- public functions ----------------------------------------------------------------------------------------


def _check_inputs(inputs: Sequence[Any]) -> None:
    """Check the inputs' grad, dtypes and strides.  Raises ValueError and RuntimeError, and warns."""
    if not any(_is_checked(each) for each in inputs):
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have "
            "requires_grad=True."
        )
    for position, each in enumerate(inputs):
        if not _is_checked(each):
            continue
        if each.dtype not in (dtypes.float64, dtypes.complex128):
            warn(
                f"Input #{position} requires gradient and is not a double precision floating point or "
                "complex. This check will likely fail if all the inputs are not of double precision floating "
                "point or complex.",
            )
        if any(stride == 0 and size > 1 for stride, size in zip(each.stride(), each.shape)):
            raise RuntimeError(
                f"The {position}th input has a dimension with stride 0. gradcheck only supports inputs that "
                "are non-overlapping to be able to compute the numerical gradients correctly. You should "
                "call .contiguous on the input before passing it to gradcheck."
            )


def gradcheck(
    func: Function,
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Check the derivatives of ``func`` at ``inputs`` against finite differences.

    inputs: tensors (those that require grad are checked; they should be float64 or complex128, because in
    lower precision the step ``eps`` is lost in rounding) and anything else.  For each output element and each
    input element: |analytical - numerical| <= ``atol`` + ``rtol`` * |numerical|.  ``check_backward_ad``
    checks backward, ``check_forward_ad`` forward mode.  ``fast_mode`` compares only products with random
    vectors.

    In addition, backward must return the same twice (up to ``nondet_tol``).  ``check_undefined_grad``:
    undefined gradients and tangents are treated as zeros.  ``check_grad_dtypes``: derivatives have the dtype
    of their tensor.  ``check_batched_grad`` and ``check_batched_forward_grad``: the same results under
    ``vmap``.  ``masked``: of sparse inputs, only the elements that they specify change; otherwise all do.

    Returns True.  Raises GradcheckError with the differences (or returns False without ``raise_exception``);
    ValueError if no input requires grad or an output is sparse, RuntimeError for inputs with overlapping
    elements.
    Source: torch.autograd.gradcheck.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    arguments = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    func, arguments = of_strided(func, arguments, bool(masked))
    try:
        _check_inputs(arguments)
        with enable_grad():
            check = _Check(func, arguments, eps, atol, rtol, nondet_tol, check_grad_dtypes)
            compare = check.fast if fast_mode else check.slow
            if check_backward_ad:
                compare(is_forward=False)
                if check_batched_grad:
                    _check_batched(check, is_forward=False)
                _check_multiplied(check)
                if check_undefined_grad:
                    _check_undefined_backward(check)
            if check_forward_ad:
                compare(is_forward=True)
                if check_batched_forward_grad:
                    _check_batched(check, is_forward=True)
                if check_undefined_grad:
                    _check_undefined_forward(check)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Function,
    inputs: Tensor | Sequence[Any],
    grad_outputs: Tensor | Sequence[Tensor] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Check the second derivatives of ``func``.

    Runs gradcheck on its backward, as a function of the inputs and of ``grad_outputs`` (random if not given;
    not contiguous with ``gen_non_contig_grad_outputs``).  ``check_rev_over_rev`` differentiates it by
    backward, ``check_fwd_over_rev`` by forward mode.  All else is as in gradcheck.  Source:
    torch.autograd.gradgradcheck.
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    for name, wanted in (
        ("check_undefined_grad", check_undefined_grad),
        ("check_batched_grad", check_batched_grad),
    ):
        if wanted and not check_rev_over_rev:
            raise AssertionError(f"Setting {name}=True requires check_rev_over_rev to be True")
    arguments = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    func, arguments = of_strided(func, arguments, masked)
    if grad_outputs is None:
        generator = _random_generator()
        with enable_grad():
            outputs = [each for each in _outputs(func, arguments) if each.requires_grad]
        given = []
        for output in outputs:
            made = _tensor_of([2 * each for each in _random_vector(output, generator)], output)
            if gen_non_contig_grad_outputs:
                made = aten.select.int(aten.stack.default([made, made], -1), -1, 0)
            given.append(made.requires_grad_())
    else:
        given = [grad_outputs] if isinstance(grad_outputs, Tensor) else list(grad_outputs)
    checked = [position for position, each in enumerate(arguments) if _is_checked(each)]

    def backward_of(*values: Any) -> tuple[Tensor, ...]:
        points = list(values[: len(arguments)])
        for position in checked:
            points[position].requires_grad_()  # forward mode passes detached tensors
        results = [each for each in _outputs(func, points) if each.requires_grad]
        gradients = engine.grad(
            results,
            [points[position] for position in checked],
            list(values[len(arguments) :]),
            create_graph=True,
            allow_unused=True,
        )
        return tuple(each for each in gradients if each is not None)

    return gradcheck(
        backward_of,
        [*arguments, *given],
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )
