"""Derivatives of functions at a point: Jacobian and Hessian matrices, and their products with vectors.

For a function with Jacobian J: ``vjp`` is v^T J, ``jvp`` is J v, ``jacobian`` is J itself; for one that
returns a single number, with Hessian H: ``vhp`` is v^T H, ``hvp`` is H v, ``hessian`` is H.

The arguments are the function, the inputs and the vector; each of the latter is a tensor or a tuple of
tensors, and results have the same structure.  With ``create_graph`` the results can be differentiated again.
With ``strict``, a result that is independent of the inputs raises RuntimeError; otherwise its derivative is
0.

Source: torch/autograd/functional.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from ..dispatch.dispatcher import aten
from ..memory.tensor import Tensor
from ..values import late_bound
from . import engine, forward_ad
from .grad_mode import enable_grad, is_grad_enabled, set_grad_enabled

Tensors = tuple[Tensor, ...]
TensorOrTensors = Tensor | Tensors
Function = Callable[..., Any]


# -- arguments and results -----------------------------------------------------------------------------------


def _as_tuple(given: Any, what: str, name: str) -> tuple[bool, Tensors]:
    """(Is it a tuple?, ``given`` as a tuple).  Raises TypeError for anything but tensors."""
    is_tuple = isinstance(given, tuple)
    elements = given if is_tuple else (given,)
    for position, each in enumerate(elements):
        if not isinstance(each, Tensor):
            found = f"value at index {position}" if is_tuple else f"given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {found} "
                f"has type {type(each)}."
            )
    return is_tuple, elements


def _in_form(results: Sequence[Any], is_tuple: bool) -> Any:
    """The results as a tuple, or the only one alone."""
    return tuple(results) if is_tuple else results[0]


def _points(inputs: Tensors, create_graph: bool, need_graph: bool = True) -> Tensors:
    """The function's arguments: leaves; with ``create_graph``, views of inputs that require grad."""
    return tuple(
        each.view_as(each)
        if create_graph and each.requires_grad
        else each.detach().requires_grad_(need_graph)
        for each in inputs
    )


def _finished(results: Sequence[Tensor], create_graph: bool) -> Tensors:
    """The results, detached unless ``create_graph``."""
    if create_graph:
        return tuple(results)
    return tuple(each.detach() for each in results)


def _vector(v: Any, like: Tensors, like_is_tuple: bool, name: str, create_graph: bool) -> Tensors:
    """The vector ``v``, checked to have the structure and sizes of ``like``.  Raises RuntimeError."""
    _, given = _as_tuple(v, "v", name)
    if len(given) != len(like):
        if like_is_tuple:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(given)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for position, (each, wanted) in enumerate(zip(given, like)):
        if each.shape != wanted.shape:
            entry = f"Entry {position} in " if like_is_tuple else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {wanted.shape} but got {each.shape}.")
    return _points(given, create_graph, need_graph=False)


def _needs_no_vector(of: Tensors, what: str) -> None:
    if len(of) != 1 or of[0].numel() != 1:
        raise RuntimeError(
            f"The vector v can only be None if the {what} a single Tensor with a single element."
        )


def _single_output(output: Any, is_tuple: bool, name: str) -> None:
    """Raises RuntimeError unless the function returns one tensor of one element."""
    if is_tuple:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if output.numel() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {name} should contain a single element"
        )


# -- strictness ----------------------------------------------------------------------------------------------

_STRICT = " This is not allowed in strict mode."

_NOT_RECORDED = {
    "outputs": "Output {} of the user-provided function does not require gradients. The outputs must be "
    "computed in a differentiable manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {} is independent of the inputs of the user-provided "
    "function." + _STRICT,
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with "
    "respect to input {} is independent of the input." + _STRICT + " You should ensure that your function is "
    "twice differentiable and that the jacobian depends on the inputs (this would be violated by a linear "
    "function for example).",
    "hessian": "The hessian of the user-provided function with respect to input {} is independent of the "
    "input."
    + _STRICT
    + " You should ensure that your function is thrice differentiable and that the hessian depends on "
    "the inputs.",
}

_MISSING = {
    "back": "The output of the user-provided function is independent of input {}." + _STRICT,
    "back_trick": "The gradient with respect to the input is independent of entry {} in the grad_outputs "
    "when using the double backward trick to compute forward mode gradients." + _STRICT,
    "double_back": "The jacobian of the user-provided function is independent of input {}." + _STRICT,
    "double_back_trick": "The hessian of the user-provided function is independent of entry {} in the "
    "grad_jacobian. This is not allowed in strict mode as it prevents from using the double backward trick "
    "to replace forward mode AD.",
}


def _check_recorded(results: Any, what: str, strict: bool) -> None:
    """Raises RuntimeError in strict mode for a result that is missing or does not require grad."""
    if not strict:
        return
    for position, each in enumerate(results if isinstance(results, tuple) else (results,)):
        if each is None:
            raise RuntimeError(_MISSING["back"].format(position))
        if not each.requires_grad:
            raise RuntimeError(_NOT_RECORDED[what].format(position))


def _filled(
    gradients: Sequence[Tensor | None], like: Sequence[Tensor], strict: bool, create_graph: bool, stage: str
) -> Tensors:
    """The gradients, with zeros for missing ones; in strict mode those raise RuntimeError."""
    filled = []
    for position, (each, reference) in enumerate(zip(gradients, like)):
        if strict and each is None:
            raise RuntimeError(_MISSING[stage].format(position))
        if strict and create_graph and not each.requires_grad:  # type: ignore[union-attr]
            of = "hessian" if stage.startswith("double") else "jacobian"
            raise RuntimeError(
                f"The {of} of the user-provided function is independent of input {position}. This is not "
                "allowed in strict mode when create_graph=True."
            )
        filled.append(aten.zeros_like(reference) if each is None else each)
    return tuple(filled)


def _grad(
    outputs: Sequence[Tensor | None],
    inputs: Tensors,
    grad_outputs: Sequence[Tensor | None] | None = None,
    create_graph: bool = False,
    retain_graph: bool | None = None,
) -> tuple[Tensor | None, ...]:
    """``autograd.grad`` of those outputs that require grad; None for inputs they do not depend on."""
    given = [None] * len(outputs) if grad_outputs is None else grad_outputs
    pairs = [(each, v) for each, v in zip(outputs, given) if each is not None and each.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    return engine.grad(
        [each for each, _ in pairs],
        list(inputs),
        [v for _, v in pairs],
        retain_graph,
        create_graph,
        allow_unused=True,
    )


# -- products with vectors -----------------------------------------------------------------------------------


def vjp(
    func: Function,
    inputs: TensorOrTensors,
    v: TensorOrTensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """``func(*inputs)``, and v^T J: the gradients of the inputs for gradients ``v`` of the outputs.

    ``v`` has the outputs' sizes, and may be omitted for a single number.  Raises RuntimeError for other
    sizes, TypeError for anything but tensors.  Source: torch.autograd.functional.vjp.
    """
    with enable_grad():
        is_tuple, inputs = _as_tuple(inputs, "inputs", "vjp")
        inputs = _points(inputs, create_graph)
        outputs_are_tuple, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", "vjp")
        _check_recorded(outputs, "outputs", strict)
        if v is None:
            _needs_no_vector(outputs, "user-provided function returns")
        else:
            v = _vector(v, outputs, outputs_are_tuple, "vjp", create_graph)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = _filled(_grad(outputs, inputs, v, create_graph), inputs, strict, create_graph, "back")
    return (
        _in_form(_finished(outputs, create_graph), outputs_are_tuple),
        _in_form(_finished(found, create_graph), is_tuple),
    )


def jvp(
    func: Function,
    inputs: TensorOrTensors,
    v: TensorOrTensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """``func(*inputs)``, and J v: the derivative of the outputs in the direction ``v`` of the inputs.

    By double backward: v^T J is linear in v, and its derivative with respect to v along w is J w.
    (``forward_ad`` computes it in one pass, if all operators support it.)  ``v`` has the inputs' sizes, and
    may be omitted for a single number.  Raises RuntimeError for other sizes, TypeError for anything but
    tensors.  Source: torch.autograd.functional.jvp.
    """
    with enable_grad():
        is_tuple, inputs = _as_tuple(inputs, "inputs", "jvp")
        inputs = _points(inputs, create_graph)
        if v is None:
            _needs_no_vector(inputs, "input to the user-provided function is")
            v = (aten.ones_like(inputs[0].detach()),)
        else:
            v = _vector(v, inputs, is_tuple, "jvp", create_graph)
        outputs_are_tuple, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", "jvp")
        _check_recorded(outputs, "outputs", strict)
        stand_ins = tuple(aten.zeros_like(each.detach()).requires_grad_() for each in outputs)
        back = _grad(outputs, inputs, stand_ins, create_graph=True)
        _check_recorded(back, "grad_inputs", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        twice = _grad(back, stand_ins, v, create_graph)
        found = _filled(twice, outputs, strict, create_graph, "back_trick")
    return (
        _in_form(_finished(outputs, create_graph), outputs_are_tuple),
        _in_form(_finished(found, create_graph), outputs_are_tuple),
    )


def vhp(
    func: Function,
    inputs: TensorOrTensors,
    v: TensorOrTensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """``func(*inputs)``, which must be a single number, and v^T H.

    Equal to ``hvp``, since H is symmetric, and cheaper.  ``v`` has the inputs' sizes, and may be omitted for
    a single number.  Raises RuntimeError for other sizes and functions, TypeError for anything but tensors.
    Source: torch.autograd.functional.vhp.
    """
    with enable_grad():
        is_tuple, inputs = _as_tuple(inputs, "inputs", "vhp")
        inputs = _points(inputs, create_graph)
        v = _vector_or_one(v, inputs, is_tuple, "vhp", create_graph)
        output, jacobian_of = _gradient_of_one(func, inputs, "vhp", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        twice = _grad(jacobian_of, inputs, v, create_graph)
        found = _filled(twice, inputs, strict, create_graph, "double_back")
    return _finished((output,), create_graph)[0], _in_form(_finished(found, create_graph), is_tuple)


def hvp(
    func: Function,
    inputs: TensorOrTensors,
    v: TensorOrTensors | None = None,
    create_graph: bool = False,
    strict: bool = False,
) -> tuple[Any, Any]:
    """``func(*inputs)``, which must be a single number, and H v.

    ``v`` has the inputs' sizes, and may be omitted for a single number.  Raises RuntimeError for other sizes
    and functions, TypeError for anything but tensors.  Source: torch.autograd.functional.hvp.
    """
    with enable_grad():
        is_tuple, inputs = _as_tuple(inputs, "inputs", "hvp")
        inputs = _points(inputs, create_graph)
        v = _vector_or_one(v, inputs, is_tuple, "hvp", create_graph)
        output, jacobian_of = _gradient_of_one(func, inputs, "hvp", strict)
        stand_ins = tuple(aten.zeros_like(each.detach()).requires_grad_() for each in inputs)
        back = _grad(jacobian_of, inputs, stand_ins, create_graph=True)
        _check_recorded(jacobian_of, "hessian", strict)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        twice = _grad(back, stand_ins, v, create_graph)
        found = _filled(twice, inputs, strict, create_graph, "double_back_trick")
    return _finished((output,), create_graph)[0], _in_form(_finished(found, create_graph), is_tuple)


def _vector_or_one(v: Any, inputs: Tensors, is_tuple: bool, name: str, create_graph: bool) -> Tensors:
    """The vector; 1 if it is omitted for a single number."""
    if v is not None:
        return _vector(v, inputs, is_tuple, name, create_graph)
    _needs_no_vector(inputs, "input to the user-provided function is")
    return (aten.ones_like(inputs[0].detach()),)


def _gradient_of_one(
    func: Function, inputs: Tensors, name: str, strict: bool
) -> tuple[Tensor, tuple[Tensor | None, ...]]:
    """The function's result, a single number, and its gradient, recorded."""
    is_tuple, outputs = _as_tuple(func(*inputs), "outputs of the user-provided function", name)
    _check_recorded(outputs, "outputs", strict)
    _single_output(outputs[0], is_tuple, name)
    gradient = _grad(outputs, inputs, create_graph=True)
    _check_recorded(gradient, "jacobian", strict)
    return outputs[0], gradient


# -- matrices ------------------------------------------------------------------------------------------------


def _basis(tensors: Tensors) -> Tensors:
    """For each tensor, its part of the unit vectors of all tensors together: (elements of all, *sizes)."""
    total = sum(each.numel() for each in tensors)
    found = []
    start = 0
    for each in tensors:
        part = aten.zeros((total, each.numel()), dtype=each.dtype, device=each.device)
        part.diagonal(-start).fill_(1)
        start += each.numel()
        found.append(part.view((total, *each.shape)))
    return tuple(found)


def jacobian(
    func: Function,
    inputs: TensorOrTensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: Literal["reverse-mode", "forward-mode"] = "reverse-mode",
) -> Any:
    """The Jacobian: for each output and each input, a tensor of (*sizes of the output, *sizes of the input).

    One tensor for one output and one input; a tuple if one of them is a tuple, and a tuple of tuples (outputs
    first) if both are.  ``strategy``: "reverse-mode" runs backward for each element of the outputs,
    "forward-mode" runs forward mode for each element of the inputs.  ``vectorize``: all at once, by vmap.

    Raises NotImplementedError for forward mode without ``vectorize`` or with ``create_graph``, RuntimeError
    for ``strict`` with either, TypeError for anything but tensors.  Source:
    torch.autograd.functional.jacobian.
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: if your function has '
            'more outputs than inputs, "forward-mode" takes fewer passes; otherwise, "reverse-mode" does.'
        )
    if strategy == "forward-mode":
        return _forward_jacobian(func, inputs, create_graph, strict, vectorize)
    with enable_grad():
        is_tuple, inputs = _as_tuple(inputs, "inputs", "jacobian")
        inputs = _points(inputs, create_graph)
        outputs_are_tuple, outputs = _as_tuple(
            func(*inputs), "outputs of the user-provided function", "jacobian"
        )
        _check_recorded(outputs, "outputs", strict)
        if vectorize and strict:
            raise RuntimeError(
                "jacobian: `strict=True` and `vectorized=True` are not supported together. Please either set "
                "`strict=False` or `vectorize=False`."
            )
        rows = _rows_at_once if vectorize else _rows_one_by_one
        found = rows(outputs, inputs, create_graph, strict)
    return _in_form([_in_form(_finished(each, create_graph), is_tuple) for each in found], outputs_are_tuple)


def _rows_one_by_one(outputs: Tensors, inputs: Tensors, create_graph: bool, strict: bool) -> list[Tensors]:
    """For each output and each input the Jacobian, by a backward pass for each output element."""
    found = []
    for number, output in enumerate(outputs):
        rows: list[list[Tensor]] = [[] for _ in inputs]
        for element in output.reshape(-1).unbind(0):
            gradients = _grad((element,), inputs, None, create_graph, retain_graph=True)
            for position, (gradient, each) in enumerate(zip(gradients, inputs)):
                if strict and gradient is None:
                    raise RuntimeError(
                        f"Output {number} of the user-provided function is independent of input {position}."
                        + _STRICT
                    )
                if strict and create_graph and not gradient.requires_grad:  # type: ignore[union-attr]
                    raise RuntimeError(
                        f"The jacobian of the user-provided function is independent of input {position}. "
                        "This is not allowed in strict mode when create_graph=True."
                    )
                rows[position].append(aten.zeros_like(each) if gradient is None else gradient)
        found.append(
            tuple(
                aten.stack.default(each, 0).view((*output.shape, *point.shape))
                if each
                else aten.zeros((*output.shape, *point.shape), dtype=point.dtype, device=point.device)
                for each, point in zip(rows, inputs)
            )
        )
    return found


def _rows_at_once(outputs: Tensors, inputs: Tensors, create_graph: bool, strict: bool) -> list[Tensors]:
    """Like ``_rows_one_by_one``, with all backward passes in one."""

    def rows(*gradients: Tensor) -> Tensors:
        found = _grad(outputs, inputs, gradients, create_graph, retain_graph=True)
        return tuple(aten.zeros_like(point) if each is None else each for each, point in zip(found, inputs))

    columns = late_bound.vmap(rows)(*_basis(outputs))
    parts = [each.split([output.numel() for output in outputs], 0) for each in columns]
    return [
        tuple(part[number].reshape((*output.shape, *point.shape)) for part, point in zip(parts, inputs))
        for number, output in enumerate(outputs)
    ]


def _forward_jacobian(
    func: Function, inputs: TensorOrTensors, create_graph: bool, strict: bool, vectorize: bool
) -> Any:
    """The Jacobian by forward mode, for all elements of the inputs at once."""
    if create_graph:
        raise NotImplementedError(
            'jacobian: `create_graph=True` and `strategy="forward-mode"` are not supported together (yet). '
            'Please either set `create_graph=False` or `strategy="reverse-mode"`.'
        )
    if strict:
        raise RuntimeError(
            'jacobian: `strict=True` and `strategy="forward-mode"` are not supported together (yet). Please '
            'either set `strict=False` or `strategy="reverse-mode"`.'
        )
    is_tuple, points = _as_tuple(inputs, "inputs", "jacobian")
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian is only implemented for "
            "`vectorize=True`."
        )
    form: list[Any] = []

    def column(*tangents: Tensor) -> Tensors:
        with forward_ad.dual_level():
            duals = [forward_ad.make_dual(each, along) for each, along in zip(points, tangents)]
            outputs_are_tuple, outputs = _as_tuple(
                func(*duals), "outputs of the user-provided function", "jacobian"
            )
            unpacked = [forward_ad.unpack_dual(each) for each in outputs]
            form[:] = [outputs_are_tuple, [each.shape for each in outputs]]
            return tuple(aten.zeros_like(primal) if along is None else along for primal, along in unpacked)

    columns = late_bound.vmap(column)(*_basis(points))
    outputs_are_tuple, shapes = form
    found = []
    for each, shape in zip(columns, shapes):
        parts = each.split([point.numel() for point in points], 0)
        found.append(
            tuple(part.movedim(0, -1).reshape((*shape, *point.shape)) for part, point in zip(parts, points))
        )
    return _in_form([_in_form(each, is_tuple) for each in found], outputs_are_tuple)


def hessian(
    func: Function,
    inputs: TensorOrTensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: Literal["reverse-mode", "forward-mode"] = "reverse-mode",
) -> Any:
    """The Hessian of a function that returns a single number.

    For each pair of inputs a tensor of (*sizes of one, *sizes of the other): one tensor for one input, a
    tuple of tuples for a tuple.  It is the Jacobian of the Jacobian, where the outer one uses
    ``outer_jacobian_strategy`` and ``vectorize``.  Raises RuntimeError for a function that returns anything
    else, and the errors of ``jacobian``.  Source: torch.autograd.functional.hessian.
    """
    is_tuple, inputs = _as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def number(*points: Tensor) -> Tensor:
        outputs_are_tuple, outputs = _as_tuple(
            func(*points), "outputs of the user-provided function", "hessian"
        )
        _check_recorded(outputs, "outputs", strict)
        _single_output(outputs[0], outputs_are_tuple, "hessian")
        return outputs[0].squeeze()

    def gradient(*points: Tensor) -> Any:
        if outer_jacobian_strategy == "forward-mode":  # otherwise they already do
            points = tuple(each.requires_grad_() for each in points)
        found = jacobian(number, points, create_graph=True)
        _check_recorded(found, "jacobian", strict)
        return found

    found = jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return _in_form([_in_form(each, is_tuple) for each in found], is_tuple)


__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
