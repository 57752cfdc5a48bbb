# ruff: noqa: E501
"""calls/checks.py: what each check accepts, and its message; no operator's file repeats these messages."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
from gnomon.calls import checks, meta_functions
from gnomon.calls.checks import (
    can_be_read,
    check_alpha,
    check_batch_mode,
    check_dim,
    check_dim_range,
    check_dtype,
    check_floating_or_complex,
    check_length,
    check_mask,
    check_matrix,
    check_non_negative,
    check_numel,
    check_options,
    check_positive,
    check_same_dim,
    check_same_dtype,
    check_same_size,
    check_size,
    check_size_at,
    device_of,
    refuse_dtype,
    refuse_half,
    zero_numel_check_dims,
)
from gnomon.memory.spec import Spec, contiguous_spec

OPS = Path(gn.__file__).parent / "ops"


def spec(*sizes: int, dtype: Any = gn.float32, device: str = "reference") -> Spec:
    return contiguous_spec(sizes, dtype, gn.device(device))


MATRIX, VECTOR, NUMBER = spec(2, 3), spec(3), spec()
DOUBLE, LONG = spec(2, 3, dtype=gn.float64), spec(2, 3, dtype=gn.int64)


@pytest.mark.parametrize(
    "passes",
    [
        lambda: check_dim(2, a=MATRIX, b=None, c=gn.ones(2, 2)),
        lambda: check_dim(1, dim=VECTOR, tensors=gn.ones(1)),
        lambda: check_dim_range(1, 3, a=MATRIX, b=VECTOR, c=None),
        lambda: check_same_dim(a=MATRIX, b=spec(4, 4), c=None),
        lambda: check_matrix(A=spec(0, 2, 3), B=None),
        lambda: check_batch_mode(2, MATRIX),
        lambda: check_batch_mode(2, spec(0, 2, 3)),
        lambda: check_size([2, 3], a=MATRIX, b=None, c=gn.ones(2, 3)),
        lambda: check_size_at(-1, 3, a=MATRIX, b=VECTOR, c=None),
        lambda: check_same_size(a=MATRIX, b=None, c=gn.ones(2, 3)),
        lambda: check_numel(6, a=MATRIX, b=spec(6), c=None),
        lambda: zero_numel_check_dims(spec(2, 0), 0),
        lambda: zero_numel_check_dims(NUMBER, 0),
        lambda: check_dtype(gn.int64, a=LONG, b=None, c=gn.tensor([1])),
        lambda: check_dtype(gn.float32, gn.float64, a=MATRIX, b=DOUBLE),
        lambda: check_same_dtype(a=MATRIX, b=VECTOR, c=None),
        lambda: check_floating_or_complex(gn.complex64),
        lambda: check_mask(spec(2, dtype=gn.bool)),
        lambda: refuse_dtype(gn.int32, "bool", "floating", "complex"),
        lambda: refuse_half(gn.float64, "bool", "integer", "complex"),
        lambda: check_length(2, stride=[1, 1], padding=(0, 0)),
        lambda: check_positive(stride=[1, 2]),
        lambda: check_non_negative(row=0, col=1),
        lambda: check_alpha(gn.int64, 2),
        lambda: check_alpha(gn.bool, True),
        lambda: check_alpha(gn.complex64, 1j),
        lambda: check_options(None, None),
        lambda: check_options(gn.strided, False),
    ],
)
def test_what_passes(passes: Callable[[], None]) -> None:
    passes()


@pytest.mark.parametrize(
    ("refused", "error", "text"),
    [
        (lambda: check_dim(2, a=MATRIX, b=VECTOR, c=NUMBER), RuntimeError, "Expected 2-dimensional tensor, but got 1-dimensional tensor for argument 'b'"),
        (lambda: check_dim(1, dim=gn.ones(2, 2)), RuntimeError, "Expected 1-dimensional tensor, but got 2-dimensional tensor for argument 'dim'"),
        (lambda: check_dim_range(1, 3, a=NUMBER), RuntimeError, "Expected 1 to 2 dimensions, but got 0-dimensional tensor for argument 'a'"),
        (lambda: check_dim_range(1, 3, a=VECTOR, b=spec(1, 1, 1)), RuntimeError, "Expected 1 to 2 dimensions, but got 3-dimensional tensor for argument 'b'"),
        (lambda: check_same_dim(a=MATRIX, b=spec(4, 4), c=VECTOR), RuntimeError, "Expected tensor for argument 'c' to have the same dimension as tensor for argument 'a'; but 1 does not equal 2"),
        (lambda: check_matrix(A=VECTOR), RuntimeError, "The input tensor A must have at least 2 dimensions, got 1"),
        (lambda: check_batch_mode(2, spec(0, 3)), RuntimeError, "Expected 2D or 3D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: [0, 3]"),
        (lambda: check_batch_mode(2, spec(1, 2, 0)), RuntimeError, "Expected 2D or 3D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: [1, 2, 0]"),
        (lambda: check_batch_mode(2, VECTOR), RuntimeError, "Expected 2D or 3D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: [3]"),
        (lambda: check_size((2, 3), a=MATRIX, b=spec(3, 2)), RuntimeError, "Expected tensor of size [2, 3], but got tensor of size [3, 2] for argument 'b'"),
        (lambda: check_size_at(0, 2, a=MATRIX, b=gn.ones(3)), RuntimeError, "Expected tensor to have size 2 at dimension 0, but got size 3 for argument 'b'"),
        (lambda: check_same_size(output=MATRIX, grad_output=VECTOR), RuntimeError, "Expected tensor for argument 'grad_output' to have same size as tensor for argument 'output'; but [3] does not equal [2, 3]"),
        (lambda: check_numel(1, a=NUMBER, b=VECTOR), RuntimeError, "Expected tensor for argument 'b' to have 1 elements; but it actually has 3 elements"),
        (lambda: zero_numel_check_dims(spec(2, 0), 1), IndexError, "Expected reduction dim 1 to have non-zero size."),
        (lambda: check_dtype(gn.int64, index=gn.ones(2)), RuntimeError, "expected dtype int64 for `index` but got dtype float32"),
        (lambda: check_dtype(gn.int64, gn.int32, a=LONG, indices=DOUBLE), RuntimeError, "Expected tensor for argument 'indices' to have one of the following scalar types: int64, int32; but got float64 instead"),
        (lambda: check_same_dtype(input=MATRIX, weight=VECTOR, bias=DOUBLE), RuntimeError, "expected dtype float32 for `bias` but got dtype float64"),
        (lambda: check_floating_or_complex(gn.int32), RuntimeError, "Expected a floating point or complex tensor as input. Got int32"),
        (lambda: check_mask(gn.ones(2)), RuntimeError, "only supports boolean masks, but got mask with dtype float32"),
        (lambda: refuse_dtype(gn.bool, "bool", "complex"), NotImplementedError, "not implemented for dtype bool; x.to(gnomon.int64) converts it"),
        (lambda: refuse_dtype(gn.int32, "bool", "integer"), NotImplementedError, "not implemented for dtype int32; x.to(gnomon.float32) converts it"),
        (lambda: refuse_dtype(gn.float32, "integer", "floating"), NotImplementedError, "not implemented for dtype float32; x.to(gnomon.bool) converts it"),
        (lambda: refuse_dtype(gn.complex64, "complex"), NotImplementedError, "not implemented for dtype complex64; x.real, x.imag and x.abs() are real"),
        (lambda: refuse_half(gn.bfloat16), NotImplementedError, "not implemented for dtype bfloat16; x.to(gnomon.float32) converts it"),
        (lambda: refuse_half(gn.int32, "bool", "integer"), NotImplementedError, "not implemented for dtype int32; x.to(gnomon.float32) converts it"),
        (lambda: check_length(2, stride=[1, 1], padding=(0,)), RuntimeError, "It is expected padding equals to 2, but got size 1"),
        (lambda: check_positive(stride=[1, 2], dilation=(1, 0)), RuntimeError, "dilation should be greater than zero, but got [1, 0]"),
        (lambda: check_non_negative(row=0, col=-1), RuntimeError, "col must be non-negative, got -1"),
        (lambda: check_alpha(gn.float32, True, "beta"), RuntimeError, "Boolean beta only supported for Boolean results."),
        (lambda: check_alpha(gn.int64, 0.5), RuntimeError, "For integral input tensors, argument alpha must not be a floating point number."),
        (lambda: check_alpha(gn.float32, 1j), RuntimeError, "For non-complex input tensors, argument alpha must not be a complex number."),
        (lambda: check_options(gn.sparse_coo, False), RuntimeError, "layout must be gnomon.strided, got gnomon.sparse_coo"),
        (lambda: check_options(gn.strided, True), RuntimeError, "pin_memory=True is not supported by the installed backends"),
        (lambda: device_of(1, [2.0]), TypeError, "expected at least one tensor"),
    ],
)  # fmt: skip
def test_what_is_refused_and_how(refused: Callable[[], None], error: type[Exception], text: str) -> None:
    with pytest.raises(error) as raised:
        refused()
    assert raised.type is error and str(raised.value) == text


def test_the_device_is_that_of_the_first_tensor() -> None:
    other = spec(2, device="meta")
    assert device_of(2, other, MATRIX) == gn.device("meta")
    assert device_of([[MATRIX], other]) == gn.device("reference")


def test_numbers_can_be_read_where_there_are_some() -> None:
    found = []
    assert can_be_read(gn.ones(2)) and not can_be_read(gn.ones(2, device="meta"))
    gn.vmap(lambda x: (found.append(can_be_read(x)), x)[1])(gn.ones(2))
    assert found == [False]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: gn.ones(2).tril(), "tril: The input tensor self must have at least 2 dimensions, got 1"),
        (lambda: gn.randperm(-1), "randperm: n must be non-negative, got -1"),
        (lambda: gn.nn.functional.linear(gn.ones(2), gn.ones(1, 2, 2)), "linear: Expected 2-dimensional tensor, but got 3-dimensional tensor for argument 'weight'"),
        (lambda: gn.nn.functional.avg_pool1d(gn.ones(2), 2), "avg_pool1d: Expected 2 to 3 dimensions, but got 1-dimensional tensor for argument 'self'"),
        (lambda: gn.ones(2).masked_fill(gn.ones(2), 1), "masked_fill: only supports boolean masks, but got mask with dtype float32"),
        (lambda: gn.ones(2).lerp(gn.ones(2).double(), 1), "lerp: expected dtype float32 for `end` but got dtype float64"),
    ],
)  # fmt: skip
def test_the_caller_names_the_operator(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(RuntimeError) as raised:
        call()
    assert str(raised.value) == text


# How an operator's file would raise a check's error, in the current or the former wording.
SAID_BY_CHECKS = re.compile(
    r"""raise\s+\w+\(\s*f?["'](
        [Ee]xpected\ \{?\w+\}?\ (of|to\ have)\ (sizes?\ \{list|dtype|\{[^}]+\}\ dimensions)
        | [Ee]xpected\ (tensor\ (of\ size|for\ argument|to\ have\ size)|\{[^}]+\}-dimensional\ tensor)
        | expected\ dtype\ \{[^}]+\}\ for\ `
        | (\{name\}|grad_\w+|indices)\ (has|should\ have)\ sizes
        | It\ is\ expected\ \{?\w+\}?\ equals
        | \{?\w+\}?\ (must|should)\ be\ (non-negative|greater\ than\ zero),\ (but\ )?got\ \{
        | not\ implemented\ for\ dtype\ \{[^}]+\};
        | (Expected\ reduction\ dim|Dimension\ specified\ as)\ \{
        | layout\ must\ be|pin_memory=
    )""",
    re.VERBOSE,
)
# The exception: the operator has its own condition, an index that does not have exactly one element.
OWN = {("indexing/scatter.py", 'raise IndexError(f"Dimension specified as {')}


def test_operators_do_not_say_it_by_themselves() -> None:
    found = {
        (str(path.relative_to(OPS)), match[0])
        for path in OPS.rglob("*.py")
        for match in SAID_BY_CHECKS.finditer(path.read_text("utf-8"))
    }
    assert found == OWN


@pytest.mark.parametrize(
    "text",
    [
        'raise RuntimeError(f"expected {argument} of sizes {list(sizes)}, but got {list(found.sizes)}")',
        'raise RuntimeError(\n    f"Expected grad_output to have sizes {list(sizes)}, but got {sizes}")',
        'raise RuntimeError(f"Expected grad to have {count} dimensions, but got {grad.ndim}")',
        'raise RuntimeError(f"grad_out has sizes {list(grad_out.sizes)}, but input has {list(input.sizes)}")',
        'raise RuntimeError(f"expected dtype {self.dtype.name} for `end` but got dtype {end.dtype.name}")',
        'raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(values)}")',
        'raise RuntimeError(f"row must be non-negative, got {row}")',
        'raise IndexError(f"Expected reduction dim {dim} to have non-zero size.")',
    ],
)  # fmt: skip
def test_it_would_be_found(text: str) -> None:
    assert SAID_BY_CHECKS.match(text)


def test_meta_functions_define_no_checks() -> None:
    own = {name for name, value in vars(meta_functions).items() if getattr(value, "__module__", "") == meta_functions.__name__}  # fmt: skip
    assert not own & set(vars(checks))
