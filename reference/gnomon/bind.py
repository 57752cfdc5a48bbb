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

from .argument_parser import parser_of, shown
from .dispatch.dispatcher import OpOverloadPacket, aten
from .memory.tensor import Tensor
from .values.schema import REQUIRED
from .values.speedups import speedups


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


def make_function(
    packet: OpOverloadPacket, takes_self: bool, named_defaults: bool = True
) -> Callable[..., Any]:
    """The Python function of an operator: ``takes_self`` for a method, whose first argument is its tensor."""
    function = parser_of(packet, takes_self, named_defaults)
    name = packet.name
    function.__name__ = name
    function.__qualname__ = f"Tensor.{name}" if takes_self else name
    function.__module__ = "gnomon"
    function.__doc__ = documentation(packet)
    return function


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
