"""Code generation.

PyTorch has thousands of functions that do nearly nothing: they pass their arguments on to the dispatcher.
Nobody writes them; a program does, from the records of native_functions.yaml.

Write ``generate_method``, which returns the text of a Python function with a given name and parameters,
which calls ``call`` with the operator's full name and all arguments by position, in the order of the
parameters.  Defaults are in the text (``repr`` writes them), and ``kwarg_only`` parameters come after an
asterisk.  A parameter whose name is a keyword of Python (``from``) gets an underscore at its end.

    generate_method("add", "add.Tensor", [
        Parameter("self", REQUIRED, False), Parameter("other", REQUIRED, False), Parameter("alpha", 1, True)])

returns

    def add(self, other, *, alpha=1):
        return call('add.Tensor', self, other, alpha)
"""

from __future__ import annotations

from typing import Any, NamedTuple

REQUIRED = object()


class Parameter(NamedTuple):
    """A parameter of an operator."""

    name: str
    default: Any  # or REQUIRED
    kwarg_only: bool


def generate_method(name: str, operator: str, parameters: list[Parameter]) -> str:
    """The text of a function ``name`` that calls ``operator``."""
    raise NotImplementedError
