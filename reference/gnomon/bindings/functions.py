"""Operators as Python functions and methods.

A function has one name and several overloads.  It tries them in order (argument_parser.py), and calls the
first one that the arguments match, with all arguments of its schema.

Source: tools/autograd/gen_python_functions.py, torch/csrc/utils/python_arg_parser.cpp (PythonArgParser).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from .. import ops  # noqa: F401  (registers the operators)
from ..dispatch.dispatcher import OpOverload, OpOverloadPacket, aten
from ..memory.tensor import Tensor
from ..values.errors import warn
from ..values.schema import REQUIRED
from ..values.speedups import speedups
from .argument_parser import parser_of, shown


@functools.cache
def documentation(packet: OpOverloadPacket) -> str:
    """The docstring of an operator's function: its signatures, then the texts of its record."""
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
        texts.append("Raises TypeError for arguments that match no signature.")
    module = next(iter(packet.overloads.values())).record.python_module
    path = {"": "torch", "nn": "torch.nn.functional"}.get(module, f"torch.{module}")
    source = f"Source: {path}.{packet.name.removeprefix(f'{module}_')}."
    return "\n\n".join(["\n".join(signatures), *texts, source])


def make_function(
    packet: OpOverloadPacket, takes_self: bool, named_defaults: bool = True
) -> Callable[..., Any]:
    """Create the Python function of an operator; ``takes_self``: a method, whose tensor comes first."""
    function = parser_of(packet, takes_self, named_defaults)
    name = packet.name
    function.__name__ = name
    function.__qualname__ = f"Tensor.{name}" if takes_self else name
    function.__module__ = "gnomon"
    function.__doc__ = documentation(packet)
    return function


def documented(function: Any, packet: OpOverloadPacket) -> Any:
    """``function`` (or a property) with the docstring of the operator that it calls."""
    function.__doc__ = documentation(packet)
    return function


def _operators(packet: OpOverloadPacket) -> list[OpOverload]:
    """The overloads without ``out=``; those with it are called through another overload."""
    return [each for each in packet.overloads.values() if not each.schema.is_out]


def _offered(packet: OpOverloadPacket, variant: str) -> bool:
    """Is ``packet`` a ``"function"`` of the gnomon namespace, or a ``"method"``, by its records' variants?"""
    records = [each.record for each in _operators(packet)]
    offered = {each.strip() for record in records for each in record.variants.split(",")}
    elsewhere = any(record.python_module for record in records)  # such as linalg and nn.functional
    return variant in offered and not elsewhere and is_public(packet.name)


def is_public(name: str) -> bool:
    """Is an operator of this name a function?  Those on lists are, and those that PyTorch programs call."""
    return not name.startswith("_") or name.startswith("_foreach_") or name in _CALLED


_CALLED = frozenset(
    {
        "_choose_qparams_per_tensor",
        "_fake_quantize_learnable_per_channel_affine",
        "_fake_quantize_learnable_per_tensor_affine",
        "_fused_moving_avg_obs_fq_helper",
        "_chunk_cat",
        "_coalesced_",
        "_dimI",
        "_dimV",
        "_empty_affine_quantized",
        "_empty_per_channel_affine_quantized",
        "_indices",
        "_int_mm",
        "_is_all_true",
        "_is_any_true",
        "_make_per_channel_quantized_tensor",
        "_make_per_tensor_quantized_tensor",
        "_native_batch_norm_legit",
        "_nnz",
        "_sample_dirichlet",
        "_sparse_mask_projection",
        "_standard_gamma",
        "_unsafe_masked_index",
        "_unsafe_masked_index_put_accumulate",
        "_values",
    }
)


def operator_methods() -> dict[str, Callable[..., Any]]:
    """The operators that are methods of Tensor, by name, except those that Tensor defines (``x.dim()``)."""
    found = {
        packet.name: make_function(packet, True)
        for packet in aten
        if _offered(packet, "method") and not hasattr(Tensor, packet.name)
    }
    return found | {name: _deprecated(name, found[name]) for name in _DEPRECATED if name in found}


def operator_functions() -> dict[str, Callable[..., Any]]:
    """The operators that are functions, such as ``gnomon.exp``, by name."""
    found = {
        packet.name: make_function(packet, False, named_defaults=False)
        if any(each.name == "reduction" for each in _operators(packet)[0].schema.arguments)
        else packet.parser
        for packet in aten
        if _offered(packet, "function")
    }
    return found | {name: _deprecated(name, found[name]) for name in _DEPRECATED}


_DEPRECATED = {
    "frobenius_norm": "frobenius_norm is deprecated: use linalg.vector_norm(A, 2., dim, keepdim).",
    "cholesky": (
        "cholesky is deprecated: use linalg.cholesky(A), and its result's .mH instead of upper=True."
    ),
    "lu_solve": (
        "lu_solve is deprecated: use linalg.lu_solve(LU, pivots, B), whose arguments have another order."
    ),
    "qr": "qr is deprecated: use linalg.qr(A, 'reduced' if some else 'complete').",
    "triangular_solve": (
        "triangular_solve is deprecated: use linalg.solve_triangular(A, B, upper=True), which has its "
        "arguments in the other order and does not return a copy of A."
    ),
    "nuclear_norm": "nuclear_norm is deprecated: use linalg.matrix_norm(A, 'nuc', dim, keepdim).",
    "range": (
        "range is deprecated, because it differs from Python's range: use arange, which gives the numbers in "
        "[start, end)."
    ),
}


def _deprecated(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of an operator, which warns that it is deprecated; the operator itself does not warn."""

    def call(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        warn(_DEPRECATED[name], once=name != "range")
        return result

    call.__name__, call.__qualname__ = name, function.__qualname__
    call.__module__ = function.__module__
    call.__doc__ = function.__doc__
    return call


def functions_of(module: str) -> dict[str, Callable[..., Any]]:
    """The functions of a module such as linalg: operators named ``linalg_…``, by name without the prefix."""
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

for _packet in aten:
    if _operators(_packet):
        _packet.parser = make_function(_packet, False)
