"""opcheck: tests that an operator was registered correctly.

Source: torch/testing/_internal/optests (opcheck).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

from ..autograd import grad as gradients_of
from ..autograd.grad_mode import enable_grad, no_grad
from ..autograd.user_operators import WarnNotImplemented
from ..dispatch.dispatcher import OpOverload, OpOverloadPacket, aten
from ..dispatch.registration import IMPLICIT, UserOperator, flat_tensors
from ..memory.tensor import Tensor
from ..random import Generator
from ..values import dtype as dtypes
from ..values.device import device
from ..values.geometry import has_internal_overlap
from ..values.schema import Argument
from .definitions import CustomOpDef, memory_of

_META = device("meta")

# dtype -> the step of finite differences, and the tolerances (rtol, atol) of their comparison with backward
_STEPS = {
    dtypes.float64: (1e-6, 1e-4, 1e-6),
    dtypes.complex128: (1e-6, 1e-4, 1e-6),
    dtypes.float32: (1e-2, 1e-2, 1e-2),
    dtypes.complex64: (1e-2, 1e-2, 1e-2),
}
_DOUBLE = {dtypes.float32: dtypes.float64, dtypes.complex64: dtypes.complex128}


class OpCheckError(Exception):
    """Raised by ``opcheck``; the message names the test that failed and its finding."""


def opcheck(
    op: OpOverload | OpOverloadPacket | CustomOpDef,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
    *,
    test_utils: str | Sequence[str] = (
        "test_schema",
        "test_autograd_registration",
        "test_faketensor",
        "test_aot_dispatch_dynamic",
    ),
    raise_exception: bool = True,
    atol: float | None = None,
    rtol: float | None = None,
) -> dict[str, Any]:
    """Runs an operator on ``args`` and ``kwargs`` to test that it was registered correctly.

    test_schema                 it writes only to the arguments that its schema names (data and versions are
                                compared), and its results alias only what the schema says
    test_autograd_registration  if inputs require grad: a derivative is registered; the operators that its
                                kernel calls are not recorded instead
    test_faketensor             on the meta device it returns the sizes, strides and dtypes of its kernels
    test_aot_dispatch_dynamic   gnomon has no compiler to compare with, so this tests what a compiler would
                                need: forward and backward run on the meta device with the same sizes and
                                dtypes; and (in PyTorch a task of gradcheck) gradients agree with finite
                                differences along a random direction, within ``atol`` and ``rtol``, which are
                                given together.  Inputs are converted to double precision if the operator
                                accepts that.  Finite differences are skipped for half precision, and for an
                                operator whose results differ from run to run.

    The arguments are copied before each run.  Returns the outcome of each test: "SUCCESS" or, with
    raise_exception=False, the exception.  Raises OpCheckError for a failure; ValueError for an invalid op, an
    unknown test, and if only one of atol and rtol is given.  Source: torch.library.opcheck.
    """
    if (rtol is None) != (atol is None):
        raise ValueError("opcheck(op, ...): if you specify one of rtol/atol, you must specify both")
    operator = _one_operator(op)
    names = (test_utils,) if isinstance(test_utils, str) else tuple(test_utils)
    if names == ("ALL",):
        names = tuple(_TESTS)
    if not set(names) <= set(_TESTS):
        raise ValueError(
            f"opcheck(op, ..., test_utils={names}), expected test_utils to be subset of {tuple(_TESTS)} but "
            "it was not"
        )
    results: dict[str, Any] = {}
    for name in names:
        try:
            run = _Run(operator, args, kwargs or {})
            _TESTS[name](run, None if rtol is None or atol is None else (rtol, atol))
            results[name] = "SUCCESS"
        except Exception as error:  # the tested operator may raise anything
            if raise_exception:
                raise OpCheckError(f"opcheck(op, ...): {name} failed with {error}") from error
            results[name] = error
    return results


def _one_operator(op: Any) -> OpOverload:
    if isinstance(op, CustomOpDef):
        return op._opoverload
    if isinstance(op, OpOverloadPacket):
        if len(op.overloads) != 1:
            raise RuntimeError(
                "opcheck can only test operators without overloads. Got the following overloads for "
                f"{op.name}: {[overload or 'default' for overload in op.overloads]}"
            )
        return next(iter(op.overloads.values()))
    if not isinstance(op, OpOverload):
        raise ValueError(
            "opcheck(op, ...): op must be instance of OpOverload, e.g. gnomon.ops.aten.sin.default, got "
            f"{type(op)}"
        )
    return op


def _converted(value: Any, convert: Callable[[Tensor], Any]) -> Any:
    if isinstance(value, (list, tuple)):
        return [_converted(each, convert) for each in value]
    return convert(value) if isinstance(value, Tensor) else value


class _Run:
    """An operator and its arguments, which are copied for each run."""

    def __init__(self, operator: OpOverload, args: Sequence[Any], kwargs: dict[str, Any]):
        self.operator = operator
        self.schema = operator.schema
        if isinstance(operator, UserOperator):
            self.arguments: Sequence[Any] = operator.bind(args, kwargs, len(args))
        else:
            self.arguments = operator.complete(args, dict(kwargs))
        self.tensors = list(operator.tensors(self.arguments))
        self.is_on_meta = any(each._spec.device is _META for each in self.tensors)
        self.writes = any(argument.is_written for argument in self.schema.arguments)

    def with_tensors(self, convert: Callable[[Tensor], Any]) -> list[Any]:
        """The arguments, with each tensor replaced by ``convert`` of it."""
        return [
            _converted(value, convert) if position in self.operator.tensor_positions else value
            for position, value in enumerate(self.arguments)
        ]

    def on_meta(self, arguments: Sequence[Any]) -> Any:
        """Runs on the meta device, on which the tensors in ``arguments`` already are."""
        moved = [
            _META if argument.type == "Device" and value is not None else value
            for argument, value in zip(self.schema.arguments, arguments)
        ]
        with nullcontext() if self.tensors else _META:
            return self.operator(*moved)

    def outputs(self, results: Any) -> list[tuple[Argument, Any]]:
        """Each result with its entry in the schema."""
        returns = self.schema.returns
        single = len(returns) == 1 and not getattr(self.operator, "returns_tuple", False)
        return list(zip(returns, (results,) if single else results or ()))


def _copied(tensor: Tensor, requires_grad: bool = False) -> Tensor:
    """A copy with the same data, sizes and strides, in separate memory."""
    spec = tensor._spec
    with no_grad():
        if has_internal_overlap(spec.sizes, spec.strides):
            made = tensor.detach().clone()
        else:
            made = aten.empty_strided(spec.sizes, spec.strides, dtype=spec.dtype, device=spec.device)
            made.copy_(tensor.detach())
    # has version 0, so that the version counts only the operator's writes
    made = made.data
    return made.requires_grad_() if requires_grad and tensor.requires_grad else made


def _without_numbers(tensor: Tensor, requires_grad: bool = False) -> Tensor:
    """A tensor of the same sizes and strides on the meta device."""
    spec = tensor._spec
    made = aten.empty_strided(spec.sizes, spec.strides, dtype=spec.dtype, device=_META)
    return made.requires_grad_() if requires_grad and tensor.requires_grad else made


def _same_numbers(one: Tensor, other: Tensor) -> bool:
    """Are all elements equal, or both NaN?"""
    if one._spec.sizes != other._spec.sizes or one._spec.dtype is not other._spec.dtype:
        return False
    with no_grad():
        return bool(((one == other) | ((one != one) & (other != other))).all())


# ---------------------------------------------------------------------------------------------------------
# The tests.

Tolerance = tuple[float, float] | None


def _test_schema(run: _Run, tolerance: Tolerance) -> None:
    if run.is_on_meta:
        return
    arguments = run.with_tensors(_copied)
    before = run.with_tensors(_copied)
    with no_grad():
        results = run.operator(*arguments)
    for argument, value, was in zip(run.schema.arguments, arguments, before):
        for tensor, copy in zip(flat_tensors(value), flat_tensors(was)):
            if argument.is_written:
                if not tensor._version:
                    raise RuntimeError(
                        f"Argument {argument.name} is defined as mutable but its version was not bumped"
                    )
            elif tensor._spec is not copy._spec:
                raise RuntimeError(
                    f"Argument {argument.name} is not defined as mutable but its sizes or strides were "
                    "changed"
                )
            elif tensor._version or not _same_numbers(tensor, copy):
                raise RuntimeError(f"Argument {argument.name} is not defined as mutable but was mutated")
    seen: list[tuple[int, Argument, int]] = []
    for position, (result, output) in enumerate(run.outputs(results)):
        for tensor in flat_tensors(output):
            memory = memory_of(tensor)
            for argument, value in zip(run.schema.arguments, arguments):
                if memory in map(memory_of, flat_tensors(value)) and not _may_alias(argument, result):
                    raise RuntimeError(
                        f"Argument {argument.name} is not defined to alias output but was aliasing"
                    )
            for other_memory, other, other_position in seen:
                if memory == other_memory and not _may_alias(other, result):
                    raise RuntimeError(f"Outputs {other_position} and {position} alias unexpectedly")
            seen.append((memory, result, position))


def _may_alias(one: Argument, other: Argument) -> bool:
    """Do their alias annotations allow them to share memory?"""
    if one.alias is None or other.alias is None:
        return False
    return bool(set(one.alias.name.split("|")) & set(other.alias.name.split("|")))


def _test_autograd_registration(run: _Run, tolerance: Tolerance) -> None:
    operator = run.operator
    if not isinstance(operator, UserOperator) or not any(each.requires_grad for each in run.tensors):
        return
    if operator.registered("Autograd") is not None or operator.registered(IMPLICIT) is not None:
        return
    arguments = run.with_tensors(lambda tensor: _copied(tensor, requires_grad=True))
    with enable_grad():
        results = operator(*arguments)
    given = list(operator.tensors(arguments))
    for output in flat_tensors(results):
        if any(output is each for each in given) or not output.requires_grad:
            continue
        if not isinstance(output.grad_fn, WarnNotImplemented):
            raise AssertionError(
                f"{operator.qualified_name}: at least one output of this operator has requires_grad=True but "
                "the operator does not have an autograd kernel defined at an autograd key. What the kernel "
                "of a device calls must not be recorded: register a derivative with register_autograd or, "
                "for a function made of other operators, register it as CompositeImplicitAutograd."
            )


def _test_faketensor(run: _Run, tolerance: Tolerance) -> None:
    if run.is_on_meta:
        return
    with no_grad():
        real = run.operator(*run.with_tensors(_copied))
        fake = run.on_meta(run.with_tensors(_without_numbers))
    _compare_looks(run, f"the output of {run.operator}", real, fake, strides=True)


def _compare_looks(run: _Run, what: str, real: Any, fake: Any, strides: bool) -> None:
    """Raises RuntimeError if a meta result and the real one differ in structure, sizes, dtype or strides."""

    def differ(reason: str) -> RuntimeError:
        return RuntimeError(f"When comparing {what} on the meta device and on real tensors: {reason}")

    if isinstance(real, (tuple, list)):
        if not isinstance(fake, (tuple, list)) or len(fake) != len(real):
            raise differ(f"there are {len(real)} results on real tensors, but {fake!r} on the meta device")
        for one, other in zip(real, fake):
            _compare_looks(run, what, one, other, strides)
        return
    if not isinstance(real, Tensor):
        if type(real) is not type(fake):
            raise differ(f"{type(real).__name__} and {type(fake).__name__} are not the same type!")
        return
    if not isinstance(fake, Tensor):
        raise differ(f"the result is a Tensor on real tensors, but {fake!r} on the meta device")
    if fake.device is not _META:
        raise differ(f"the result is on {fake.device}, expected the meta device!")
    if real.shape != fake.shape:
        raise differ(f"Shapes {list(real.shape)} and {list(fake.shape)} are not equal!")
    if real.dtype is not fake.dtype:
        raise differ(f"Dtypes {real.dtype} and {fake.dtype} are not equal!")
    relevant = [position for position, size in enumerate(real.shape) if size > 1] if real.numel() else []
    if strides and any(real.stride(each) != fake.stride(each) for each in relevant):
        raise differ(f"Stride mismatch! Strides are {real.stride()} and {fake.stride()}!")
    if strides and real.storage_offset() != fake.storage_offset():
        raise differ(f"Storage offsets {real.storage_offset()} and {fake.storage_offset()} are not equal!")


def _test_aot_dispatch_dynamic(run: _Run, tolerance: Tolerance) -> None:
    _test_faketensor(run, tolerance)
    if run.is_on_meta or run.writes or not any(each.requires_grad for each in run.tensors):
        return
    real = _gradients(run, run.with_tensors(lambda tensor: _copied(tensor, True)), run.operator.__call__)
    fake = _gradients(
        run, run.with_tensors(lambda tensor: _without_numbers(tensor, True)), lambda *each: run.on_meta(each)
    )
    if real is None or fake is None:
        if (real is None) is not (fake is None):
            raise RuntimeError(
                f"{run.operator}: its results require grad either on real tensors or on the meta device, but "
                "not on both"
            )
        return
    for (name, one), (_, other) in zip(real, fake):
        if (one is None) is not (other is None):
            raise RuntimeError(
                f"{run.operator}: {name} has a gradient either on real tensors or on the meta device, but "
                "not on both"
            )
        if one is not None:
            _compare_looks(run, f"the gradient of {name} of {run.operator}", one, other, strides=False)
    _compare_with_differences(run, tolerance)


def _inputs(run: _Run, arguments: Sequence[Any]) -> Iterator[tuple[str, Tensor]]:
    """The tensors that require grad, with their names."""
    for argument, value in zip(run.schema.arguments, arguments):
        for tensor in flat_tensors(value):
            if tensor.requires_grad:
                yield argument.name, tensor


def _differentiable(results: Any) -> list[Tensor]:
    return [each for each in flat_tensors(results) if each.requires_grad]


def _gradients(
    run: _Run, arguments: Sequence[Any], call: Callable[..., Any], weights: Sequence[Tensor] | None = None
) -> list[tuple[str, Tensor | None]] | None:
    """The gradients of the inputs, with ``weights`` (or ones) as gradients of the results; None if nothing
    was recorded.
    """
    with enable_grad():
        outputs = _differentiable(call(*arguments))
        if not outputs:
            return None
        names, inputs = zip(*_inputs(run, arguments))
        given = [aten.ones_like(each.detach()) for each in outputs] if weights is None else weights
        found = gradients_of(outputs, inputs, grad_outputs=given, allow_unused=True)
    return list(zip(names, found))


def _random_like(tensor: Tensor, generator: Generator) -> Tensor:
    """Normal random numbers with the sizes, dtype and device of ``tensor``."""
    drawn = aten.randn(tensor._spec.sizes, dtype=tensor._spec.dtype, device="reference", generator=generator)
    return drawn.to(tensor.device)


def _inner(one: Tensor, other: Tensor) -> float:
    """The real part of the inner product."""
    product = (one.conj() * other).sum().item()
    return product.real if isinstance(product, complex) else float(product)


def _compare_with_differences(run: _Run, tolerance: Tolerance) -> None:
    """Raises RuntimeError if backward disagrees with finite differences of the operator."""
    generator = Generator().manual_seed(0)
    base = run.with_tensors(lambda tensor: _copied(tensor, True))
    wide = run.with_tensors(
        lambda tensor: (
            _copied(tensor, True)
            if tensor.dtype not in _DOUBLE
            else _copied(tensor.detach().to(_DOUBLE[tensor.dtype])).requires_grad_(tensor.requires_grad)
        )
    )
    try:
        outputs = _differentiable(run.operator(*wide))
        is_wide = all(each.dtype in _DOUBLE.values() for each in outputs) and bool(outputs)
    except Exception:  # the operator may refuse double precision, with any exception
        is_wide = False
    arguments = wide if is_wide else base
    if any(tensor.dtype not in _STEPS for _, tensor in _inputs(run, arguments)):
        return

    def outputs_at(values: Sequence[Any]) -> list[Tensor]:
        with enable_grad():
            return [each.detach() for each in _differentiable(run.operator(*values))]

    first, second = outputs_at(arguments), outputs_at(arguments)
    if any(each.dtype not in _STEPS for each in first) or not all(map(_same_numbers, first, second)):
        return
    weights = [_random_like(each, generator) for each in first]
    found = _gradients(run, arguments, run.operator.__call__, weights)
    for (name, tensor), (_, gradient) in zip(list(_inputs(run, arguments)), found or []):
        step, rtol, atol = _STEPS[
            min(tensor.dtype, *(each.dtype for each in first), key=lambda d: d.itemsize)
        ]
        if tolerance is not None:
            rtol, atol = tolerance
        direction = _random_like(tensor, generator)
        kept = tensor.detach().clone()
        values = []
        for distance in (step, -step):
            with no_grad():
                tensor.copy_(kept + distance * direction)
            values.append(sum(map(_inner, weights, outputs_at(arguments))))
        with no_grad():
            tensor.copy_(kept)
        numeric = (values[0] - values[1]) / (2 * step)
        analytic = 0.0 if gradient is None else _inner(gradient, direction)
        # the tolerance is relative to the sum of the absolute values of the terms
        scale = abs(numeric) + (0.0 if gradient is None else gradient.abs().sum().item())
        if not abs(numeric - analytic) <= atol + rtol * scale:
            raise RuntimeError(
                f"{run.operator}: the gradient of {name!r} is wrong: along a random direction backward gives "
                f"{analytic:.6g}, but finite differences give {numeric:.6g}"
            )


_TESTS: dict[str, Callable[[_Run, Tolerance], None]] = {
    "test_schema": _test_schema,
    "test_autograd_registration": _test_autograd_registration,
    "test_faketensor": _test_faketensor,
    "test_aot_dispatch_static": _test_aot_dispatch_dynamic,
    "test_aot_dispatch_dynamic": _test_aot_dispatch_dynamic,
}
