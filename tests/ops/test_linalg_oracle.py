"""Linear algebra against the samples of PyTorch's op_db: values, dtypes, sizes, strides and gradients.

Factors that are not unique (singular vectors, eigenvectors) are compared through what does not depend on the
choice: the products in ``INVARIANT``, which are what PyTorch's own samples differentiate.
"""

from __future__ import annotations

import functools
import sys
import types
import unittest
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import gnomon as gn
from gnomon.memory.tensor import Tensor

pytestmark = pytest.mark.oracle

# PyTorch's tests import expecttest, of which only the base class of their test cases is needed here.
expecttest = types.ModuleType("expecttest")
expecttest.TestCase = unittest.TestCase  # type: ignore[attr-defined]
sys.modules.setdefault("expecttest", expecttest)

DTYPES = ("float32", "float64", "complex64", "complex128")
NAMES = [
    *("linalg.cholesky", "linalg.cholesky_ex", "cholesky", "cholesky_solve", "cholesky_inverse"),
    *("linalg.qr", "qr", "geqrf", "linalg.householder_product"),
    *("linalg.solve_triangular", "triangular_solve"),
    *("linalg.lu_factor", "linalg.lu_factor_ex", "linalg.lu", "lu_solve", "linalg.lu_solve", "lu_unpack"),
    *("linalg.solve", "linalg.solve_ex", "linalg.inv", "linalg.inv_ex"),
    *("linalg.det", "linalg.slogdet", "logdet"),
    *("matrix_exp", "linalg.matrix_power"),
    *("linalg.eigh", "linalg.eigvalsh", "linalg.svd", "linalg.svdvals", "svd"),
    *("linalg.eig", "linalg.eigvals", "linalg.ldl_factor", "linalg.ldl_factor_ex", "linalg.ldl_solve"),
]


def in_order(values: Any) -> list[int]:
    """The places of eigenvalues, which libraries return in different orders, sorted for each matrix."""
    numbers = [complex(x) for x in values.detach().flatten().tolist()]
    count = values.shape[-1] or 1
    return sorted(
        range(len(numbers)),
        key=lambda k: (k // count, round(numbers[k].real, 3), round(numbers[k].imag, 3)),
    )


def sorted_eigenvalues(values: Any) -> Any:
    return values.flatten()[in_order(values)] if values.numel() else values


def sorted_eigenvectors(values: Any, vectors: Any) -> Any:
    """The sizes of their elements, which do not depend on their phases; eigenvectors as rows."""
    return abs(vectors).mT.flatten(0, -2)[in_order(values)] if values.numel() else abs(vectors)


INVARIANT: dict[str, Callable[[Any], Any]] = {
    "linalg.eig": lambda found: (sorted_eigenvalues(found[0]), sorted_eigenvectors(*found)),
    "linalg.eigvals": sorted_eigenvalues,
    "linalg.eigh": lambda found: (found[0], abs(found[1])),
    "linalg.svd": lambda found: (
        found[1],
        (found[0][..., : found[1].shape[-1]] * found[1][..., None, :])
        @ found[2][..., : found[1].shape[-1], :],
    ),
    "svd": lambda found: (
        found[1],
        (found[0][..., : found[1].shape[-1]] * found[1][..., None, :])
        @ found[2][..., : found[1].shape[-1]].mH,
    ),
}
# The sample's size of error grows with the condition number of its matrices.
TOLERANCE = {"float32": 2e-3, "complex64": 2e-3, "float64": 1e-8, "complex128": 1e-8}


@functools.cache
def entries() -> dict[str, list[Any]]:
    """PyTorch's OpInfos by name, with all variants."""
    from torch.testing._internal.common_methods_invocations import op_db

    found: dict[str, list[Any]] = {}
    for each in op_db:
        found.setdefault(each.name, []).append(each)
    return found


def flat(results: Any) -> list[Any]:
    return list(results) if isinstance(results, (tuple, list)) else [results]


def to_gnomon(value: Any) -> Any:
    """The argument with PyTorch's tensors replaced by gnomon's, with equal strides."""
    import torch

    if isinstance(value, torch.Tensor):
        value = value.detach().resolve_conj().resolve_neg()
        made = gn.empty_strided(tuple(value.shape), value.stride(), dtype=getattr(gn, str(value.dtype)[6:]))
        if value.numel():
            made.copy_(gn.tensor(value.tolist(), dtype=made.dtype))
        return made
    if isinstance(value, (list, tuple)):
        return type(value)(map(to_gnomon, value))
    return value


def to_torch(tensor: Tensor, like: Any) -> Any:
    import torch

    return torch.tensor(tensor.detach().tolist(), dtype=like.dtype).reshape(tuple(tensor.shape))


def function(name: str) -> Any:
    return functools.reduce(getattr, name.split("."), gn)


def differentiable(results: Any) -> list[Any]:
    return [each for each in flat(results) if each.requires_grad]


def gradients(lib: Any, results: Any, inputs: list[Any]) -> Any:
    """Those of the sum of each result times a fixed pattern, or the error's text."""
    total = None
    for each in differentiable(results):
        weights = lib.arange(1, each.numel() + 1, dtype=lib.float64).reshape(tuple(each.shape)).cos()
        weights = weights.to(each.dtype)
        part = (each * weights).sum()
        part = part.real if part.is_complex() else part
        total = part if total is None else total + part
    if total is None:
        return None
    try:
        return lib.autograd.grad(total, inputs, allow_unused=True)
    except RuntimeError as error:
        return str(error)


def samples() -> Iterator[Any]:
    for name in NAMES:
        for dtype in DTYPES:
            yield pytest.param(name, dtype, id=f"{name}-{dtype}")


def differences(name: str, dtype: str) -> tuple[int, list[str]]:
    """How many samples agree, and a line for each that does not."""
    import torch

    torch.manual_seed(0)
    agreed, lines = 0, []
    bound = TOLERANCE[dtype]
    for entry in entries()[name]:
        wanted_dtype = getattr(torch, dtype)
        if not entry.supports_dtype(wanted_dtype, "cpu"):
            continue
        for number, sample in enumerate(
            entry.sample_inputs("cpu", wanted_dtype, requires_grad=name != "geqrf")
        ):
            where = (
                f"sample {number} of {entry.variant_test_name!r}: {tuple(sample.input.shape)} {sample.kwargs}"
            )
            given = [sample.input, *sample.args]
            tensors = [each for each in given if isinstance(each, torch.Tensor)]
            own = [to_gnomon(each) for each in given]
            own_tensors = [each for each in own if isinstance(each, Tensor)]
            active = [k for k, each in enumerate(tensors) if each.requires_grad]
            for k in active:
                own_tensors[k].requires_grad_()
            expected = entry.op(*given, **sample.kwargs)
            found = function(name)(*own, **{key: to_gnomon(each) for key, each in sample.kwargs.items()})
            faults = []
            for k, (mine, theirs) in enumerate(zip(flat(found), flat(expected), strict=True)):
                facts = (tuple(mine.shape), mine.stride(), str(mine.dtype)[7:])
                right = (tuple(theirs.shape), theirs.stride(), str(theirs.dtype)[6:])
                if facts != right:
                    faults.append(f"result {k} is {facts}, not {right}")
            invariant = INVARIANT.get(name, lambda results: results)
            mine, theirs = invariant(found), invariant(expected)
            for k, (one, other) in enumerate(zip(flat(mine), flat(theirs), strict=True)):
                near = torch.allclose(
                    to_torch(one, other), other.detach(), rtol=bound, atol=bound, equal_nan=True
                )
                if not near:
                    faults.append(f"value {k}")
            theirs_inputs = [tensors[k] for k in active]
            wanted = gradients(torch, theirs, theirs_inputs)
            got = gradients(gn, mine, [own_tensors[k] for k in active])
            if isinstance(wanted, str) or isinstance(got, str) or wanted is None or got is None:
                if wanted != got:
                    faults.append(f"gradient {got}, not {wanted}")
            else:
                for k, (one, other) in enumerate(zip(got, wanted, strict=True)):
                    if (one is None) != (other is None):
                        faults.append(f"gradient {k} is {one}, not {other}")
                    elif one is not None:
                        if name in ("cholesky_solve", "cholesky_inverse") and k == len(got) - 1:
                            # the factor's other triangle is not read, but PyTorch's gradient of it is not 0
                            is_upper = sample.kwargs.get("upper", False)
                            other = other.triu() if is_upper else other.tril()
                        scale = max(1.0, other.abs().max().item() if other.numel() else 1.0)
                        if not torch.allclose(
                            to_torch(one, other), other, rtol=bound, atol=5 * bound * scale
                        ):
                            worst = (to_torch(one, other) - other).abs().max().item()
                            faults.append(f"gradient {k}: {worst} of {scale}")
            if faults:
                lines.append(f"{where}: {'; '.join(faults)}")
            else:
                agreed += 1
    return agreed, lines


@pytest.mark.parametrize(("name", "dtype"), list(samples()))
def test_samples_of_op_db(name: str, dtype: str) -> None:
    pytest.importorskip("torch")
    agreed, lines = differences(name, dtype)
    assert not lines, "\n".join(lines)
    assert agreed
