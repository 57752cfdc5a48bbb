"""Infers an operator's schema from the type annotations of a Python function.

Source: torch/_library/infer_schema.py.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterable
from collections.abc import Sequence as AbstractSequence
from typing import Any, NoReturn

from ..memory.tensor import Tensor
from ..values.device import device
from ..values.dtype import dtype

Number = int | float | bool

# Annotation -> schema type, and which list types of it exist: T[], T?[] and T[]?.
_TYPES: dict[Any, tuple[str, frozenset[str]]] = {
    Tensor: ("Tensor", frozenset({"[]", "?[]"})),
    int: ("SymInt", frozenset({"[]", "[]?"})),
    float: ("float", frozenset({"[]", "[]?"})),
    bool: ("bool", frozenset({"[]", "[]?"})),
    str: ("str", frozenset()),
    Number: ("Scalar", frozenset({"[]"})),
    dtype: ("ScalarType", frozenset()),
    device: ("Device", frozenset()),
}
_RETURNS: dict[Any, str] = {
    Tensor: "Tensor",
    list[Tensor]: "Tensor[]",
    typing.List[Tensor]: "Tensor[]",  # noqa: UP006
}
_RETURNS |= {int: "SymInt", float: "float", bool: "bool", Number: "Scalar"}

_VALID = (
    "Tensor, int, float, bool, str, int | float | bool, dtype, device; each of them | None; list[...] and "
    "Sequence[...] of Tensor, Tensor | None, int, float, bool and int | float | bool; and list[...] | None "
    "of int, float and bool"
)
_VALID_RETURNS = "None, Tensor, list[Tensor], int, float, bool, int | float | bool, and tuples of them"


def infer_schema(
    prototype_function: Callable[..., Any],
    /,
    *,
    mutates_args: str | Iterable[str],
    op_name: str | None = None,
    tags: Any = (),
) -> str:
    """The schema inferred from a function's annotations, such as "(Tensor x, SymInt n=2) -> Tensor".

    mutates_args: the names of the tensors that it writes to, or "unknown" for all.  op_name: a prefix for the
    schema.  tags: for compilers; not used.

    Results are assumed to be new tensors, which share memory with no argument.  Raises ValueError
    for an argument or a result without an annotation or with one that has no schema type, and for a name in
    mutates_args that is not a tensor argument.  Source: torch.library.infer_schema.
    """
    signature = inspect.signature(prototype_function)
    namespace = getattr(prototype_function, "__globals__", {})

    def refuse(what: str) -> NoReturn:
        raise ValueError(f"infer_schema(func): {what} Got func with signature {signature})")

    if isinstance(mutates_args, str):
        if mutates_args != "unknown":
            raise ValueError(
                "mutates_args must either be a sequence of the names of the arguments that are mutated or "
                f"the string 'unknown', but it is {mutates_args!r}"
            )
        written = None
    else:
        written = set(mutates_args)
    parts = []
    behind_star = False
    for position, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            refuse("We do not support positional-only args, varargs, or varkwargs.")
        if parameter.kind is parameter.KEYWORD_ONLY and not behind_star:
            behind_star = True
            parts.append("*")
        if parameter.annotation is parameter.empty:
            refuse(f"Parameter {name} must have a type annotation.")
        annotation = _evaluated(parameter.annotation, namespace, refuse)
        kind = _schema_type(annotation)
        if kind is None:
            workaround = ""
            if typing.get_origin(annotation) is tuple or annotation is tuple:
                workaround = " We do not support Tuple inputs in schema. Use a list instead."
            refuse(
                f"Parameter {name} has unsupported type {parameter.annotation}.{workaround} The valid types "
                f"are: {_VALID}."
            )
        is_tensor = kind.startswith("Tensor")
        if (written is None and is_tensor) or (written is not None and name in written):
            if not is_tensor:
                refuse(
                    f"Parameter {name} is in mutates_args but only Tensors or collections of Tensors can be "
                    "mutated"
                )
            kind = f"Tensor(a{position}!){kind.removeprefix('Tensor')}"
        parts.append(f"{kind} {name}{_default(name, parameter, refuse)}")
    unknown = (written or set()) - set(signature.parameters)
    if unknown:
        refuse(
            f"{unknown} in mutates_args were not found in the custom op's signature. mutates_args should "
            "contain the names of all args that the custom op mutates, or just the string 'unknown' if you "
            "don't know."
        )
    if signature.return_annotation is signature.empty:
        refuse("No return type annotation was provided. Please add one.")
    returns = _returns(_evaluated(signature.return_annotation, namespace, refuse))
    if returns is None:
        refuse(
            f"Return has unsupported type {signature.return_annotation}. The valid types are: "
            f"{_VALID_RETURNS}."
        )
    return f"{op_name or ''}({', '.join(parts)}) -> {returns}"


def _evaluated(annotation: Any, namespace: dict[str, Any], refuse: Callable[[str], NoReturn]) -> Any:
    """Evaluates an annotation, which may be a string or contain strings."""
    if isinstance(annotation, str):
        try:
            return _evaluated(eval(annotation, namespace), namespace, refuse)
        except Exception as error:  # evaluating a user's string may raise anything
            refuse(
                f"Unsupported type annotation {annotation}. It is not a type. ({error}). With `from "
                "__future__ import annotations`, names in annotations must be defined in the function's "
                "module."
            )
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is not None and any(isinstance(each, (str, typing.ForwardRef)) for each in arguments):
        texts = [each.__forward_arg__ if isinstance(each, typing.ForwardRef) else each for each in arguments]
        evaluated = tuple(_evaluated(each, namespace, refuse) for each in texts)
        return typing.Union[evaluated] if origin is typing.Union else types.GenericAlias(origin, evaluated)  # noqa: UP007
    return annotation


def _without_none(annotation: Any) -> tuple[Any, bool]:
    """The annotation without None, and whether it was a union with None."""
    if typing.get_origin(annotation) not in (typing.Union, types.UnionType):
        return annotation, False
    arguments = typing.get_args(annotation)
    rest = tuple(each for each in arguments if each is not type(None))
    return typing.Union[rest], len(rest) < len(arguments)  # noqa: UP007


def _schema_type(annotation: Any) -> str | None:
    """The schema type of an annotation, or None if it has none."""
    bare, is_optional = _without_none(annotation)
    try:
        if bare in _TYPES:
            return _TYPES[bare][0] + ("?" if is_optional else "")
    except TypeError:  # not hashable, so not a type
        return None
    arguments = typing.get_args(bare)
    if typing.get_origin(bare) not in (list, AbstractSequence) or len(arguments) != 1:
        return None
    element, element_optional = _without_none(arguments[0])
    if element not in _TYPES:
        return None
    name, lists = _TYPES[element]
    suffix = f"{'?' if element_optional else ''}[]{'?' if is_optional else ''}"
    return name + suffix if suffix in lists else None


def _default(name: str, parameter: inspect.Parameter, refuse: Callable[[str], NoReturn]) -> str:
    """ "=2" for a parameter with the default 2, "" for one without a default."""
    value = parameter.default
    if value is parameter.empty:
        return ""
    if value is None or isinstance(value, (int, float)):
        return f"={value}"
    if isinstance(value, (str, device)):
        return f'="{value}"'
    if isinstance(value, dtype):
        return f"={value.name}"
    refuse(f"Parameter {name} has an unsupported default value type {type(value)}.")


def _returns(annotation: Any) -> str | None:
    if annotation is None or annotation is type(None):
        return "()"
    if typing.get_origin(annotation) is not tuple:
        return _one_return(annotation)
    names = [_one_return(each) for each in typing.get_args(annotation)]
    if not names or None in names:
        return None
    # double parentheses for a 1-tuple: single ones would mean a single result
    return f"(({names[0]}))" if len(names) == 1 else f"({', '.join(names)})"  # type: ignore[arg-type]


def _one_return(annotation: Any) -> str | None:
    try:
        return _RETURNS.get(annotation)
    except TypeError:
        return None
