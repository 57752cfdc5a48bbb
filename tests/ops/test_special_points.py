"""Derivatives where functions are not smooth: at zeros, and where all elements are equal.

Where PyTorch's first and second derivatives are finite, so are gnomon's.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

import gnomon as gn
from gnomon_conformance.collection.selection import operators
from gnomon_conformance.execution.runner import Gnomon, prepare
from gnomon_conformance.pytorch.against_pytorch import CRASHES_TWICE, compares_numbers
from gnomon_conformance.pytorch.departures import OWN_OPERATORS
from gnomon_conformance.samples import good_samples

pytestmark = pytest.mark.oracle
torch = pytest.importorskip("torch")

POINTS = {"zeros": 0.0, "ones": 1.0}
SAMPLES = 2  # per operator
DEVICE = "c" if gn.backends()["c"].available else "reference"
# Their derivatives depend on singular vectors, which are arbitrary if singular values are equal.
OF_VECTORS = {"linalg_svdvals", "linalg_svd", "linalg_matrix_norm", "linalg_matrix_norm.str_ord",
              "linalg_norm.ord_str", "linalg_norm"}  # fmt: skip
NAMES = [
    name
    for name, operator in operators().items()
    if name not in OWN_OPERATORS
    and name not in OF_VECTORS
    and compares_numbers(name)
    and not CRASHES_TWICE.match(name)
    and not any(argument.is_written for argument in operator.schema.arguments)
    and any(sample.differentiable for _, sample in good_samples(name, "float64"))
]


def derivatives(framework: Any, library: Any, operator: Any, sample: Any, number: float) -> list[Any] | None:
    """The first and second derivatives of a call whose floating point operands are ``number``, or None."""
    leaves: list[Any] = []

    def leaf(value: Any) -> Any:
        if isinstance(value, library.Tensor):
            if value.dtype is not library.float64 or not value.numel():
                return value
            leaves.append(library.full_like(value, number).requires_grad_())
            return leaves[-1]
        return [leaf(each) for each in value] if isinstance(value, list) else value

    values = [
        leaf(each) for each in prepare(framework, operator.schema, sample, "float64", "contiguous").values
    ]
    try:
        made = framework.call(operator, values)
        outputs = [each for each in (made if isinstance(made, (tuple, list)) else [made]) if each is not None]
        total = sum((each * 1.0).sum() for each in outputs if each.requires_grad)
        first = library.autograd.grad(total, leaves, create_graph=True, allow_unused=True)
        again = [each * 1.5 for each in first if each is not None and each.requires_grad]
        second: Any = ()
        if again:
            second = library.autograd.grad(sum(each.sum() for each in again), leaves, allow_unused=True)
    except (RuntimeError, NotImplementedError, ValueError, AttributeError, TypeError):
        return None
    return [None if each is None else each.detach().clone().flatten().tolist() for each in (*first, *second)]


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_are_finite_where_pytorchs_are(name):
    from gnomon_conformance.pytorch.oracle import Torch

    operator = operators()[name]
    for _, sample in [each for each in good_samples(name, "float64") if each[1].differentiable][:SAMPLES]:
        for point, number in POINTS.items():
            expected = derivatives(Torch(), torch, operator, sample, number)
            found = derivatives(Gnomon(DEVICE), gn, operator, sample, number)
            for mine, theirs in zip(found or (), expected or ()):
                if mine is not None and theirs is not None:
                    wrong = [
                        (one, other)
                        for one, other in zip(mine, theirs)
                        if math.isfinite(other) and not math.isfinite(one)
                    ]
                    assert not wrong, (point, sample.args, wrong)


def _grad(function, *numbers, weight=None):
    x = gn.tensor(numbers, dtype=gn.float64, requires_grad=True)
    made = function(x)
    made.backward(gn.ones_like(made) if weight is None else gn.full_like(made, weight))
    return x.grad.tolist()


def test_the_second_derivative_of_the_logit_is_0_outside_of_its_bounds():
    def slope(x):
        return gn.func.grad(lambda x: x.logit().sum())(x)

    x = gn.tensor([-1.0, 0.5, 2.0])
    tangent = gn.func.jvp(slope, (x,), (gn.ones(3),))[1]
    assert tangent.tolist() == gn.func.grad(lambda x: slope(x).sum())(x).tolist() == [0, 0, 0]
    assert gn.func.jvp(slope, (x - 0.25,), (gn.ones(3),))[1][1].item() == pytest.approx(-128 / 9)


def test_the_logit_is_followed_within_its_bounds():
    assert _grad(lambda x: x.logit(math.nan), 0.5, -1.0) == [4.0, -0.5]
    low, none = _grad(lambda x: x.logit(0.25), 0.125, math.nan)
    assert low == 0.0 and none != none


@pytest.mark.parametrize("p", [0.5, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("weight", [math.inf, math.nan])
def test_equal_rows_take_no_gradient(p, weight):
    assert _grad(lambda x: gn.cdist(x, x, p), [1.0, 2.0], [1.0, 2.0], weight=weight) == [[0.0] * 2] * 2
    assert (
        _grad(lambda x: gn.nn.functional.pdist(x, p), [1.0, 2.0], [1.0, 2.0], weight=weight)
        == [[0.0] * 2] * 2
    )


def test_bools_have_a_loss_without_a_curve():
    loss = gn.nn.functional.smooth_l1_loss(gn.tensor([True]), gn.tensor([3.0]), beta=0.0)
    assert loss.item() == 2.0


def test_masks_without_dimensions_are_indices():
    true = gn.tensor(True)
    with pytest.raises(IndexError, match=r"too many indices for tensor of dimension 1 \(got 2\)"):
        gn.ops.aten.index_put.default(gn.ones(3), [true, true], gn.ones(3))


def test_a_factor_for_each_dimension_of_an_image():
    with pytest.raises(RuntimeError, match=r"Expected 3-dimensional tensor, .* for argument 'input'"):
        gn.ops.aten._upsample_nearest_exact1d.vec(gn.ones(1, 1, 2, 3), None, [1.5, 0.5])


def test_the_second_derivative_of_elu_takes_the_largest_numbers():
    x = gn.tensor([1.0], requires_grad=True)
    made = gn.ops.aten.elu.default(x, alpha=2**62, input_scale=2**62)
    (first,) = gn.autograd.grad(made.sum(), [x], create_graph=True)
    (second,) = gn.autograd.grad(first.sum(), [x])
    assert (first.tolist(), second.tolist()) == ([1.0], [0.0])
