"""Signatures in stubs: of operators, by their schemas, and of functions and methods, by their annotations."""

from __future__ import annotations

import inspect
import itertools
import keyword
import re
from collections.abc import Sequence
from typing import Any

from gnomon.bindings.argument_parser import numbers_for_tensors
from gnomon.dispatch.dispatcher import OpOverload, OpOverloadPacket
from gnomon.values.schema import REQUIRED, Argument

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
}

# Types of arguments of hand-written functions that the source can not name, since it imports NumPy late.
NUMPY_TYPES = {("from_numpy", "array"): "NDArray[Any]"}

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

TO_OPTIONS = "non_blocking: _bool = ..., copy: _bool = ..., *, memory_format: _memory_format | None = ..."

# Methods whose type depends on their arguments, or that are lambdas in the source.
METHODS = {
    "_make_subclass": [
        "@staticmethod",
        "def _make_subclass(cls: type[_Self], data: Tensor, require_grad: _bool = ...) -> _Self: ...",
    ],
    "conj": ["def conj(self) -> Tensor: ..."],
    "cpu": ["def cpu(self, memory_format: _memory_format = ...) -> Tensor: ..."],
    "cuda": [
        "def cuda(self, device: _Device | None = ..., non_blocking: _bool = ..., memory_format: _memory_format = ...) -> Tensor: ..."  # noqa: E501
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
    "tolist": ["def tolist(self) -> list[Any]: ..."],  # or a number, as in PyTorch's stubs
    "type": [
        "@overload",
        "def type(self, dtype: None = ..., non_blocking: _bool = ...) -> str: ...",
        "@overload",
        "def type(self, dtype: _dtype | str | type[Any], non_blocking: _bool = ...) -> Tensor: ...",
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
        if one_by_one and is_spread(schema.arguments[is_method:], position - is_method):
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
    """Whether this list of ints may be given as several arguments: if it is the only positional one, beside a
    method's self (argument_parser.py).
    """
    argument = arguments[position]
    is_alone = [each for each in arguments if not each.kwarg_only] == [argument]
    return is_alone and argument.is_list and argument.type in INTEGERS and argument.list_size is None


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
        result = "Tensor"
        if any(values):
            inner = "Tensor, ..." if name == "nonzero" else ", ".join(["Tensor"] * (1 + sum(values)))
            result = f"tuple[{inner}]"
        true = [flag for flag, value in zip(flags, values) if value]
        for by_position in range(len(true) + 1 if "*" not in shown else 1):
            parameters = _with_flags(shown, flags, true[:by_position], true[by_position:])
            lines += [f"{indent}@overload", signature(name, parameters, result, indent, doc)]
    return [*lines, f"{indent}@overload", signature(name, shown, "Any", indent, doc)]


def _with_flags(
    shown: list[str], flags: Sequence[str], by_position: list[str], by_name: list[str]
) -> list[str]:
    """Parameters of which some flags are True, by position or by name; the other flags are False.

    What comes before one that is given by position is given, too.
    """
    parameters: list[str] = []
    kinds = [each.partition(":")[0] for each in shown]
    required = max((kinds.index(each) for each in by_position), default=-1)
    for position, (kind, each) in enumerate(zip(kinds, shown)):
        default = "" if position <= required else " = ..."
        if kind in by_position:
            parameters.append(f"{kind}: Literal[True]")
        elif kind in by_name:
            parameters += [*(["*"] if "*" not in parameters else []), f"{kind}: Literal[True]"]
        elif kind in flags:
            parameters.append(f"{kind}: Literal[False]{default}")
        else:
            parameters.append(each.removesuffix(" = ...") if position <= required else each)
    return parameters


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
        kind = NUMPY_TYPES.get((name, parameter.name), kind)
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
