"""The Python interface: a page for each public module, from the docstrings."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

MODULES = {
    "gnomon.nn": "layers",
    "gnomon.nn.functional": "layers as functions",
    "gnomon.nn.init": "initial values of parameters",
    "gnomon.nn.utils": "clipping, parametrizations, packed sequences",
    "gnomon.optim": "optimizers",
    "gnomon.optim.lr_scheduler": "learning rates over time",
    "gnomon.autograd": "gradients",
    "gnomon.autograd.functional": "Jacobians and Hessians",
    "gnomon.func": "transforms of functions: grad, vmap, jvp",
    "gnomon.utils.data": "data sets and loaders",
    "gnomon.amp": "mixed precision",
    "gnomon.distributions": "probability distributions",
    "gnomon.linalg": "linear algebra",
    "gnomon.fft": "Fourier transforms",
    "gnomon.special": "special functions",
    "gnomon.sparse": "sparse tensors",
    "gnomon.quantized": "quantized tensors",
    "gnomon.masked": "reductions of masked tensors",
    "gnomon.library": "operators of programs",
    "gnomon.backends": "the backends of this machine",
    "gnomon.learn": "explanations, drawings, walks",
    "gnomon.profiler": "where time goes",
    "gnomon.testing": "comparisons of tensors",
    "gnomon.hub": "models of others",
    "gnomon.utils": "inline kernels, checkpoints, DLPack and others",
    "gnomon_conformance.libraries": "libraries as subjects of the conformance suite",
}


def write(folder: Path) -> None:
    """Write the pages, and ``index.md``, into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        "# Python interface",
        "",
        "By module, from the docstrings. Operators have [pages of their own](../operators/index.md).",
        "",
    ]
    lines += [
        "| module | |",
        "|---|---|",
        "| [gnomon.Tensor](Tensor.md) | tensors: attributes and methods written in Python |",
    ]
    (folder / "Tensor.md").write_text(_page_of_class("gnomon.Tensor"), "utf-8")
    for name, what in MODULES.items():
        (folder / f"{name}.md").write_text(_page(name, what), "utf-8")
        lines.append(f"| [{name}]({name}.md) | {what} |")
    lines += ["", "```{toctree}", ":hidden:", "", "Tensor", *MODULES, "```", ""]
    (folder / "index.md").write_text("\n".join(lines), "utf-8")


def _page_of_class(name: str) -> str:
    return "\n".join([f"# {name}", "", "```{eval-rst}", f".. autoclass:: {name}", "```", ""])


def public_names(module: ModuleType) -> list[str]:
    """The names of a module that are its own: no modules, and nothing of other libraries."""
    names = getattr(module, "__all__", None) or [each for each in dir(module) if not each.startswith("_")]
    found = []
    for name in names:
        value = getattr(module, name, None)
        origin = getattr(value, "__module__", None) or ""
        if (
            not inspect.ismodule(value)
            and callable(value)
            and origin.partition(".")[0] in ("gnomon", "gnomon_conformance")
        ):
            found.append(name)
    return sorted(found, key=lambda each: (each.lower(), each))


def _page(name: str, what: str) -> str:
    module = importlib.import_module(name)
    lines = [f"# {name}", "", f"{what[0].upper()}{what[1:]}.", ""]
    rows = []
    for each in public_names(module):
        value: Any = getattr(module, each)
        kind = "autoclass" if inspect.isclass(value) else "autofunction"
        rows += [f".. {kind}:: {name}.{each}", ""]
    return "\n".join([*lines, "```{eval-rst}", *rows, "```", ""])
