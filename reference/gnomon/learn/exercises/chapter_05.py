"""The exercises of chapter 5: the life of a call."""

from __future__ import annotations

import math
import random
from types import ModuleType, SimpleNamespace
from typing import Any

import gnomon as gn

from ...bindings.argument_parser import Mismatch, Signature, in_order
from ...dispatch.dispatcher import OpOverload, OpOverloadPacket
from ...values import geometry
from ...values.schema import REQUIRED, FunctionSchema
from .cases import random_view
from .comparing import compare, copied, differences, equal, wanted
from .record import Exercise

_TYPES = ("Tensor", "int", "float", "bool", "Scalar")
_NO_NUMBERS = SimpleNamespace(base=None, numbers=SimpleNamespace(stand_for=""))  # for Tensors


def _signature(schema: str) -> Signature:
    """The signature of an operator that only exists for the exercise."""
    return Signature(OpOverload(FunctionSchema(schema), _NO_NUMBERS))


def _schemas() -> list[FunctionSchema]:
    """Schemas of gnomon's operators that have arguments of simple types only."""
    found = []
    for packet in gn.ops.aten:
        for operator in packet.overloads.values():
            schema = operator.schema
            simple = all(
                each.type in _TYPES and not each.is_list and each.alias is None for each in schema.arguments
            )
            if simple and len(schema.arguments) > 1 and not schema.is_out:
                found.append(schema)
    return found


def _value_for(rng: random.Random, argument: Any, tensor: Any) -> Any:
    """A value of an argument's type, or, rarely, of another."""
    values: dict[str, list[Any]] = {
        "Tensor": [tensor],
        "int": [rng.randint(-3, 3)],
        "float": [rng.choice([0.5, 2])],
        "bool": [rng.choice([True, False])],
        "Scalar": [rng.choice([1, 2.5, True, 1j])],
    }
    if rng.random() < 0.07:
        return rng.choice([tensor, 3, 0.5, True, None, "text"])
    return None if argument.is_optional and rng.random() < 0.2 else values[argument.type][0]


def _random_call(rng: random.Random, schema: FunctionSchema, tensor: Any) -> tuple[list[Any], dict[str, Any]]:
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    by_position = True
    for argument in schema.arguments:
        by_position = by_position and not argument.kwarg_only and rng.random() < 0.75
        omitted = argument.default is not REQUIRED and rng.random() < 0.4
        if by_position and not omitted:
            args.append(_value_for(rng, argument, tensor))
            continue
        by_position = False
        if not omitted and rng.random() < 0.95:
            kwargs[argument.name] = _value_for(rng, argument, tensor)
    if rng.random() < 0.08:
        args.append(rng.choice([1, tensor]))
    if rng.random() < 0.08:
        kwargs[rng.choice(["unknown", schema.arguments[0].name, schema.arguments[-1].name])] = 1
    return args, kwargs


def _same_types(got: Any, expected: Any) -> bool:
    """Equal, and numbers of the same type: 1 is not 1.0."""
    return (
        isinstance(got, (list, tuple))
        and [type(each) for each in got] == [type(each) for each in expected]
        and all(a is b or (not isinstance(b, gn.Tensor) and equal(a, b)) for a, b in zip(got, expected))
    )


def mark_parse_arguments(module: ModuleType) -> list[str]:
    """Calls of gnomon's operators, right and wrong ones, against its own parser."""
    rng = random.Random("parse_arguments")
    tensor = gn.ones(2)
    parameter = wanted(module, "Parameter")
    required = wanted(module, "REQUIRED")
    schemas = [FunctionSchema("neg(Tensor self) -> Tensor"), *rng.sample(_schemas(), 60)]
    with_keyword = "clamp_scaled(Tensor self, int count, *, int alpha=1) -> Tensor"
    cases: list[Any] = [(_signature(with_keyword), [tensor, 3, 2], {})]  # a keyword's argument by position
    for schema in schemas:
        cases += [(_signature(schema.text), *_random_call(rng, schema, tensor)) for _ in range(15)]

    def own(case: Any) -> Any:
        signature, args, kwargs = case
        parameters = [
            parameter(
                argument.name,
                argument.type,
                argument.is_optional or argument.default is None,
                required if default is REQUIRED else default,
                argument.kwarg_only,
            )
            for argument, default in zip(signature.arguments, signature.defaults)
        ]
        return wanted(module, "parse_arguments")(parameters, copied(args), dict(kwargs))

    def oracle(case: Any) -> Any:
        try:
            return case[0].bind(case[1], case[2])
        except Mismatch as mismatch:
            raise TypeError(str(mismatch)) from None

    def describe(case: Any) -> str:
        given = [*map(repr, case[1]), *(f"{name}={value!r}" for name, value in case[2].items())]
        return f"The arguments ({', '.join(given)}) for {case[0].operator.schema}"

    cases.sort(key=lambda case: len(describe(case)))
    return differences(module, cases, own, oracle, describe, _same_types)


def mark_choose_overload(module: ModuleType) -> list[str]:
    """Random overloads and arguments, against the order of gnomon's parser."""
    rng = random.Random("choose_overload")
    values = [gn.ones(2), gn.tensor(1.5), gn.tensor(3), 2, 2.5, True]

    def overloads_of(types: dict[str, list[str]]) -> OpOverloadPacket:
        packet = OpOverloadPacket("f")
        for name, each in types.items():
            parameters = ", ".join(f"{kind} x{place}" for place, kind in enumerate(each))
            schema = FunctionSchema(f"f.{name}({parameters}) -> Tensor")
            packet.overloads[name] = OpOverload(schema, _NO_NUMBERS)
        return packet

    def chosen(types: dict[str, list[str]], arguments: list[Any]) -> str:
        for operator in in_order(overloads_of(types)):
            try:
                Signature(operator).bind(arguments, {})
            except Mismatch:
                continue
            return operator.schema.overload_name
        raise TypeError("no overload fits")

    cases: list[tuple[Any, ...]] = [({"A": ["Tensor"]}, [values[0]]), ({"A": ["Tensor"]}, [])]
    for _ in range(500):
        count = rng.randint(1, 3)
        types = {
            name: [rng.choice(_TYPES) for _ in range(max(1, count + rng.choice([0, 0, 0, -1, 1])))]
            for name in "ABCD"[: rng.randint(1, 4)]
        }
        cases.append((types, [rng.choice(values) for _ in range(count)]))
    return compare(module, "choose_overload", chosen, cases)


def mark_unary_operator(module: ModuleType) -> list[str]:
    """Tensors of all kinds of strides and dtypes, against ``gn.sqrt``."""
    rng = random.Random("unary_operator")
    cases: list[Any] = [((), (), 0, "float32"), ((2,), (1,), 0, "float32"), ((2,), (1,), 0, "int64")]
    for _ in range(150):
        sizes, strides = random_view(rng, 3)
        if 0 not in strides:
            cases.append(
                (sizes, strides, rng.randint(0, 2), rng.choice(["float32", "float64", "int64", "bool"]))
            )
    cases += ["a text", None, [4.0]]

    def numbers_for(case: Any) -> list[Any]:
        count = geometry.extent(case[0], case[1]) + case[2]
        if case[3] == "bool":
            return [number % 3 == 0 for number in range(count)]
        if case[3] == "int64":
            return [number * 7 % 5 - 1 for number in range(count)]
        special = [4.0, 2.0, 0.0, math.inf, -1.0, math.nan, 0.5, -0.0, 3e38]
        numbers = [special[number % 9] for number in range(count)]
        return gn.tensor(numbers, dtype=getattr(gn, case[3])).tolist()

    def walked(sizes: Any, strides: Any) -> list[Any]:
        """The strides that are used."""
        used = {dim for dim, size in enumerate(sizes) if size > 1 and 0 not in sizes}
        return [stride if dim in used else "any" for dim, stride in enumerate(strides)]

    def oracle(case: Any) -> Any:
        if not isinstance(case, tuple):
            raise TypeError("sqrt(): argument 'input' (position 1) must be Tensor")
        memory = gn.tensor(numbers_for(case), dtype=getattr(gn, case[3]))
        result = memory.as_strided(case[0], case[1], case[2]).sqrt()
        numbers = gn.Tensor.as_strided(result, (result.numel(),), (1,), 0).tolist()
        return [result.dtype.name, case[0], walked(case[0], result.stride()), numbers, numbers_for(case)]

    def own(case: Any) -> Any:
        tensor_type, storage_type, sqrt = (wanted(module, name) for name in ("Tensor", "Storage", "sqrt"))
        if not isinstance(case, tuple):
            return sqrt(case)
        storage = storage_type(numbers_for(case))
        made = sqrt(tensor_type(storage, case[0], case[1], case[2], case[3]))
        if not isinstance(made, tensor_type):
            return made
        if made.storage is storage or made.offset:
            return "a result whose storage is not a new one, with offset 0"
        strides = walked(made.sizes, made.strides)
        return [made.dtype, made.sizes, strides, made.storage.numbers, storage.numbers]

    def describe(case: Any) -> str:
        if not isinstance(case, tuple):
            return f"sqrt({case!r})"
        sizes, strides, offset, dtype = case
        return (
            f"sqrt of a {dtype} tensor of sizes {sizes}, strides {strides}, offset {offset}, storage "
            f"{numbers_for(case)}: "
            "dtype, sizes, strides and storage of the result, and the storage of the input"
        )

    cases.sort(key=lambda case: len(describe(case)))
    return differences(module, cases, own, oracle, describe)


EXERCISES = (
    Exercise(
        "parse_arguments",
        "from the arguments of a call to those of a schema",
        """
        Begin with a list of REQUIRED, one for each parameter. Put in the positional arguments
        (which parameters can they go to?), then those by keyword.

        Refuse along the way: more positional arguments than positional parameters, a keyword that
        is no parameter's name, and one whose place is taken already.

        Then go through the parameters: where nothing was given, take the default; if that is
        REQUIRED, too, it is an error. What was given is checked and converted, a default is not.

        A bool is an int in Python: isinstance(True, int). An int for a float becomes float(value).
        None is right for optional parameters only.
        """,
        mark_parse_arguments,
        ("Signature", "bind"),
    ),
    Exercise(
        "choose_overload",
        "which overload a call means",
        """
        Without any order, it is the first overload whose types all fit. What goes wrong for pow(x,
        0-dim tensor) with the overloads (Tensor, Scalar) and (Tensor, Tensor)?

        Sort the overloads before you try them. sorted() with a key keeps the order of those with
        equal keys, and a tuple as key compares one criterion after the other.

        Collect the places at which some overload has a Tensor. The key of an overload: has it an
        int at one of these places; has it no Tensor at all; at how many of these places has it a
        Scalar.
        """,
        mark_choose_overload,
        ("in_order", "parser"),
    ),
    Exercise(
        "unary_operator",
        "a whole operator: check, meta function, allocation, kernel",
        """
        Begin with sqrt itself, in four lines: check, meta, allocate, kernel. Each of the other
        functions is short then.

        meta looks only at sizes, strides and dtype: floats keep their dtype, all others become
        float32; dense_strides gives the strides. allocate makes a storage with a number for each
        element.

        The kernel goes through all indices (itertools.product of ranges), and computes the offset
        in the input and in the output from the strides of each.

        For negative numbers math.sqrt raises an error, but the root is NaN; NaN and infinity work.
        Round what you store to the dtype of the output.
        """,
        mark_unary_operator,
        ("sqrt_",),
    ),
)
