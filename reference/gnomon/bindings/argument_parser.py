"""The argument parser: matches the arguments of a Python call with overloads.

It is as lenient as PyTorch's: sizes as ``f(2, 3)`` or ``f((2, 3))``, one int for a list of fixed length,
``axis`` for ``dim``, ``keepdims`` for ``keepdim``, ``input`` for ``self``, a Python number as the second
operand.

Source: torch/csrc/utils/python_arg_parser.cpp.
"""

from __future__ import annotations

import difflib
import functools
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

from ..calls.outputs import resize_output
from ..dispatch.dispatcher import OpOverload, OpOverloadPacket, aten
from ..memory.storage import Storage
from ..memory.tensor import Tensor
from ..values import dtype as dtypes
from ..values.device import device, layout, memory_format, strided
from ..values.errors import check_requires_grad, type_name, warn
from ..values.library_name import LIBRARY
from ..values.scalar import is_numpy_scalar
from ..values.schema import REQUIRED, Argument

PYTHON_DTYPES = {float: dtypes.float64, int: dtypes.int64, bool: dtypes.bool_, complex: dtypes.complex128}
_SYNONYMS = {"axis": "dim", "keepdims": "keepdim", "input": "self", "x1": "self", "x2": "other"}
_NO_OUT = frozenset({"sum", "prod", "segment_reduce"})  # PyTorch defines these variants, but not in Python
# Orders of arguments that PyTorch accepts with a warning, besides the schema's, from when a factor came
# before its operand.  All arguments must be given, by position or name.  Source:
# tools/autograd/deprecated.yaml.
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
            ("sspaddmm", ("mat1", "mat2")),
        )
    },
}
# Operators whose overload for a number takes its factor by position, too; that for two tensors does not, and
# Python's add and sub do not.  Source: rsub.Scalar and subtract.Scalar in native_functions.yaml.
_FACTOR_AFTER_NUMBER = frozenset({"rsub", "subtract", "subtract_"})
_NUMBER_TYPES: tuple[Any, ...] = (bool, int, float, complex)
INTEGER_TYPES = frozenset({"int", "SymInt"})


class Mismatch(Exception):
    """The arguments do not match an overload; the text says which argument and why."""


def _is_integer(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, Tensor):
        return value._spec.ndim == 0 and value._spec.dtype.category == 1
    return hasattr(value, "__index__")


def _as_number(value: Any) -> Any:
    """Convert to a Python number: numbers, NumPy's scalars, 0-dim tensors.  Raises Mismatch."""
    if type(value) in _NUMBER_TYPES:
        return dtypes.checked_number(value)
    if isinstance(value, Tensor):
        if value._spec.ndim == 0 and not value.requires_grad:
            return value.item()
        raise Mismatch
    if isinstance(value, _NUMBER_TYPES):
        for kind in _NUMBER_TYPES:
            if isinstance(value, kind):
                return kind(value)
    if is_numpy_scalar(value):
        return value.item()
    raise Mismatch


def _convert_one(argument: Argument, value: Any, numbers_allowed: bool) -> Any:
    """Convert ``value`` to the argument's type.  Raises Mismatch."""
    kind = argument.type
    if kind == "Tensor":
        if isinstance(value, Tensor):
            return value
        if numbers_allowed:
            return _as_number(value)
    elif kind in INTEGER_TYPES:
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
        if isinstance(value, (str, device, int)) and not isinstance(value, bool):
            return device(value)
    elif kind == "Layout":
        if isinstance(value, layout):
            return value
    elif kind == "MemoryFormat":
        if isinstance(value, memory_format):
            return value
    elif kind == "Storage":
        if isinstance(value, Storage) or hasattr(value, "untyped"):
            return value
    elif kind == "Generator":
        if hasattr(value, "manual_seed"):
            return value
    raise Mismatch


def _convert(argument: Argument, value: Any, numbers_allowed: bool) -> Any:
    if value is None:
        if argument.is_optional or argument.default is None:
            return None
        if argument.is_list and argument.default == ():
            return ()  # PyTorch documents the default [] as None
        raise Mismatch
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
                pass  # the operator raises a better error about the length
            return tuple(
                None if each is None and argument.elements_optional else _convert_one(argument, each, False)
                for each in value
            )
        if argument.list_size is not None:
            return (_convert_one(argument, value, False),) * argument.list_size
        raise Mismatch
    return _convert_one(argument, value, numbers_allowed)


def numbers_for_tensors(operator: OpOverload) -> frozenset[str]:
    """The names of the tensor arguments that accept a number."""
    record = operator.record
    allowed = (record.base.record if record.base is not None else record).numbers.stand_for
    if not allowed:
        return frozenset()
    if allowed in ("other", "src"):
        return frozenset({allowed})
    return frozenset({"other"} if operator.schema.is_inplace else {"self", "other"})


def _dtype_of(number: Any) -> dtypes.dtype:
    return dtypes.dtype_of_number(number, dtypes.get_default_dtype())


class Signature:
    """One overload for Python calls: its arguments without ``out=``."""

    __slots__ = (
        "arguments",
        "by_name",
        "defaults",
        "number_names",
        "operator",
        "out",
        "positional",
        "return_type",
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
        if "src" in self.number_names:
            self.by_name["other"] = self.by_name["src"]  # what PyTorch's method copy_ calls it
        variants = () if operator.name in _NO_OUT else operator.variants
        self.out = next((each for each in variants if each.schema.is_out), None)
        # the position of a list of ints that may also be separate arguments: the only argument besides self
        own = self.positional[1:] if takes_self else self.positional
        alone = self.arguments[own[0]] if len(own) == 1 else None
        takes_several = (
            alone is not None and alone.is_list and alone.type in INTEGER_TYPES and alone.list_size is None
        )
        self.varargs = own[0] if takes_several else None
        self.return_type = named_results(operator)
        self.defaults = [_default(argument, named_defaults) for argument in self.arguments]

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """All arguments of the schema, in its order.  Raises Mismatch."""
        arguments = self.arguments
        values: list[Any] = [REQUIRED] * len(arguments)
        for index, value in enumerate(args):
            if index >= len(self.positional):
                raise Mismatch(
                    f"takes {len(self.positional)} positional arguments but {len(args)} were given"
                )
            position = self.positional[index]
            if position == self.varargs and _is_integer(value):
                values[position] = tuple(args[index:])
                break
            values[position] = value
        for name, value in kwargs.items():
            named = self.by_name.get(name)
            if named is None:
                named = self.by_name.get(_SYNONYMS.get(name, ""))
            if named is None:
                raise Mismatch(f"got an unexpected keyword argument '{name}'")
            if values[named] is not REQUIRED:
                raise Mismatch(f"got multiple values for argument '{name}'")
            values[named] = value
        has_tensor = False
        for position, argument in enumerate(arguments):
            value = values[position]
            if isinstance(value, Tensor) and argument.type == "Tensor" and not argument.is_list:
                has_tensor = True
                continue
            if value is REQUIRED:
                if self.defaults[position] is REQUIRED:
                    raise Mismatch(f"missing required argument '{shown(argument)}' (position {position + 1})")
                values[position] = self.defaults[position]
                continue
            try:
                values[position] = _convert(argument, value, argument.name in self.number_names)
            except Mismatch:
                raise Mismatch(
                    f"argument '{shown(argument)}' (position {position + 1}) must be "
                    f"{_type_text(argument)}, {_misfit_text(argument, value)}"
                ) from None
        if self.number_names and not has_tensor:
            if self.operator.record.numbers.stand_for == "both":
                return [aten.scalar_tensor(values[0], dtype=_dtype_of(values[0])), *values[1:]]
            raise Mismatch("argument 'input' (position 1) must be Tensor, not " + value_text(values[0]))
        if "src" in self.number_names and not isinstance(values[1], Tensor):  # a copy converts, unlike a sum
            values[1] = aten.scalar_tensor(values[1], dtype=PYTHON_DTYPES[type(values[1])])
        return values

    def bind_factor(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any] | None:
        """Like ``bind``, for ``rsub(x, 2, alpha)``; None for any other arguments."""
        if self.operator.schema.name not in _FACTOR_AFTER_NUMBER or len(args) != 3 or "alpha" in kwargs:
            return None
        try:
            return self.bind((args[0], _as_number(args[1])), {**kwargs, "alpha": args[2]})
        except Mismatch:
            return None

    def bind_deprecated(
        self, args: Sequence[Any], kwargs: dict[str, Any], takes_self: bool
    ) -> list[Any] | None:
        """Like ``bind``, for a deprecated order of arguments, with a warning; None for any other."""
        name = self.operator.schema.name
        for order in _DEPRECATED_ORDERS.get(name.removesuffix("_"), ()):
            names = ("self", *(each for each in order if each != "self")) if takes_self else order
            given = {**dict(zip(names, args)), **{_SYNONYMS.get(key, key): kwargs[key] for key in kwargs}}
            if len(args) + len(kwargs) != len(order) or given.keys() != set(order):
                continue
            try:
                values = self.bind((), given)
            except Mismatch:
                continue
            warn(
                f"This overload of {name} is deprecated: {name}({', '.join(order)}). Consider {self.text()} "
                "instead.",
                UserWarning,
            )
            return values
        return None

    def text(self) -> str:
        """The signature for error messages."""
        parts = []
        star = False
        for argument in self.arguments:
            if argument.kwarg_only and not star:
                parts.append("*")
                star = True
            parts.append(f"{_type_text(argument)} {shown(argument)}")
        if self.out is not None:
            parts.extend([] if star else ["*"])
            parts.append("Tensor out")
        return f"({', '.join(parts)})"


def _default(argument: Argument, named_defaults: bool) -> Any:
    """The value of an omitted argument; REQUIRED if it has none.

    PyTorch's parser of public functions does not know the default ``Mean`` of a reduction by name, and takes
    it as 0, "none" (``torch.kl_div``); the same applies without ``named_defaults``.  Its operators
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


def shown(argument: Argument) -> str:
    return "input" if argument.name == "self" else argument.name


def _type_text(argument: Argument) -> str:
    names = {
        "SymInt": "int",
        "Scalar": "Number",
        "ScalarType": f"{LIBRARY}.dtype",
        "Device": f"{LIBRARY}.device",
        "Layout": f"{LIBRARY}.layout",
    }
    name = names.get(argument.type, argument.type)
    if argument.is_list:
        return f"tuple of {name}s"
    return name


def _misfit_text(argument: Argument, value: Any) -> str:
    """The end of the error text: the wrong type that was given, or that of a list's first wrong element."""
    for index, each in enumerate(value if argument.is_list and isinstance(value, (list, tuple)) else ()):
        try:
            if each is not None or not argument.elements_optional:
                _convert_one(argument, each, False)
        except Mismatch:
            return f"but found element of type {type_name(each)} at pos {index}"
    return f"not {value_text(value)}"


def value_text(value: Any) -> str:
    if isinstance(value, (list, tuple)) and value:
        return f"{type_name(value)} of {type_name(value[0])}"
    return type_name(value)


def named_results(operator: OpOverload) -> Callable[..., Any] | None:
    """The named tuple type of an operator's results; None if they are a tensor or a plain tuple."""
    names = [result.name for result in operator.schema.returns]
    return return_type(operator.schema.name, tuple(names)) if len(names) > 1 and all(names) else None


@functools.cache
def return_type(name: str, fields: tuple[str, ...]) -> Callable[..., Any]:
    """The named tuple type of an operator's results.  Source: torch.return_types."""

    def text(self: Any) -> str:
        results = ",\n".join(f"{field}={result!r}" for field, result in zip(fields, self))
        return f"{LIBRARY}.return_types.{name}(\n{results})"

    # by these names pickle finds the type
    attributes = {
        "__slots__": (),
        "__repr__": text,
        "__module__": f"{LIBRARY}.return_types",
        "__qualname__": name,
    }
    return type(name, (namedtuple(name, fields),), attributes)


def in_order(packet: OpOverloadPacket) -> list[OpOverload]:
    """The overloads in the order in which they are matched."""
    operators = [operator for operator in packet.overloads.values() if not operator.schema.is_out]
    # As in PyTorch, the overload without a name, the shortest, is first; but a 0-dim tensor also matches a
    # Scalar, so overloads that take it as a Tensor are before.
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
    # a 0-dim tensor also matches an int, but max(x, tensor(0)) has two tensors
    places = {
        (place, argument.type) for each in operators for place, argument in enumerate(each.schema.arguments)
    }
    operators.sort(
        key=lambda operator: any(
            (place, "Tensor") in places and each.type in INTEGER_TYPES and not each.kwarg_only
            for place, each in enumerate(operator.schema.arguments)
        )
    )
    return operators


def parser_of(
    packet: OpOverloadPacket, takes_self: bool = False, named_defaults: bool = True
) -> Callable[..., Any]:
    """Create a function that calls the first overload of ``packet`` that its arguments match.

    It raises TypeError if there is none.  ``takes_self``: a method, whose first argument is its tensor.
    """
    signatures: list[Signature] = []

    def parse(*args: Any, **kwargs: Any) -> Any:
        if not signatures:  # at the first call: a program calls only few operators
            operators = in_order(packet)
            signatures[:] = [Signature(operator, takes_self, named_defaults) for operator in operators]
        out = kwargs.pop("out", None) if "out" in kwargs else None
        requires_grad = False
        if "requires_grad" in kwargs and any("pin_memory" in each.by_name for each in signatures):
            requires_grad = kwargs.pop("requires_grad")  # of factories
            check_requires_grad(packet.name, requires_grad)
        problems = []
        for signature in signatures:
            try:
                values = signature.bind(args, kwargs)
            except Mismatch as mismatch:
                problems.append(str(mismatch))
                continue
            makes = "pin_memory" in signature.by_name
            if out is not None and signature.out is None and not makes and any(x.out for x in signatures):
                problems.append("takes no out=")
                continue
            result = signature.operator(*values) if out is None else _call_out(signature, values, out)
            if signature.return_type is not None:
                return signature.return_type(*result)
            return result.requires_grad_() if requires_grad else result
        bound = signatures[0].bind_factor(args, kwargs) if out is None else None
        if bound is None:
            bound = signatures[0].bind_deprecated(args, kwargs, takes_self)
        if bound is not None:
            return signatures[0].operator(*bound) if out is None else _call_out(signatures[0], bound, out)
        raise TypeError(_misfits_text(packet.name, signatures, problems, args, kwargs))

    return parse


def operator_method(parse: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The method of a binary Python operator: ``parse`` of both operands, ``self`` first.

    For anything but an operand it returns NotImplemented, so that Python tries the other; see ``not_taken``.
    """

    def method(self: Tensor, other: Any) -> Any:
        if not isinstance(other, OPERANDS) and not is_numpy_scalar(other):
            return not_taken(self, other, name)
        return parse(self, other)

    return method


def _misfits_text(
    name: str, signatures: Sequence[Signature], problems: Sequence[str], args: Any, kwargs: dict[str, Any]
) -> str:
    """The text of the TypeError for arguments that match no overload."""
    problems = [_with_advice(*each, args, kwargs) for each in zip(signatures, problems)]
    if len(signatures) == 1:
        return f"{name}(): {problems[0]}"
    given = [value_text(arg) for arg in args] + [
        f"{key}={value_text(value)}" for key, value in kwargs.items()
    ]
    expected = "".join(
        f"\n * {signature.text()}: {problem}" for signature, problem in zip(signatures, problems)
    )
    return (
        f"{name}() received an invalid combination of arguments - got ({', '.join(given)}), but expected one "
        f"of:{expected}"
    )


def _with_advice(signature: Signature, problem: str, args: Any, kwargs: dict[str, Any]) -> str:
    """A problem, and what would do: the name that is likely to be meant, a tensor of a list or number."""
    unknown = next((name for name in kwargs if f"unexpected keyword argument '{name}'" in problem), None)
    if unknown is not None:
        known = [*signature.by_name, *(each for each, name in _SYNONYMS.items() if name in signature.by_name)]
        near = difflib.get_close_matches(unknown, known, 1)
        return f"{problem}; did you mean '{near[0]}'?" if near else problem
    given = problem.partition("(position 1) must be Tensor, not ")[2]
    if given.startswith(("list", "tuple", "float", "int")):
        return f"{problem}; {LIBRARY}.tensor() makes one"
    return problem


def _call_out(signature: Signature, values: list[Any], out: Any) -> Any:
    variant = signature.out
    name = signature.operator.schema.name
    if variant is None and isinstance(out, Tensor) and "pin_memory" in signature.by_name:
        return _make_into(signature, values, out)
    if variant is None:
        raise TypeError(f"{name}() got an unexpected keyword argument 'out'")
    outputs = list(out) if isinstance(out, (list, tuple)) else [out]
    if variant.schema.arguments[-1].is_list and all(isinstance(each, Tensor) for each in outputs):
        return variant(*values, outputs)
    count = len(variant.schema.arguments) - len(values)
    if len(outputs) != count or not all(isinstance(each, Tensor) for each in outputs):
        raise TypeError(f"{name}(): argument 'out' must be {count} Tensor(s), not {value_text(out)}")
    return variant(*values, *outputs)


def _make_into(signature: Signature, values: list[Any], out: Tensor) -> Tensor:
    """Run a factory with ``out=``, which determines dtype and device."""
    name = signature.operator.schema.name
    given = values[signature.by_name["dtype"]]
    if given is not None and given is not out.dtype:
        raise RuntimeError(f"{name}: dtype {given} does not match dtype of out parameter ({out.dtype})")
    values[signature.by_name["dtype"]] = out.dtype
    values[signature.by_name["device"]] = out.device
    if out._spec.layout is not strided:  # it has no memory of its own to write to
        values[signature.by_name["layout"]] = out._spec.layout
        out._take_data(signature.operator(*values))
        return out
    made = signature.operator(*values)
    if name in ("arange", "range") and out.numel() == made.numel():
        made = made.view(out.shape)  # these keep the sizes of an output with as many elements
    resize_output(out, made._spec)
    return aten.copy_.default(out, made, False)


# The types of operands of Python operators, besides NumPy's scalars.
OPERANDS = (Tensor, bool, int, float, complex)


def not_taken(self: Tensor, other: Any, name: str) -> Any:
    """The result of an operator that does not accept its other operand: NotImplemented, or that one's result.

    Raises TypeError for another library's tensor that does not handle the operator, because Python's message
    would call both of them "Tensor".
    """
    stranger = type_name(other)
    if stranger == type(other).__name__ or name in ("__eq__", "__ne__") or name.startswith("__i"):
        return NotImplemented
    pair = [f"{type(self).__module__.partition('.')[0]}.{type(self).__name__}", stranger]
    if name.startswith("__r") and name != "__rshift__":  # Python has tried the other one already
        pair.reverse()
        symbol = SYMBOLS[name[3:-2]]
    else:
        symbol = SYMBOLS[name[2:-2]]
        reflected = getattr(other, _REFLECTED.get(name, f"__r{name[2:]}"), None)
        result = NotImplemented if reflected is None else reflected(self)
        if result is not NotImplemented:
            return result
    raise TypeError(
        f"unsupported operand type(s) for {symbol}: '{pair[0]}' and '{pair[1]}'; expected a number or "
        f"a {LIBRARY}.Tensor (convert with {LIBRARY}.tensor(value))"
    )


_REFLECTED = {"__lt__": "__gt__", "__gt__": "__lt__", "__le__": "__ge__", "__ge__": "__le__"}
SYMBOLS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "div": "/",
    "floordiv": "//",
    "mod": "%",
    "matmul": "@",
    "pow": "**",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
}
