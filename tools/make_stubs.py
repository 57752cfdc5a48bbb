"""Writes type stubs for what gnomon generates at import from its operators' records, for mypy and editors.

reference/gnomon/memory/tensor.pyi has the class Tensor with all its methods, reference/gnomon/__init__.pyi
the functions and the other public names.

    python tools/make_stubs.py          writes the files
    python tools/make_stubs.py --check  exits with 1 if the files are out of date
"""

from __future__ import annotations

import importlib.util
import inspect
import itertools
import keyword
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from enum import IntEnum
from pathlib import Path
from typing import Any

os.environ["GNOMON_SPEEDUPS"] = "none"  # so that all functions are Python functions, with signatures

import gnomon
import gnomon.memory.tensor as tensor_module
import gnomon.nn.functional
from gnomon.bindings.argument_parser import numbers_for_tensors
from gnomon.bindings.functions import functions_of, is_public
from gnomon.dispatch.dispatcher import OpOverload, OpOverloadPacket, aten
from gnomon.memory.tensor import Tensor
from gnomon.values.schema import REQUIRED, Argument

PUBLIC = Path(gnomon.__file__).with_suffix(".pyi")
TENSOR = Path(tensor_module.__file__).with_suffix(".pyi")
FUNCTIONAL = Path(gnomon.nn.functional.__file__).with_suffix(".pyi")

# Some of gnomon's names hide Python's, or are also members of Tensor (gnomon.float, Tensor.dtype): use
# aliases.
TYPES = {
    "Tensor": "Tensor",
    "Scalar": "_Scalar",
    "float": "_float",
    "int": "_int",
    "SymInt": "_int",
    "bool": "_bool",
    "str": "str",
    "ScalarType": "_dtype",
    "Device": "_Device",
    "Layout": "_layout",
    "QScheme": "_qscheme",
    "MemoryFormat": "_memory_format",
    "Generator": "Generator",
    "Storage": "Storage",
}
INTEGERS = ("int", "SymInt")

# Names in annotations of the source -> names in the stub.
WORDS = {
    "int": "_int",
    "float": "_float",
    "bool": "_bool",
    "dtype": "_dtype",
    "device": "_device",
    "layout": "_layout",
    "Ints": "tuple[_int, ...]",
    "Sizes": "Sequence[_int] | _int",
}

# The words that a str argument may be: the operators, as a regular expression, the argument, and the words.
LITERALS = (
    ("conv[123]d", "padding", ("valid", "same")),
    ("div_?|divide_?", "rounding_mode", ("trunc", "floor")),
    ("fft_.*", "norm", ("forward", "backward", "ortho")),
    ("gelu_?", "approximate", ("none", "tanh")),
    ("index_reduce_?", "reduce", ("prod", "mean", "amax", "amin")),
    ("linalg_cond", "p", ("fro", "nuc")),
    ("linalg_eigh|linalg_eigvalsh", "UPLO", ("L", "U")),
    ("linalg_lstsq", "driver", ("gels", "gelsy", "gelsd", "gelss")),
    ("linalg_matrix_norm|linalg_norm", "ord", ("fro", "nuc")),
    ("linalg_qr", "mode", ("reduced", "complete", "r")),
    ("linalg_svd|linalg_svdvals", "driver", ("gesvd", "gesvdj", "gesvda")),
    ("meshgrid", "indexing", ("ij", "xy")),
    ("pad", "mode", ("constant", "reflect", "replicate", "circular")),
    ("pad_sequence", "padding_side", ("left", "right")),
    ("quantile|nanquantile", "interpolation", ("linear", "lower", "higher", "midpoint", "nearest")),
    ("scatter_?", "reduce", ("add", "multiply")),
    ("scatter_reduce_?", "reduce", ("sum", "prod", "mean", "amax", "amin")),
    ("searchsorted", "side", ("left", "right")),
    ("segment_reduce", "reduce", ("sum", "mean", "max", "min", "prod")),
    ("stft", "pad_mode", ("constant", "reflect", "replicate", "circular")),
)

# The flags, False by default, of functions whose result depends on them: a tensor with all of them False, and
# a tuple with one more for each that is True.
_POOLS = [f"{kind}max_pool{spatial}d" for kind in ("", "adaptive_", "fractional_") for spatial in (1, 2, 3)]
FLAGS = {
    **dict.fromkeys(_POOLS, ("return_indices",)),
    "nonzero": ("as_tuple",),
    "unique": ("return_inverse", "return_counts"),
    "unique_consecutive": ("return_inverse", "return_counts"),
}

ALIASES = """
_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
_bool: TypeAlias = builtins.bool
_dtype: TypeAlias = dtype
_device: TypeAlias = device
_layout: TypeAlias = layout
_qscheme: TypeAlias = qscheme
_memory_format: TypeAlias = memory_format
_Device: TypeAlias = device | str
_Number: TypeAlias = _bool | _int | _float
_Scalar: TypeAlias = _Number | complex
_Operand: TypeAlias = Tensor | _Scalar
"""

TENSOR_HEADER = '''"""Types of memory/tensor.py and of Tensor's methods.  Written by tools/make_stubs.py."""

import builtins
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, overload
from weakref import ReferenceType

from numpy.typing import NDArray
from typing_extensions import Self

from ..autograd.hooks import RemovableHandle
from ..autograd.node import Node
from ..numerics.generator import Generator
from ..quantized.quantizer import qscheme
from ..values.device import device, layout, memory_format
from ..values.dispatch_key import DispatchKeySet
from ..values.dtype import dtype
from ..values.geometry import Size
from .spec import Spec
from .storage import Storage
{aliases}
_Self = TypeVar("_Self", bound=Tensor)'''

HEADER = '''"""Types of gnomon's public names.  Written by tools/make_stubs.py from the operators' records."""

import builtins
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, overload

{submodules}
{accelerator}
{amp}
from .autograd.anomaly_mode import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from .autograd.anomaly_mode import is_anomaly_enabled as is_anomaly_enabled
from .autograd.grad_mode import enable_grad as enable_grad
from .autograd.grad_mode import inference_mode as inference_mode
from .autograd.grad_mode import is_grad_enabled as is_grad_enabled
from .autograd.grad_mode import is_inference_mode_enabled as is_inference_mode_enabled
from .autograd.grad_mode import no_grad as no_grad
from .autograd.grad_mode import set_grad_enabled as set_grad_enabled
from .backends.context import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled
from .backends.context import get_deterministic_debug_mode as get_deterministic_debug_mode
from .backends.context import get_float32_matmul_precision as get_float32_matmul_precision
from .backends.context import get_num_interop_threads as get_num_interop_threads
from .backends.context import (
    is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled,
)
from .backends.context import set_deterministic_debug_mode as set_deterministic_debug_mode
from .backends.context import set_float32_matmul_precision as set_float32_matmul_precision
from .backends.context import set_flush_denormal as set_flush_denormal
from .backends.context import set_num_interop_threads as set_num_interop_threads
from .backends.context import use_deterministic_algorithms as use_deterministic_algorithms
from .backends.listing import backends as backends
from .bindings.creation import as_tensor as as_tensor
from .bindings.creation import asarray as asarray
from .bindings.creation import from_numpy as from_numpy
from .bindings.creation import frombuffer as frombuffer
from .bindings.creation import tensor as tensor
from .bindings.exchange import from_dlpack as from_dlpack
from .bindings.exchange import from_torch as from_torch
from .bindings.exchange import to_dlpack as to_dlpack
from .bindings.exchange import to_torch as to_torch
{functional}
from .bindings.tensor_types import set_default_tensor_type as set_default_tensor_type
from .bindings.tensor_types import tensortype
from .bindings.tensor_types import typename as typename
from .bindings.typed_storage import TypedStorage as TypedStorage
from .calls.launch import fallback_policy as fallback_policy
from .calls.launch import fallbacks as fallbacks
from .calls.launch import set_fallback_policy as set_fallback_policy
{compiler}
from .dispatch.python_dispatch import DispatchMode as DispatchMode
from .func.vmap import vmap as vmap
{learn}
from .memory.backend import Backend as Backend
from .memory.backend import get_default_device as get_default_device
from .memory.backend import get_device_module as get_device_module
from .memory.backend import get_num_threads as get_num_threads
from .memory.backend import register_backend as register_backend
from .memory.backend import set_default_device as set_default_device
from .memory.backend import set_num_threads as set_num_threads
from .memory.spec import Spec as Spec
from .memory.storage import Storage as UntypedStorage
from .memory.tensor import Tensor as Tensor
{results}
from .memory.text import set_printoptions as set_printoptions
from .quantized.quantizer import qscheme as qscheme
from .random import Generator as Generator
from .random import default_generator as default_generator
from .random import get_rng_state as get_rng_state
from .random import initial_seed as initial_seed
from .random import manual_seed as manual_seed
from .random import seed as seed
from .random import set_rng_state as set_rng_state
{serialization}
{sparse}
{values}
from .values.device import device as device
from .values.device import layout as layout
from .values.device import memory_format as memory_format
from .values.dtype import can_cast as can_cast
from .values.dtype import dtype as dtype
from .values.dtype import get_default_dtype as get_default_dtype
from .values.dtype import promote_types as promote_types
from .values.dtype import set_default_dtype as set_default_dtype
from .values.errors import BackendUnavailableError as BackendUnavailableError
from .values.errors import OutOfMemoryError as OutOfMemoryError
from .values.errors import is_warn_always_enabled as is_warn_always_enabled
from .values.errors import set_warn_always as set_warn_always
from .values.geometry import Size as Size
from .values.limits import finfo as finfo
from .values.limits import iinfo as iinfo

__version__: str

e: float
inf: float
nan: float
newaxis: None
pi: float

BFloat16Tensor: tensortype
BoolTensor: tensortype
ByteTensor: tensortype
CharTensor: tensortype
ComplexDoubleTensor: tensortype
ComplexFloatTensor: tensortype
DoubleTensor: tensortype
FloatTensor: tensortype
HalfTensor: tensortype
IntTensor: tensortype
LongTensor: tensortype
ShortTensor: tensortype

BFloat16Storage: builtins.type[TypedStorage]
BoolStorage: builtins.type[TypedStorage]
ByteStorage: builtins.type[TypedStorage]
CharStorage: builtins.type[TypedStorage]
ComplexDoubleStorage: builtins.type[TypedStorage]
ComplexFloatStorage: builtins.type[TypedStorage]
DoubleStorage: builtins.type[TypedStorage]
FloatStorage: builtins.type[TypedStorage]
HalfStorage: builtins.type[TypedStorage]
IntStorage: builtins.type[TypedStorage]
LongStorage: builtins.type[TypedStorage]
ShortStorage: builtins.type[TypedStorage]
{aliases}'''

MODULE_HEADER = '''"""Types of gnomon.{module}.  Written by tools/make_stubs.py."""

import builtins
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, overload

from ..memory.tensor import Tensor
from ..values.device import device, layout, memory_format
from ..values.dtype import dtype
{errors}{aliases}

'''

MODULE_ERRORS = {"linalg": "from ..values.errors import LinAlgError as LinAlgError\n"}

FUNCTIONAL_HEADER = '''"""Types of gnomon.nn.functional.  Written by tools/make_stubs.py."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, overload

from ...memory.tensor import Tensor
from ...numerics.generator import Generator
from ...values.dtype import dtype
from ..common_types import {words}
{imports}
from .linear_cross_entropy import LinearCrossEntropyOptions
_int: TypeAlias = int
_float: TypeAlias = float
_bool: TypeAlias = bool
_dtype: TypeAlias = dtype
_Number: TypeAlias = _bool | _int | _float
_Scalar: TypeAlias = _Number | complex
_Operand: TypeAlias = Tensor | _Scalar
'''

TO_OPTIONS = "non_blocking: _bool = ..., copy: _bool = ..., *, memory_format: _memory_format | None = ..."

# Methods whose type depends on their arguments, or that are lambdas in the source.
METHODS = {
    "_make_subclass": [
        "@classmethod",
        "def _make_subclass(cls: type[_Self], data: Tensor, require_grad: _bool = ...) -> _Self: ...",
    ],
    "conj": ["def conj(self) -> Tensor: ..."],
    "cpu": ["def cpu(self, memory_format: _memory_format = ...) -> Tensor: ..."],
    "cuda": [
        "def cuda(self, device: Any = ..., non_blocking: _bool = ..., memory_format: Any = ...) -> Tensor: ..."  # noqa: E501
    ],
    "dequantize": ["def dequantize(self) -> Tensor: ..."],
    "fill_": ["def fill_(self, value: _Operand) -> Tensor: ..."],
    "grad_fn": ["@property", "def grad_fn(self) -> Node | None: ..."],
    "item": [
        "def item(self) -> _Number: ..."
    ],  # or complex; as in PyTorch's stubs, so that x.item() needs no float(...)
    "numpy": ["def numpy(self, *, force: _bool = ...) -> NDArray[Any]: ..."],
    "real": ["@property", "def real(self) -> Tensor: ..."],
    "register_hook": [
        "def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle: ..."
    ],
    "requires_grad_": ["def requires_grad_(self: _Self, requires_grad: _bool = ...) -> _Self: ..."],
    "size": [
        "@overload",
        "def size(self, dim: None = ...) -> Size: ...",
        "@overload",
        "def size(self, dim: _int) -> _int: ...",
    ],
    "stride": [
        "@overload",
        "def stride(self, dim: None = ...) -> tuple[_int, ...]: ...",
        "@overload",
        "def stride(self, dim: _int) -> _int: ...",
    ],
    "to": [
        line
        for arguments in (
            "dtype: _dtype",
            "device: _Device | None = ..., dtype: _dtype | None = ...",
            "other: Tensor",
        )
        for line in (
            "@overload",
            f"def to(self, {arguments}, {TO_OPTIONS}) -> Tensor: ...",
        )
    ],
    "type": [
        "@overload",
        "def type(self, dtype: None = ..., non_blocking: _bool = ...) -> str: ...",
        "@overload",
        "def type(self, dtype: Any, non_blocking: _bool = ...) -> Tensor: ...",
    ],
    "where": ["def where(self, condition: Tensor, other: _Operand) -> Tensor: ..."],
}


def literal(operator: str, argument: str) -> str | None:
    """``Literal[...]`` of the words that an operator's argument may be, if LITERALS has them."""
    for operators, name, words in LITERALS:
        if name == argument and re.fullmatch(operators, operator):
            return f"Literal[{', '.join(map(repr, words))}]".replace("'", '"')
    return None


def annotation(operator: str, argument: Argument, takes_number: bool) -> str:
    """The type of an argument; ``takes_number``: a Python number is accepted in place of the tensor."""
    kind = "_Operand" if argument.type == "Tensor" and takes_number else TYPES[argument.type]
    if argument.type == "str":
        kind = literal(operator, argument.name) or kind
    if argument.is_list:
        element = f"{kind} | None" if argument.elements_optional else kind
        kind = f"Sequence[{element}]" + (f" | {kind}" if argument.list_size else "")
    if argument.is_optional or argument.default is None:
        kind = f"{kind} | None"
    return kind


def result_type(operator: OpOverload) -> str:
    """The return type of an operator."""
    if operator.schema.name.startswith("is_"):
        return "_bool"
    kinds = [
        f"tuple[{TYPES[each.type]}, ...]" if each.is_list else TYPES[each.type]
        for each in operator.schema.returns
    ]
    if has_named_results(operator):
        return f"_{operator.schema.name}_result"
    if not kinds:
        return "None"
    return kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"


def has_named_results(operator: OpOverload) -> bool:
    """Whether the operator returns a named tuple."""
    returns = operator.schema.returns
    return len(returns) > 1 and all(each.name for each in returns)


def parameters(operator: OpOverload, is_method: bool, one_by_one: bool) -> list[str] | None:
    """The parameters of an overload, with ``out`` if it has an ``out=`` variant.

    ``one_by_one``: with its list of ints given as several arguments; None if there is no such form.
    """
    schema = operator.schema
    numbers = numbers_for_tensors(operator)
    shown = []
    star = False
    spread = False
    for position, argument in enumerate(schema.arguments):
        if is_method and position == 0:
            shown.append("self")
            continue
        if argument.kwarg_only and not star:
            shown.append("*")
            star = True
        name = "input" if argument.name == "self" else argument.name
        if keyword.iskeyword(name):
            name = f"{name}_"
        kind = annotation(schema.name, argument, argument.name in numbers)
        default = ""
        if argument.default is not REQUIRED or (argument.is_optional and argument.kwarg_only):
            default = " = ..."
        if one_by_one and is_spread(schema.arguments, position):
            shown.append(f"*{name}: _int")
            star = spread = True
            continue
        shown.append(f"{name}: {kind}{default}")
    if one_by_one and not spread:
        return None
    if any(argument.name == "pin_memory" for argument in schema.arguments):
        shown.append("requires_grad: _bool = ...")
    elif any(variant.schema.is_out for variant in operator.variants):
        out = "Tensor" if len(schema.returns) == 1 else "Sequence[Tensor]"
        shown.extend(([] if star else ["*"]) + [f"out: {out} | None = ..."])
    return shown


def is_spread(arguments: tuple[Argument, ...], position: int) -> bool:
    """Whether this list of ints may be given as several arguments: if it is the first such list, and the last
    argument (argument_parser.py).
    """
    first = next((each for each in arguments if each.is_list and each.type in INTEGERS), None)
    argument = arguments[position]
    last = all(each.kwarg_only for each in arguments[position + 1 :])
    return argument is first and argument.list_size is None and not argument.kwarg_only and last


def signature(name: str, shown: list[str], result: str, indent: str, doc: str = "") -> str:
    """``def name(…) -> result: ...``, with the docstring ``doc`` in place of the dots if there is one."""
    return documented(f"{indent}def {name}({', '.join(shown)}) -> {result}: ...", doc, indent)


def documented(stub: str, doc: str, indent: str) -> str:
    """A stub that ends with ``: ...``, with a docstring in place of the dots."""
    if not doc:
        return stub
    inner = f"{indent}    "
    lines = [f"{inner}{line}" if line else "" for line in doc.splitlines()]
    prefix = "r" if "\\" in doc else ""
    closing = '"""' if len(lines) == 1 else f'\n{inner}"""'
    text = "\n".join(lines).removeprefix(inner)
    return f'{stub.removesuffix(" ...")}\n{inner}{prefix}"""{text}{closing}'


def summary(member: Any) -> str:
    """The first paragraph of a docstring; with the schemas before it, if it is an operator's."""
    paragraphs = (inspect.getdoc(member) or "").split("\n\n")
    is_schema = re.match(r"\w+(\.\w+)?\(.*\) -> ", paragraphs[0]) is not None
    return "\n\n".join(paragraphs[: 1 + is_schema])


def operator_summary(operator: OpOverload) -> str:
    """The schema of an overload, and the first paragraph of what its record says."""
    texts = (operator.record.doc, getattr(operator.record.meta, "says", ""))
    first = next((inspect.cleandoc(text).split("\n\n")[0] for text in texts if text), "")
    return "\n\n".join(filter(None, (operator.schema.text, first)))


def by_flags(name: str, shown: list[str], indent: str, doc: str) -> list[str]:
    """The overloads of a function in FLAGS: for each of its flags' values, and for any bool."""
    flags = FLAGS[name]
    lines = []
    for values in itertools.product((False, True), repeat=len(flags)):
        parameters: list[str] = []
        for each in shown:
            kind = each.partition(":")[0]
            if kind not in flags:
                parameters.append(each)
            elif values[flags.index(kind)]:
                parameters += [*(["*"] if "*" not in parameters else []), f"{kind}: Literal[True]"]
            else:
                parameters.append(f"{kind}: Literal[False] = ...")
        result = "Tensor"
        if any(values):
            inner = "Tensor, ..." if name == "nonzero" else ", ".join(["Tensor"] * (1 + sum(values)))
            result = f"tuple[{inner}]"
        lines += [f"{indent}@overload", signature(name, parameters, result, indent, doc)]
    return [*lines, f"{indent}@overload", signature(name, shown, "Any", indent, doc)]


def function(name: str, packet: OpOverloadPacket, is_method: bool, indent: str = "") -> list[str]:
    """The stub of a function or method: all its overloads, in the argument parser's order."""
    operators = [each for each in packet.overloads.values() if not each.schema.is_out]
    operators.sort(key=lambda each: each.schema.overload_name != "")
    forms: dict[Any, str] = {}
    for operator in operators:
        for one_by_one in (False, True):
            shown = parameters(operator, is_method, one_by_one)
            if shown is not None:
                forms.setdefault((tuple(shown), result_type(operator)), operator_summary(operator))
    lists = [(list(shown), result) for shown, result in forms]
    texts = [
        signature(name, shown, result, indent, forms[tuple(shown), result])
        for shown, result in lists
        if not any(is_within((shown, result), other) for other in lists)
    ]
    if len(texts) == 1:
        return texts
    return [line for text in texts for line in (f"{indent}@overload", text)]


def is_within(form: tuple[list[str], str], other: tuple[list[str], str]) -> bool:
    """Whether ``other`` accepts all that ``form`` does: the same parameters, and more with defaults.

    mypy would report such an overload as one that never matches.
    """
    (shown, result), (more, other_result) = form, other
    if form == other or result != other_result:
        return False
    rest = list(more)
    for each in shown:
        if each == "*":
            continue
        name = each.partition(":")[0]
        found = next((index for index, mine in enumerate(rest) if mine.partition(":")[0] == name), None)
        if found is None or not _accepts(rest[found], each):
            return False
        del rest[found]
    return all(each == "*" or each.endswith("= ...") for each in rest)


def _accepts(parameter: str, narrower: str) -> bool:
    """Whether ``parameter``'s type includes all of ``narrower``'s, and has a default if that one does."""
    wide, narrow = (
        set(each.partition(": ")[2].removesuffix(" = ...").split(" | ")) for each in (parameter, narrower)
    )
    optional = narrower.endswith("= ...") and not parameter.endswith("= ...")
    return narrow <= wide and not optional


def written_method(name: str, member: Any, indent: str = "    ") -> list[str]:
    """The stub of a hand-written method, property or function."""
    if isinstance(member, property):
        assert member.fget is not None, name
        kind = public(inspect.get_annotations(member.fget).get("return", "Any"))
        lines = ["    @property", signature(name, ["self"], kind, "    ", summary(member))]
        if member.fset is not None:
            lines += [f"    @{name}.setter", f"    def {name}(self, {name}: {kind}) -> None: ..."]
        return lines
    found = inspect.signature(member)
    shown = []
    star = slash = False
    for parameter in found.parameters.values():
        if slash and parameter.kind is not parameter.POSITIONAL_ONLY:
            shown.append("/")
        slash = parameter.kind is parameter.POSITIONAL_ONLY
        if parameter.name == "self":
            shown.append("self")
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            shown.append("*")
            star = True
        stars = ""
        if parameter.kind is parameter.VAR_POSITIONAL:
            stars = "*"
        elif parameter.kind is parameter.VAR_KEYWORD:
            stars = "**"
        star = star or stars == "*"
        kind = "Any" if parameter.annotation is parameter.empty else public(parameter.annotation)
        words = literal(name, parameter.name)
        if words is not None:
            kind = re.sub(r"\bstr\b", lambda _, words=words: words, kind)  # type: ignore[misc]
        default = "" if parameter.default is parameter.empty else " = ..."
        shown.append(f"{stars}{parameter.name}: {kind}{default}")
    result = "Any" if found.return_annotation is found.empty else public(found.return_annotation)
    if name == "__init__":
        result = "None"
    if FLAGS.get(name, ("",))[0] in found.parameters:
        return by_flags(name, shown, indent, summary(member))
    return [signature(name, shown, result, indent, summary(member))]


def public(text: str) -> str:
    """An annotation of the source, with the stub's names."""
    return "".join(WORDS.get(part, part) for part in re.split(r"(\W+)", text.replace("gn.", "")))


def dunders() -> list[str]:
    """Python's operators on tensors."""
    lines = []
    for name in (
        *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"),
        *("and", "or", "xor", "lshift", "rshift"),
    ):
        lines.append(f"    def __{name}__(self, other: _Operand) -> Tensor: ...")
        if hasattr(Tensor, f"__r{name}__"):
            lines.append(f"    def __r{name}__(self, other: _Scalar) -> Tensor: ...")
        lines.append(f"    def __i{name}__(self, other: _Operand) -> Tensor: ...")
    for name in ("lt", "le", "gt", "ge"):
        lines.append(f"    def __{name}__(self, other: _Operand) -> Tensor: ...")
    for name in ("eq", "ne"):
        lines.append(f"    def __{name}__(self, other: _Operand) -> Tensor: ...  # type: ignore[override]")
    for line in (
        "__matmul__(self, other: Tensor) -> Tensor",
        "__rmatmul__(self, other: Tensor) -> Tensor",
        "__rdiv__(self, other: _Scalar) -> Tensor",
        "__neg__(self) -> Tensor",
        "__pos__(self) -> Tensor",
        "__invert__(self) -> Tensor",
        "__abs__(self) -> Tensor",
        "__bool__(self) -> _bool",
        "__int__(self) -> _int",
        "__index__(self) -> _int",
        "__float__(self) -> _float",
        "__complex__(self) -> complex",
        "__len__(self) -> _int",
        "__hash__(self) -> _int",
        "__iter__(self) -> Iterator[Tensor]",
        "__reversed__(self) -> Tensor",
        "__contains__(self, element: _Operand) -> _bool",
        "__getitem__(self, index: Any) -> Tensor",
        "__setitem__(self, index: Any, value: _Operand) -> None",
        "__copy__(self) -> Tensor",
        "__deepcopy__(self, memo: dict[_int, Any]) -> Tensor",
        "__array__(self, dtype: Any = ..., copy: Any = ...) -> Any",
        "__array_namespace__(self, /, *, api_version: str | None = ...) -> Any",
        "__buffer__(self, flags: _int = ...) -> memoryview",
        _DLPACK,
        "__dlpack_device__(self) -> tuple[IntEnum, _int]",
        "__array_wrap__(self, array: Any, context: Any = ..., return_scalar: _bool = ...) -> Tensor",
    ):
        assert hasattr(Tensor, line.partition("(")[0]), line
        lines.append(f"    def {line}: ...")
    for line in ("__array_interface__", "__cuda_array_interface__"):
        lines += ["    @property", f"    def {line}(self) -> dict[str, Any]: ..."]
    lines += ["    __array_priority__: _int", "    __gnomon_dispatch__: Any"]
    return lines


def tensor_class() -> list[str]:
    """``class Tensor``."""
    lines = slots(Tensor)
    for name, member in sorted(vars(Tensor).items()):
        own = inspect.isfunction(member) and member.__module__ == Tensor.__module__
        if name.startswith("__") or (name in vars(Tensor)["__slots__"]):
            continue
        packet = aten._packets.get(name)
        if name in METHODS:
            for line in METHODS[name]:
                is_signature = line.startswith("def ")
                lines.append(documented(f"    {line}", summary(member) if is_signature else "", "    "))
        elif packet is not None and not own and getattr(member, "__qualname__", "") == f"Tensor.{name}":
            lines.extend(function(name, packet, True, "    "))
        elif isinstance(member, bool):
            lines.append(f"    {name}: _bool")
        elif isinstance(member, property) or inspect.isfunction(member):
            lines.extend(written_method(name, member))
    lines.append("    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...")
    # in the class, type is a method
    return [re.sub(r"(?<!\.)\btype\[", "builtins.type[", line) for line in (*lines, *dunders())]


_DLPACK = """\
__dlpack__(
        self,
        *,
        stream: _int | None = ...,
        max_version: tuple[_int, _int] | None = ...,
        dl_device: tuple[Any, _int] | None = ...,
        copy: _bool | None = ...,
    ) -> Any"""


def slots(kind: type) -> list[str]:
    """The head of a class, and its slots or the members of an enumeration."""
    if issubclass(kind, IntEnum):
        members = [f"    {each.name} = {each.value}" for each in kind]
        return ["", f"class {kind.__name__}(IntEnum):", *members]
    types = inspect.get_annotations(kind)
    names = [each for each in kind.__slots__ if not each.startswith("__")]  # type: ignore[attr-defined]
    return [
        "",
        f"class {kind.__name__}:",
        *(f"    {name}: {public(types.get(name, 'Any'))}" for name in names),
    ]


def result_classes(packets: Iterable[Any]) -> list[str]:
    """The named tuples for operators with several named results."""
    lines: list[str] = []
    for packet in sorted(packets, key=lambda each: each.name):
        for operator in packet.overloads.values():
            if has_named_results(operator) and not operator.schema.is_out:
                if f"class _{packet.name}_result(NamedTuple):" in lines:
                    continue
                lines += ["", f"class _{packet.name}_result(NamedTuple):"]
                lines += [f"    {each.name}: Tensor" for each in operator.schema.returns]
    return lines


def public_result_classes() -> list[str]:
    """The named tuples of the operators in the public namespace."""
    return result_classes(packet for packet in aten if hasattr(gnomon, packet.name))


def tensor_stubs() -> str:
    """The text of memory/tensor.pyi."""
    lines = [TENSOR_HEADER.replace("{aliases}", ALIASES.rstrip())]
    lines += public_result_classes()
    own = [
        each
        for each in vars(tensor_module).values()
        if getattr(each, "__module__", "") == tensor_module.__name__
    ]
    for each in own:
        if inspect.isclass(each) and each is not Tensor:
            lines += slots(each)
            if not issubclass(each, IntEnum):
                for name, member in vars(each).items():
                    if inspect.isfunction(member):
                        lines += written_method(name, member)
    lines += tensor_class()
    lines.append("")
    functions = {
        each.__name__: each for each in own if inspect.isfunction(each) and not each.__name__.startswith("_")
    }
    for name, each in functions.items():
        lines += written_method(name, each, "")
    lines.append("")
    lines.append("INFERENCE_VERSION: VersionCounter")
    return "\n".join(lines) + "\n"


def imports(module: str, names: list[str]) -> str:
    """An import of several names, one per line."""
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


def from_functional() -> dict[str, str]:
    """The hand-written public functions, which have their own annotations, and the files that they are in."""
    files = [f"gnomon.bindings.{name}" for name in ("functional", "lobpcg", "low_rank")] + ["gnomon.sparse"]
    return {
        name: member.__module__.removeprefix("gnomon")
        for name, member in sorted(vars(gnomon).items())
        if inspect.isfunction(member)
        and member.__module__ in files
        and name not in ("vmap", "meshgrid", *FLAGS)
    }


def imported(room: str) -> str:
    """The imports of the hand-written public functions of a room."""
    written = sorted(from_functional().items(), key=lambda each: each[::-1])
    return "\n".join(
        f"from {file} import {name} as {name}" for name, file in written if file.startswith(room)
    )


def module_stubs(module: str) -> str:
    """The text of linalg.pyi and similar stubs: operators under the names of a module."""
    names = functions_of(module)
    packets = [
        packet
        for packet in sorted(aten, key=lambda each: each.name)
        if packet.name.startswith(f"{module}_") and packet.name.removeprefix(f"{module}_") in names
    ]
    prefix = f"{module}_"
    body = [line for packet in packets for line in function(packet.name.removeprefix(prefix), packet, False)]
    classes = result_classes(packets)
    text = "\n".join([*classes[1:], *[""] * bool(classes), *body])
    header = MODULE_HEADER.replace("{errors}", MODULE_ERRORS.get(module, ""))
    return (
        header.replace("{module}", module).replace(
            "{aliases}", ALIASES.replace("_qscheme: TypeAlias = qscheme\n", "").rstrip()
        )
        + text
        + "\n"
    )


def functional_stubs() -> str:
    """The text of nn/functional/__init__.pyi."""
    body = []
    imports = []
    for name, member in sorted(vars(gnomon.nn.functional).items()):
        if name.startswith("_") or not callable(member):
            if name.isupper():
                imports.append(f"from .arguments import {name} as {name}")
            continue
        packet = aten._packets.get(name)
        if packet is not None and (member is packet.parser or "args" in inspect.signature(member).parameters):
            body += function(name, packet, False)
        elif member.__module__ == "gnomon.nn.functional.arguments":
            imports.append(f"from .arguments import {name} as {name}")
        else:
            body += written_method(name, member, "")
    text = "\n".join(body)
    words = sorted({*re.findall(r"\b(?:\w+Mode|Reduction)\b", text)})
    header = FUNCTIONAL_HEADER.replace("{imports}", "\n".join(imports)).replace("{words}", ", ".join(words))
    return f"{header}\n{text}\n"


def formatted(path: Path, text: str) -> str:
    """A stub as ruff formats it.  Raises CalledProcessError if ruff cannot read it."""
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(path), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def public_stubs() -> str:
    """The text of __init__.pyi."""
    lazy = [name for name in vars(gnomon)["_LAZY"] if importlib.util.find_spec(f"gnomon.{name}") is not None]
    results = [
        line.split("(")[0].removeprefix("class ")
        for line in public_result_classes()
        if line.startswith("class")
    ]
    filled = {
        "submodules": "\n".join(
            f"from . import {name} as {name}" for name in sorted([*lazy, "ops", "quantized", "sparse"])
        ),
        "results": imports(".memory.tensor", results),
        "functional": imported(".bindings"),
        "sparse": imported(".sparse"),
        "aliases": ALIASES,
    }
    for name, room in sorted(vars(gnomon)["_LAZY_PARTS"].items()):
        filled[room] = f"{filled[room]}\n" if room in filled else ""
        filled[room] += f"from .{room} import {name} as {name}"
    text = HEADER
    for name, value in filled.items():
        text = text.replace("{" + name + "}", value)
    lines = [text]
    for name, member in sorted(vars(gnomon).items()):
        if isinstance(member, (gnomon.layout, gnomon.memory_format, gnomon.dtype, gnomon.qscheme)):
            lines.append(f"{name}: _{type(member).__name__}")
    lines.append("")
    for name in ("meshgrid", *FLAGS):
        if inspect.isfunction(vars(gnomon).get(name)) and vars(gnomon)[name].__module__ != "gnomon":
            lines.extend(written_method(name, vars(gnomon)[name], ""))
    written = {*from_functional(), "meshgrid", *(name for name in FLAGS if "pool" not in name)}
    for packet in aten:
        if packet.name in written:
            continue
        if is_public(packet.name) and inspect.isfunction(vars(gnomon).get(packet.name)):
            lines.extend(function(packet.name, packet, False))
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write or check the files; return the exit status."""
    texts = {TENSOR: tensor_stubs(), PUBLIC: public_stubs()}
    modules = {each.record.python_module for packet in aten for each in packet.overloads.values()} - {
        "",
        "nn",
    }
    texts |= {PUBLIC.with_name(module) / "__init__.pyi": module_stubs(module) for module in modules}
    texts[FUNCTIONAL] = functional_stubs()
    texts = {path: formatted(path, text) for path, text in texts.items()}
    if "--check" in sys.argv:
        stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
        for path in stale:
            print(f"{path} is out of date: run python tools/make_stubs.py", file=sys.stderr)
        return 1 if stale else 0
    for path in texts:
        if not path.parent.is_dir():
            raise SystemExit(
                f"there is no package {path.parent.name!r}, which a record names by python_module"
            )
    for path, text in texts.items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
