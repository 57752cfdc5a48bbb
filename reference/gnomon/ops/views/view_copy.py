"""Copies of views: ``unsqueeze_copy`` returns what ``unsqueeze`` does, in memory of its own.

Each is derived from its view.  Programs that may not have aliases are made of these operators
(``func.functionalize``).  Source: torchgen/gen_functionalization_type.py, derivatives.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ...calls.native import native_function
from ...calls.record import Out
from ...dispatch.dispatcher import OpOverload, aten
from ...memory.tensor import Tensor
from ...values.device import contiguous_format

_VIEWS = [
    *("alias", "as_strided", "detach", "diagonal", "expand", "narrow", "permute", "select.int"),
    *("slice.Tensor", "split.Tensor", "split_with_sizes", "squeeze", "squeeze.dim", "squeeze.dims", "t"),
    *("transpose.int", "unbind.int", "unfold", "unsqueeze", "view", "view.dtype", "view_as_complex"),
    "view_as_real",
]


def _schema(view: OpOverload) -> str:
    """``unbind_copy.int(Tensor self, int dim=0) -> Tensor[]`` for ``unbind.int``."""
    name, parenthesis, rest = view.schema.text.partition("(")
    base, dot, overload = name.partition(".")
    return f"{base}_copy{dot}{overload}{parenthesis}" + re.sub(r"\(a( -> \*)?\)", "", rest)


def _copies(view: OpOverload) -> Callable[..., Any]:
    # a copy may have sizes that no view has
    make = aten.reshape if view.name == "view" else view

    def copies(*arguments: Any) -> Any:
        found = make(*arguments)
        if isinstance(found, Tensor):
            return found.clone(memory_format=contiguous_format)
        return tuple(each.clone(memory_format=contiguous_format) for each in found)

    return copies


for _name in _VIEWS:
    _view = aten._find(_name)
    native_function(
        _schema(_view),
        variants="function, method" if _name == "narrow" else "function",
        composite=_copies(_view),
        out=Out(f"{_view.schema.overload_name}_out".lstrip("_"), exact=True),
        doc=f"""Returns what ``{_view.schema.name}`` returns as a contiguous copy with memory of its own.

        The result has the sizes and the dtype of that view.""",
    )
