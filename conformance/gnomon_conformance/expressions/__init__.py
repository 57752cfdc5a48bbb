"""Expressions: for each public name, Python expressions that are valid in both gnomon and PyTorch.

Samples call operators with all arguments of their schemas; expressions call functions, methods, nn.functional
and Python's operators, with keywords and defaults, as users write them.  Each file adds to ``EXPRESSIONS``
with ``expressions_of``.  An expression can use

    gn        the library, F its nn.functional
    t(2, 3)   a tensor: sizes, and the fields of description.tensor (dtype="int64", values="positive", seed=1,
              layout="transposed"); float32 and contiguous by default
    grad(function, *tensors)   the gradients of those tensors, for a fixed gradient of each result
    inf, nan

``"x = t(3); x.zero_(); x"``: statements, of which the last is the expression whose value is compared.
"""

from __future__ import annotations

import ast
import functools
import importlib
import pkgutil
import warnings
from typing import Any, NamedTuple

from ..execution.runner import SEED, Failure, Framework, TensorOutcome, failure_of
from ..inputs.description import stored, tensor

EXPRESSIONS: dict[str, list[str]] = {}
FAMILIES: dict[str, str] = {}  # public name -> the file here that has its first expressions


def expressions_of(name: str, *texts: str) -> None:
    """Add expressions for the public name ``name``, such as "flip" or "nn.functional.pad"."""
    EXPRESSIONS.setdefault(name, []).extend(texts)


@functools.cache
def all_expressions() -> dict[str, list[str]]:
    """Public name -> its expressions, from all files of this package."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
        for name in EXPRESSIONS:
            FAMILIES.setdefault(name, module.name)
    return EXPRESSIONS


class Value(NamedTuple):
    """The value of an expression: the structure of its containers, and its leaves in order."""

    structure: Any
    leaves: tuple[Any, ...]
    failure: Failure | None


class Library:
    """One of the two libraries, as used in expressions; ``framework`` builds its tensors."""

    def __init__(self, framework: Framework, module: Any):
        self.framework = framework
        self.module = module

    def make(self, *sizes: int, dtype: str = "float32", layout: str = "contiguous", **fields: Any) -> Any:
        """Implements ``t(...)``."""
        description = tensor(*sizes, dtype=dtype, layout=layout, **fields)
        return self.framework.build(stored(description, dtype, layout, 0))[1]

    def grad(self, function: Any, *tensors: Any) -> list[Any]:
        """Implements ``grad(...)``."""
        leaves = [each.detach().clone().requires_grad_() for each in tensors]
        result = function(*leaves)
        roots = list(result) if isinstance(result, (tuple, list)) else [result]
        roots = [each for each in roots if self.framework.is_tensor(each) and each.requires_grad]
        incoming = [
            self.make(
                *each.shape, dtype=str(each.dtype).partition(".")[2] or each.dtype.name, values="unit", seed=7
            )
            for each in roots
        ]
        self.framework.backward(roots, incoming)
        return [each.grad for each in leaves]

    def evaluate(self, text: str) -> Value:
        """Evaluate an expression."""
        names = {
            "gn": self.module,
            "F": self.module.nn.functional,
            "t": self.make,
            "grad": self.grad,
            "inf": float("inf"),
            "nan": float("nan"),
        }
        self.module.manual_seed(SEED)
        body = ast.parse(text).body
        last = body.pop()
        assert isinstance(last, ast.Expr), f"the last statement is no expression: {text}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(compile(ast.Module(body, []), text, "exec"), names)
                result = eval(compile(ast.Expression(last.value), text, "eval"), names)
            except Exception as error:  # compared with what the other library raises
                return Value(None, (), failure_of(error))
        leaves: list[Any] = []
        return Value(self._structure(result, leaves), tuple(leaves), None)

    def _structure(self, result: Any, leaves: list[Any]) -> Any:
        if self.framework.is_tensor(result):
            dtype, sizes, strides, *_ = self.framework.observe(result)
            leaves.append(
                TensorOutcome(dtype, sizes, strides, 0, "", None, self.framework.numbers(result.detach()))
            )
            return "grad" if result.requires_grad else "tensor"
        if isinstance(result, (list, tuple)):
            kind = "list" if isinstance(result, list) else "tuple"
            return [kind, *(self._structure(each, leaves) for each in result)]
        if isinstance(result, dict):
            return ["dict", *([key, self._structure(result[key], leaves)] for key in sorted(result))]
        if result is None or isinstance(result, (bool, int, float, complex)):
            leaves.append(result)
            return type(result).__name__
        return str(result).replace("torch.", "gnomon.")


def find(module: Any, name: str) -> Any:
    """The attribute of ``module`` with a dotted public name, or None."""
    for part in name.split("."):
        module = getattr(module, part, None)
        if module is None:
            return None
    return module


def forms(module: Any, name: str) -> dict[str, bool]:
    """The forms in which a library offers a public name: function, method, in-place method."""
    method = getattr(module.Tensor, name, None) if "." not in name else None
    return {
        "function": find(module, name) is not None and not isinstance(find(module, name), type),
        "method": method is not None,
        "in place": "." not in name
        and not name.startswith("__")
        and hasattr(module.Tensor, f"{name.removesuffix('_')}_"),
    }
