"""bind: operators as Python functions, methods and operators; PyTorch's argument parser.

A function has one name and several overloads.  The parser tries them in the order they were defined and takes
the first that the arguments fit; it then calls it with all arguments of its schema.  On the way it is as
lenient as PyTorch's: sizes as ``f(2, 3)`` or ``f((2, 3))``, one int where a list of fixed length is wanted,
``axis`` for ``dim``, ``keepdims`` for ``keepdim``, ``input`` for ``self``, a Python number for the second
operand.

Source: torch/csrc/utils/python_arg_parser.cpp, tools/autograd/gen_python_functions.py.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

from .dispatch.dispatcher import OpOverload, OpOverloadPacket, aten
from .hot_path import in_c
from .kit.outputs import resize_output
from .memory.tensor import Tensor
from .values import dtype as dtypes
from .values.device import device, layout, memory_format
from .values.schema import REQUIRED, Argument

PYTHON_DTYPES = {float: dtypes.float64, int: dtypes.int64, bool: dtypes.bool_, complex: dtypes.complex128}
_SYNONYMS = {"axis": "dim", "keepdims": "keepdim", "input": "self", "x1": "self", "x2": "other"}
_NO_OUT = frozenset({"sum", "prod"})  # PyTorch has these variants, and does not let Python call them
# Orders of arguments that PyTorch takes with a warning, beside the schema's, from when a factor stood before
# what it multiplies.  All arguments are given, by position or name.  Source: tools/autograd/deprecated.yaml.
_DEPRECATED_ORDERS = {
    **dict.fromkeys(("add", "sub"), (("self", "alpha", "other"),)),
    **dict.fromkeys(("addcdiv", "addcmul"), (("self", "value", "tensor1", "tensor2"),)),
    **{
        name: (("beta", "self", "alpha", *factors), ("beta", "self", *factors))
        for name, factors in (
            ("addbmm", ("batch1", "batch2")),
            ("addmm", ("mat1", "mat2")),
            ("addmv", ("mat", "vec")),
            ("addr", ("vec1", "vec2")),
            ("baddbmm", ("batch1", "batch2")),
        )
    },
}
_NUMBER_TYPES = (bool, int, float, complex)
_INTEGER_TYPES = frozenset({"int", "SymInt"})


class _Mismatch(Exception):
    """An argument does not fit an overload; the text says which and why."""


def _is_integer(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, Tensor):
        return value._spec.ndim == 0 and value._spec.dtype.category == 1
    return hasattr(value, "__index__")


def _as_number(value: Any) -> Any:
    """A Python number from what may stand for one: numbers, NumPy's scalars, 0-dim tensors."""
    if type(value) in _NUMBER_TYPES:
        return dtypes.checked_number(value)
    if isinstance(value, Tensor):
        if value._spec.ndim == 0 and not value.requires_grad:
            return value.item()
        raise _Mismatch
    if isinstance(value, _NUMBER_TYPES):
        for kind in _NUMBER_TYPES:
            if isinstance(value, kind):
                return kind(value)
    if is_numpy_scalar(value):
        return value.item()
    raise _Mismatch


def is_numpy_scalar(value: Any) -> bool:
    """Is ``value`` a scalar of NumPy?  An array without dimensions, which can be written to, is none."""
    return (
        getattr(value, "shape", None) == () and hasattr(value, "item") and not hasattr(value, "__setitem__")
    )


def _convert_one(argument: Argument, value: Any, numbers_allowed: bool) -> Any:
    """``value`` as the argument's type wants it.  Raises _Mismatch."""
    kind = argument.type
    if kind == "Tensor":
        if isinstance(value, Tensor):
            return value
        if numbers_allowed:
            return _as_number(value)
    elif kind in _INTEGER_TYPES:
        if _is_integer(value):
            return value.item() if isinstance(value, Tensor) else value.__index__()
    elif kind == "bool":
        if isinstance(value, bool):
            return value
        if type(value).__name__ in ("bool_", "bool"):
            return bool(value)
    elif kind == "Scalar":
        return _as_number(value)
    elif kind == "float":
        number = _as_number(value)
        if not isinstance(number, complex):
            return float(number)
    elif kind == "str":
        if isinstance(value, str):
            return value
    elif kind == "ScalarType":
        if isinstance(value, dtypes.dtype):
            return value
        if isinstance(value, type) and value in PYTHON_DTYPES:
            return PYTHON_DTYPES[value]
    elif kind == "Device":
        if isinstance(value, (str, device)):
            return device(value)
    elif kind == "Layout":
        if isinstance(value, layout):
            return value
    elif kind == "MemoryFormat":
        if isinstance(value, memory_format):
            return value
    elif kind == "Generator":
        if hasattr(value, "manual_seed"):
            return value
    raise _Mismatch


def _convert(argument: Argument, value: Any, numbers_allowed: bool) -> Any:
    if value is None:
        if argument.is_optional or argument.default is None:
            return None
        if argument.is_list and argument.default == ():
            return ()  # PyTorch shows the default [] as None
        raise _Mismatch
    if argument.is_list:
        if isinstance(value, (list, tuple)) or (
            argument.type == "Tensor" and not isinstance(value, Tensor) and hasattr(value, "__iter__")
        ):
            if (
                argument.type != "Tensor"
                and argument.list_size
                and len(value) not in (0, 1, argument.list_size)
                and argument.list_size > 1
            ):
                pass  # the operator says what is wrong with the length
            return tuple(
                None if each is None and argument.elements_optional else _convert_one(argument, each, False)
                for each in value
            )
        if argument.list_size is not None:
            return (_convert_one(argument, value, False),) * argument.list_size
        raise _Mismatch
    return _convert_one(argument, value, numbers_allowed)


def numbers_for_tensors(operator: OpOverload) -> frozenset[str]:
    """The names of the tensor arguments that may be given as a number."""
    record = operator.record
    allowed = (record.base.record if record.base is not None else record).numbers
    if not allowed:
        return frozenset()
    return frozenset({"other"} if operator.schema.is_inplace or allowed == "other" else {"self", "other"})


def _dtype_of(number: Any) -> dtypes.dtype:
    return dtypes.dtype_of_number(number, dtypes.get_default_dtype())


# What arguments of these types are when nothing needs to be converted; a Scalar may be an int as well.
_QUICK_TYPES = {
    "Tensor": Tensor, "int": int, "SymInt": int, "bool": bool, "Scalar": float, "float": float, "str": str,
    "ScalarType": dtypes.dtype,
}  # fmt: skip


# What an argument has to be for its type to say all (Signature.guards); _c/operators.c has the same numbers.
HAS_DIMENSIONS, FITS_INT64, ALL_TENSORS, ALL_INTEGERS = range(4)


def hold(guards: Sequence[int], args: Sequence[Any]) -> bool:
    """Are the arguments as these guards want them?"""
    for index, guard in zip(guards[::2], guards[1::2]):
        value = args[index]
        if guard == HAS_DIMENSIONS:
            if not value._spec.ndim:
                return False
        elif guard == FITS_INT64:
            if not -(2**63) <= value < 2**63:
                return False
        elif guard == ALL_TENSORS:
            if not value or not all(isinstance(each, Tensor) for each in value):
                return False
        elif not value or not all(each.__class__ is int for each in value):
            return False
    return True


class Signature:
    """One overload, as Python calls it: its arguments without those of ``out=``."""

    __slots__ = (
        "arguments",
        "by_name",
        "defaults",
        "number_names",
        "operator",
        "out",
        "positional",
        "quick_types",
        "return_type",
        "singles",
        "varargs",
    )

    def __init__(self, operator: OpOverload, takes_self: bool = False, named_defaults: bool = True):
        self.operator = operator
        self.arguments = operator.schema.arguments
        self.by_name = {argument.name: position for position, argument in enumerate(self.arguments)}
        self.positional = [
            position for position, argument in enumerate(self.arguments) if not argument.kwarg_only
        ]
        self.number_names = numbers_for_tensors(operator)
        variants = () if operator.name in _NO_OUT else operator.record.variants
        self.out = next((each for each in variants if each.schema.is_out), None)
        # the position of a list of ints that may be given as several arguments: the only one, but for self
        own = self.positional[1:] if takes_self else self.positional
        alone = self.arguments[own[0]] if len(own) == 1 else None
        takes_several = alone is not None and alone.is_list and alone.type in _INTEGER_TYPES
        self.varargs = own[0] if takes_several and alone.list_size is None else None
        # of lists that an int stands for: dim=0 for dim=(0,)
        self.singles = [
            index
            for index, position in enumerate(self.positional)
            if self.arguments[position].list_size == 1 and self.arguments[position].type in _INTEGER_TYPES
        ]

        self.return_type = named_results(operator)
        self.defaults = [_default(argument, named_defaults) for argument in self.arguments]
        self.quick_types = [
            (_QUICK_TYPES.get(each.type), each.is_list, each.is_optional)
            for each in (self.arguments[position] for position in self.positional)
        ]

    def quick(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any] | None:
        """``bind`` for arguments of exactly the right types, which most calls have; None for any others."""
        if len(args) > len(self.positional) and self.varargs is None:
            return None
        values: list[Any] = []
        for index, value in enumerate(args):
            if index >= len(self.quick_types):
                return None
            kind, is_list, is_optional = self.quick_types[index]
            if is_list:
                if kind is not int:
                    return None
                if value.__class__ is int and index == self.varargs:
                    value = tuple(args[index:])
                elif value.__class__ is int and index in self.singles:
                    values.append((value,))
                    continue
                elif value.__class__ is not tuple:
                    return None
                for each in value:
                    if each.__class__ is not int:
                        return None
                values.append(value)
                if value is not args[index]:
                    break
            elif value.__class__ is kind or (kind is Tensor and isinstance(value, Tensor)):
                values.append(value)
            elif kind is float and value.__class__ is int and -(2**63) <= value < 2**63:
                if self.arguments[self.positional[index]].type == "float":
                    return None
                values.append(value)
            elif value is None and is_optional:
                values.append(None)
            elif kind is Tensor and value.__class__ is float and self._takes_number(index, args):
                values.append(value)
            else:
                return None
        given = len(values)
        values += self.defaults[given:]
        for name, value in kwargs.items():
            position = self.by_name.get(name, -1)
            if position < given or self.arguments[position].is_list:
                return None
            kind = _QUICK_TYPES.get(self.arguments[position].type)
            if value.__class__ is not kind and not (kind is Tensor and isinstance(value, Tensor)):
                return None
            values[position] = value
        for value in values[given:]:
            if value is REQUIRED:  # by identity: tensors make a tensor of ==
                return None
        return values

    def _takes_number(self, index: int, args: Sequence[Any]) -> bool:
        """May a number stand for this tensor?  The first argument is one, then."""
        return self.arguments[self.positional[index]].name in self.number_names and isinstance(
            args[0], Tensor
        )

    def guards(self, args: Sequence[Any], may_be_numbers: Callable[[int], bool]) -> tuple[int, ...] | None:
        """What other arguments of these types have to be so that they mean this overload, as they are: index
        and kind of guard by turns.  None where types and guards say too little.

        may_be_numbers: may a tensor without dimensions stand for a number in this place?
        """
        found: list[int] = []
        if len(args) > len(self.quick_types):
            return None
        for index, value in enumerate(args):
            kind, is_list, is_optional = self.quick_types[index]
            if value is None and is_optional:
                continue
            if is_list:
                if value.__class__ is int and index in self.singles:
                    continue
                if kind is int and value.__class__ is tuple and value and index != self.varargs:
                    found += [index, ALL_INTEGERS]
                elif kind is Tensor and value.__class__ in (list, tuple) and value:
                    found += [index, ALL_TENSORS]
                else:
                    return None
            elif kind is Tensor and isinstance(value, Tensor):
                if may_be_numbers(index):
                    found += [index, HAS_DIMENSIONS]
            elif kind is float and value.__class__ is int:
                if self.arguments[self.positional[index]].type == "float":
                    return None
                found += [index, FITS_INT64]
            elif value.__class__ is not kind and not (
                kind is Tensor and value.__class__ is float and self._takes_number(index, args)
            ):
                return None
        return tuple(found) if hold(found, args) else None

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """All arguments of the schema, in its order.  Raises _Mismatch."""
        arguments = self.arguments
        values: list[Any] = [REQUIRED] * len(arguments)
        for index, value in enumerate(args):
            if index >= len(self.positional):
                raise _Mismatch(
                    f"takes {len(self.positional)} positional arguments but {len(args)} were given"
                )
            position = self.positional[index]
            if position == self.varargs and _is_integer(value):
                values[position] = tuple(args[index:])
                break
            values[position] = value
        for name, value in kwargs.items():
            position = self.by_name.get(name)
            if position is None:
                position = self.by_name.get(_SYNONYMS.get(name, ""))
            if position is None:
                raise _Mismatch(f"got an unexpected keyword argument '{name}'")
            if values[position] is not REQUIRED:
                raise _Mismatch(f"got multiple values for argument '{name}'")
            values[position] = value
        for position, argument in enumerate(arguments):
            value = values[position]
            if value is REQUIRED:
                if self.defaults[position] is REQUIRED:
                    raise _Mismatch(
                        f"missing required argument '{_shown(argument)}' (position {position + 1})"
                    )
                values[position] = self.defaults[position]
                continue
            try:
                values[position] = _convert(argument, value, argument.name in self.number_names)
            except _Mismatch:
                raise _Mismatch(
                    f"argument '{_shown(argument)}' (position {position + 1}) must be "
                    f"{_type_text(argument)}, not {_value_text(value)}"
                ) from None
        if self.number_names and not any(isinstance(value, Tensor) for value in values):
            if self.operator.record.numbers == "both":
                return [aten.scalar_tensor(values[0], dtype=_dtype_of(values[0])), *values[1:]]
            raise _Mismatch("argument 'input' (position 1) must be Tensor, not " + _value_text(values[0]))
        return values

    def bind_deprecated(
        self, args: Sequence[Any], kwargs: dict[str, Any], takes_self: bool
    ) -> list[Any] | None:
        """``bind`` for arguments in an order that is deprecated; None for any others.  Warns."""
        name = self.operator.schema.name
        for order in _DEPRECATED_ORDERS.get(name.removesuffix("_"), ()):
            names = ("self", *(each for each in order if each != "self")) if takes_self else order
            given = {**dict(zip(names, args)), **{_SYNONYMS.get(key, key): kwargs[key] for key in kwargs}}
            if len(args) + len(kwargs) != len(order) or given.keys() != set(order):
                continue
            try:
                values = self.bind((), given)
            except _Mismatch:
                continue
            warnings.warn(
                f"This overload of {name} is deprecated: {name}({', '.join(order)}). Consider {self.text()} "
                "instead.",
                UserWarning,
                stacklevel=3,
            )
            return values
        return None

    def text(self) -> str:
        """The signature as an error message shows it."""
        parts = []
        star = False
        for argument in self.arguments:
            if argument.kwarg_only and not star:
                parts.append("*")
                star = True
            parts.append(f"{_type_text(argument)} {_shown(argument)}")
        if self.out is not None:
            parts.extend([] if star else ["*"])
            parts.append("Tensor out")
        return f"({', '.join(parts)})"


def _default(argument: Argument, named_defaults: bool) -> Any:
    """What stands for an argument that is not given; REQUIRED where it must be.

    PyTorch's parser of public functions does not know the default ``Mean`` of a reduction by its name, and
    takes it as 0, "none" (``torch.kl_div``); so without ``named_defaults``.  Its operators
    (``torch.ops.aten.kl_div``) and nn.functional know it.
    """
    default = argument.default
    if argument.name == "reduction" and not named_defaults:
        return 0
    if default is REQUIRED and argument.is_optional and argument.kwarg_only:
        return None
    if argument.is_list and isinstance(default, int) and not isinstance(default, bool):
        return (default,)
    return default


def _shown(argument: Argument) -> str:
    return "input" if argument.name == "self" else argument.name


def _type_text(argument: Argument) -> str:
    names = {
        "SymInt": "int",
        "Scalar": "Number",
        "ScalarType": "gnomon.dtype",
        "Device": "gnomon.device",
        "Layout": "gnomon.layout",
    }
    name = names.get(argument.type, argument.type)
    if argument.is_list:
        return f"tuple of {name}s"
    return name


def _value_text(value: Any) -> str:
    if isinstance(value, (list, tuple)) and value:
        return f"{type(value).__name__} of {type(value[0]).__name__}"
    return type(value).__name__


def _in_order(packet: OpOverloadPacket) -> tuple[list[OpOverload], int]:
    """The overloads in the order in which they are tried, and the number of the one that most calls mean,
    which are tried on it alone before anything else.
    """
    operators = [operator for operator in packet.overloads.values() if not operator.schema.is_out]
    # the overload without a name is the shortest, and goes first, as in PyTorch; but a tensor without
    # dimensions may stand for a number, so overloads that take it as a tensor go before
    tensors = {
        argument.name for each in operators for argument in each.schema.arguments if argument.is_tensor
    }
    operators.sort(
        key=lambda operator: (
            not any(each.type == "Tensor" for each in operator.schema.arguments),
            sum(each.type == "Scalar" and each.name in tensors for each in operator.schema.arguments),
            operator.schema.overload_name != "",
        )
    )
    plainest = operators[0]
    # a 0-dim tensor may stand for an int as well: max(x, tensor(0)) is of two tensors
    places = {
        (place, argument.type) for each in operators for place, argument in enumerate(each.schema.arguments)
    }
    operators.sort(
        key=lambda operator: any(
            (place, "Tensor") in places and each.type in _INTEGER_TYPES and not each.kwarg_only
            for place, each in enumerate(operator.schema.arguments)
        )
    )
    return operators, operators.index(plainest)


def make_function(
    packet: OpOverloadPacket, takes_self: bool, named_defaults: bool = True
) -> Callable[..., Any]:
    """The Python function of an operator: ``takes_self`` for a method, whose first argument is its tensor."""
    name = packet.name
    # made at the first call: a program calls few of the operators there are
    signatures: list[Signature] = []
    quickest = 0
    makes_tensors = False

    # By the types of the arguments, where little else matters: the overload, the type of its results, the
    # arguments that stand for lists, the defaults of those that are left out, the guards.
    known: dict[tuple[type, ...], tuple[OpOverload, Any, list[int], tuple[Any, ...], tuple[int, ...]]] = {}

    tried: set[tuple[type, ...]] = set()  # types that were looked at: they are known now, or say too little

    def function(*args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            found = known.get(tuple(map(type, args)))
            if found is not None and (not found[4] or hold(found[4], args)):
                operator, return_type, singles, tail, _ = found
                if singles:
                    args = tuple([(each,) if index in singles else each for index, each in enumerate(args)])
                result = operator(*args, *tail)
                return result if return_type is None else return_type(*result)
        return parse(args, kwargs)

    def remember(
        signature: Signature,
        args: tuple[Any, ...],
        values: Sequence[Any],
        may_be_numbers: Callable[[int], bool] = lambda index: False,
    ) -> None:
        """Take this overload at once for other arguments of these types, if they say enough."""
        types = tuple(map(type, args))
        guards = None if types in tried else signature.guards(args, may_be_numbers)
        tried.add(types)
        if guards is not None:
            singles = [index for index in signature.singles if index < len(args) and args[index] is not None]
            singles = [index for index in singles if args[index].__class__ is int]
            tail = tuple(values[len(args) :])
            known[types] = signature.operator, signature.return_type, singles, tail, guards

    def may_be_numbers(index: int) -> bool:
        """Has some overload a number here, which a tensor without dimensions may stand for?"""
        return any(
            index < len(each.positional) and each.arguments[each.positional[index]].type != "Tensor"
            for each in signatures
        )

    def parse(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        nonlocal quickest, makes_tensors
        if not signatures:
            operators, quickest = _in_order(packet)
            found = [Signature(operator, takes_self, named_defaults) for operator in operators]
            makes_tensors = any("pin_memory" in each.by_name for each in found)
            signatures[:] = found  # last: other threads look at it
        first = signatures[quickest]
        values = first.quick(args, kwargs)
        if values is not None:
            if not kwargs:
                remember(first, args, values)
            result = first.operator(*values)
            return result if first.return_type is None else first.return_type(*result)
        out = kwargs.pop("out", None) if "out" in kwargs else None
        requires_grad = kwargs.pop("requires_grad", False) if makes_tensors else False
        problems = []
        for signature in signatures:
            try:
                values = signature.bind(args, kwargs)
            except _Mismatch as mismatch:
                problems.append(str(mismatch))
                continue
            makes = "pin_memory" in signature.by_name
            if out is not None and signature.out is None and not makes and any(x.out for x in signatures):
                problems.append("takes no out=")
                continue
            if out is not None:
                result = _call_out(signature, values, out)
            else:
                if not kwargs and not requires_grad:
                    remember(signature, args, values, may_be_numbers)
                result = signature.operator(*values)
            if signature.return_type is not None:
                return signature.return_type(*result)
            return result.requires_grad_() if requires_grad else result
        values = signatures[0].bind_deprecated(args, kwargs, takes_self)
        if values is not None:
            return signatures[0].operator(*values) if out is None else _call_out(signatures[0], values, out)
        if len(signatures) == 1:
            raise TypeError(f"{name}(): {problems[0]}")
        given = [_value_text(arg) for arg in args] + [
            f"{key}={_value_text(value)}" for key, value in kwargs.items()
        ]
        expected = "".join(
            f"\n * {signature.text()}: {problem}" for signature, problem in zip(signatures, problems)
        )
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got ({', '.join(given)}), but "
            f"expected one of:{expected}"
        )

    function.__name__ = name
    function.__qualname__ = f"Tensor.{name}" if takes_self else name
    function.__module__ = "gnomon"
    function.__doc__ = documentation(packet)
    return in_c("function", function, plans=known)


def _call_out(signature: Signature, values: list[Any], out: Any) -> Any:
    variant = signature.out
    name = signature.operator.schema.name
    if variant is None and isinstance(out, Tensor) and "pin_memory" in signature.by_name:
        return _make_into(signature, values, out)
    if variant is None:
        raise TypeError(f"{name}() got an unexpected keyword argument 'out'")
    outputs = list(out) if isinstance(out, (list, tuple)) else [out]
    count = len(variant.schema.arguments) - len(values)
    if len(outputs) != count or not all(isinstance(each, Tensor) for each in outputs):
        raise TypeError(f"{name}(): argument 'out' must be {count} Tensor(s), not {_value_text(out)}")
    return variant(*values, *outputs)


def _make_into(signature: Signature, values: list[Any], out: Tensor) -> Tensor:
    """What a factory makes, in a tensor that is there already and says the dtype and the device."""
    name = signature.operator.schema.name
    given = values[signature.by_name["dtype"]]
    if given is not None and given is not out.dtype:
        raise RuntimeError(f"{name}: dtype {given} does not match dtype of out parameter ({out.dtype})")
    values[signature.by_name["dtype"]] = out.dtype
    values[signature.by_name["device"]] = out.device
    made = signature.operator(*values)
    resize_output(out, made._spec)
    return aten.copy_.default(out, made, False)


@functools.cache
def documentation(packet: OpOverloadPacket) -> str:
    """The docstring of an operator's function: its signatures, then what its record says."""
    signatures = []
    texts = []
    for operator in packet.overloads.values():
        if operator.schema.is_out:
            continue
        signatures.append(operator.schema.text)
        for text in (operator.record.doc, getattr(operator.record.meta, "says", "")):
            if text and text not in texts:
                texts.append(text)
    if not any("Raises" in text for text in texts):
        texts.append("Raises TypeError for arguments that do not fit the signature.")
    module = next(iter(packet.overloads.values())).record.python_module
    path = {"": "torch", "nn": "torch.nn.functional"}.get(module, f"torch.{module}")
    source = f"Source: {path}.{packet.name.removeprefix(f'{module}_')}."
    return "\n\n".join(["\n".join(signatures), *texts, source])


def named_results(operator: OpOverload) -> Callable[..., Any] | None:
    """The type of an operator's several named results; None for others, which are a tensor or a tuple."""
    names = [result.name for result in operator.schema.returns]
    return _return_type(operator.schema.name, tuple(names)) if len(names) > 1 and all(names) else None


@functools.cache
def _return_type(name: str, fields: tuple[str, ...]) -> Callable[..., Any]:
    """The named tuple that an operator with several named results returns.  Source: torch.return_types."""

    def text(self: Any) -> str:
        results = ",\n".join(f"{field}={result!r}" for field, result in zip(fields, self))
        return f"gnomon.return_types.{name}(\n{results})"

    # pickle finds the type by these names
    attributes = {
        "__slots__": (),
        "__repr__": text,
        "__module__": "gnomon.return_types",
        "__qualname__": name,
    }
    return type(name, (namedtuple(name, fields),), attributes)


def bind_operators(namespace: dict[str, Any]) -> None:
    """Attach every operator to the packets, to Tensor (methods), and to ``namespace`` (functions)."""
    for packet in aten:
        operators = [each for each in packet.overloads.values() if not each.schema.is_out]
        if not operators:
            continue
        packet.parser = make_function(packet, False)
        if packet.name.startswith("_"):
            continue
        offered = {
            variant.strip() for each in operators for variant in each.record.variants_offered.split(",")
        }
        elsewhere = any(each.record.python_module for each in operators)
        if "method" in offered and not elsewhere and not hasattr(Tensor, packet.name):
            setattr(Tensor, packet.name, make_function(packet, True))
        if "function" in offered and not elsewhere and packet.name not in namespace:
            namespace[packet.name] = (
                make_function(packet, False, named_defaults=False)
                if any(each.name == "reduction" for each in operators[0].schema.arguments)
                else packet.parser
            )


def functions_of(module: str) -> dict[str, Callable[..., Any]]:
    """The functions of a module such as linalg: operators named ``linalg_…``, under the names behind that."""
    prefix = f"{module}_"
    return {
        packet.name.removeprefix(prefix): packet.parser
        for packet in aten
        if packet.name.startswith(prefix)
        and any(each.record.python_module == module for each in packet.overloads.values())
    }


def text_signature(packet: OpOverloadPacket) -> inspect.Signature:
    """The Python signature of an operator's first overload, for ``inspect`` and stubs."""
    parameters = []
    for argument in next(iter(packet.overloads.values())).schema.arguments:
        kind = (
            inspect.Parameter.KEYWORD_ONLY if argument.kwarg_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
        )
        default = inspect.Parameter.empty if argument.default is REQUIRED else argument.default
        parameters.append(inspect.Parameter(_shown(argument), kind, default=default))
    return inspect.Signature(parameters)
