"""torch.special against the samples of PyTorch's op_db: values, dtypes, strides, gradients, out=, errors.

Run with ``-s``, it prints how many samples of each operator agree.
"""

from __future__ import annotations

import functools
import sys
import types
import unittest
from typing import Any

import pytest

import gnomon as gn
from gnomon.memory.tensor import Tensor

pytestmark = pytest.mark.oracle

# PyTorch's tests import expecttest, of which only the base class of their test cases is needed here.
expecttest = types.ModuleType("expecttest")
expecttest.TestCase = unittest.TestCase  # type: ignore[attr-defined]
sys.modules.setdefault("expecttest", expecttest)

NAMES = ["i0", *(f"special.{each}" for each in sorted(vars(gn.special)) if not each.startswith("_"))]
NAMES.remove("special.functions_of")
DTYPES = ("bool", "int64", "float16", "bfloat16", "float32", "float64", "complex64")
# PyTorch's Airy function and trigamma have nine digits, its Bessel functions less; its polynomials lose some
TOLERANCE = {"float64": 1e-8, "float32": 2e-3, "float16": 1e-2, "bfloat16": 4e-2}


@functools.cache
def entries() -> dict[str, Any]:
    """PyTorch's OpInfos of torch.special, and of i0, by the name of the function."""
    from torch.testing._internal.common_methods_invocations import op_db

    names = {"i0"} | {f"special.{name}" for name in dir(gn.special)}
    found = {each.name: each for each in op_db if each.name in names}
    # what op_db lists under another name, or as an alias of it
    for each in op_db:
        for alias in each.aliases or ():
            if alias.name.startswith("special_"):
                found.setdefault(f"special.{alias.name.removeprefix('special_')}", each)
    return found


def to_gnomon(value: Any) -> Any:
    """The argument with PyTorch's tensors replaced by gnomon's, with equal strides."""
    import torch

    if isinstance(value, torch.Tensor):
        value = value.detach()
        made = gn.empty_strided(tuple(value.shape), value.stride(), dtype=getattr(gn, str(value.dtype)[6:]))
        if value.numel():
            made.copy_(gn.tensor(value.tolist(), dtype=made.dtype))
        return made
    if isinstance(value, torch.dtype):
        return getattr(gn, str(value)[6:])
    return value


def facts(tensor: Any) -> tuple[Any, ...]:
    return tuple(tensor.shape), tensor.stride(), str(tensor.dtype).rpartition(".")[2]


def are_near(mine: Tensor, theirs: Any, bound: float) -> bool:
    """Near, where PyTorch's recurrences have not overflowed to NaN."""
    import torch

    theirs = theirs.detach().to(torch.complex128 if theirs.is_complex() else torch.float64)
    found = torch.tensor(mine.detach().tolist(), dtype=theirs.dtype).reshape(theirs.shape)
    if theirs.is_complex():
        return torch.allclose(found, theirs, rtol=bound, atol=bound, equal_nan=True)
    overflowed = theirs.isnan() & found.isinf()
    return torch.allclose(
        found.masked_fill(overflowed, 0),
        theirs.masked_fill(overflowed, 0),
        rtol=bound,
        atol=bound,
        equal_nan=True,
    )


def outcome(function: Any, *args: Any, **kwargs: Any) -> Any:
    """The result, or the kind of error."""
    try:
        return function(*args, **kwargs)
    except (
        RuntimeError,
        TypeError,
        IndexError,
        ValueError,
    ) as error:  # NotImplementedError is a RuntimeError
        return type(error).__name__


def gradients(lib: Any, result: Any, inputs: list[Any]) -> Any:
    """Those of the result's sum, the kind of error, or None if the result requires no grad."""
    if not result.requires_grad:
        return None
    return outcome(lib.autograd.grad, result.sum(), inputs, allow_unused=True)


def faults_of(name: str, entry: Any, sample: Any, bound: float) -> list[str]:
    """What differs for one sample."""
    import torch

    mine_of = functools.reduce(getattr, name.split("."), gn)
    theirs_of = functools.reduce(getattr, name.split("."), torch)
    given = [sample.input, *sample.args]
    own = [to_gnomon(each) for each in given]
    kwargs = {key: to_gnomon(each) for key, each in sample.kwargs.items()}
    pairs = [(a, b) for a, b in zip(own, given) if isinstance(b, torch.Tensor) and b.requires_grad]
    for a, _ in pairs:
        a.requires_grad_()
    if name.endswith("polygamma"):  # its order comes first
        given, own = [given[1], given[0]], [own[1], own[0]]
    expected = outcome(theirs_of, *given, **sample.kwargs)
    found = outcome(mine_of, *own, **kwargs)
    if isinstance(expected, str) or isinstance(found, str):
        return [] if expected == found else [f"{found}, not {expected}"]
    faults = []
    if facts(found) != facts(expected):
        faults.append(f"{facts(found)}, not {facts(expected)}")
    if not are_near(found, expected, bound):
        faults.append("values")
    one, other = (
        gradients(lib, result, [pair[k] for pair in pairs])
        for k, (lib, result) in enumerate(((gn, found), (torch, expected)))
    )
    if isinstance(one, str) or isinstance(other, str) or one is None or other is None:
        if one != other:
            faults.append(f"gradient {one}, not {other}")
    elif not all(are_near(a, b, 10 * bound) for a, b in zip(one, other)):
        faults.append("gradients")
    if entry.supports_out:
        outputs = [torch.empty(0, dtype=expected.dtype), gn.empty(0, dtype=found.dtype)]
        results = [
            outcome(
                function,
                *(each.detach() if hasattr(each, "detach") else each for each in args),
                **more,
                out=out,
            )
            for function, args, more, out in (
                (theirs_of, given, sample.kwargs, outputs[0]),
                (mine_of, own, kwargs, outputs[1]),
            )
        ]
        if isinstance(results[0], str) or isinstance(results[1], str):
            if results[0] != results[1]:
                faults.append(f"out=: {results[1]}, not {results[0]}")
        elif results[1] is not outputs[1] or facts(outputs[1]) != facts(outputs[0]):
            faults.append("out=")
    return faults


@pytest.mark.parametrize("name", NAMES)
def test_samples_of_op_db(name: str) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    if name not in entries():
        pytest.skip("op_db has no entry")
    entry = entries()[name]
    lines, agreed = [], 0
    for dtype in DTYPES:
        wanted = getattr(torch, dtype)
        mine_of = functools.reduce(getattr, name.split("."), gn)
        theirs_of = functools.reduce(getattr, name.split("."), torch)
        if not entry.supports_dtype(wanted, "cpu"):
            if "polygamma" in name or entry.name != name:
                continue  # needs more arguments
            arguments = (torch.ones(2, dtype=wanted),) * (2 if "zeta" in name or "_polynomial" in name else 1)
            one = outcome(mine_of, *map(to_gnomon, arguments))
            other = outcome(theirs_of, *arguments)
            if isinstance(one, str) != isinstance(other, str):
                lines.append(f"{dtype}: {one}, not {other}")
            continue
        bound = 1e-6 if dtype == "float64" and "special.bessel" in name else TOLERANCE.get(dtype, 2e-3)
        has_gradient = wanted in entry.supported_backward_dtypes("cpu") if wanted.is_floating_point else False
        for number, sample in enumerate(entry.sample_inputs("cpu", wanted, requires_grad=has_gradient)):
            faults = faults_of(name, entry, sample, bound)
            if faults:
                shape = tuple(sample.input.shape) if hasattr(sample.input, "shape") else sample.input
                lines.append(
                    f"{dtype} sample {number}: {shape} {sample.args} {sample.kwargs}: {'; '.join(faults)}"[
                        :300
                    ]
                )
            else:
                agreed += 1
    print(f"{name}: {agreed} samples agree, {len(lines)} do not")
    assert not lines, "\n".join(lines[:10])
