"""The hot path of operators that say themselves what they do (``explicit``) and launch one kernel at most:
factories, fills, copies, random numbers (``launches`` of kit/native.py).

The readable way runs once for each kind of call, while its launch is watched; the prepared call of that
launch is the *plan*.  From then on the launch is repeated without what led to it.  What a kernel is told anew
each time is where tensors are and, of a fill, the number, or, of random numbers, where the stream is.

A factory's plan is found by the default device too, where no device is given; see fast_operators.py for all
else.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from .dispatch.dispatcher import OpOverload, aten
from .dispatch.mode import mode_word
from .dispatch.record_function import KERNEL, RecordFunctionCallback, observing, readable_everywhere
from .fast_operators import (
    MAKE_OUTPUT,
    PLANS_PER_OPERATOR,
    address_of,
    is_simple,
    listed_arguments,
    make_recorder,
    may_overlap,
    new_plans,
    text_of_keys,
    text_of_negative_zeros,
    written_out,
)
from .hot_path import LAUNCH_NUMBER, LAUNCH_PLAIN, LAUNCH_STREAM, in_c
from .kit import launch
from .kit.generator import default_generator
from .memory.backend import backend_of, get_default_device
from .memory.tensor import Tensor, version_counter
from .values.dispatch_key import RECORDED_CALL, TENSOR_KEYS
from .values.dtype import dtype
from .values.limits import finfo

_EXACT_INTEGER = 2**53  # integers travel to C as doubles
_LAST_COUNTER = 2**62  # so far streams are followed here


def make_launch(operator: OpOverload) -> Callable[..., Any]:
    """The shortcut of an operator that launches one kernel at most.

    Takes all arguments of the schema, as the operator itself does.
    """
    schema, record = operator.schema, operator.record
    plans = new_plans()
    listeners = readable_everywhere
    readable = operator.dispatch
    kind, number = _kind_of(operator)
    inputs = operator.tensor_positions[1 if schema.is_inplace else 0 :] if record.launches == "copy_" else ()

    def miss(arguments: tuple[Any, ...], key: Any) -> Any:
        """Run the readable path and leave a plan for the next call of this kind, or that there is none."""
        launches: list[tuple[str, launch.Launch]] = []
        watch = RecordFunctionCallback(
            lambda scope, name, made: launches.append((name, made)),  # type: ignore[arg-type]
            scopes=(KERNEL,),
            is_traced=True,  # parts of the call take no shortcut either
        )
        with observing(watch):
            result = readable(*arguments)
        if len(plans) >= PLANS_PER_OPERATOR:
            plans.clear()
        given = [arguments[position] for position in inputs]
        value = None if number is None else arguments[number]
        plans[key] = _plan(operator, kind, arguments, given, value, launches, result)
        return result

    names = {
        "plans": plans, "listeners": listeners, "readable": readable, "miss": miss,
        "record": make_recorder(operator), "mode_word": mode_word, "is_simple": is_simple, "Tensor": Tensor,
        "TENSOR_KEYS": TENSOR_KEYS, "RECORDED_CALL": RECORDED_CALL, "generator": default_generator,
        "may_overlap": may_overlap, "version_counter": version_counter, "default_device": get_default_device,
        "copysign": math.copysign, "is_within": _is_within, "unseen": object(),
    }  # fmt: skip
    text = _text_of_launch(operator, kind, number, inputs)
    return in_c(
        "launch",
        written_out("launch", operator, text, names),
        plans=plans,
        operator=operator,
        key=kind,
        places={
            "number": number,
            "device": _device_position(operator),
            "input": inputs[0] if inputs else None,
        },
    )


def _is_within(number: Any, least: float, most: float) -> bool:
    """Does a number travel as a double, and fit?  Infinities and NaN fit where they may come."""
    if number.__class__ is float:
        return least <= number <= most or not math.isfinite(number)
    return -_EXACT_INTEGER < number < _EXACT_INTEGER and least <= number <= most


def _position(operator: OpOverload, kind: str) -> int | None:
    """Where the first argument of a type stands."""
    kinds = [argument.type for argument in operator.schema.arguments]
    return kinds.index(kind) if kind in kinds else None


def _device_position(operator: OpOverload) -> int | None:
    """Where the device stands that may be the default one: operators on tensors take theirs."""
    return None if operator.tensor_positions else _position(operator, "Device")


def _kind_of(operator: OpOverload) -> tuple[int, int | None]:
    """What the kernel is told anew each time, and where the number stands, if it is one."""
    if operator.record.launches == "fill_.Scalar":
        number = _position(operator, "Scalar")
        return (LAUNCH_PLAIN, None) if number is None else (LAUNCH_NUMBER, number)
    if operator.record.launches:
        launched = aten._find(operator.record.launches)
        if _position(launched, "Generator") is not None:
            return LAUNCH_STREAM, None
    return LAUNCH_PLAIN, None


def _plan(
    operator: OpOverload,
    kind: int,
    arguments: Sequence[Any],
    inputs: Sequence[Tensor],
    number: Any,
    launches: Sequence[tuple[str, launch.Launch]],
    result: Any,
) -> tuple[Any, ...] | None:
    """What make_launch keeps of a call, or None where it has no shortcut: how to enter the kernel, the
    output's spec, which numbers it takes, how many blocks of a stream.
    """
    inplace = operator.schema.is_inplace
    if result.__class__ is not Tensor or result._spec.device.type == "meta":
        return None
    if inplace:
        is_own = result is arguments[0]
    else:
        is_own = result._storage is None and result._view_of is None and result._version_counter is None
        is_own = is_own and not any(result is each for each in arguments)
    if not is_own:
        return None
    spec = result._spec
    backend = backend_of(spec.device)
    if not launches:
        if inplace or kind != LAUNCH_PLAIN or inputs or (operator.record.launches and spec.numel):
            return None
        found = getattr(backend, "allocate_entry", lambda: None)()
        if found is None:
            return None
        entry, address = found
        return entry, float(spec.extent_nbytes), spec, (), None, address, 0.0, 0.0, 0
    name, made = launches[0]
    takes = list(made.tensors)
    if (
        len(launches) > 1
        or made.key_dtype is None  # the reference's, in place of another's
        or name != operator.record.launches
        or made.output_count != 1
        or made.device is not spec.device
        or len(takes) != 1 + len(inputs)
        or not all(mine is its for mine, its in zip((result, *inputs), takes))
    ):
        return None
    kernel = launch.find_kernel(backend, name, made.key_dtype)
    if not hasattr(kernel, "prepare"):
        return None
    call = kernel.prepare(made.walk, takes, 1, made.kernel_arguments)
    least = most = 0.0
    if kind == LAUNCH_PLAIN:
        entry = call.entry(len(inputs), 0, inplace)
    else:
        find = getattr(call, "entry_with", lambda what, inplace: None)
        entry = find("scalar" if kind == LAUNCH_NUMBER else "stream", inplace)
    if kind == LAUNCH_NUMBER:
        limits = _limits(spec.dtype, number.__class__)
        if limits is None or made.kernel_arguments[0] is not number:
            return None
        least, most = limits
    if entry is None:
        return None
    address = address_of(call, entry)
    metadata = (spec,) if spec.dtype.category >= 2 else ()  # integers are not recorded
    return entry, call.address, spec, metadata, call, address, least, most, spec.numel


def _limits(dtype: dtype, kind: type) -> tuple[float, float] | None:
    """The finite numbers of a Python type that a fill of this dtype surely takes; None: ask each time."""
    if dtype.category == 0:
        return -math.inf, math.inf
    if dtype.category == 1:
        if kind is not int:
            return None
        bits = min(dtype.bits - dtype.is_signed, 53)
        return -(2.0**bits) + (not dtype.is_signed), 2.0**bits - 1.0
    most = finfo(dtype).max
    return -most, most


def _text_of_launch(operator: OpOverload, kind: int, number: int | None, inputs: Sequence[int]) -> str:
    """The shortcut's text; see fast_operators.py."""
    schema, derivatives = operator.schema, operator.record.derivatives
    listed, key, refused = listed_arguments(operator), [], text_of_negative_zeros(operator, but=number)
    device = _device_position(operator)
    for position, argument in enumerate(schema.arguments):
        name = f"a{position}"
        if position in operator.tensor_positions:
            key.append(f"{name}._spec")
        elif position == number:
            key.append(f"{name}.__class__")
        elif position == device:
            key.append(f"default_device() if {name} is None else {name}")
        else:
            key.append(f"{name}, {name}.__class__")
        if argument.type == "Scalar":  # the zeros of a complex number have signs too
            refused.append(f"{name}.__class__ is complex")
        elif argument.type == "Generator":
            refused.append(f"{name} is not None")
    if schema.is_inplace or (operator.tensor_positions and derivatives is None):
        refused.append("keys == RECORDED_CALL")
    text = f"""
def launch({listed}):
    try:
        keys = mode_word() | TENSOR_KEYS{text_of_keys(operator)}
        key = {", ".join(key)}
        plan = plans.get(key, unseen)
    except (AttributeError, TypeError):  # no tensor where one may stand, or a list: no key
        return readable({listed})
    if not is_simple(keys) or {" or ".join([*refused, "listeners"])} or plan is None:
        return readable({listed})
    if plan is unseen:
        return miss(({listed},), key)
    entry, call, spec, metadata, _, _, least, most, blocks = plan
"""
    if schema.is_inplace:
        text += f"""
    if a0._keys & TENSOR_KEYS != TENSOR_KEYS or may_overlap(({listed},)):  # made in inference mode, perhaps
        return readable({listed})
"""
    told = [
        "call",
        *(["a0._address"] if schema.is_inplace else []),
        *(f"a{each}._address" for each in inputs),
    ]
    take_back = ""
    if kind == LAUNCH_NUMBER:
        told.append(f"a{number}")
        text += f"""
    if not is_within(a{number}, least, most):
        return readable({listed})
"""
    elif kind == LAUNCH_STREAM:
        told += ["seed", "first"]
        take_back = "        generator._counter = first\n"
        text += f"""
    seed, first = generator._seed, generator._counter
    if first > {_LAST_COUNTER}:
        return readable({listed})
    seed = (seed + {2**63}) % {2**64} - {2**63}
    generator._counter = first + blocks
"""
    entered = f"entry({', '.join(told)})"
    if schema.is_inplace:
        return f"""{text}
    if {entered}:
{take_back}        return readable({listed})
    version_counter(a0).value += 1
    return a0
"""
    recording = (
        f"if keys == RECORDED_CALL and metadata:\n        record(({listed},), output, metadata)"
        if derivatives
        else ""
    )
    return f"""{text}
    address = {entered}
    if address <= 0.0:
{take_back}        return readable({listed})
{textwrap.indent(MAKE_OUTPUT, " " * 4)}    {recording}
    return output
"""
