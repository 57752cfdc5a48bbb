"""bind: operators as Python functions, methods and operators.

A function has one name and several overloads.  It tries them in order (argument_parser.py) and takes the
first that the arguments fit, which it calls with all arguments of its schema.

Source: tools/autograd/gen_python_functions.py, torch/csrc/utils/python_arg_parser.cpp (PythonArgParser).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from .argument_parser import INTEGER_TYPES, Mismatch, Signature, hold, shown, value_text
from .dispatch.dispatcher import OpOverload, OpOverloadPacket, aten
from .hot_path import in_c
from .kit.outputs import resize_output
from .memory.tensor import Tensor
from .values.schema import REQUIRED


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
            (place, "Tensor") in places and each.type in INTEGER_TYPES and not each.kwarg_only
            for place, each in enumerate(operator.schema.arguments)
        )
    )
    return operators, operators.index(plainest)


class Overloads:
    """What tries the overloads of an operator in order, for its function or its method (``takes_self``).

    known: by the types of the arguments, where little else matters: the overload, the type of its results,
    the arguments that stand for lists, the defaults of those that are left out, the guards, and from where on
    arguments stand for one list, or -1.  Of a call with keywords their names are in the key behind all types,
    the defaults are those of the whole schema, and which argument goes to each place of it (-1: none) is the
    last entry.
    """

    __slots__ = (
        "known", "makes_tensors", "named_defaults", "packet", "quickest", "signatures", "takes_self", "tried",
    )  # fmt: skip

    def __init__(self, packet: OpOverloadPacket, takes_self: bool, named_defaults: bool):
        self.packet = packet
        self.takes_self = takes_self
        self.named_defaults = named_defaults
        # made at the first call: a program calls few of the operators there are
        self.signatures: tuple[Signature, ...] = ()
        self.known: dict[tuple[Any, ...], tuple[Any, ...]] = {}

    def _make_signatures(self) -> None:
        operators, self.quickest = _in_order(self.packet)
        found = [Signature(operator, self.takes_self, self.named_defaults) for operator in operators]
        self.makes_tensors = any("pin_memory" in each.by_name for each in found)
        # types that were looked at: they are known now, or say too little
        self.tried: set[tuple[Any, ...]] = set()
        self.signatures = tuple(found)  # last: other threads look at it

    def remember(
        self,
        signature: Signature,
        args: tuple[Any, ...],
        values: Sequence[Any],
        may_be_numbers: Callable[[int], bool] = lambda index: False,
    ) -> None:
        """Take this overload at once for other arguments of these types, if they say enough."""
        types = tuple(map(type, args))
        guards = None if types in self.tried else signature.guards(args, may_be_numbers)
        self.tried.add(types)
        if guards is not None:
            singles = signature.singles_among(args)
            packed = signature.varargs if signature.packs(args) else None
            tail = tuple(values[len(args) if packed is None else packed + 1 :])
            where = -1 if packed is None else packed
            self.known[types] = signature.operator, signature.return_type, singles, tail, guards, where

    def remember_keywords(
        self, signature: Signature, args: tuple[Any, ...], kwargs: dict[str, Any], values: Sequence[Any]
    ) -> None:
        """``remember`` for a call with keywords, perhaps ``out`` among them, that came to ``values``."""
        types = (*map(type, args), *map(type, kwargs.values()), tuple(kwargs))
        if types in self.tried:
            return
        self.tried.add(types)
        others = {name: value for name, value in kwargs.items() if name != "out"}
        found = signature.keyword_guards(args, others, self.may_be_numbers, self.names_number)
        operator, defaults = signature.operator, signature.defaults
        if "out" in kwargs:
            # other types of results, or of numbers of them, are for _call_out; and out= has to come last
            if not isinstance(kwargs["out"], Tensor) or signature.out is None or [*kwargs][-1] != "out":
                return
            operator, defaults = signature.out, [*defaults, None]
        if found is None or len(defaults) != len(operator.schema.arguments):
            return
        guards, singles, places = found
        if "out" in kwargs:
            places = [*places, len(defaults) - 1]
        given = (*args, *kwargs.values())
        for index, (place, value) in enumerate(zip(places, given)):
            if index not in singles and place < len(values) and not _is_taken(values[place], value):
                return
        order = tuple([places.index(place) if place in places else -1 for place in range(len(defaults))])
        tail = tuple(defaults)
        self.known[types] = operator, signature.return_type, singles, tail, guards, -1, order

    def names_number(self, name: str) -> bool:
        """``may_be_numbers`` for what is given under this name."""
        return any(
            name in each.by_name and each.arguments[each.by_name[name]].type != "Tensor"
            for each in self.signatures
        )

    def may_be_numbers(self, index: int) -> bool:
        """Has some overload a number here, which a tensor without dimensions may stand for?"""
        return any(
            index < len(each.positional) and each.arguments[each.positional[index]].type != "Tensor"
            for each in self.signatures
        )

    def parse(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the first overload that the arguments fit.  Raises TypeError where there is none."""
        if not self.signatures:
            self._make_signatures()
        name, signatures = self.packet.name, self.signatures
        first = signatures[self.quickest]
        values = first.quick(args, kwargs)
        if values is not None:
            if kwargs:
                self.remember_keywords(first, args, kwargs, values)
            else:
                self.remember(first, args, values)
            result = first.operator(*values)
            return result if first.return_type is None else first.return_type(*result)
        all_keywords = dict(kwargs)
        out = kwargs.pop("out", None) if "out" in kwargs else None
        requires_grad = kwargs.pop("requires_grad", False) if self.makes_tensors else False
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
            if out is not None:
                self.remember_keywords(signature, args, all_keywords, values)
                result = _call_out(signature, values, out)
            else:
                if not all_keywords:
                    self.remember(signature, args, values, self.may_be_numbers)
                elif len(all_keywords) == len(kwargs):
                    self.remember_keywords(signature, args, kwargs, values)
                result = signature.operator(*values)
            if signature.return_type is not None:
                return signature.return_type(*result)
            return result.requires_grad_() if requires_grad else result
        values = signatures[0].bind_deprecated(args, kwargs, self.takes_self)
        if values is not None:
            return signatures[0].operator(*values) if out is None else _call_out(signatures[0], values, out)
        if len(signatures) == 1:
            raise TypeError(f"{name}(): {problems[0]}")
        given = [value_text(arg) for arg in args] + [
            f"{key}={value_text(value)}" for key, value in kwargs.items()
        ]
        expected = "".join(
            f"\n * {signature.text()}: {problem}" for signature, problem in zip(signatures, problems)
        )
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got ({', '.join(given)}), but "
            f"expected one of:{expected}"
        )


def _is_taken(value: Any, given: Any) -> bool:
    """Is an argument taken as it was given?  Lists become tuples of the same; operators take either."""
    return value is given or (given.__class__ in (list, tuple) and value.__class__ is tuple)


def _with_lists(given: tuple[Any, ...], singles: dict[int, int]) -> tuple[Any, ...]:
    """Arguments with lists where an int stands for one."""
    return tuple([(each,) * singles[i] if i in singles else each for i, each in enumerate(given)])


def make_function(
    packet: OpOverloadPacket, takes_self: bool, named_defaults: bool = True
) -> Callable[..., Any]:
    """The Python function of an operator: ``takes_self`` for a method, whose first argument is its tensor."""
    overloads = Overloads(packet, takes_self, named_defaults)
    known = overloads.known

    def function(*args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            found = known.get(tuple(map(type, args)))
            if found is not None and (not found[4] or hold(found[4], args)):
                operator, return_type, singles, tail, _, packed = found
                if packed >= 0:
                    args = (*args[:packed], args[packed:])
                elif singles:
                    args = _with_lists(args, singles)
                result = operator(*args, *tail)
                return result if return_type is None else return_type(*result)
        else:
            found = known.get((*map(type, args), *map(type, kwargs.values()), tuple(kwargs)))
            given = (*args, *kwargs.values())
            if found is not None and (not found[4] or hold(found[4], given)):
                operator, return_type, singles, tail, _, _, order = found
                if singles:
                    given = _with_lists(given, singles)
                result = operator(*[given[index] if index >= 0 else each for index, each in zip(order, tail)])
                return result if return_type is None else return_type(*result)
        return overloads.parse(args, kwargs)

    name = packet.name
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
        raise TypeError(f"{name}(): argument 'out' must be {count} Tensor(s), not {value_text(out)}")
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


def bind_operators(namespace: dict[str, Any]) -> None:
    """Attach every operator to the packets, to Tensor (methods), and to ``namespace`` (functions)."""
    for packet in aten:
        operators = [each for each in packet.overloads.values() if not each.schema.is_out]
        if not operators:
            continue
        packet.parser = make_function(packet, False)
        if packet.name.startswith("_"):
            continue
        offered = {variant.strip() for each in operators for variant in each.record.variants.split(",")}
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
        parameters.append(inspect.Parameter(shown(argument), kind, default=default))
    return inspect.Signature(parameters)
