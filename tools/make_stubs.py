"""Writes type stubs for what gnomon generates at import from its operators' records, for mypy and editors.

reference/gnomon/memory/tensor.pyi has the class Tensor with all its methods, reference/gnomon/__init__.pyi
the functions and the other public names.

    python tools/make_stubs.py          writes the files
    python tools/make_stubs.py --check  exits with 1 if the files are out of date
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from enum import IntEnum
from pathlib import Path
from typing import Any

os.environ["GNOMON_SPEEDUPS"] = "none"  # so that all functions are Python functions, with signatures

from stubs.headers import ALIASES, FUNCTIONAL_HEADER, HEADER, MODULE_ERRORS, MODULE_HEADER, TENSOR_HEADER
from stubs.signatures import (
    FLAGS,
    METHODS,
    documented,
    function,
    has_named_results,
    public,
    summary,
    written_method,
)

import gnomon
import gnomon.memory.tensor as tensor_module
import gnomon.nn.functional
from gnomon.bindings.functions import functions_of, is_public
from gnomon.dispatch.dispatcher import aten
from gnomon.memory.tensor import Tensor

PUBLIC = Path(gnomon.__file__).with_suffix(".pyi")
TENSOR = Path(tensor_module.__file__).with_suffix(".pyi")
FUNCTIONAL = Path(gnomon.nn.functional.__file__).with_suffix(".pyi")


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
        "__getitem__(self, index: _Index) -> Tensor",
        "__setitem__(self, index: _Index, value: _Operand) -> None",
        "__copy__(self) -> Tensor",
        "__deepcopy__(self, memo: dict[_int, Any]) -> Tensor",
        "__array__(self, dtype: Any = ..., copy: Any = ...) -> Any",
        "__array_namespace__(self, /, *, api_version: str | None = ...) -> Any",
        "__array_function__(self, func: Any, types: Any, args: Any, kwargs: dict[str, Any], /) -> Any",
        "__buffer__(self, flags: _int = ...) -> memoryview",
        _DLPACK,
        "__dlpack_device__(self) -> tuple[IntEnum, _int]",
        "__array_wrap__(self, array: Any, context: Any = ..., return_scalar: _bool = ...) -> Tensor",
    ):
        assert hasattr(Tensor, line.partition("(")[0]), line
        lines.append(f"    def {line}: ...")
    for line in ("__array_interface__", "__cuda_array_interface__"):
        lines += ["    @property", f"    def {line}(self) -> dict[str, Any]: ..."]
    lines += ["    @property", "    def __array_struct__(self) -> Any: ..."]
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
        packet = aten._packets.get(member.__name__)
        if packet is not None and (member is packet.parser or "args" in inspect.signature(member).parameters):
            body += function(name, packet, False)
        elif member.__module__ == "gnomon.nn.functional.arguments":
            imports.append(f"from .arguments import {name} as {name}")
        else:
            body += written_method(name, member, "")
    text = "\n".join(body)
    words = sorted({*re.findall(r"\b(?:\w+Mode|Reduction|\w*Sizes|Ratios)\b", text)})
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
    for name in ("from_numpy", "meshgrid", *FLAGS):
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
