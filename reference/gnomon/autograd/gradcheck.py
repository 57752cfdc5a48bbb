"""gradcheck: compares backward and forward mode with finite differences.

*Slow mode* compares whole Jacobians (jacobian.py).

*Fast mode* only compares products with one random vector, u for the inputs and v for the outputs: v^T (J u),
by two evaluations, with (v^T J) u, by one backward.  A wrong J passes only if u or v happen to be orthogonal
to the error.  If they differ, slow mode finds the element.

Source: torch/autograd/gradcheck.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..dispatch.dispatcher import aten
from ..memory.accessor import elements
from ..memory.tensor import Tensor
from ..values import dtype as dtypes
from ..values import late_bound
from ..values.errors import warn
from . import engine, forward_ad
from .grad_mode import enable_grad
from .gradcheck_sparse import of_strided
from .jacobian import (
    Function,
    GradcheckError,
    Matrix,
    Numbers,
    differentiable_outputs,
    gradients_twice,
    inner_product,
    is_checked,
    matrices_by_columns,
    matrices_by_rows,
    numeric_slopes,
    outputs_of,
    random_generator,
    random_vector,
    tangents_of,
    tensor_of,
)
from .node import Node, gradient_edge, next_sequence_number, set_history

BY_FORWARD_MODE = "computed with forward mode "
SHOWN = 6  # rows, columns, and differences of a Jacobian in an error message


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
        self.checked = [each for each in inputs if is_checked(each)]
        self.eps, self.atol, self.rtol = eps, atol, rtol
        self.nondet_tol = nondet_tol
        self.check_dtypes = check_dtypes

    def numeric(self, which: Tensor, direction: Numbers) -> list[Numbers]:
        """For each output the slopes along ``direction``, by finite differences."""
        return numeric_slopes(self.func, self.inputs, which, direction, self.eps)

    def tangents(self, which: Tensor, direction: Numbers) -> list[Numbers]:
        """Like ``numeric``, by forward mode."""
        return tangents_of(self.func, self.inputs, which, direction, self.check_dtypes)

    def slow(self, is_forward: bool) -> None:
        """Compare whole Jacobians.  Raises GradcheckError."""
        outputs = outputs_of(self.func, self.inputs)
        if not is_forward and not any(each.requires_grad for each in outputs):
            self.constant(outputs)
            return
        numeric = [matrices_by_columns(self.numeric, outputs, each) for each in self.checked]
        forward = (
            [matrices_by_columns(self.tangents, outputs, each) for each in self.checked] if is_forward else []
        )
        for position, output in enumerate(outputs):
            if is_forward:
                analytic = [matrices[position] for matrices in forward]
            elif output.requires_grad:
                analytic = matrices_by_rows(output, self.checked, self.nondet_tol, self.check_dtypes)
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
            for position, matrix in enumerate(matrices_by_columns(self.numeric, outputs, which)):
                if any(abs(each) > self.atol for row in matrix for each in row):
                    raise GradcheckError(
                        f"Numerical gradient for function expected to be zero: output {position} does not "
                        f"require grad, but depends on input {number}. numerical:\n{_shown(matrix)}"
                    )

    def fast(self, is_forward: bool) -> None:
        """Compare the products of the Jacobians with random vectors.  Raises GradcheckError."""
        generator = random_generator()
        outputs = outputs_of(self.func, self.inputs)
        if not is_forward and not any(each.requires_grad for each in outputs):
            self.constant(outputs)
            return
        us = [random_vector(each, generator) for each in self.checked]
        vs = [random_vector(each, generator) for each in outputs]
        numeric = [self.numeric(each, u) for each, u in zip(self.checked, us)]
        forward = [self.tangents(each, u) for each, u in zip(self.checked, us)] if is_forward else []
        for position, (output, v) in enumerate(zip(outputs, vs)):
            if not is_forward and not output.requires_grad:
                continue
            gradients = (
                []
                if is_forward
                else gradients_twice(output, self.checked, v, self.nondet_tol, self.check_dtypes)
            )
            for number, u in enumerate(us):
                expected = inner_product(v, numeric[number][position])
                found = (
                    inner_product(v, forward[number][position])
                    if is_forward
                    else inner_product(gradients[number], u)
                )
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
    count = len(differentiable_outputs(check.func, check.inputs))
    if not count:
        return
    for missing in [None, *range(count)] if count > 1 else [None]:
        outputs = differentiable_outputs(check.func, check.inputs)
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
    outputs = differentiable_outputs(check.func, check.inputs)
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
    generator = random_generator()
    along = [tensor_of(random_vector(each, generator), each) for each in check.checked]

    def pushed(undefined: int, with_zeros: bool) -> list[Any]:
        numbers = iter(range(len(along)))
        with forward_ad.dual_level():
            given = []
            for each in check.inputs:
                plain = aten.detach.default(each) if isinstance(each, Tensor) else each
                if is_checked(each):
                    number = next(numbers)
                    if number != undefined:
                        plain = forward_ad.make_dual(plain, aten.clone.default(along[number], None))
                    elif with_zeros:
                        plain = forward_ad.make_dual(plain, aten.zeros_like(plain))
                given.append(plain)
            tangents = [forward_ad.unpack_dual(each).tangent for each in outputs_of(check.func, given)]
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
    generator = random_generator()
    outputs = outputs_of(check.func, check.inputs)
    cases: list[tuple[str, Tensor, Callable[[Tensor], tuple[Tensor, ...]]]] = []
    if is_forward:
        for number, which in enumerate(check.checked):

            def push(along: Tensor, which: Tensor = which) -> tuple[Tensor, ...]:
                with forward_ad.dual_level():
                    dual = forward_ad.make_dual(aten.detach.default(which), along)
                    given = [dual if each is which else each for each in check.inputs]
                    unpacked = [forward_ad.unpack_dual(each) for each in outputs_of(check.func, given)]
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
        several = [tensor_of(random_vector(like, generator), like) for _ in range(2)]
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
    if not any(is_checked(each) for each in inputs):
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have "
            "requires_grad=True."
        )
    for position, each in enumerate(inputs):
        if not is_checked(each):
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
        generator = random_generator()
        with enable_grad():
            outputs = [each for each in outputs_of(func, arguments) if each.requires_grad]
        given = []
        for output in outputs:
            made = tensor_of([2 * each for each in random_vector(output, generator)], output)
            if gen_non_contig_grad_outputs:
                made = aten.select.int(aten.stack.default([made, made], -1), -1, 0)
            given.append(made.requires_grad_())
    else:
        given = [grad_outputs] if isinstance(grad_outputs, Tensor) else list(grad_outputs)
    checked = [position for position, each in enumerate(arguments) if is_checked(each)]

    def backward_of(*values: Any) -> tuple[Tensor, ...]:
        points = list(values[: len(arguments)])
        for position in checked:
            points[position].requires_grad_()  # forward mode passes detached tensors
        results = [each for each in outputs_of(func, points) if each.requires_grad]
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
