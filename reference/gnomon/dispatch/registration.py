"""Users' operators: schemas and kernels that are registered, and unregistered, at run time.

A ``UserOperator`` is an OpOverload in a user's namespace.  Its kernels are registered by *place*: a device
type ("reference", "cuda"), "Meta" for the meta device, "CompositeExplicitAutograd" for all devices,
"CompositeImplicitAutograd" for a function that calls other operators, or a dispatch key.  In each place the
last registration is valid; when it is removed, the one before it is.

A call looks up kernels by the device of its tensors; the Dense kernel does so.

Source: torch/library.py (Library), aten/src/ATen/core/dispatch/OperatorEntry.cpp.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..memory.backend import backend_of, resolve_device
from ..memory.tensor import Tensor
from ..values.device import device
from ..values.dispatch_key import (
    AUTOGRAD,
    DENSE,
    INFERENCE_MODE_BIT,
    TENSOR_KEYS,
    DispatchKey,
    DispatchKeySet,
    mode_word,
)
from ..values.dtype import dtype
from ..values.errors import type_name
from ..values.schema import REQUIRED, Argument, FunctionSchema
from .dispatcher import Kernel, OperatorNamespace, OpOverload, OpOverloadPacket, namespaces
from .mode import active_keys
from .python_dispatch import split_arguments

EXPLICIT = "CompositeExplicitAutograd"
IMPLICIT = "CompositeImplicitAutograd"
META = "Meta"

KEY_PLACES = {"Autograd": DispatchKey.Autograd, "ADInplaceOrView": DispatchKey.ADInplaceOrView}
KEY_PLACES["Batched"] = KEY_PLACES["FuncTorchBatched"] = DispatchKey.Batched

# Qualified name ("mine::add.out") -> place -> registrations; the last one is valid.  They may exist before
# the operator is defined, and remain when it is removed.
_registrations: dict[str, dict[str, list[Kernel]]] = {}

# The default kernels of users' operators by key: set by autograd.
_defaults: dict[DispatchKey, tuple[Kernel, Callable[[UserOperator], bool]]] = {}


def register_default(
    key: DispatchKey, kernel: Kernel, applies: Callable[[UserOperator], bool] = lambda operator: True
) -> None:
    """Set the default kernel for ``key`` of users' operators to which it ``applies``."""
    _defaults[key] = (kernel, applies)


def parse_qualified_name(qualname: str) -> tuple[str, str]:
    """Split "mine::add" into ("mine", "add").  Raises ValueError for a name without a namespace."""
    namespace, separator, name = qualname.partition("::")
    if not (namespace and separator and name) or "::" in name:
        raise ValueError(
            f'expected the name of an operator to look like "namespace::name", but got {qualname!r}; use '
            "the name of your package as the namespace"
        )
    return namespace, name


class UserOperator(OpOverload):
    """A user's operator: it checks arguments against its schema, and selects kernels by device."""

    __slots__ = ("namespace", "qualified_name", "returns_tuple")

    def __init__(self, namespace: str, text: str, make_record: Callable[[FunctionSchema], Any]):
        schema = _parse(text)
        super().__init__(schema, make_record(schema))
        self.namespace = namespace
        self.qualified_name = self.name = f"{namespace}::{schema.full_name}"
        # "((Tensor))" is a tuple of one
        self.returns_tuple = len(schema.returns) > 1 or text.rstrip().endswith("))")
        self.collect_kernels()

    def __str__(self) -> str:
        return f"{self.namespace}.{self.schema.name}.{self.schema.overload_name or 'default'}"

    @property
    def declaration(self) -> str:
        """The schema with its namespace, as in errors."""
        return f"{self.namespace}::{self.schema}"

    # -- kernels ---------------------------------------------------------------------------------------------

    def registered(self, place: str) -> Kernel | None:
        """The valid registration for ``place``, or None."""
        found = _registrations.get(self.qualified_name, {}).get(place)
        return found[-1] if found else None

    def registrations(self) -> dict[str, Kernel]:
        """The valid registration for each place that has one."""
        places = _registrations.get(self.qualified_name, {})
        return {place: found[-1] for place, found in places.items() if found}

    def collect_kernels(self) -> None:
        """Compute the kernels by key from the registrations."""
        kernels: dict[DispatchKey, Any] = {DispatchKey.Dense: run_on_device}
        for key, (kernel, applies) in _defaults.items():
            if applies(self):
                kernels[key] = kernel
        if self.registered(IMPLICIT) is not None:
            for key in DispatchKey:
                if key is not DispatchKey.Dense:
                    otherwise = kernels.get(key) or self._boxed_fallback(key)
                    kernels[key] = _composition_or(key, otherwise)
        for place, key in KEY_PLACES.items():
            own = self.registered(place)
            if own is not None:
                kernels[key] = own
        self.kernels = kernels
        self._table = None

    def device_types(self, arguments: Sequence[Any]) -> list[str]:
        """The device types of the tensors among ``arguments``; if none, that of argument ``device``."""
        found = {tensor._spec.device.type: None for tensor in self.tensors(arguments)}
        if not found:
            asked = [
                value
                for argument, value in zip(self.schema.arguments, arguments)
                if argument.type == "Device" and argument.name == "device"
            ]
            found = {resolve_device(asked[0] if asked else None).type: None}
        return list(found)

    def kernel_of_device(self, arguments: Sequence[Any]) -> Kernel | None:
        """The kernel for the device of ``arguments``, else the one for all devices, else None."""
        types = self.device_types(arguments)
        if len(types) == 1:
            (kind,) = types
            own = self.registered(META if kind == "meta" else kind)
            if own is None and kind != "meta" and backend_of(device(kind)).host_memory:
                own = self.registered("cpu")
            if own is not None:
                return own
        return self.registered(EXPLICIT)

    # -- calls -----------------------------------------------------------------------------------------------

    def dispatch(self, *arguments: Any) -> Any:
        # Always includes Autograd: a kernel for it may be the only one, even if no tensor requires grad.
        word = mode_word()
        keys = (DENSE if word & INFERENCE_MODE_BIT else TENSOR_KEYS) | AUTOGRAD
        for tensor in self.tensors(arguments):
            keys |= tensor._keys
        return self.redispatch(active_keys(keys, word), arguments)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """Run the operator.  Raises RuntimeError for arguments that do not match its schema."""
        return self.dispatch(*self.bind(arguments, keywords, len(self.schema.arguments)))

    def call(self, arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
        """Run the operator as a user calls it: arguments after ``*`` in the schema are keyword-only."""
        positional = sum(not argument.kwarg_only for argument in self.schema.arguments)
        return self.dispatch(*self.bind(arguments, keywords, positional))

    def bind(self, arguments: Sequence[Any], keywords: dict[str, Any], positional: int) -> list[Any]:
        """All arguments of the schema, in its order, converted to their types.  Raises RuntimeError."""
        schema = self.schema.arguments
        name = self.qualified_name
        if len(arguments) > positional:
            raise RuntimeError(
                f"{name}() takes {positional} positional argument(s) but {len(arguments)} was/were given. "
                f"Declaration: {self.declaration}"
            )
        values = list(arguments)
        left = dict(keywords)
        for argument in schema[len(arguments) :]:
            value = left.pop(argument.name, argument.default)
            if value is REQUIRED:
                raise RuntimeError(
                    f"{name}() is missing value for argument {argument.name!r}. Declaration: "
                    f"{self.declaration}"
                )
            values.append(value)
        if left:
            unknown = next(iter(left))
            what = "Got twice" if any(each.name == unknown for each in schema) else "Unknown"
            raise RuntimeError(
                f"{what} keyword argument {unknown!r} for operator {name!r}. Schema: {self.declaration}"
            )
        for position, (argument, value) in enumerate(zip(schema, values)):
            try:
                values[position] = _converted(argument, value)
            except (TypeError, ValueError):
                raise RuntimeError(
                    f"{name}() Expected a value of type {_type_text(argument)!r} for argument "
                    f"{argument.name!r} but instead found type {type_name(value)!r}. Position: "
                    f"{position}. Declaration: {self.declaration}"
                ) from None
        return values


def _parse(text: str) -> FunctionSchema:
    """Parse a schema.  Raises RuntimeError for an invalid one."""
    head, _, returns = text.rpartition("->")
    if returns.strip().startswith("((") and returns.strip().endswith("))"):
        text = f"{head}-> {returns.strip()[1:-1]}"
    try:
        schema = FunctionSchema(text)
    except (ValueError, SyntaxError, TypeError) as error:
        raise RuntimeError(f"could not parse the schema of an operator: {error}") from None
    for each in (*schema.arguments, *schema.returns):
        if each.type not in _TYPES:
            raise RuntimeError(
                f"unknown type {each.type!r} in the schema {text!r}; expected one of: {', '.join(_TYPES)}"
            )
    return schema


# ---------------------------------------------------------------------------------------------------------
# Arguments and results: the conversion of Python values to the types of schemas.


def _as_integer(value: Any) -> int:
    if isinstance(value, Tensor):
        value = value.item()
    return int(value.__index__()) if hasattr(value, "__index__") else _refuse()


def _as_float(value: Any) -> float:
    return _refuse() if isinstance(value, (str, bytes, complex)) else float(value)


def _as_number(value: Any) -> Any:
    if isinstance(value, (int, float, complex)):
        return value
    return value.item() if hasattr(value, "item") else _refuse()


def _refuse() -> Any:
    raise TypeError


def _one_of(kind: type) -> Callable[[Any], Any]:
    return lambda value: value if isinstance(value, kind) else _refuse()


_TYPES: dict[str, Callable[[Any], Any]] = {
    "Tensor": _one_of(Tensor),
    "int": _as_integer,
    "SymInt": _as_integer,
    "float": _as_float,
    "bool": _one_of(bool),
    "str": _one_of(str),
    "Scalar": _as_number,
    "ScalarType": _one_of(dtype),
    "Device": device,
    "Layout": lambda value: value,
    "MemoryFormat": lambda value: value,
    "Generator": lambda value: value,
}


def _converted(argument: Argument, value: Any) -> Any:
    """Convert ``value`` to the argument's type.  Raises TypeError or ValueError."""
    if value is None:
        return None if argument.is_optional or argument.default is None else _refuse()
    one = _TYPES[argument.type]
    if not argument.is_list:
        return one(value)
    if not isinstance(value, (list, tuple)):
        return [one(value)] * argument.list_size if argument.list_size else _refuse()
    return [None if each is None and argument.elements_optional else one(each) for each in value]


def _type_text(argument: Argument) -> str:
    name = {"SymInt": "int"}.get(argument.type, argument.type)
    return f"{'Optional ' if argument.is_optional else ''}{f'List[{name}]' if argument.is_list else name}"


def checked_results(operator: UserOperator, results: Any) -> Any:
    """The results of a kernel, checked against the schema.  Raises RuntimeError."""
    returns = operator.schema.returns
    if not returns:
        if results is not None:
            raise RuntimeError(
                f"Expected the kernel of {operator.qualified_name} to return None, but it returned "
                f"{type(results).__name__}. Declaration: {operator.declaration}"
            )
        return None
    outputs = results if operator.returns_tuple else (results,)
    if not isinstance(outputs, (tuple, list)) or len(outputs) != len(returns):
        raise RuntimeError(
            f"Expected the kernel of {operator.qualified_name} to return {len(returns)} results, but got "
            f"{_shown(results)}. Declaration: {operator.declaration}"
        )
    try:
        converted = [_converted(result, output) for result, output in zip(returns, outputs)]
    except (TypeError, ValueError):
        wanted = ", ".join(_type_text(each) for each in returns)
        raise RuntimeError(
            f"Expected the kernel of {operator.qualified_name} to return {wanted}, but got "
            f"{_shown(results)}. Declaration: {operator.declaration}"
        ) from None
    return tuple(converted) if operator.returns_tuple else converted[0]


def _shown(results: Any) -> str:
    if isinstance(results, (tuple, list)):
        return f"a {type(results).__name__} of ({', '.join(type(each).__name__ for each in results)})"
    return type(results).__name__


def flat_tensors(values: Any) -> Iterator[Tensor]:
    """The tensors in ``values``, also in nested lists; other values are skipped."""
    for value in values if isinstance(values, (list, tuple)) else (values,):
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from flat_tensors(value)


def as_inputs(operator: UserOperator, arguments: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Split all arguments of a schema into positional ones and keyword-only ones."""
    schema = operator.schema.arguments
    positional = tuple(value for argument, value in zip(schema, arguments) if not argument.kwarg_only)
    return positional, {
        argument.name: value for argument, value in zip(schema, arguments) if argument.kwarg_only
    }


# ---------------------------------------------------------------------------------------------------------
# Kernels.


def unboxed(function: Callable[..., Any], with_keyset: bool = False) -> Kernel:
    """Make a kernel of ``function``, which takes arguments as a user writes them.

    Arguments that equal their defaults are omitted, so that a kernel need not know arguments that were added
    later.  ``with_keyset``: its first argument is the remaining keys.
    """

    def kernel(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
        args, kwargs = split_arguments(operator, arguments)
        if with_keyset:
            args = (DispatchKeySet(keys), *args)
        return checked_results(operator, function(*args, **kwargs))  # type: ignore[arg-type]

    kernel.__wrapped__ = function  # type: ignore[attr-defined]
    return kernel


def run_on_device(operator: UserOperator, keys: int, arguments: Sequence[Any]) -> Any:
    """The Dense kernel: run the kernel for the device, else that for all devices, else the composite."""
    kernel = operator.kernel_of_device(arguments) or operator.registered(IMPLICIT)
    if kernel is None:
        raise NotImplementedError(_no_kernel(operator, operator.device_types(arguments)))
    return kernel(operator, keys, arguments)


def _no_kernel(operator: UserOperator, types: list[str]) -> str:
    places = [place for place, kernels in _registrations.get(operator.qualified_name, {}).items() if kernels]
    known = [repr(place) for place in places if place not in KEY_PLACES and place != META]
    there = f"it has kernels for {', '.join(known)}" if known else "it has no kernels at all"
    if types == ["meta"]:
        return (
            f"{operator.qualified_name}: attempted to run this operator with tensors on the meta device, but "
            f"there was no fake impl or Meta kernel registered; {there}. Use register_fake to add one."
        )
    if len(types) > 1:
        return (
            f"Could not run '{operator.qualified_name}' with arguments on several devices ("
            f"{', '.join(types)}): it would need a kernel that is registered for all devices; {there}."
        )
    return (
        f"Could not run '{operator.qualified_name}' with arguments on the device '{types[0]}': {there}. "
        "Use register_kernel to add one."
    )


def _composition_or(key: DispatchKey, otherwise: Kernel | None) -> Kernel:
    """A kernel for ``key`` that runs the composite, unless there is a kernel for the device."""

    def kernel(operator: Any, keys: int, arguments: Sequence[Any]) -> Any:
        if operator.kernel_of_device(arguments) is None:
            return operator.registered(IMPLICIT)(operator, keys, arguments)
        if otherwise is not None:
            return otherwise(operator, keys, arguments)
        return operator.redispatch(keys & ~(1 << key), arguments)

    return kernel


# ---------------------------------------------------------------------------------------------------------
# Defining and registering operators, and the reverse.


def namespace_of(name: str) -> OperatorNamespace:
    """The namespace of that name; created if there was none."""
    return namespaces.setdefault(name, OperatorNamespace(name))


def find(qualname: str) -> UserOperator | None:
    """The user's operator with that qualified name and overload, or None."""
    namespace, full_name = parse_qualified_name(qualname)
    name, _, overload = full_name.partition(".")
    packet = namespaces[namespace]._packets.get(name) if namespace in namespaces else None
    return None if packet is None else packet.overloads.get("" if overload == "default" else overload)  # type: ignore[return-value]


def define(namespace: str, text: str, make_record: Callable[[FunctionSchema], Any]) -> UserOperator:
    """Define an operator.  Raises RuntimeError for an existing one and for an invalid schema."""
    operator = UserOperator(namespace, text, make_record)
    schema = operator.schema
    # as attributes they would hide the namespace's, or the packet's, own
    if hasattr(OperatorNamespace(), schema.name) or hasattr(OpOverloadPacket(""), schema.overload_name):
        raise RuntimeError(f"{schema.full_name!r} cannot be the name of an operator: it is reserved")
    try:
        namespace_of(namespace)._define(operator)
    except ValueError:
        raise RuntimeError(
            f"Tried to register an operator ({operator.declaration}) with the same name and overload name "
            "multiple times. Each overload's schema should only be registered with a single call to define()."
        ) from None
    packet = namespaces[namespace]._packets[operator.schema.name]
    if packet.parser is None:
        packet.parser = _parser(packet)
    return operator


def _parser(packet: OpOverloadPacket) -> Callable[..., Any]:
    """The argument parser of a packet: calls the first overload that the arguments match."""

    def parse(*arguments: Any, **keywords: Any) -> Any:
        overloads = list(packet.overloads.values())
        if not overloads:
            raise RuntimeError(
                f"{packet.name}: the operator was removed, or defined anew: ask gnomon.ops for it again"
            )
        for operator in overloads[:-1]:
            positional = sum(not argument.kwarg_only for argument in operator.schema.arguments)
            try:
                values = operator.bind(arguments, keywords, positional)  # type: ignore[attr-defined]
            except RuntimeError:
                continue
            return operator.dispatch(*values)
        return overloads[-1].call(arguments, keywords)  # type: ignore[attr-defined]

    return parse


def undefine(operator: UserOperator) -> None:
    """Remove an operator; its registrations remain."""
    if find(operator.qualified_name) is operator:
        namespaces[operator.namespace]._undefine(operator)


def register(qualname: str, place: str, kernel: Kernel) -> None:
    """Register ``kernel`` in ``place`` for the operator ``qualname``, which need not be defined yet."""
    _registrations.setdefault(qualname, {}).setdefault(place, []).append(kernel)
    _changed(qualname)


def unregister(qualname: str, place: str, kernel: Kernel) -> None:
    """Remove a registration."""
    places = _registrations[qualname]
    places[place].remove(kernel)
    if not places[place]:
        del places[place]
    if not places:
        del _registrations[qualname]
    _changed(qualname)


def is_registered(qualname: str, place: str) -> bool:
    """Is a kernel registered in ``place`` for the operator ``qualname``?"""
    return bool(_registrations.get(qualname, {}).get(place))


def _changed(qualname: str) -> None:
    operator = find(qualname)
    if operator is not None:
        operator.collect_kernels()


sys.modules.setdefault("gnomon.dispatch.library", sys.modules[__name__])  # compatibility alias
