"""Departures: where gnomon means to differ from PyTorch, each with its reason.

test_oracle fails for a difference that is not listed here, and for an entry that no longer shows.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .description import COMPLEX, DTYPES, INTEGERS


class Departure(NamedTuple):
    """``operators`` and ``problem`` are patterns, for a whole name and for a part of what differs."""

    operators: str
    problem: str
    reason: str
    dtypes: tuple[str, ...] = DTYPES

    def covers(self, operator: str, dtype: str, problem: str) -> bool:
        """Is this difference the one that is meant?"""
        return (
            dtype in self.dtypes
            and bool(re.fullmatch(self.operators, operator))
            and bool(re.search(self.problem, problem))
        )


REFUSED_BY_KERNEL = 'raised nothing, expected NotImplementedError: ".*" not implemented for'

DEPARTURES: list[Departure] = [
    Departure(
        r"conv.*|convolution.*|mse_loss|max_pool2d_with_indices_backward|nll_loss_backward|sigmoid_backward|tanh_backward|"
        r"addcmul",
        REFUSED_BY_KERNEL,
        "gnomon's dtypes follow from what an operator means; which of them PyTorch takes depends on the CPU "
        "kernel that it picks for these sizes",
    ),
    Departure(
        r"convolution|conv.*|mm|bmm|mv|matmul|linear|_softmax|_log_softmax|softmax\.int|log_softmax\.int|amax|amin",
        r"raised NotImplementedError: \w+: not implemented for dtype",
        "PyTorch looks at the dtype only when there are elements; gnomon refuses it for empty tensors, too",
        ("bool", *INTEGERS, *COMPLEX),
    ),
    Departure(
        r"silu|embedding|embedding_dense_backward|convolution",
        "gradient: raised nothing, expected RuntimeError: .* does not support automatic differentiation",
        "the formula holds for complex numbers",
        COMPLEX,
    ),
    Departure(
        r"silu_backward|floor_divide",
        "gradient: raised nothing, expected RuntimeError: derivative for .* is not implemented",
        "gnomon has the formula",
    ),
    Departure(
        r"embedding_dense_backward",
        "gradient: the gradient of tensor 0",
        "PyTorch's second derivative leaves scale_grad_by_freq out; finite differences agree with gnomon",
    ),
    Departure(
        r"as_strided_scatter",
        "gradient: the gradient of tensor 0",
        "PyTorch's gradient of self is that of the window; finite differences agree with gnomon",
    ),
    Departure(r"embedding", "raised RuntimeError: embedding: sparse=True", "gnomon has no sparse tensors"),
    Departure(
        r"result_type\..*",
        "expected 'complex32'",
        "gnomon has no complex32: half with complex is complex64",
        ("float16",),
    ),
    Departure(
        r"logsumexp",
        "raised NotImplementedError: amax: not implemented for dtype complex",
        "complex numbers have no largest",
        COMPLEX,
    ),
    Departure(
        r"conj|real",
        "alias|strides",
        "no lazy conjugation, and no views of half an element: conj and real of complex tensors are copies",
        COMPLEX,
    ),
    Departure(
        r"conj_physical",
        "alias|strides",
        "a new tensor, as from any other kernel; PyTorch returns a real argument itself",
        tuple(dtype for dtype in DTYPES if dtype not in COMPLEX),
    ),
    Departure(
        r"pow\.Tensor_Scalar",
        "element .* is (nan, expected (inf|0.0)|-inf, expected inf)",
        "powers of 0.5 and -0.5 are square roots, as in PyTorch's other dtypes; its float16 kernel calls pow",
        ("float16",),
    ),
    Departure(
        r"remainder\.Tensor|fmod\.Tensor",
        "element .* expected nan",
        "exact also where the quotient exceeds 2**1000; PyTorch's vector kernel gives up",
        ("float64",),
    ),
    Departure(
        r"_?index(_put)?(\.Tensor)?",
        "has strides",
        "results of indexing with tensors are row-major; PyTorch's lie as its iterator finds the indices",
    ),
    Departure(
        r"threshold_backward",
        "has strides",
        "PyTorch's iterator takes self before grad_output; gnomon's operands stand in the schema's order",
    ),
    Departure(r"resize_", "versions of the arguments", "gnomon counts a resize as a write"),
]

# Operators that PyTorch does not have, each with what it is for.
OWN_OPERATORS = {
    "_index": "the kernel under index.Tensor, whose masks are resolved and whose indices are broadcast",
    "_index_put": "the kernel under index_put",
    "_index_put_": "the kernel under index_put_",
    "_as_strided": "the view under as_strided, with its offset counted from self",
    "_real": "the kernel under real",
    "div_floor": "the kernel under div(rounding_mode='floor') and floor_divide",
    "div_trunc": "the kernel under div(rounding_mode='trunc')",
}

# Operators with another schema than PyTorch's, each with the reason.
SCHEMA_DEPARTURES = {"is_contiguous": "has the memory_format that PyTorch adds in its Python binding"}


# Expressions (expressions/) that mean something else in PyTorch, each with the reason.
EXPRESSION_DEPARTURES: dict[str, str] = {}


def unlisted_expression(text: str, problems: list[str]) -> list[str]:
    """The problems of an expression that is not listed; that it is listed and has none is a problem, too."""
    if text in EXPRESSION_DEPARTURES:
        return [] if problems else ["is listed as a departure and is none any more"]
    return problems


def unlisted(operator: str, dtype: str, problems: list[str]) -> list[str]:
    """The problems that no departure covers."""
    return [
        each
        for each in problems
        if not any(departure.covers(operator, dtype, each) for departure in DEPARTURES)
    ]
