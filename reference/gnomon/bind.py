"""bind: operators as Python functions, methods and operators.

A function has one name and several overloads.  It tries them in order (argument_parser.py) and takes the
first that the arguments fit, which it calls with all arguments of its schema.

Source: tools/autograd/gen_python_functions.py, torch/csrc/utils/python_arg_parser.cpp (PythonArgParser).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from .argument_parser import INTEGER_TYPES, Mismatch, Signature, shown, value_text
from .dispatch.dispatcher import OpOverload, OpOverloadPacket, aten
from .kit.outputs import resize_output
from .memory.tensor import Tensor
from .values.schema import REQUIRED
from .values.speedups import speedups


def _in_order(packet: OpOverloadPacket) -> list[OpOverload]:
    """The overloads in the order in which they are tried."""
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
    return operators


class Overloads:
    """What tries the overloads of an operator in order, for its function or its method (``takes_self``)."""

    __slots__ = ("named_defaults", "packet", "signatures", "takes_self")

    def __init__(self, packet: OpOverloadPacket, takes_self: bool, named_defaults: bool):
        self.packet = packet
        self.takes_self = takes_self
        self.named_defaults = named_defaults
        self.signatures: tuple[Signature, ...] = ()  # made at the first call: a program calls few of all

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the first overload that the arguments fit.  Raises TypeError where there is none."""
        if not self.signatures:
            self.signatures = tuple(
                Signature(operator, self.takes_self, self.named_defaults)
                for operator in _in_order(self.packet)
            )
        name, signatures = self.packet.name, self.signatures
        out = kwargs.pop("out", None)
        makes_tensors = any("pin_memory" in each.by_name for each in signatures)
        requires_grad = kwargs.pop("requires_grad", False) if makes_tensors else False
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


def make_function(
    packet: OpOverloadPacket, takes_self: bool, named_defaults: bool = True
) -> Callable[..., Any]:
    """The Python function of an operator: ``takes_self`` for a method, whose first argument is its tensor."""
    overloads = Overloads(packet, takes_self, named_defaults)

    def function(*args: Any, **kwargs: Any) -> Any:
        return overloads(args, kwargs)

    name = packet.name
    function.__name__ = name
    function.__qualname__ = f"Tensor.{name}" if takes_self else name
    function.__module__ = "gnomon"
    function.__doc__ = documentation(packet)
    return function


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


if speedups is not None:
    make_function = speedups.function_maker(make_function)
