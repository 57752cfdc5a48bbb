"""gradcheck: formulas against finite differences.

For each input element the function is evaluated a step up and a step down; the slope must be what backward
says. For complex inputs the step goes along the real and the imaginary axis, and the gradient is PyTorch's
convention: the conjugate Wirtinger derivative.

Source: torch/autograd/gradcheck.py.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ..dispatch.dispatcher import aten
from ..memory.accessor import TensorAccessor, elements
from ..memory.tensor import Tensor
from ..values import dtype as dtypes
from . import engine
from .grad_mode import no_grad


class GradcheckError(RuntimeError):
    """An analytic gradient differs from the numeric one."""


def _outputs(function: Callable[..., Any], inputs: Sequence[Any]) -> list[Tensor]:
    results = function(*inputs)
    results = list(results) if isinstance(results, (tuple, list)) else [results]
    return [each for each in results if isinstance(each, Tensor) and each.dtype.category >= 2]


def _numeric_jacobian(
    function: Callable[..., Any], inputs: Sequence[Any], which: Tensor, eps: float
) -> list[list[Any]]:
    """For each output, for each element of ``which``: the slopes of the output's elements.

    For a complex input a pair of slopes, along the real and the imaginary axis.
    """
    accessor = TensorAccessor(which)
    directions = (1.0, 1.0j) if which.dtype.is_complex else (1.0,)
    columns: list[list[Any]] = []
    for offset in list(accessor.offsets()):
        original = accessor.read(offset)
        slopes = []
        for direction in directions:
            values = []
            for sign in (1, -1):
                accessor.write(offset, original + sign * eps * direction)
                with no_grad():
                    values.append([elements(each) for each in _outputs(function, inputs)])
            accessor.write(offset, original)
            slopes.append(
                [[(up - down) / (2 * eps) for up, down in zip(*pair)] for pair in zip(values[0], values[1])]
            )
        columns.append(slopes)
    return columns


def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
) -> bool:
    """Are the gradients of ``func`` at ``inputs`` those that finite differences give?

    inputs: tensors (those that require grad are checked; float64 or complex128, or the step is lost in
    rounding) and anything else.  Each output element is checked against each input element: |a - n| <= atol +
    rtol * |n|. Raises GradcheckError that shows the first difference, or returns False without
    ``raise_exception``; ValueError when no input requires grad.  ``nondet_tol``: how far two backwards of the
    same graph may differ. Source: torch.autograd.gradcheck.
    """
    arguments = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    checked = [each for each in arguments if isinstance(each, Tensor) and each.requires_grad]
    if not checked:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have "
            "requires_grad=True."
        )
    for position, each in enumerate(checked):
        if each.dtype not in (dtypes.float64, dtypes.complex128):
            warnings.warn(
                f"gradcheck: input #{position} requires gradient and is not of double precision "
                f"({each.dtype.name}); the check is likely to fail from rounding alone",
                stacklevel=2,
            )
    outputs = _outputs(func, arguments)
    problem = _first_difference(func, arguments, checked, outputs, eps, atol, rtol, nondet_tol)
    if problem and raise_exception:
        raise GradcheckError(problem)
    return not problem


def _first_difference(
    func: Callable[..., Any],
    arguments: Sequence[Any],
    checked: Sequence[Tensor],
    outputs: Sequence[Tensor],
    eps: float,
    atol: float,
    rtol: float,
    nondet_tol: float,
) -> str:
    numeric = [_numeric_jacobian(func, arguments, each, eps) for each in checked]
    for output_position, output in enumerate(outputs):
        if not output.requires_grad:
            flat = all(
                abs(slope) <= atol
                for columns in numeric
                for slopes in columns
                for direction in slopes
                for slope in direction[output_position]
            )
            if not flat:
                return f"output {output_position} does not require grad, but depends on an input"
            continue
        for element in range(output.numel()):
            for seed in (1.0, 1.0j) if output.dtype.is_complex else (1.0,):
                analytic = [_backward(output, element, seed, checked) for _ in range(2)]
                problem = _compare_row(
                    analytic, numeric, output_position, element, seed, checked, atol, rtol, nondet_tol
                )
                if problem:
                    return problem
    return ""


def _backward(output: Tensor, element: int, seed: complex, checked: Sequence[Tensor]) -> list[list[Any]]:
    """The gradients of one element of an output, times ``seed``."""
    start = aten.zeros_like(output.detach())
    flat = aten.view.default(start.contiguous(), (start.numel(),))
    flat[element] = seed
    gradients = engine.grad(output, checked, flat.view(output.shape), retain_graph=True, allow_unused=True)
    return [
        [0.0] * tensor.numel() if gradient is None else elements(gradient)
        for tensor, gradient in zip(checked, gradients)
    ]


def _compare_row(
    analytic: Sequence[Any],
    numeric: Sequence[Any],
    output_position: int,
    element: int,
    seed: complex,
    checked: Sequence[Tensor],
    atol: float,
    rtol: float,
    nondet_tol: float,
) -> str:
    for input_position, tensor in enumerate(checked):
        for index in range(tensor.numel()):
            found = analytic[0][input_position][index]
            again = analytic[1][input_position][index]
            if abs(found - again) > nondet_tol:
                return (
                    f"Backward is not reentrant: two backwards gave {found} and {again} for input "
                    f"{input_position}"
                )
            slopes = [direction[output_position][element] for direction in numeric[input_position][index]]
            # the gradient of Re(conj(seed) * output): its slope along each axis of the input
            projected = [(slope * complex(seed).conjugate()).real for slope in slopes]
            expected = complex(*projected) if tensor.dtype.is_complex else projected[0]
            if not abs(found - expected) <= atol + rtol * abs(expected):
                return (
                    f"Jacobian mismatch for output {output_position} with respect to input "
                    f"{input_position}: at output element {element}, input element {index} (gradient "
                    f"{seed}), numerical: {expected}, analytical: {found}"
                )
    return ""


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    grad_outputs: Sequence[Tensor] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
) -> bool:
    """Are the second derivatives of ``func`` right?

    gradcheck of its backward, in the inputs and the gradients given.

    Source: torch.autograd.gradgradcheck.
    """
    arguments = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    outputs = [each for each in _outputs(func, arguments) if each.requires_grad]
    if grad_outputs is None:
        # fixed, irregular numbers: neither all ones (which hides transposes) nor random (which hides
        # failures)
        grad_outputs = []
        for output in outputs:
            count = output.numel()
            values = [0.5 + 0.37 * ((7 * i) % 5) - 0.11 * i for i in range(count)]
            made = aten.zeros_like(output.detach()).contiguous()
            flat = made.view(count)
            for i, value in enumerate(values):
                flat[i] = value
            grad_outputs.append(made)
    given = [each.detach().requires_grad_() for each in grad_outputs]
    checked = [
        position for position, each in enumerate(arguments) if isinstance(each, Tensor) and each.requires_grad
    ]

    def backward_of(*values: Any) -> tuple[Tensor, ...]:
        primal = list(values[: len(arguments)])
        results = [each for each in _outputs(func, primal) if each.dtype.category >= 2 and each.requires_grad]
        gradients = engine.grad(
            results,
            [primal[position] for position in checked],
            list(values[len(arguments) :]),
            create_graph=True,
            allow_unused=True,
        )
        return tuple(each for each in gradients if each is not None and each.requires_grad)

    def with_grad(*values: Any) -> tuple[Tensor, ...]:
        from .grad_mode import enable_grad

        with enable_grad():
            return backward_of(*values)

    return gradcheck(
        with_grad,
        [*arguments, *given],
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
    )
