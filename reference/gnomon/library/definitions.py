"""custom_op: an operator made from a function, with kernels per device, a fake kernel and a derivative.

Source: torch/_library/custom_ops.py.
"""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, ParamSpec, TypeVar, overload

from ..autograd.user_operators import Derivative, make_autograd_kernel
from ..dispatch import registration as core
from ..dispatch.dispatcher import OpOverload
from ..dispatch.registration import EXPLICIT, META, UserOperator, flat_tensors
from ..memory.tensor import Tensor
from ..values.device import device
from .annotations import infer_schema
from .registry import Library, library_for, place_of

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])

DeviceTypes = str | Sequence[str] | None

log = logging.getLogger(__name__)

_libraries: dict[str, Library] = {}  # one per custom_op operator, kept until it is redefined
_definitions: weakref.WeakValueDictionary[str, CustomOpDef[..., Any]] = weakref.WeakValueDictionary()


@overload
def custom_op(
    name: str,
    fn: Callable[P, R],
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: DeviceTypes = None,
    schema: str | None = None,
    tags: Any = None,
) -> CustomOpDef[P, R]: ...


@overload
def custom_op(
    name: str,
    fn: None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: DeviceTypes = None,
    schema: str | None = None,
    tags: Any = None,
) -> Callable[[Callable[P, R]], CustomOpDef[P, R]]: ...


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: DeviceTypes = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Makes an operator from a function: a decorator, or called with ``fn``.  Returns a CustomOpDef.

        @gnomon.library.custom_op("mine::scaled", mutates_args=())
        def scaled(x: Tensor, factor: float = 2.0) -> Tensor: ...

    name: "namespace::name"; the operator is also ``gnomon.ops.namespace.name``.  mutates_args: the names of
    the tensors that it writes to, or "unknown".  device_types: the device types that ``fn`` is for; None:
    all.  schema: such as "(Tensor x, float factor=2.0) -> Tensor", if it is not to be inferred from the
    annotations.  tags: for compilers; not used.

    It must return new tensors.  An operator of that name defined earlier is replaced.  Raises ValueError for
    annotations without a schema type, and if ``schema`` and mutates_args disagree; NotImplementedError for
    keyword-only tensors.  Source: torch.library.custom_op.
    """

    def make(function: Callable[..., Any]) -> CustomOpDef[..., Any]:
        text = infer_schema(function, mutates_args=mutates_args) if schema is None else schema
        namespace, short = core.parse_qualified_name(name)
        made: CustomOpDef[..., Any] = CustomOpDef(namespace, short, text, function)
        arguments = made._opoverload.schema.arguments
        written = {argument.name for argument in arguments if argument.is_written}
        if schema is not None and (isinstance(mutates_args, str) or written != set(mutates_args)):
            _libraries.pop(made._qualname)._destroy()
            raise ValueError(
                f"Attempted to create a custom op with `mutates_args={mutates_args}` and `schema={schema}`. "
                f"The schema suggests that the op mutates {written or '{}'}, which is different from what "
                "was provided in `mutates_args`. Please make these consistent."
            )
        made.register_kernel(device_types)(function)
        return made

    return make if fn is None else make(fn)


class CustomOpDef(Generic[P, R]):
    """An operator made by ``custom_op``: callable, with methods that register kernels and rules for it.

    Source: torch._library.custom_ops.CustomOpDef.
    """

    def __init__(self, namespace: str, name: str, schema: str, fn: Callable[P, R], tags: Any = None):
        self._namespace = namespace
        self._name = name
        self._init_fn = fn
        self._kernels: dict[str | None, Callable[..., Any]] = {}
        self._disabled: set[str | None] = set()
        self._fake: Callable[..., Any] | None = None
        self._derivative = Derivative()
        if self._qualname in _libraries:
            _libraries.pop(self._qualname)._destroy()
        self._lib = Library(namespace, "FRAGMENT")
        self._lib.define(name + schema)
        found = core.find(self._qualname)
        assert found is not None
        self._opoverload: UserOperator = found
        if any(each.is_tensor and each.kwarg_only for each in found.schema.arguments):
            self._lib._destroy()
            raise NotImplementedError(
                "custom_op with kwarg-only Tensor args. Please make your tensors not kwarg-only. Got: "
                f"{name}{schema}"
            )
        _libraries[self._qualname] = self._lib
        _definitions[self._qualname] = self
        self._lib._register(name, META, core.unboxed(self._run_fake))
        self._lib._register(name, "Autograd", make_autograd_kernel(found, self._derivative))

    @property
    def _qualname(self) -> str:
        return f"{self._namespace}::{self._name}"

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Calls the operator.  Raises RuntimeError for arguments that do not match its schema, and
        NotImplementedError if it has no kernel for their device.
        """
        return self._opoverload.call(args, kwargs)

    # -- kernels ---------------------------------------------------------------------------------------------

    @overload
    def register_kernel(self, device_types: DeviceTypes, fn: F, /) -> F: ...

    @overload
    def register_kernel(self, device_types: DeviceTypes, fn: None = None, /) -> Callable[[F], F]: ...

    def register_kernel(self, device_types: DeviceTypes, fn: Callable[..., Any] | None = None, /) -> Any:
        """Registers the kernel for devices of these types, and returns it; without ``fn`` a decorator.

        device_types: one, several, or None for all without a kernel of their own.  Raises ValueError for an
        operator without tensors and without an argument ``device: device``, because then no argument
        determines the device.  Source: torch.library.CustomOpDef.register_kernel.
        """
        arguments = self._opoverload.schema.arguments
        if device_types is not None and not any(each.is_tensor for each in arguments):
            if not any(each.type == "Device" and each.name == "device" for each in arguments):
                raise ValueError(
                    "Functions without tensor inputs are required to have a `device: gnomon.device` argument"
                )
        types: list[str | None] = (
            [device_types] if device_types is None or isinstance(device_types, str) else list(device_types)
        )

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            for each in types:
                kind = None if each is None else device(each).type
                if kind not in self._kernels:
                    place = EXPLICIT if kind is None else META if kind == "meta" else kind
                    self._lib._register(self._name, place, core.unboxed(self._runner(kind)))
                self._kernels[kind] = function
            return function

        return register if fn is None else register(fn)

    def _runner(self, kind: str | None) -> Callable[..., Any]:
        """Calls the function that is registered for a device type at the time of the call."""

        def run(*args: Any, **kwargs: Any) -> Any:
            function = self._init_fn if kind in self._disabled else self._kernels[kind]
            results = function(*args, **kwargs)
            if not self._opoverload.schema.is_view:
                self._check_aliases(function, [*args, *kwargs.values()], results)
            return results

        return run

    def _check_aliases(self, function: Callable[..., Any], arguments: Any, results: Any) -> None:
        """Raises RuntimeError for a result that shares memory with an argument or another result."""
        seen = {memory_of(tensor) for tensor in flat_tensors(arguments)}
        for tensor in flat_tensors(results):
            memory = memory_of(tensor)
            if memory in seen:
                raise RuntimeError(
                    f"{self._name} (with implementation in {function.__module__}): The output of this custom "
                    "operator (1) must not also be an input to this custom operator and (2) may not alias "
                    "any inputs to this custom operator or other returns. Return a clone of it instead."
                )
            seen.add(memory)

    @contextmanager
    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Iterator[None]:
        """A context manager that enables the kernel for ``device_type``, or with enabled=False replaces it by
        the operator's original function.

        Logs a warning if that changes nothing.  Source: torch.library.CustomOpDef.set_kernel_enabled.
        """
        action = "enable" if enabled else "disable"
        before = device_type in self._disabled
        if device_type not in self._kernels:
            log.warning(
                "Attempted to %s kernel for %s but no kernel was registered for this device type.",
                action,
                device_type,
            )
        if before is not enabled:
            log.warning("Attempted to %s kernel for %s but it was already %sd.", action, device_type, action)
        self._set_disabled(device_type, not enabled)
        try:
            yield
        finally:
            self._set_disabled(device_type, before)

    def _set_disabled(self, device_type: str, disabled: bool) -> None:
        (self._disabled.add if disabled else self._disabled.discard)(device_type)

    # -- the meta device -------------------------------------------------------------------------------------

    def register_fake(self, fn: F, /) -> F:
        """Registers the fake kernel (meta function): ``fn`` runs for tensors on the meta device.

        ``fn`` returns meta tensors with the sizes, strides and dtypes that the kernels return.  Returns fn.
        Source: torch.library.CustomOpDef.register_fake.
        """
        self._fake = fn
        return fn

    def _run_fake(self, *args: Any, **kwargs: Any) -> Any:
        if self._fake is not None:
            return self._fake(*args, **kwargs)
        schema = self._opoverload.schema
        if not schema.returns and any(argument.is_written for argument in schema.arguments):
            return None  # it only writes data, and meta tensors have none
        raise RuntimeError(
            f"There was no fake impl registered for {self}. This is necessary for it to work on the meta "
            f"device. Please use `{self._init_fn.__name__}.register_fake` to add an fake impl."
        )

    # -- derivatives and batches -----------------------------------------------------------------------------

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Registers the operator's derivative.

        ``backward(ctx, *grads)`` gets the gradient of each result (a list for a list) and returns one for
        each positional argument, None for one without a gradient.  ``setup_context(ctx, inputs, output)``
        saves what backward needs, by ``ctx.save_for_backward`` or as attributes; with keyword-only arguments
        it is also called with ``keyword_only_inputs``.  ``ctx`` is that of autograd.Function.  Backward is
        itself recorded: if its operators have derivatives, so has backward.

        Raises RuntimeError for an operator that writes to its arguments, or returns nothing.  Source:
        torch.library.CustomOpDef.register_autograd.
        """
        check_functional(self._opoverload, self)
        self._derivative.backward = backward
        self._derivative.setup_context = setup_context

    @overload
    def register_vmap(self, func: F) -> F: ...

    @overload
    def register_vmap(self, func: None = None) -> Callable[[F], F]: ...

    def register_vmap(self, func: Callable[..., Any] | None = None) -> Any:
        """Registers the batching rule for ``vmap``; a decorator if ``func`` is not given.

        ``func(info, in_dims, *args, **kwargs)`` gets the operator's arguments with their batch dimensions:
        ``in_dims`` has, for each of args, its batch dimension, or None (a list of these for a list).
        ``info`` has batch_size and randomness.  It returns the results and, in the same structure, the batch
        dimension of each.  Without a rule, the operator runs once for each example.  Source:
        torch.library.CustomOpDef.register_vmap.
        """
        if func is None:
            return self.register_vmap
        from .batching import vmap_kernel

        self._lib._register(self._name, "Batched", vmap_kernel(func))
        return func


def memory_of(tensor: Tensor) -> int:
    """An identifier of the tensor's storage, equal for tensors that share memory."""
    return id(tensor) if tensor._storage is None else id(tensor._storage)


def check_functional(operator: UserOperator, shown: Any) -> None:
    """Raises RuntimeError for an operator that is not functional: derivatives can't be registered for it."""
    schema = operator.schema
    aliases = any(result.alias is not None for result in schema.returns)
    tensors = sum(each.is_tensor for each in schema.arguments), sum(each.is_tensor for each in schema.returns)
    if (
        any(argument.is_written for argument in schema.arguments)
        or not schema.returns
        or (aliases and tensors != (1, 1))
    ):
        raise RuntimeError(
            f"Cannot register autograd formula for non-functional operator {shown} with schema "
            f"{operator.declaration}. Please create a functional operator and register an autograd formula "
            "for that."
        )


# ---------------------------------------------------------------------------------------------------------
# The same registrations for operators by name, however they were defined.


def _resolved(op: Any, function: str) -> CustomOpDef[..., Any] | str:
    """The CustomOpDef that ``op`` is or names, else its qualified name.  Raises ValueError."""
    if isinstance(op, CustomOpDef):
        return op
    if isinstance(op, UserOperator):
        op = op.qualified_name
    elif isinstance(op, OpOverload):
        op = f"{op.namespace}::{op.name}"
    if not isinstance(op, str):
        raise ValueError(f"{function}({op}): got unexpected type for op: {type(op)}")
    made = _definitions.get(op)
    return op if made is None or core.find(op) is not made._opoverload else made


def _existing(qualname: str, kind: type[Exception] = RuntimeError) -> UserOperator:
    found = core.find(qualname)
    if not isinstance(found, UserOperator):
        raise kind(f"operator {qualname} does not exist, or is not a custom operator")
    return found


@overload
def register_kernel(
    op: str | OpOverload | CustomOpDef[..., Any],
    device_types: DeviceTypes,
    func: F,
    /,
    *,
    lib: Library | None = None,
) -> F: ...


@overload
def register_kernel(
    op: str | OpOverload | CustomOpDef[..., Any],
    device_types: DeviceTypes,
    func: None = None,
    /,
    *,
    lib: Library | None = None,
) -> Callable[[F], F]: ...


def register_kernel(
    op: str | OpOverload | CustomOpDef[..., Any],
    device_types: DeviceTypes,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Library | None = None,
) -> Any:
    """Registers a kernel of an operator for device types (None: all); a decorator if ``func`` is not given.

    lib: the registration lasts as long as this library.  Raises ValueError if ``op`` is not an operator.
    Source: torch.library.register_kernel.
    """
    found = _resolved(op, "register_kernel")
    if isinstance(found, CustomOpDef):
        return found.register_kernel(device_types, func)
    namespace, name = core.parse_qualified_name(found)
    types = [device_types] if isinstance(device_types, str) or device_types is None else list(device_types)
    places = [EXPLICIT if each is None else place_of(each) for each in types]

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        library = library_for(namespace, lib)
        for place in places:
            library.impl(name, function, place)
        return function

    return register if func is None else register(func)


@overload
def register_fake(
    op: str | OpOverload | CustomOpDef[..., Any],
    func: F,
    /,
    *,
    lib: Library | None = None,
    _stacklevel: int = 1,
    allow_override: bool = True,
) -> F: ...


@overload
def register_fake(
    op: str | OpOverload | CustomOpDef[..., Any],
    func: None = None,
    /,
    *,
    lib: Library | None = None,
    _stacklevel: int = 1,
    allow_override: bool = True,
) -> Callable[[F], F]: ...


def register_fake(
    op: str | OpOverload | CustomOpDef[..., Any],
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Library | None = None,
    _stacklevel: int = 1,
    allow_override: bool = True,
) -> Any:
    """Registers an operator's fake kernel, for the meta device; a decorator if ``func`` is not given.

    lib: the registration lasts as long as this library.  Raises RuntimeError for an operator that does not
    exist, and for one that already has a fake kernel unless allow_override.  Source:
    torch.library.register_fake.
    """
    found = _resolved(op, "register_fake")

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        if isinstance(found, CustomOpDef):
            if not allow_override and found._fake is not None:
                raise RuntimeError(
                    f"register_fake(...): the operator {found._qualname} already has a fake impl"
                )
            return found.register_fake(function)
        operator = _existing(found)
        library_for(operator.namespace, lib).impl(operator, function, META, allow_override=allow_override)
        return function

    return register if func is None else register(func)


def impl_abstract(
    qualname: str, func: Callable[..., Any] | None = None, *, lib: Library | None = None, _stacklevel: int = 1
) -> Any:
    """The old name of ``register_fake``.  Source: torch.library.impl_abstract."""
    return register_fake(qualname, func, lib=lib)


def register_autograd(
    op: str | OpOverload | CustomOpDef[..., Any],
    backward: Callable[..., Any],
    /,
    *,
    setup_context: Callable[..., Any] | None = None,
    lib: Library | None = None,
) -> None:
    """Registers an operator's derivative; see CustomOpDef.register_autograd.

    lib: the registration lasts as long as this library.  Raises AttributeError for an operator that does not
    exist, RuntimeError for one that is not functional, NotImplementedError for one with keyword-only tensors.
    Source: torch.library.register_autograd.
    """
    found = _resolved(op, "register_autograd")
    if isinstance(found, CustomOpDef):
        found.register_autograd(backward, setup_context=setup_context)
        return
    operator = _existing(found, AttributeError)
    check_functional(operator, operator)
    if any(each.is_tensor and each.kwarg_only for each in operator.schema.arguments):
        raise NotImplementedError(
            "register_autograd with kwarg-only Tensor args. In the original definition of the op, please "
            f"make your tensors not kwarg-only. Got: {operator.declaration}"
        )
    kernel = make_autograd_kernel(operator, Derivative(backward, setup_context))
    library_for(operator.namespace, lib)._register(operator.schema.full_name, "Autograd", kernel)


@overload
def register_vmap(
    op: str | OpOverload | CustomOpDef[..., Any],
    func: F,
    /,
    *,
    lib: Library | None = None,
) -> F: ...


@overload
def register_vmap(
    op: str | OpOverload | CustomOpDef[..., Any],
    func: None = None,
    /,
    *,
    lib: Library | None = None,
) -> Callable[[F], F]: ...


def register_vmap(
    op: str | OpOverload | CustomOpDef[..., Any],
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Library | None = None,
) -> Any:
    """Registers an operator's batching rule; see CustomOpDef.register_vmap.

    Raises RuntimeError for an operator that does not exist.  Source: torch.library.register_vmap.
    """
    found = _resolved(op, "register_vmap")
    if isinstance(found, CustomOpDef):
        return found.register_vmap(func)

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        from .batching import vmap_kernel

        operator = _existing(found)
        library = library_for(operator.namespace, lib)
        library._register(operator.schema.full_name, "Batched", vmap_kernel(function))
        return function

    return register if func is None else register(func)
