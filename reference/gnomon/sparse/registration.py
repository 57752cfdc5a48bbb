"""Kernels of the keys of layouts that are not strided, and what happens to operators without one.

Source: torchgen's dispatch tables (SparseCPU); aten/src/ATen/core/dispatch/OperatorEntry.cpp (reportError).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..calls.outputs import check_cast, check_inplace_sizes, resize_output
from ..dispatch.dispatcher import OpOverload, aten, register_boxed_fallback
from ..dispatch.mode import EXCLUDED_SHIFT, mode_word, set_mode_word
from ..memory.backend import backend_of
from ..values.device import sparse_coo, strided
from ..values.dispatch_key import AD_INPLACE_OR_VIEW, AUTOGRAD, DispatchKey
from .tensor import become

_AUTOGRAD = {
    DispatchKey.Mkldnn: DispatchKey.AutogradMkldnn,
    DispatchKey.Sparse: DispatchKey.AutogradSparse,
    DispatchKey.SparseCsr: DispatchKey.AutogradSparseCsr,
}
# A kernel computes with the tensors that its arguments hold.  Autograd and forward mode have seen the call.
_EXCLUDE_ABOVE = sum(1 << key for key in DispatchKey if key > DispatchKey.Batched) << EXCLUDED_SHIFT


def run_below(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call ``function`` below autograd."""
    word = mode_word()
    try:
        set_mode_word(word | _EXCLUDE_ABOVE)
        return function(*arguments)
    finally:
        set_mode_word(word)


def sparse_kernel(
    *names: str,
    key: DispatchKey = DispatchKey.Sparse,
    write: Callable[[Any, Any], None] = become,
    only_variants: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: the function, called with all arguments of the schema, is the kernel for sparse operands.

    ``names``: of operators, "add.Tensor".  Their in-place and ``out=`` variants call it, and ``write`` its
    result to their target, unless there are several results.  ``key``: Sparse, or SparseCsr for compressed
    layouts.  ``only_variants``: the operator itself keeps its kernel, of other operators.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            operator = aten._find(name)
            takes_strided = only_variants or name.startswith("_to_sparse")
            if not only_variants:
                _register(operator, function, key)
            for variant in operator.variants if len(operator.schema.returns) == 1 else ():
                _register(variant, _writing(operator, variant, function, write, key, takes_strided), key)
        return function

    return decorate


def _register(operator: OpOverload, function: Callable[..., Any], key: DispatchKey) -> None:
    def run(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
        return run_below(function, *arguments)

    operator.register(key, run)
    if (operator.record.base or operator).record.composite is not None:  # a kernel of every key
        operator.register(_AUTOGRAD[key], run)


def autograd_sparse_kernel(
    name: str, key: DispatchKey = DispatchKey.Sparse
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: the function, called with all arguments of the schema, replaces the operator ``name`` if an
    operand is sparse.  It calls other operators, which have derivatives for sparse tensors.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
            return function(*arguments)

        aten._find(name).register(_AUTOGRAD[key], run)
        return function

    return decorate


def _writing(
    base: OpOverload,
    variant: OpOverload,
    function: Callable[..., Any],
    write_result: Callable[[Any, Any], None],
    key: DispatchKey,
    takes_strided: bool,
) -> Callable[..., Any]:
    """The function of an in-place or ``out=`` variant; ``takes_strided``: also of strided operands alone."""
    count = len(base.schema.arguments)

    def write(*arguments: Any) -> Any:
        target = arguments[0] if variant.schema.is_inplace else arguments[count]
        operands = base.tensors(arguments[:count])
        if not takes_strided and all(each._spec.layout is strided for each in operands):
            raise no_kernel(variant.schema.full_name, key.name)
        result = function(*arguments[:count])
        if variant.schema.is_inplace and target._spec.layout is strided and result._spec.layout is sparse_coo:
            check_inplace_sizes(variant.schema.name, target._spec, result._spec)
            check_cast(base.schema.name, result._spec.dtype, target._spec.dtype)
            result = result.to_dense()  # strided.mul_(sparse)
        if {result._spec.layout, target._spec.layout} & {strided, sparse_coo}:
            if result._spec.layout is not target._spec.layout:
                raise no_kernel(variant.schema.full_name, key.name)
        if result._spec.layout is strided:
            if not variant.schema.is_inplace:
                resize_output(target, result._spec)
            return (
                target.copy_(result)
                if variant.schema.is_inplace
                else aten.copy_.default(target, result, False)
            )
        if variant.schema.is_inplace:
            check_inplace_sizes(variant.schema.name, target._spec, result._spec)
        check_cast(base.schema.name, result._spec.dtype, target._spec.dtype)
        write_result(target, result)
        return target

    return write


def no_kernel(name: str, place: str = "Sparse") -> NotImplementedError:
    """The error for an operator without a kernel for the layout."""
    full_name = name if "::" in name else f"aten::{name}"
    return NotImplementedError(
        f"Could not run {full_name!r} with arguments from the {place!r} backend: there is no kernel for this "
        "layout. Use Tensor.to_dense() for a strided tensor."
    )


def _refuse(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    tensors = operator.tensors(arguments)
    on_host = not tensors or backend_of(tensors[0]._spec.device).host_memory
    key = DispatchKey(keys.bit_length() - 1).name.removeprefix("Autograd")
    place = "CPU" if on_host else tensors[0]._spec.device.type.upper()
    raise no_kernel(f"{operator.namespace}::{operator.schema.full_name}", f"{key}{place}")


def _skip_views(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
    """What is a view of a strided tensor is a new tensor here: it is not marked as one."""
    below = keys & ~(1 << keys.bit_length() - 1)
    return operator.redispatch(below & ~AD_INPLACE_OR_VIEW if operator.schema.is_view else below, arguments)


def stops_gradients_of(position: int, name: str) -> None:
    """The operator ``name`` is not differentiable by a sparse argument, of which only the indices count."""

    def run(operator: OpOverload, keys: int, arguments: Sequence[Any]) -> Any:
        given = list(arguments)
        if given[position]._keys & AUTOGRAD:
            given[position] = given[position].detach()
        return _skip_views(operator, keys, given)

    for key in (DispatchKey.AutogradSparse, DispatchKey.AutogradSparseCsr):
        aten._find(name).register(key, run)


for _key, _autograd in _AUTOGRAD.items():
    register_boxed_fallback(_key, _refuse)
    register_boxed_fallback(_autograd, _skip_views)
    aten._find("nonzero").register(_autograd, _refuse)  # by its name, not by those it is composed of
