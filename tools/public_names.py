"""Writes docs/pytorch_names.md: all public names of PyTorch, and whether gnomon has them.

python tools/public_names.py docs/pytorch_names.md     # needs PyTorch

A module's public names are those of its ``__all__``; without one, those of its attributes without an
underscore that are PyTorch's and not modules.  gnomon has a name if ``gnomon.compat.torch`` has it in the
same place.
"""

from __future__ import annotations

import argparse
import importlib
import os
import pkgutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

ALIAS = "gnomon.compat.torch"

# Modules of PyTorch, with all in them, that gnomon leaves out, and why.
LEFT_OUT = {
    "ao": "quantization of whole models by tracers; `gn.ao.quantization` has what quantized.md describes",
    "backends": "switches of PyTorch's own kernels; `gn.backends` answers those that programs ask",
    "contrib": "experiments of PyTorch's",
    "cpu": "questions about PyTorch's own kernels",
    "csrc": "PyTorch's C++",
    "distributed.argparse_util": "arguments of PyTorch's launcher",
    "distributed.autograd": "gradients over RPC",
    "distributed.collective_utils": "helpers of PyTorch's own packages",
    "distributed.config": "settings of PyTorch's own groups",
    "distributed.debug": "a server of PyTorch's debugging tools",
    "distributed.distributed_c10d": "PyTorch's own file; `gn.distributed` has its functions",
    "distributed.elastic": "agents of PyTorch's launcher; `python -m gnomon.distributed.run` is gnomon's",
    "distributed.flight_recorder": "records of NCCL's calls",
    "distributed.launch": "the old name of PyTorch's launcher",
    "distributed.launcher": "PyTorch's launcher; `python -m gnomon.distributed.run` is gnomon's",
    "distributed.rendezvous": "stores, by which PyTorch's processes meet",
    "distributed.rpc": "calls of functions in other processes",
    "distributed.run": "PyTorch's launcher; `python -m gnomon.distributed.run` is gnomon's",
    "export": "graphs of programs",
    "fx": "graphs of programs",
    "jit": "TorchScript",
    "monitor": "counters of PyTorch's services",
    "mps": "Apple's GPUs",
    "mtia": "Meta's accelerators",
    "nn.intrinsic": "quantization of whole models by PyTorch's tracers",
    "nn.qat": "quantization of whole models by PyTorch's tracers",
    "nn.quantizable": "quantization of whole models by PyTorch's tracers",
    "nn.quantized": "the old name of `ao.nn.quantized`",
    "nested": "nested tensors",
    "onnx": "export to ONNX",
    "package": "archives of models with their code",
    "quantization": "the old name of `ao.quantization`",
    "testing": "PyTorch's own tests; `gn.testing` has `assert_close` and `make_tensor`",
    "xpu": "Intel's GPUs",
}
# Tools of PyTorch's developers.
_SKIPPED = tuple(
    f"torch.{each}" for each in ("bin", "lib", "utils.benchmark.examples", "utils.bottleneck", "utils.hipify")
)


class Names(NamedTuple):
    """The public names of a module (or of Tensor), and those of them that gnomon lacks."""

    module: str
    names: tuple[str, ...]
    missing: tuple[str, ...]


def modules(root: ModuleType) -> Iterator[ModuleType]:
    """A package's public modules, itself first, as far as they can be imported."""
    yield root
    for found in pkgutil.walk_packages(root.__path__, f"{root.__name__}.", onerror=lambda name: None):
        if any(part.startswith("_") for part in found.name.split(".")) or found.name.startswith(_SKIPPED):
            continue
        try:
            yield importlib.import_module(found.name)
        except BaseException:  # a package that is not installed, or a program that ends
            continue


def public_names(module: ModuleType) -> list[str]:
    """The public names of a module."""
    listed = getattr(module, "__all__", None)
    if listed is not None:
        return sorted({name for name in listed if not name.startswith("_") and hasattr(module, name)})
    return sorted(name for name, value in vars(module).items() if _is_public(name, value))


def _is_public(name: str, value: Any) -> bool:
    if name.startswith("_") or isinstance(value, ModuleType):
        return False
    home = getattr(value, "__module__", None)
    return isinstance(home, str) and home.partition(".")[0] == "torch"


def ours(name: str) -> Any:
    """gnomon's module for ``torch.name``, or None."""
    try:
        return importlib.import_module(f"{ALIAS}.{name}" if name else ALIAS)
    except ImportError:
        return None


def collected() -> list[Names]:
    """All public names of PyTorch, by module."""
    import torch

    of_tensor = [each for each in dir(torch.Tensor) if not each.startswith("_")]
    found = [_compared("torch.Tensor", of_tensor, _tensor())]
    for module in modules(torch):
        names = public_names(module)
        if names:
            found.append(_compared(module.__name__, names, ours(module.__name__.partition(".")[2])))
    return sorted(found)


def _tensor() -> Any:
    import gnomon

    return gnomon.Tensor


def _compared(module: str, names: list[str], owner: Any) -> Names:
    missing = names if owner is None else [name for name in names if not hasattr(owner, name)]
    return Names(module, tuple(names), tuple(missing))


def left_out(module: str) -> str:
    """Why gnomon leaves a module out; "" if it does not."""
    return LEFT_OUT.get(head_of(module), "")


def head_of(module: str) -> str:
    """The part of a module's name that LEFT_OUT may list."""
    parts = module.split(".")[1:]
    both = ".".join(parts[:2])
    return both if both in LEFT_OUT else ".".join(parts[:1])


_HEAD = """\
# PyTorch's public names

All public names of PyTorch {version}, and whether gnomon has them. `python tools/public_names.py
docs/pytorch_names.md` writes this page. A module's public names are those of its `__all__` (of `torch`, also
classes that PyTorch's C++ exports for TorchScript); without one, its attributes without an underscore that
are PyTorch's. gnomon has a name if `gnomon.compat.torch` has it in the same place; what it does there is what
the tests and [operators.md](operators.md) say.

Of {total} names in the modules that gnomon follows, it has **{there} ({share})**. A program that uses
another one is told so by `python -m gnomon.compat script.py`, with the names that are like it.

## Modules that gnomon follows

| module | names | there | missing |
|---|---:|---:|---|"""

_LEFT_OUT_HEAD = """
## Modules that gnomon leaves out

| module | names | there | what it is |
|---|---:|---:|---|"""


def page(found: list[Names], version: str) -> str:
    """The page."""
    kept = [each for each in found if not left_out(each.module)]
    out = [each for each in found if left_out(each.module)]
    there, total = (sum(len(n.names) - len(n.missing) for n in kept), sum(len(n.names) for n in kept))
    lines = [_HEAD.format(version=version, total=total, there=there, share=f"{there / total:.1%}")]
    for each in kept:
        missing = ", ".join(f"`{name}`" for name in each.missing)
        there = len(each.names) - len(each.missing)
        lines.append(f"| `{each.module}` | {len(each.names)} | {there} | {missing} |")
    lines.append(_LEFT_OUT_HEAD)
    for head in dict.fromkeys(head_of(each.module) for each in out):
        rows = [each for each in out if head_of(each.module) == head]
        count = sum(len(each.names) for each in rows)
        has = count - sum(len(each.missing) for each in rows)
        lines.append(f"| `torch.{head}` | {count} | {has} | {LEFT_OUT[head]} |")
    return "\n".join([*lines, ""])


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    import torch

    text = page(collected(), torch.__version__.partition("+")[0])
    temporary = options.file.with_name(f"{options.file.name}.{os.getpid()}.tmp")
    temporary.write_text(text, "utf-8")
    temporary.replace(options.file)
    print(text.split("\n")[8], file=sys.stderr)


if __name__ == "__main__":
    main()
