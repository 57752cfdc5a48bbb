"""_foreach_ operators: an operator on each tensor of a list.  calls/lists.py derives them from that operator.

Source: native_functions.yaml; aten/src/ATen/native/ForeachOpsKernels.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...calls.iterator import TensorIterator
from ...calls.launch import copy_iterator
from ...calls.lists import Given, list_function
from ...calls.native import native_function
from ...calls.outputs import check_no_internal_overlap
from ...dispatch.dispatcher import aten
from ...memory.spec import Spec
from ...memory.tensor import Tensor
from ...values.geometry import check_expandable

_RAISES = """Raises RuntimeError for an empty list, for lists of different lengths, and for what ``{}``
    refuses; then no tensor is written, unless the value of an element is at fault."""


def _define(
    name: str,
    arguments: str,
    operator: str,
    passed: Sequence[int | Given] | None = None,
    check: Any = None,
    variants: str = "functional, inplace",
    iterator: Any = None,
) -> None:
    """Define ``_foreach_{name}`` and its in-place variant; ``name`` may contain the overload's name."""
    head, dot, overload = name.partition(".")
    short = operator.partition(".")[0]
    says = f"Applies ``{short}`` to each tensor of a list"
    raises = _RAISES.format(short)
    if "functional" in variants:
        list_function(
            f"_foreach_{name}({arguments}) -> Tensor[]",
            operator,
            passed,
            check,
            f"{says}; the results are a tuple.\n\n    {raises}",
            iterator,
        )
    if "inplace" in variants:
        list_function(
            f"_foreach_{head}_{dot}{overload}({arguments.replace('Tensor[]', 'Tensor(a!)[]', 1)}) -> ()",
            operator,
            passed,
            check,
            f"{says} in place.\n\n    {raises}",
            iterator,
        )


for _name in (
    *("abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "floor", "frac"),
    *("lgamma", "log", "log10", "log1p", "log2", "neg", "reciprocal", "round", "rsqrt", "sigmoid", "sign"),
    *("sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
):
    _define(_name, "Tensor[] self", _name)

for _name in ("add", "sub"):
    _operator = f"{_name}.Tensor"
    _define(f"{_name}.List", "Tensor[] self, Tensor[] other, *, Scalar alpha=1", _operator)
    if _name == "add":
        _define("add.Tensor", "Tensor[] self, Tensor other, *, Scalar alpha=1", _operator)
    _define(f"{_name}.ScalarList", "Tensor[] self, Scalar[] scalars", _operator)
    _define(f"{_name}.Scalar", "Tensor[] self, Scalar scalar", _operator)

for _name in ("mul", "div"):
    _operator = f"{_name}.Tensor"
    _define(f"{_name}.List", "Tensor[] self, Tensor[] other", _operator)
    _define(f"{_name}.Tensor", "Tensor[] self, Tensor other", _operator)
    _define(f"{_name}.ScalarList", "Tensor[] self, Scalar[] scalars", _operator)
    _define(f"{_name}.Scalar", "Tensor[] self, Scalar scalar", _operator)

# clamp(min) and clamp(max)
_LEAST: tuple[int | Given, ...] = (0, 1, Given(None))
_MOST: tuple[int | Given, ...] = (0, Given(None), 1)
for _name, _bound, _passed in (
    ("clamp_min", "clamp_min", _LEAST),
    ("clamp_max", "clamp_max", _MOST),
    ("maximum", "clamp_min", _LEAST),
    ("minimum", "clamp_max", _MOST),
):
    _define(f"{_name}.List", "Tensor[] self, Tensor[] other", f"{_bound}.Tensor")
    _define(f"{_name}.ScalarList", "Tensor[] self, Scalar[] scalars", "clamp", _passed)
    _define(f"{_name}.Scalar", "Tensor[] self, Scalar scalar", "clamp", _passed)

_define("pow.List", "Tensor[] self, Tensor[] exponent", "pow.Tensor_Tensor")
_define("pow.ScalarList", "Tensor[] self, Scalar[] exponent", "pow.Tensor_Scalar")
_define("pow.Scalar", "Tensor[] self, Scalar exponent", "pow.Tensor_Scalar")
_define("pow.ScalarAndTensor", "Scalar self, Tensor[] exponent", "pow.Scalar", variants="functional")

_define("lerp.List", "Tensor[] self, Tensor[] tensors1, Tensor[] weights", "lerp.Tensor")
_define("lerp.ScalarList", "Tensor[] self, Tensor[] tensors1, Scalar[] weight", "lerp.Scalar")
_define("lerp.Scalar", "Tensor[] self, Tensor[] tensors1, Scalar weight", "lerp.Scalar")


def _numbers_of(scalars: Tensor, count: int) -> list[Any]:
    """The numbers of a tensor of one dimension, one for each of ``count`` tensors.

    Source: convert_tensor_to_scalar_list.
    """
    if scalars.dim() != 1:
        raise RuntimeError(
            f"Expected packed scalar Tensor to be of dimension 1. Got {scalars.dim()} instead."
        )
    if scalars.numel() != count:
        raise RuntimeError(
            f"Expected length of scalars to match input of length {count} but got {scalars.numel()} instead."
        )
    found: list[Any] = scalars.tolist()
    return found


def _with_numbers(name: str) -> Any:
    """The overload whose numbers are in a tensor."""
    return lambda self, tensor1, tensor2, scalars: getattr(aten, name).ScalarList(
        self, tensor1, tensor2, _numbers_of(scalars, len(self))
    )


_THREE = "Tensor[] self, Tensor[] tensor1, Tensor[] tensor2"
for _name in ("addcmul", "addcdiv"):
    for _packet, _arguments, _returns in (
        (f"_foreach_{_name}", _THREE, "Tensor[]"),
        (f"_foreach_{_name}_", _THREE.replace("Tensor[]", "Tensor(a!)[]", 1), "()"),
    ):
        native_function(
            f"{_packet}.Tensor({_arguments}, Tensor scalars) -> {_returns}",
            composite=_with_numbers(_packet),
            doc="The numbers may also be in a tensor of one dimension.",
        )
    _define(f"{_name}.ScalarList", f"{_THREE}, Scalar[] scalars", _name)
    _define(f"{_name}.Scalar", f"{_THREE}, Scalar value=1", _name)


def _check_norm(self: Sequence[Tensor], ord: Any, dtype: Any) -> None:
    if ord == float("inf") and any(each.numel() == 0 for each in self):
        raise RuntimeError(
            "_foreach_norm cannot compute the infinity norm on an empty tensor because the operation does "
            "not have an identity"
        )


def _check_max(self: Sequence[Tensor]) -> None:
    if any(each.numel() == 0 for each in self):
        raise RuntimeError(
            "_foreach_max cannot compute the maximum of an empty tensor; max over zero elements is undefined."
        )


_define(
    "norm.Scalar",
    "Tensor[] self, Scalar ord=2, ScalarType? dtype=None",
    "linalg_vector_norm",
    (0, 1, Given(None), Given(False), 2),
    _check_norm,
    variants="functional",
)


def _copy_iterator(self: Spec, src: Spec, non_blocking: bool) -> TensorIterator | None:
    """None for copies between devices."""
    check_expandable(src.sizes, self.sizes)
    check_no_internal_overlap("copy_", self)
    return copy_iterator(self, src) if src.device is self.device else None


_define("max", "Tensor[] self", "max", check=_check_max, variants="functional")
_define("mm", "Tensor[] self, Tensor[] mat2", "mm", variants="functional")
_define(
    "clone",
    "Tensor[] self, *, MemoryFormat? memory_format=None",
    "clone",
    variants="functional",
)
_define(
    "copy",
    "Tensor[] self, Tensor[] src, bool non_blocking=False",
    "copy_",
    variants="inplace",
    iterator=_copy_iterator,
)
_define("zero", "Tensor[] self", "fill_.Scalar", (0, Given(0)), variants="inplace")
