"""Derivatives of functions as functions: grad, vjp, jvp, Jacobians, Hessians.

All use the ordinary autograd graph.  A transform calls the function with *fresh* tensors in place of its
arguments, so that the derivative is with respect to these only:

- a new leaf, if nothing outside needs the argument's gradient;
- else a view of the argument: the result can be differentiated again, with respect to the argument.

A function may write to captured tensors, and use Functions without ``setup_context``: PyTorch refuses both,
because its wrappers can not support them; here they are recorded as usual.

A result keeps its history only if that leads to anything besides fresh leaves.  So transforms can be nested:
the inner one's tensors are the outer one's arguments.

Forward derivatives run at their own dual level (autograd/forward_grad.py), which can be nested, too.

Source: torch/_functorch/eager_transforms.py, apis.py.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, Protocol, TypeGuard, TypeVar, overload

from ..autograd import engine, forward_ad, forward_grad
from ..autograd.grad_mode import enable_grad, in_transform, inference_mode
from ..autograd.node import AccumulateGrad, gradient_edge, set_history
from ..dispatch.dispatcher import aten
from ..dispatch.mode import MODE_WORD, is_grad_enabled, is_inference_mode_enabled
from ..memory.spec import Spec
from ..memory.tensor import INFERENCE_VERSION, Tensor, make_tensor
from ..utils.pytree import TreeSpec, flatten, unflatten
from ..values.dispatch_key import AUTOGRAD
from ..values.errors import type_name
from .batching import LEVELS, BatchedTensor, alias, wrap
from .vmap import vmap

# The last overload of each transform is for lambdas and functions without types: its result is Any, because
# mypy would call a Callable[..., Any] untyped.
Argnums = int | tuple[int, ...]
Randomness = Literal["error", "different", "same"]
F = TypeVar("F", bound=Callable[..., Any])
P = ParamSpec("P")
First = TypeVar("First", bound=Any)
Second = TypeVar("Second", bound=Any)
Result = TypeVar("Result")
Aux = TypeVar("Aux")


if TYPE_CHECKING:
    from typing_extensions import TypeVarTuple, Unpack

    Args = TypeVarTuple("Args")
    Outputs_contra = TypeVar("Outputs_contra", contravariant=True)
    Gradients_co = TypeVar("Gradients_co", covariant=True)

    class _Pullback(Protocol[Outputs_contra, Gradients_co]):
        """The function that ``vjp`` returns."""

        def __call__(
            self, cotangents: Outputs_contra, retain_graph: bool = True, create_graph: bool | None = None
        ) -> Gradients_co: ...


# -- fresh tensors, and history that leads to others -----------------------------------------------------


def _fresh(where: str, value: Any, is_outer_recorded: bool) -> Tensor:
    """The tensor that replaces an argument: with the same data, and to differentiate with respect to.

    Raises TypeError for anything but a tensor, RuntimeError for a dtype without gradients.
    """
    if not isinstance(value, Tensor):
        raise TypeError(f"{where}: expected tensors to differentiate by, but got {type_name(value)}")
    if is_outer_recorded and value._keys & AUTOGRAD:
        return aten.alias.default(value)
    made = alias(_recordable(value)).requires_grad_()
    forward_grad.share_tangents(value, made)
    if _fresh_leaves.get() is not None:
        _fresh_leaves.get().append(made)  # type: ignore[union-attr]
    return made


# The fresh leaves that transforms create inside a function that is being linearized, else None.
_fresh_leaves: ContextVar[list[Tensor] | None] = ContextVar("gnomon_fresh_leaves", default=None)


def _recordable(tensor: Tensor) -> Tensor:
    """The tensor, or a normal tensor with the memory of an inference tensor, which can't be recorded."""
    if tensor._version_counter is not INFERENCE_VERSION or isinstance(tensor, BatchedTensor):
        return tensor
    return make_tensor(tensor._spec, tensor.untyped_storage(), tensor._storage_offset)


# The context variables that blocks inside a transform change.
_CHANGED: tuple[ContextVar[Any], ...] = (MODE_WORD, forward_grad.LEVEL, LEVELS, in_transform)


def _outside_inference_mode(transform: F) -> F:
    """Run ``transform`` outside of inference mode, which would record nothing."""

    @functools.wraps(transform)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        before = [(variable, variable.get()) for variable in _CHANGED]
        try:
            if not is_inference_mode_enabled():
                return transform(*args, **kwargs)
            with inference_mode(False):
                return transform(*args, **kwargs)
        except KeyboardInterrupt:  # without the C speedups, it may have prevented an __exit__
            for variable, value in before:
                variable.set(value)
            raise

    return wrapper  # type: ignore[return-value]


def _levels_of(tensor: Any) -> Iterator[Tensor]:
    """A tensor, its value if it is batched, and so on."""
    while isinstance(tensor, BatchedTensor):
        yield tensor
        tensor = tensor.value
    if isinstance(tensor, Tensor):
        yield tensor


def _ends_elsewhere(tensor: Tensor, fresh: Sequence[Tensor]) -> bool:
    """Does the history of ``tensor`` end in a leaf that is not in ``fresh``?"""
    edge = gradient_edge(tensor) if tensor._keys & AUTOGRAD else None
    stack = [] if edge is None else [edge[0]]
    own = {id(each) for each in fresh}
    visited = set()
    while stack:
        node = stack.pop()
        if node in visited:
            continue
        visited.add(node)
        if isinstance(node, AccumulateGrad) and id(node.variable) not in own:
            return True
        stack.extend(edge[0] for edge in node.next_edges if edge is not None)
    return False


def _leads_elsewhere(tensors: Sequence[Any], fresh: Sequence[Tensor]) -> bool:
    """Like ``_ends_elsewhere``, for any of ``tensors``, including the values of batched ones."""
    return any(_ends_elsewhere(each, fresh) for tensor in tensors for each in _levels_of(tensor))


def _is_recorded(tensors: Sequence[Any]) -> bool:
    """Does any of ``tensors`` require grad, including the values of batched ones?"""
    return any(each._keys & AUTOGRAD for tensor in tensors for each in _levels_of(tensor))


def _finished(result: Any, fresh: Sequence[Tensor], is_outer_recorded: bool) -> Any:
    """A result for the caller: without history that is useless outside, at each vmap level."""
    if not _is_recorded([result]):
        return result
    if not is_outer_recorded:
        return _detached(result, fresh, False)
    keeps_history = _ends_elsewhere(result, fresh)
    if not isinstance(result, BatchedTensor):
        return result if keeps_history else _detached(result, fresh, True)
    value = _finished(result.value, fresh, True)
    if keeps_history and value is result.value:
        return result
    made = wrap(value, result.level)
    if keeps_history:
        set_history(made, *gradient_edge(result))  # type: ignore[misc]
    return _with_tangents(made, result, fresh, True)


def _detached(result: Tensor, fresh: Sequence[Tensor], is_outer_recorded: bool) -> Tensor:
    """A result without history."""
    return _with_tangents(aten.detach.default(result), result, fresh, is_outer_recorded)


def _with_tangents(made: Tensor, result: Tensor, fresh: Sequence[Tensor], is_outer_recorded: bool) -> Tensor:
    """``made``, with the tangents of ``result`` at active dual levels, prepared by ``_finished``."""
    for level in forward_grad.active_levels():
        tangent = forward_grad.tangent_of(result, level)
        if tangent is not None:
            with forward_grad.at_level(level.outer):
                keeps = is_outer_recorded or level.is_recorded
                forward_grad.keep(made, level, _finished(tangent, fresh, keeps))
    return made


def _is_differentiable(tensor: Any) -> bool:
    return bool(tensor._keys & AUTOGRAD) and gradient_edge(tensor) is not None


def _gradients(
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    cotangents: Sequence[Tensor | None],
    retain_graph: bool,
    create_graph: bool,
) -> list[Tensor | None]:
    """The gradients of ``inputs``, None for those on which no output depends."""
    pairs = [pair for pair in zip(outputs, cotangents) if _is_differentiable(pair[0])]
    if not pairs:
        return [None] * len(inputs)
    roots, seeds = zip(*pairs)
    return list(
        engine.grad(roots, inputs, seeds, retain_graph or create_graph, create_graph, allow_unused=True)
    )


def _or_zeros(gradients: Sequence[Tensor | None], likes: Sequence[Tensor]) -> list[Tensor]:
    return [aten.zeros_like(like) if each is None else each for each, like in zip(gradients, likes)]


# -- arguments and results -------------------------------------------------------------------------------


def _check_argnums(argnums: Any, count: int) -> tuple[int, ...]:
    """``argnums`` as a tuple of nonnegative positions.  Raises RuntimeError."""
    if isinstance(argnums, bool) or not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums should be int or Tuple[int, ...], got: {type(argnums)}")
    several = argnums if isinstance(argnums, tuple) else (argnums,)
    if not several:
        raise RuntimeError("argnums must be non-empty")
    for each in several:
        if not isinstance(each, int):
            raise RuntimeError(f"argnums elements must be int, got: {type(each)}")
        if not -count <= each < count:
            raise RuntimeError(f"Got argnum={each}, but only {count} positional inputs")
    wrapped = tuple(each % count for each in several)
    if len(set(wrapped)) < len(wrapped):
        raise RuntimeError(f"argnums elements must be unique, got argnums={argnums}")
    return wrapped


def _without_aux(where: str, result: Any) -> tuple[Any, Any]:
    """The result of a function that returns (output, aux).  Raises RuntimeError for anything else."""
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(
            f"{where}: output of function f should be a tuple: (output, aux) if has_aux is True"
        )
    return result


def _check_outputs(where: str, outputs: Sequence[Any]) -> None:
    if not outputs:
        raise RuntimeError(f"{where}: Expected f to be a function that has non-empty output")
    for each in outputs:
        if not isinstance(each, Tensor):
            raise RuntimeError(
                f"{where}: Expected f(*primals) to return only tensors, got unsupported type {type(each)}"
            )


class _Call:
    """A call of a function with fresh tensors in place of some arguments.

    ``outputs`` is the flat list of results, of ``structure``; ``aux`` is what else the function returned.
    """

    def __init__(
        self,
        where: str,
        func: Callable[..., Any],
        argnums: Any,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        has_aux: bool,
    ):
        self.is_outer_recorded = is_grad_enabled()
        positions = _check_argnums(argnums, len(args))
        chosen = [args[position] for position in positions]
        leaves, self.inputs_structure = flatten(chosen[0] if isinstance(argnums, int) else tuple(chosen))
        with enable_grad():
            self.inputs = [_fresh(where, each, self.is_outer_recorded) for each in leaves]
            given = unflatten(self.inputs, self.inputs_structure)
            replaced = list(args)
            for position, each in zip(positions, (given,) if isinstance(argnums, int) else given):
                replaced[position] = each
            with engine.transform():
                result = func(*replaced, **kwargs)
        self.aux = None
        if has_aux:
            result, self.aux = _without_aux(where, result)
        self.result = result
        self.outputs, self.structure = flatten(result)

    def check_outputs(self, where: str) -> None:
        """Raises RuntimeError unless the results are floating point or complex tensors, at least one."""
        _check_outputs(where, self.outputs)
        for each in self.outputs:
            if each.dtype.category < 2:
                raise RuntimeError(
                    f"{where}: All outputs of f must be floating-point or complex Tensors, got Tensor with "
                    f"dtype {each.dtype}"
                )

    @functools.cached_property
    def leads_elsewhere(self) -> bool:
        """Can the caller differentiate derivatives of the outputs again?"""
        return self.is_outer_recorded and _leads_elsewhere(self.outputs, self.inputs)

    def finished(self, tree: Any, more: Sequence[Tensor] = ()) -> Any:
        """Results for the caller; ``more`` are other fresh leaves."""
        leaves, structure = flatten(tree)
        fresh = [*self.inputs, *more]
        is_recorded = self.is_outer_recorded
        return unflatten([_finished(each, fresh, is_recorded) for each in leaves], structure)


# -- gradients -------------------------------------------------------------------------------------------


@overload
def grad_and_value(
    func: Callable[Concatenate[First, P], Tensor], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Callable[Concatenate[First, P], tuple[First, Tensor]]: ...
@overload
def grad_and_value(
    func: Callable[Concatenate[First, Second, P], Tensor],
    argnums: Literal[1],
    has_aux: Literal[False] = False,
) -> Callable[Concatenate[First, Second, P], tuple[Second, Tensor]]: ...
@overload
def grad_and_value(
    func: Callable[Concatenate[First, P], tuple[Tensor, Aux]],
    argnums: Literal[0] = 0,
    *,
    has_aux: Literal[True],
) -> Callable[Concatenate[First, P], tuple[First, tuple[Tensor, Aux]]]: ...
@overload
def grad_and_value(
    func: Callable[P, Tensor], argnums: tuple[int, ...], has_aux: Literal[False] = False
) -> Callable[P, tuple[tuple[Any, ...], Tensor]]: ...
@overload
def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Any: ...
def grad_and_value(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Create a function that returns (gradient of ``func``, value of ``func``), like ``grad``.

    With ``has_aux`` it returns (gradient, (value, aux)).  Source: torch.func.grad_and_value.
    """

    @_outside_inference_mode
    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        where = "grad_and_value(f)(*args)"
        call = _Call(where, func, argnums, args, kwargs, has_aux)
        output = call.result
        if not isinstance(output, Tensor):
            raise RuntimeError(f"{where}: Expected f(*args) to return a Tensor, got type {type(output)}")
        if output._spec.ndim:
            raise RuntimeError(
                f"{where}: Expected f(*args) to return a scalar tensor, got tensor with {output._spec.ndim} "
                "dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
            )
        found = _gradients([output], call.inputs, [None], call.leads_elsewhere, call.leads_elsewhere)
        gradients = unflatten(_or_zeros(found, call.inputs), call.inputs_structure)
        value = (output, call.aux) if has_aux else output
        return call.finished(gradients), call.finished(value)

    return wrapper


@overload
def grad(
    func: Callable[Concatenate[First, P], Tensor], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Callable[Concatenate[First, P], First]: ...
@overload
def grad(
    func: Callable[Concatenate[First, Second, P], Tensor],
    argnums: Literal[1],
    has_aux: Literal[False] = False,
) -> Callable[Concatenate[First, Second, P], Second]: ...
@overload
def grad(
    func: Callable[Concatenate[First, P], tuple[Tensor, Aux]],
    argnums: Literal[0] = 0,
    *,
    has_aux: Literal[True],
) -> Callable[Concatenate[First, P], tuple[First, Aux]]: ...
@overload
def grad(
    func: Callable[P, Tensor], argnums: tuple[int, ...], has_aux: Literal[False] = False
) -> Callable[P, tuple[Any, ...]]: ...
@overload
def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Any: ...
def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Create a function that returns the gradient of ``func``, whose result must be a scalar tensor.

    argnums: the argument to differentiate with respect to, or a tuple of them, for a tuple of gradients; each
    is a tensor or nested tensors.  has_aux: ``func`` returns (result, aux), and the function (gradient, aux).
    ``no_grad`` inside ``func`` is respected; outside, it only prevents differentiating the gradient again.

    It raises RuntimeError for any other result, for argnums out of range, and for arguments whose dtype has
    no gradient.  Source: torch.func.grad.
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        gradients, value = grad_and_value(func, argnums, has_aux)(*args, **kwargs)
        return (gradients, value[1]) if has_aux else gradients

    return wrapper


@overload
def vjp(
    func: Callable[[Unpack[Args]], Result], *primals: Unpack[Args], has_aux: Literal[False] = False
) -> tuple[Result, _Pullback[Result, tuple[Unpack[Args]]]]: ...
@overload
def vjp(
    func: Callable[[Unpack[Args]], tuple[Result, Aux]], *primals: Unpack[Args], has_aux: Literal[True]
) -> tuple[Result, _Pullback[Result, tuple[Unpack[Args]]], Aux]: ...
@overload
def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any: ...
@_outside_inference_mode  # type: ignore[misc]  # mypy does not see that Any takes any number of arguments
def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Compute ``func(*primals)``, and return it with a function that computes vector-Jacobian products.

    Returns (outputs, vjp_fn), with ``has_aux`` (outputs, vjp_fn, aux).  ``vjp_fn(cotangents)`` takes tensors
    nested like the outputs, and returns a tuple with one gradient for each of the primals.  Raises
    RuntimeError for outputs that are not tensors, and for cotangents of another structure or shape.  Source:
    torch.func.vjp.
    """
    where = "vjp(f, *primals)"
    call = _Call(where, func, tuple(range(len(primals))), primals, {}, has_aux)
    call.check_outputs(where)

    @_outside_inference_mode
    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        given = _cotangents(cotangents, call)
        enabled = is_grad_enabled() if create_graph is None else create_graph
        create = enabled and (call.leads_elsewhere or _is_recorded(given))
        found = _gradients(call.outputs, call.inputs, given, retain_graph, create)
        gradients = unflatten(_or_zeros(found, call.inputs), call.inputs_structure)
        return call.finished(gradients) if create else gradients

    results = call.finished(call.result)
    return (results, vjp_fn, call.finished(call.aux)) if has_aux else (results, vjp_fn)


def _cotangents(cotangents: Any, call: _Call) -> list[Tensor]:
    given, structure = flatten(cotangents)
    if structure != call.structure:
        raise RuntimeError(
            "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
            f"function. cotangents: {structure}, primal output: {call.structure}"
        )
    return [_recordable(each) if isinstance(each, Tensor) else each for each in given]


# -- forward derivatives ---------------------------------------------------------------------------------


def _pushed(
    where: str, func: Callable[..., Any], primals: tuple[Any, ...], tangents: Any, has_aux: bool
) -> tuple[Any, list[Tensor | None], list[Tensor], TreeSpec]:
    """Call ``func`` with a dual tensor in place of each tensor of ``primals``, inside a dual level.

    Returns aux, the outputs' tangents, the outputs, and their structure.
    """
    leaves, structure = flatten(primals)
    given, given_structure = flatten(tangents)
    if structure != given_structure:
        raise RuntimeError(
            f"{where}: Expected primals and tangents to have the same python structure. For example, if "
            f"primals is a tuple of 3 tensors, tangents also must be. Got primals with structure {structure} "
            f"and tangents with structure {given_structure}"
        )
    for name, tensors in (("primals", leaves), ("tangents", given)):
        _check_all_tensors(where, name, tensors)
    duals = [
        forward_ad.make_dual(_recordable(each), _recordable(along)) for each, along in zip(leaves, given)
    ]
    result, aux = func(*unflatten(duals, structure)), None
    if has_aux:
        result, aux = _without_aux(where, result)
    outputs, result_structure = flatten(result)
    _check_outputs(where, outputs)
    unpacked = [forward_ad.unpack_dual(each) for each in outputs]
    return (
        aux,
        [each.tangent for each in unpacked],
        [each.primal for each in unpacked],
        result_structure,
    )


def _check_all_tensors(where: str, name: str, tensors: Sequence[Any]) -> None:
    if not tensors:
        raise RuntimeError(f"{where}: Expected {name} to contain at least one Tensor.")
    for each in tensors:
        if not isinstance(each, Tensor):
            raise RuntimeError(f"{where}: Expected {name} to only contain Tensors, got {type(each)}")


@overload
def jvp(
    func: Callable[[Unpack[Args]], Result],
    primals: tuple[Unpack[Args]],
    tangents: tuple[Unpack[Args]],
    *,
    strict: bool = False,
    has_aux: Literal[False] = False,
) -> tuple[Result, Result]: ...
@overload
def jvp(
    func: Callable[[Unpack[Args]], tuple[Result, Aux]],
    primals: tuple[Unpack[Args]],
    tangents: tuple[Unpack[Args]],
    *,
    strict: bool = False,
    has_aux: Literal[True],
) -> tuple[Result, Result, Aux]: ...
@overload
def jvp(
    func: Callable[..., Any],
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    strict: bool = False,
    has_aux: bool = False,
) -> Any: ...
@_outside_inference_mode
def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> Any:
    """Compute ``func(*primals)``, and its Jacobian times ``tangents``, in forward mode.

    ``primals`` and ``tangents`` are tuples with one (possibly nested) element per argument.  Returns
    (outputs, their tangents), with ``has_aux`` also aux.  strict: an output that does not depend on the
    arguments raises RuntimeError; otherwise its tangent is zeros.  Grad mode does not matter: ``no_grad``
    inside ``func`` changes nothing.  Raises RuntimeError for tangents of another structure or shape,
    ValueError for dtypes without derivatives.  Source: torch.func.jvp.
    """
    where = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise RuntimeError(
            f"{where}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    with forward_grad.new_level():
        aux, slopes, outputs, structure = _pushed(where, func, primals, tangents, has_aux)
    if strict and any(each is None for each in slopes):
        raise RuntimeError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is "
            "not allowed with strict=True."
        )
    results = unflatten(outputs, structure)
    result_slopes = unflatten(_or_zeros(slopes, outputs), structure)
    return (results, result_slopes, aux) if has_aux else (results, result_slopes)


@_outside_inference_mode
def linearize(
    func: Callable[[Unpack[Args]], Result], *primals: Unpack[Args]
) -> tuple[Result, Callable[[Unpack[Args]], Result]]:
    """Compute ``func(*primals)``, and return it with a function that multiplies tangents by the Jacobian.

    ``func`` runs only once, for any number of tangents.  The function raises RuntimeError for tangents that
    do not match the primals.  Source: torch.func.linearize.
    """
    # Forward mode with dummy tangents is recorded: J t, as a function of t.  It is linear, so the gradient of
    # its gradient is the function itself.
    where = "linearize(f, *primals)"
    leaves, structure = flatten(primals)
    _check_all_tensors(where, "primals", leaves)
    with enable_grad():
        seeds = [aten.zeros_like(alias(each)).requires_grad_() for each in leaves]
        copies = unflatten([aten.clone.default(each, None) for each in seeds], structure)
    inner: list[Tensor] = []
    before = _fresh_leaves.get()
    try:
        _fresh_leaves.set(inner)
        with forward_grad.new_level(is_recorded=True):
            _, slopes, outputs, result_structure = _pushed(where, func, primals, copies, False)
    finally:
        _fresh_leaves.set(before)
    own = [*seeds, *inner]
    with enable_grad():
        moved = [each for each in slopes if _moves(each)]
        wanted = [alias(aten.zeros_like(each)).requires_grad_() for each in moved]
        gradients = _gradients(moved, seeds, wanted, True, True)
    leads_elsewhere = is_grad_enabled() and _leads_elsewhere(moved, own)

    @_outside_inference_mode
    def jvp_fn(*tangents: Any) -> Any:
        given, given_structure = flatten(tangents)
        if given_structure != structure:
            raise RuntimeError(
                f"Expected the tangents {given_structure} to have the same argspec as the primals {structure}"
            )
        for position, (tangent, primal) in enumerate(zip(given, seeds)):
            for what in ("shape", "device", "dtype"):
                if getattr(tangent, what) != getattr(primal, what):
                    raise RuntimeError(
                        f"tangent:{position} with {what} {getattr(tangent, what)} in flattened pytree "
                        f"doesn't match the {what} {getattr(primal, what)} of the corresponding primal."
                    )
        pairs = [(gradient, tangent) for gradient, tangent in zip(gradients, given) if gradient is not None]
        create = is_grad_enabled() and (leads_elsewhere or _is_recorded(given))
        with enable_grad():
            found = iter(
                _gradients(
                    [gradient for gradient, _ in pairs],
                    wanted,
                    [tangent for _, tangent in pairs],
                    True,
                    create,
                )
            )
        results = [next(found) if _moves(each) else each for each in slopes]
        fresh = [*own, *wanted]
        return unflatten(
            [_finished(each, fresh, create) for each in _or_zeros(results, outputs)], result_structure
        )

    linear: Any = jvp_fn
    return unflatten(outputs, result_structure), linear


def _moves(tangent: Tensor | None) -> TypeGuard[Tensor]:
    """Does a recorded tangent depend on the arguments' tangents?"""
    return tangent is not None and _is_differentiable(tangent)


# -- Jacobians -------------------------------------------------------------------------------------------


def _basis(tensors: Sequence[Tensor]) -> list[Tensor]:
    """For each tensor, its part of the unit vectors of the space of all elements: (elements of all, *sizes).

    A row is 1 at one element of one tensor, and 0 elsewhere.
    """
    counts = [each._spec.numel for each in tensors]
    total, before = sum(counts), 0
    rows = []
    for each, count in zip(tensors, counts):
        block = aten.zeros((total, count), dtype=each.dtype, device=each.device)
        aten.fill_.Scalar(aten.diagonal.default(block, -before, 0, 1), 1)
        rows.append(aten.view.default(block, (total, *each._spec.sizes)))
        before += count
    return rows


def _by_rows(tensor: Tensor, likes: Sequence[Tensor]) -> list[Tensor]:
    """Split a tensor with one row for each element of ``likes``: for each like one tensor, whose first
    dimensions are its sizes instead of the rows.
    """
    counts = [each._spec.numel for each in likes]
    pieces = aten.split_with_sizes.default(tensor, counts, 0)
    rest = tensor._spec.sizes[1:]
    return [aten.reshape.default(piece, (*like._spec.sizes, *rest)) for piece, like in zip(pieces, likes)]


def _check_real(name: str, what: str, specs: Sequence[Spec]) -> None:
    """Raises RuntimeError for complex dtypes, for which this Jacobian is not defined."""
    for number, spec in enumerate(specs):
        if spec.dtype.is_complex:
            raise RuntimeError(
                f"{name}: Expected all {what} to be real but received complex tensor at flattened input idx: "
                f"{number}"
            )


@overload
def jacrev(
    func: Callable[Concatenate[Tensor, P], Tensor],
    argnums: Literal[0] = 0,
    *,
    has_aux: Literal[False] = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[Concatenate[Tensor, P], Tensor]: ...
@overload
def jacrev(
    func: Callable[Concatenate[First, Tensor, P], Tensor],
    argnums: Literal[1],
    *,
    has_aux: Literal[False] = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[Concatenate[First, Tensor, P], Tensor]: ...
@overload
def jacrev(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Any: ...
def jacrev(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """Create a function that returns the Jacobian of ``func``, computed by rows in reverse mode.

    For each output a tensor of its sizes followed by the argument's; nested like the outputs, and in each
    like ``argnums``.  chunk_size: how many rows to compute at a time; None for all.  Source:
    torch.func.jacrev.
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @_outside_inference_mode
    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        where = "jacrev(f)(*args)"
        call = _Call(where, func, argnums, args, kwargs, has_aux)
        call.check_outputs(where)
        _check_real("jacrev", "inputs", [each._spec for each in call.inputs])
        _check_real("jacrev", "outputs", [each._spec for each in call.outputs])
        create = call.leads_elsewhere

        def row(*cotangents: Tensor) -> tuple[Tensor, ...]:
            return tuple(
                _or_zeros(_gradients(call.outputs, call.inputs, cotangents, True, create), call.inputs)
            )

        rows = vmap(row, chunk_size=chunk_size)(*_basis(call.outputs))
        by_input = [_by_rows(each, call.outputs) for each in rows]
        jacobians = [
            unflatten([each[number] for each in by_input], call.inputs_structure)
            for number in range(len(call.outputs))
        ]
        result = call.finished(unflatten(jacobians, call.structure))
        return (result, call.finished(call.aux)) if has_aux else result

    return wrapper


@overload
def jacfwd(
    func: Callable[Concatenate[Tensor, P], Tensor],
    argnums: Literal[0] = 0,
    has_aux: Literal[False] = False,
    *,
    randomness: Randomness = "error",
) -> Callable[Concatenate[Tensor, P], Tensor]: ...
@overload
def jacfwd(
    func: Callable[Concatenate[First, Tensor, P], Tensor],
    argnums: Literal[1],
    has_aux: Literal[False] = False,
    *,
    randomness: Randomness = "error",
) -> Callable[Concatenate[First, Tensor, P], Tensor]: ...
@overload
def jacfwd(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *, randomness: Randomness = "error"
) -> Any: ...
def jacfwd(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    randomness: Randomness = "error",
) -> Callable[..., Any]:
    """Create a function that returns the Jacobian of ``func``, computed by columns in forward mode.

    The result is that of jacrev, which is faster if there are fewer outputs than inputs.  Source:
    torch.func.jacfwd.
    """

    @_outside_inference_mode
    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        positions = _check_argnums(argnums, len(args))
        where = "jacfwd(f)(*args)"

        def of_chosen(*chosen: Any) -> Any:
            replaced = list(args)
            for position, each in zip(positions, chosen):
                replaced[position] = each
            return func(*replaced, **kwargs)

        primals = tuple(args[position] for position in positions)
        inputs, inputs_structure = flatten(primals)
        _check_all_tensors(where, "primals", inputs)
        _check_real("jacfwd", "inputs", [each._spec for each in inputs])
        kept: dict[str, Any] = {}

        def column(*tangents: Tensor) -> tuple[tuple[Tensor, ...], list[Any]]:
            along = unflatten(tangents, inputs_structure)
            with forward_grad.new_level():
                aux, slopes, outputs, kept["structure"] = _pushed(where, of_chosen, primals, along, has_aux)
            auxiliary, kept["structure of aux"] = flatten(aux)
            kept["aux"] = [Tensor if isinstance(each, Tensor) else each for each in auxiliary]
            kept["outputs"] = [each._spec for each in outputs]
            return tuple(_or_zeros(slopes, outputs)), [each for each in auxiliary if isinstance(each, Tensor)]

        columns, of_columns = vmap(column, randomness=randomness)(*_basis(inputs))
        _check_real("jacfwd", "outputs", kept["outputs"])
        jacobians = []
        for each, spec in zip(columns, kept["outputs"]):
            by_input = [_columns_last(part, spec.ndim) for part in _by_rows(each, inputs)]
            tree = unflatten(by_input, inputs_structure)
            jacobians.append(tree[0] if isinstance(argnums, int) else tree)
        result = unflatten(jacobians, kept["structure"])
        if not has_aux:
            return result
        tensors = iter(aten.select.int(each, 0, 0) for each in of_columns)  # equal for all columns
        auxiliary = [next(tensors) if each is Tensor else each for each in kept["aux"]]
        return result, unflatten(auxiliary, kept["structure of aux"])

    return wrapper


def _columns_last(part: Tensor, output_rank: int) -> Tensor:
    """Permute (input sizes, output sizes) to (output sizes, input sizes)."""
    rank = part._spec.ndim
    inputs = rank - output_rank
    return aten.permute.default(part, (*range(inputs, rank), *range(inputs)))


@overload
def hessian(
    func: Callable[Concatenate[Tensor, P], Tensor], argnums: Literal[0] = 0
) -> Callable[Concatenate[Tensor, P], Tensor]: ...
@overload
def hessian(
    func: Callable[Concatenate[First, Tensor, P], Tensor], argnums: Literal[1]
) -> Callable[Concatenate[First, Tensor, P], Tensor]: ...
@overload
def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Any: ...
def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """Create a function that returns the Hessian of ``func``: jacfwd of jacrev.

    Source: torch.func.hessian.
    """
    return jacfwd(jacrev(func, argnums), argnums)
