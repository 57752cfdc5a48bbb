"""The dispatcher: operators, their kernels by dispatch key, and how a call is dispatched.

An ``OpOverload`` is one operator with one schema.  A call collects the keys of its tensor arguments and of
the thread, and runs the kernel of the highest key that has one; that kernel does its part and calls
``redispatch`` with the keys below its own.  A key without a kernel is skipped (a fallthrough).

Kernels for a key that work for every operator (Autograd, ADInplaceOrView) are *boxed fallbacks*: registered
once, called with the operator and its arguments.

Source: aten/src/ATen/core/dispatch/Dispatcher.h, OperatorEntry.h; torch/_ops.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, SupportsComplex, SupportsFloat, SupportsIndex

from ..memory.tensor import Tensor
from ..values.dispatch_key import (
    ALL_KEYS,
    DENSE,
    EXCLUDED_SHIFT,
    INFERENCE_MODE_BIT,
    KEYS,
    OBSERVED_BIT,
    TENSOR_KEYS,
    TRACED_BIT,
    DispatchKey,
    DispatchKeySet,
)
from ..values.errors import type_name
from ..values.schema import REQUIRED, Argument, FunctionSchema
from ..values.speedups import speedups
from .mode import mode_word
from .record_function import DISPATCH, FUNCTION, observed

# A kernel is called with the operator, the remaining keys, and all arguments of the schema in its order.
Kernel = Callable[["OpOverload", int, Sequence[Any]], Any]

_boxed_fallbacks: dict[DispatchKey, tuple[Kernel, Callable[[OpOverload], bool]]] = {}


_KINDS: dict[str, tuple[type, ...]] = {
    "Tensor": (Tensor,),
    "str": (str,),
    "bool": (int,),
    **dict.fromkeys(("int", "SymInt"), (int, SupportsIndex, Tensor)),
    **dict.fromkeys(("float", "Scalar"), (int, float, complex, SupportsFloat, SupportsComplex, Tensor)),
}


def _fits(argument: Argument, value: Any, record: Any) -> bool:
    """Is the value of the argument's type?  Rare types accept any value."""
    kinds = _KINDS.get(argument.type, (object,))
    if value is None:
        return argument.is_optional or argument.default is None
    if argument.is_list:
        if isinstance(value, (list, tuple)):
            return all(isinstance(each, kinds) or (each is None and argument.is_tensor) for each in value)
        return argument.list_size is not None and isinstance(value, kinds)
    if argument.is_tensor and argument.name in ("self", "other", "src") and record is not None:
        # a number may replace a tensor where PyTorch has an overload for it
        if (record.base.record if record.base else record).numbers.stand_for:
            kinds = (Tensor, int, float, complex)
    return isinstance(value, kinds)


def keys_of(positions: tuple[int, ...], arguments: Sequence[Any]) -> int:
    """The dispatch keys of the tensors at these positions of ``arguments``, lists included."""
    keys = 0
    for position in positions:
        value = arguments[position]
        for each in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(each, Tensor):
                keys |= each._keys
    return keys


if speedups is not None:
    keys_of = speedups.keys_of


class OpOverload:
    """One operator with one schema, called with the schema's arguments.

    ``kernels`` maps dispatch keys to kernels of this operator only; ``record`` is the operator's Record.
    """

    __slots__ = (
        "__weakref__",
        "_table",
        "arity",
        "derivative_plans",
        "kernels",
        "layout_position",
        "lengths",
        "meta_results",
        "name",
        "record",
        "schema",
        "tensor_positions",
        "variants",
    )

    namespace = "aten"

    def __init__(self, schema: FunctionSchema, record: Any = None):
        self.schema = schema
        self.name = schema.full_name
        self.arity = len(schema.arguments)
        self.record = record
        self.variants: list[OpOverload] = []  # derived from the record: in-place, and out=
        self.meta_results: dict[Any, Any] = {}  # of meta functions, by arguments (calls/running.py)
        self.derivative_plans: dict[Any, Any] = {}  # DerivativePlans, by which inputs require grad
        self.kernels: dict[DispatchKey, Kernel] = {}
        self._table: list[Kernel | None] | None = None
        # for lists that one number may replace: position and length
        self.lengths = tuple(
            [
                (position, argument.list_size)
                for position, argument in enumerate(schema.arguments)
                if argument.list_size is not None and not argument.is_tensor
            ]
        )
        # of the argument that asks for the layout of the result, or None
        self.layout_position = next(
            (position for position, argument in enumerate(schema.arguments) if argument.type == "Layout"),
            None,
        )
        self.tensor_positions = tuple(
            [position for position, argument in enumerate(schema.arguments) if argument.is_tensor]
        )

    def __repr__(self) -> str:
        overload = self.schema.overload_name or "default"
        return f"<OpOverload(op='{self.namespace}.{self.schema.name}', overload='{overload}')>"

    def __str__(self) -> str:
        return f"aten.{self.schema.name}.{self.schema.overload_name or 'default'}"

    def register(self, key: DispatchKey, kernel: Kernel) -> None:
        """Make ``kernel`` this operator's kernel for ``key``."""
        self.kernels[key] = kernel
        self._table = None

    def table(self) -> list[Kernel | None]:
        """The kernel for each key, None for a fallthrough.

        Source: the computed dispatch table.
        """
        if self._table is None:
            self._table = [self.kernels.get(key) or self._boxed_fallback(key) for key in KEYS]
        return self._table

    def _boxed_fallback(self, key: DispatchKey) -> Kernel | None:
        if key not in _boxed_fallbacks:
            return None
        kernel, applies = _boxed_fallbacks[key]
        return kernel if applies(self) else None

    def tensors(self, arguments: Sequence[Any]) -> list[Tensor]:
        """The tensors among ``arguments``, lists included."""
        found: list[Tensor] = []
        for position in self.tensor_positions:
            argument = arguments[position]
            if isinstance(argument, Tensor):
                found.append(argument)
            elif isinstance(argument, (list, tuple)):
                found.extend(each for each in argument if isinstance(each, Tensor))
        return found

    def __call__(self, /, *arguments: Any, **keywords: Any) -> Any:
        """Run the operator: dispatch to the highest key of the arguments and of the thread's modes.

        Arguments with defaults may be omitted, and any may be given by keyword.  Raises TypeError for
        arguments that do not match the schema.
        """
        if keywords or len(arguments) != self.arity:
            arguments = self.complete(arguments, keywords)
        try:
            return self.dispatch(*arguments)
        except (AttributeError, TypeError):
            self.refuse_misfits(arguments)
            raise

    def refuse_misfits(self, arguments: Sequence[Any]) -> None:
        """Raises TypeError for an argument of the wrong type.  Called after a call has failed."""
        for argument, value in zip(self.schema.arguments, arguments):
            if not _fits(argument, value, self.record):
                misfit = f"not {type_name(value)}"
                for index, each in enumerate(
                    value if argument.is_list and isinstance(value, (list, tuple)) else ()
                ):
                    if not _fits(argument, [each], self.record):
                        misfit = f"but found element of type {type_name(each)} at pos {index}"
                        break
                raise TypeError(
                    f"{self.name}() argument {argument.name!r} must be {argument.type_text}, {misfit}: "
                    f"{self.schema}"
                ) from None

    def complete(self, arguments: Sequence[Any], keywords: dict[str, Any]) -> tuple[Any, ...]:
        """All arguments of the schema, in its order, with defaults for those not given."""
        schema = self.schema.arguments
        if len(arguments) > len(schema):
            raise TypeError(
                f"{self.name}() takes {len(schema)} arguments, but {len(arguments)} were given: {self.schema}"
            )
        completed = list(arguments)
        for argument in schema[len(arguments) :]:
            value = keywords.pop(argument.name, argument.default)
            if value is REQUIRED:
                raise TypeError(f"{self.name}() is missing argument {argument.name!r}: {self.schema}")
            completed.append(value)
        if self.lengths:
            completed = list(self.with_lists(completed))
        if keywords:
            raise TypeError(
                f"{self.name}() got an unexpected argument {next(iter(keywords))!r}: {self.schema}"
            )
        return tuple(completed)

    def with_lists(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """``arguments`` with numbers that replace lists expanded: 2 for an int[2] becomes (2, 2)."""
        numbers = [each for each in self.lengths if isinstance(arguments[each[0]], (int, float))]
        if not numbers:
            return arguments
        listed = list(arguments)
        for position, length in numbers:
            listed[position] = (listed[position],) * length
        return tuple(listed)

    def dispatch(self, *arguments: Any) -> Any:
        """Like ``__call__``, with all arguments of the schema given."""
        if self.lengths:
            arguments = self.with_lists(arguments)  # type: ignore[assignment]
        word = mode_word()
        # without tensor arguments (factories) these keys remain; inference mode marks no views
        keys = DENSE if word & INFERENCE_MODE_BIT else TENSOR_KEYS
        if self.layout_position is not None and arguments[self.layout_position] is not None:
            keys |= arguments[self.layout_position].keys
        keys = (
            (keys | keys_of(self.tensor_positions, arguments) | word) & ALL_KEYS & ~(word >> EXCLUDED_SHIFT)
        )  # mode.active_keys
        if word & OBSERVED_BIT:
            return observed(FUNCTION, self.name, arguments, self.redispatch, keys, arguments)
        return self.redispatch(keys, arguments)

    def redispatch(self, keys: int, arguments: Sequence[Any]) -> Any:
        """Run the kernel of the highest of ``keys`` that has one."""
        table = self._table or self.table()
        while keys:
            key = keys.bit_length() - 1
            kernel = table[key]
            if kernel is not None:
                if mode_word() & TRACED_BIT:
                    passed = (self, DispatchKey(key), arguments)
                    return observed(DISPATCH, self.name, passed, kernel, self, keys, arguments)
                return kernel(self, keys, arguments)
            keys &= ~(1 << key)
        raise NotImplementedError(f"{self.name}: no kernel for {DispatchKeySet(ALL_KEYS)}")


if speedups is not None:
    OpOverload = speedups.operator(OpOverload)  # type: ignore[misc]


class OpOverloadPacket:
    """All overloads of one name: ``gnomon.ops.aten.add``, with attributes ``.Tensor``, ``.out`` and so on.

    A call selects the first overload that the arguments match, as PyTorch's argument parser does.
    """

    def __init__(self, name: str, namespace: str = "aten"):
        self.name = name
        self.namespace = namespace
        self.overloads: dict[str, OpOverload] = {}
        self.parser: Any = None

    def __getattr__(self, overload: str) -> OpOverload:
        found = self.__dict__["overloads"].get("" if overload == "default" else overload)
        if found is None:
            raise AttributeError(
                f"operator {self.name!r} has no overload {overload!r}; it has {list(self.overloads)}"
            )
        return found

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if self.parser is None:
            raise NotImplementedError(
                f"{self.name}: the argument parser is not initialized; import gnomon, not only a submodule"
            )
        return self.parser(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self.namespace}.{self.name}')>"


class OperatorNamespace:
    """``gnomon.ops.aten``: all operators by name.  Formulas and composites call operators through it.

    Users' operators are in other namespaces (gnomon.library).
    """

    def __init__(self, name: str = "aten") -> None:
        self._name = name
        self._packets: dict[str, OpOverloadPacket] = {}

    def __getattr__(self, name: str) -> OpOverloadPacket:
        packet = self.__dict__["_packets"].get(name)
        if packet is None:
            where = "" if self._name == "aten" else f" in the namespace {self._name!r}"
            raise AttributeError(f"there is no operator {name!r}{where}")
        return packet

    def __iter__(self) -> Iterator[OpOverloadPacket]:
        return iter(self._packets.values())

    def __dir__(self) -> list[str]:
        return sorted(self._packets)

    def _define(self, operator: OpOverload) -> OpOverload:
        """Add ``operator``.  Raises ValueError if its name and overload already exist."""
        name = operator.schema.name
        packet = self._packets.setdefault(name, OpOverloadPacket(name, self._name))
        overload = operator.schema.overload_name
        if overload in packet.overloads:
            raise ValueError(f"operator {operator.name!r} is defined twice")
        packet.overloads[overload] = operator
        # also as plain attributes, which are found without __getattr__
        setattr(packet, overload or "default", operator)
        self.__dict__[name] = packet
        return operator

    def _undefine(self, operator: OpOverload) -> None:
        """Remove ``operator``, and its packet if no overload remains."""
        packet = self._packets[operator.schema.name]
        del packet.overloads[operator.schema.overload_name]
        delattr(packet, operator.schema.overload_name or "default")
        if not packet.overloads:
            del self._packets[packet.name], self.__dict__[packet.name]

    def _find(self, full_name: str) -> OpOverload:
        """The operator of that name and overload, ``"add.Tensor"``.  Raises KeyError."""
        name, _, overload = full_name.partition(".")
        return self._packets[name].overloads[overload]


aten = OperatorNamespace()
namespaces: dict[str, OperatorNamespace] = {"aten": aten}


def register_boxed_fallback(
    key: DispatchKey, kernel: Kernel, applies: Callable[[OpOverload], bool] = lambda operator: True
) -> None:
    """Register ``kernel`` for ``key`` of all operators without their own one to which it ``applies``."""
    _boxed_fallbacks[key] = (kernel, applies)
    for namespace in namespaces.values():
        for packet in namespace:
            for operator in packet.overloads.values():
                operator._table = None
