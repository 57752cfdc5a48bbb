"""Adaptors that say in the library's own words, as Python's expressions, what each operator is.

From an expression both the function that the suite calls and the program that shows a difference are made.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..collection import selection
from ..execution.runner import Gnomon, TensorOutcome, incoming_gradient, prepare, run
from ..inputs.description import (
    Sample,
    Stored,
    TensorDescription,
    complete,
    descriptions,
    given,
    stored,
)
from .adaptor import Library
from .calls import row_major

_DIMENSIONS = ("dim", "dim0")


class WrittenLibrary(Library):
    """An adaptor with expressions; a subclass adds what every ``Library`` has, and ``tensor_text``.

    imports      statements that import what the expressions use; the first name they import is the library's
    expressions  operator -> an expression of the arguments of the operator's schema, by their names
    declines     operator -> an expression that is the reason not to make a call, or false

    ``functions`` is made of the expressions whose functions the library has.  Only PyTorch takes the
    dimensions 0 and -1 of a tensor that has none; such calls are declined.
    """

    imports: str = ""
    expressions: Mapping[str, str] = {}
    declines: Mapping[str, str] = {}
    shares_text: str = ""  # an expression for whether {result} and {argument} share memory

    def __init__(self) -> None:
        self._namespace: dict[str, Any] = {}
        exec(self.imports, self._namespace)
        self.functions = {  # type: ignore[misc]
            name: self._function(name, text) for name, text in self.expressions.items() if self._has(text)
        }

    def _has(self, text: str) -> bool:
        """Whether the library has all functions that an expression names."""
        for root, path in re.findall(r"\b(\w+)((?:\.\w+)+)", text):
            found = self._namespace.get(root)
            for part in path[1:].split(".") if found is not None else ():
                if not hasattr(found, part):
                    return False
                found = getattr(found, part)
        return True

    def _function(self, name: str, text: str) -> Callable[..., Any]:
        names = [each.name for each in selection.operators()[name].schema.arguments]
        head = f"lambda {', '.join(names)}:"
        made = eval(f"{head} {text}", self._namespace)
        declines = self._declining(name)

        @functools.wraps(made)
        def function(*values: Any) -> Any:
            given = dict(zip(names, values))
            if any(given.get(each) in (0, -1) for each in _DIMENSIONS if isinstance(given.get(each), int)):
                if "self" in given and given["self"].ndim == 0:
                    raise NotImplementedError("a tensor of no dimensions has no axis 0")
            declines(*values)
            return made(*values)

        return function

    def _declining(self, name: str) -> Callable[..., None]:
        """A function that raises NotImplementedError for the arguments of a call that is not made."""
        names = [each.name for each in selection.operators()[name].schema.arguments]
        reason = eval(f"lambda {', '.join(names)}: {self.declines.get(name, 'None')}", self._namespace)

        def declines(*values: Any) -> None:
            why = reason(*values)
            if why:
                raise NotImplementedError(why)

        return declines

    def tensor_text(self, numbers: Sequence[Any], sizes: Sequence[int], dtype: str) -> str:
        """An expression that makes a tensor with these elements."""
        raise NotImplementedError(f"{self.name} has no tensor_text()")

    def strided_text(self, contents: Stored) -> str:
        """An expression that makes a tensor with these strides; "" if programs have contiguous ones."""
        return ""

    def dtype_text(self, name: str) -> str:
        """An expression for what ``dtype`` returns."""
        return repr(name)

    def call_text(self, operator: str, values: Mapping[str, Any]) -> str:
        """An expression that calls an operator with variables of these names."""
        return self.expressions[operator]

    def printed_text(self, text: str, is_one: bool) -> str:
        """An expression that prints the numbers of a call's result, or of its results; a library that
        computes late does it here.
        """
        return text

    def tracked_text(self, text: str) -> str:
        """An expression for the tensor of ``text``, of which a gradient will be asked."""
        return text

    def gradient_text(self, call: str, inputs: Sequence[str], incoming: str) -> str:
        """An expression for the gradients of the variables ``inputs`` of a call with one result; "" if the
        adaptor writes no programs with gradients.
        """
        return ""

    def program(
        self,
        operator: str,
        sample: Sample,
        dtype: str,
        layout: str,
        problems: Sequence[str],
        has_gradient: bool = False,
    ) -> str:
        """A program without the suite that makes a call, and prints what ``problems`` say of it, which may be
        of its gradient; "" if there is none.
        """
        schema = selection.operators()[operator].schema
        try:
            call = prepare(_Texts(self), schema, sample, dtype, layout)  # type: ignore[arg-type]
        except (AttributeError, NotImplementedError):
            return ""  # tensors of one storage, or a layout that the library does not have
        values = {each.name: value for each, value in zip(schema.arguments, call.values)}
        text = self.call_text(operator, values)
        if has_gradient:
            inputs = [
                name
                for name, value in values.items()
                if any(value is each and wanted for each, wanted in zip(call.tensors, call.differentiable))
            ]
            values.update({name: _Text(self.tracked_text(values[name])) for name in inputs})
            incoming = self._incoming_text(operator, sample, dtype, layout)
            shown = self.gradient_text(text, inputs, incoming) if incoming and inputs else ""
            if not shown:
                return ""
        else:
            shown = self._shown(text, problems[0], schema)
        used = {name: value for name, value in values.items() if re.search(rf"(?<!\.)\b{name}\b(?!=)", shown)}
        lines = [f"{name} = {value!r}" for name, value in used.items()]
        lines.append(f"print({shown})")
        lines.append(f"# {problems[0].partition(chr(10))[0]}")
        special = [each for each in ("inf", "nan") if re.search(rf"\b{each}\b", "\n".join(lines[:-2]))]
        head = [f"from math import {', '.join(special)}", ""] if special else []
        return "\n".join([*head, self.imports, "", *lines])

    def _incoming_text(self, operator: str, sample: Sample, dtype: str, layout: str) -> str:
        """The gradient of a call's result; "" if there are several results."""
        found = run(Gnomon("reference"), selection.operators()[operator], sample, dtype, layout)
        if len(found.results) != 1 or not isinstance(found.results[0], TensorOutcome):
            return ""
        contents = incoming_gradient(found.results[0].dtype, tuple(found.results[0].sizes), 0)
        return self.tensor_text(row_major(contents), contents.sizes, contents.dtype)

    def _shown(self, text: str, problem: str, schema: Any) -> str:
        """What a program prints: the dtype, if it differs, whether memory is shared, or the result."""
        found = re.match(r"result(?: (\d+))?(?: (has dtype|has sizes|shares|does not share)\b)?", problem)
        is_one = len(schema.returns) == 1 and not schema.returns[0].is_list
        number, what = found.groups() if found else (None, None)
        is_closed = text.startswith("(") and text.endswith(")")
        enclosed = text if is_closed or " " not in text.partition("(")[0] else f"({text})"
        one = f"{enclosed}[{number}]" if number else enclosed
        if what and what.startswith("has"):
            return f"{one}.{'dtype' if what == 'has dtype' else 'shape'}"
        name = schema.arguments[0].name
        if what and self.shares_text and name == "self" and not number:
            return self.shares_text.format(result=text, argument=name)
        return self.printed_text(one, True) if number else self.printed_text(text, is_one)


def kind_of(problem: str) -> str:
    """The first word or two of a difference, which say what differs: "has dtype", "raised", "element"."""
    found = re.search(r"has \w+|raised \w+|shares|does not share|element|gave|is missing|is there", problem)
    return found[0] if found else problem


def single_elements(schema: Any, sample: Sample, dtype: str, layout: str) -> Iterator[Sample]:
    """The same call with tensors of one element each: one after the other, if all tensors have one size."""
    values = complete(schema, sample)
    places = [place for place, each in enumerate(values) if isinstance(each, TensorDescription)]
    contents = [stored(values[place], dtype, layout, i) for i, place in enumerate(places)]
    others = [each for each in descriptions(values) if each not in values]
    if others or len({each.sizes for each in contents}) != 1 or contents[0].sizes in ((), (1,)):
        return
    for numbers in zip(*map(row_major, contents)):
        made = list(values)
        for place, number, each in zip(places, numbers, contents):
            made[place] = given([number], (1,), (1,), 0, each.dtype)
        positional = {each.name: value for each, value in zip(schema.arguments, made)}
        yield sample._replace(args=(), kwargs=positional)


class _Text(str):
    """An expression, which stands for its value among the arguments of a call."""

    def __repr__(self) -> str:
        return str(self)


class _Texts:
    """A framework whose tensors are the expressions that make them."""

    device = "library"

    def __init__(self, library: WrittenLibrary):
        self.library = library

    def build(self, contents: Stored) -> tuple[Any, Any]:
        is_contiguous = row_major(contents) == list(contents.numbers)
        made = "" if is_contiguous else self.library.strided_text(contents)
        made = made or self.library.tensor_text(row_major(contents), contents.sizes, contents.dtype)
        return _Text(made), _Text(made)

    def build_sparse(self, parts: Any) -> tuple[Any, Any]:
        raise NotImplementedError

    def special(self, kind: str, value: Any) -> Any:
        return _Text(self.library.dtype_text(value))

    def device_argument(self) -> Any:
        return None
