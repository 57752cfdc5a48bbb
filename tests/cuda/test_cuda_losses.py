"""Losses, gates and optimizer steps on the emulated GPU, against the reference's."""

from __future__ import annotations

import functools
import math

import pytest

import gnomon as gn
from cuda_calls import agree
from gnomon_cuda import direct, foreach, losses

pytestmark = pytest.mark.usefixtures("cuda")
aten = gn.ops.aten
forward = aten.nll_loss_forward.default
backward = aten.nll_loss_backward.default
FLOATS = [gn.float16, gn.bfloat16, gn.float32, gn.float64]
TOLERANCES = {"float64": 1e-14, "float32": 1e-6, "float16": 1e-3, "bfloat16": 8e-3}


def name_of(dtype):
    return dtype.name


on_both = functools.partial(agree, tolerances=TOLERANCES)


def numbers(*sizes, dtype=gn.float32):
    return gn.randn(sizes, dtype=gn.float64, device="reference").to(dtype)


@pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
@pytest.mark.parametrize("reduction", [0, 1, 2])
def test_negative_log_likelihood(reduction, dtype):
    gn.manual_seed(3)
    target = gn.tensor([3, -100, 0, 4, 1, 1, 2], device="reference")
    whole = numbers(7, 10, dtype=dtype)
    weights = gn.tensor([0.5, 1, 2, 0.25, 3, 9, 9, 9, 9, 9], dtype=dtype, device="reference")
    for weight in (None, weights):
        for matrix in (whole, whole.t().contiguous().t()):
            loss = on_both(lambda m, t, w: forward(m, t, w, reduction, -100), matrix, target, weight)
            incoming = numbers(*loss[0].shape, dtype=dtype)
            on_both(
                lambda g, m, t, w, n: backward(g, m, t, w, reduction, -100, n),
                *(incoming, matrix, target, weight, loss[1]),
            )
    sample = whole[0]
    on_both(lambda m, t: aten.nll_loss_forward.default(m, t, None, reduction, -100), sample, target[0])
    nothing = whole[:0]
    on_both(lambda m, t: aten.nll_loss_forward.default(m, t, None, reduction, 1), nothing, target[:0])


def test_a_loss_of_more_rows_than_a_block_has():
    gn.manual_seed(4)
    batch = 2 * losses._LENGTH + 77
    target = gn.randint(0, 3, (batch,), device="reference")
    matrix = numbers(batch, 3)
    on_both(lambda m, t: aten.nll_loss_forward.default(m, t, None, 1, 2), matrix, target)


def test_a_target_that_is_no_class_is_refused_as_on_the_reference():
    for wrong in (5, -1):
        texts = []
        for device in ("reference", "cuda"):
            matrix = numbers(3, 5).to(device)
            target = gn.tensor([0, wrong, 1], device=device)
            total = gn.ones((), device=device)
            with pytest.raises(IndexError) as caught:
                aten.nll_loss_forward.default(matrix, target, None, 1, -100)
            with pytest.raises(IndexError):
                aten.nll_loss_backward.default(total, matrix, target, None, 1, -100, total)
            texts.append(str(caught.value))
        assert texts[0] == texts[1]


@pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
def test_gates(dtype):
    gn.manual_seed(5)
    whole = numbers(4, 6, 8, dtype=dtype) * 20
    for source in (whole, whole.permute(2, 0, 1), whole[:, ::3, 1::2], whole[:1].expand(4, 6, 8), whole[:0]):
        for dim in range(-3, 3):
            if source.shape[dim] % 2 == 0:
                on_both(lambda x, dim=dim: aten.glu.default(x, dim), source)
        on_both(aten.log_sigmoid_forward.default, source)
    edges = gn.tensor([math.inf, -math.inf, math.nan, 0.0], dtype=dtype, device="reference")
    on_both(aten.log_sigmoid_forward.default, edges)
    on_both(lambda x: aten.glu.default(x, 0), edges)


def test_one_number_for_each_tensor_of_a_list():
    some = (gn.float32, gn.int64, gn.float16, gn.complex64, gn.int8, gn.complex128)
    lists = [gn.zeros(3, dtype=each, device="reference") for each in some]
    strided = gn.zeros(4, 6, device="reference")[::2, 1::2]
    long = gn.zeros(2 * foreach.CHUNK + 5, device="reference")
    from_an_odd_place = gn.zeros(9, device="reference")[1:]
    nothing = gn.zeros(0, device="reference")

    def add(number):
        def run(*tensors):
            aten._foreach_add_.Scalar(tensors, number)
            return tensors

        return run

    on_both(add(3), *lists, strided, long, from_an_odd_place, nothing)

    def add_twice(tensor):
        aten._foreach_add_.Scalar([tensor, tensor[:5], tensor[2:], tensor], 3)
        return tensor

    on_both(add_twice, long)
    on_both(add(2 - 1j), *[each for each in lists if each.is_complex()])
    on_both(add(True), gn.tensor([True, False], device="reference"), *lists)


def test_one_launch_for_all_tensors_but_one_each_where_they_share_memory(monkeypatch):
    launched = []
    launch_one = direct.Work.launch

    def count(work, text, dtype, kernel, *arguments):
        launched.append(kernel)
        launch_one(work, text, dtype, kernel, *arguments)

    monkeypatch.setattr(direct.Work, "launch", count)
    apart = [gn.zeros(each + 1, device="cuda") for each in range(20)]
    aten._foreach_add_.Scalar(apart, 1)
    assert launched == ["foreach_dense<add_operation, 4>"]
    launched.clear()
    aten._foreach_add_.Scalar([apart[9][:6], apart[3], apart[9][4:]], 1)  # overlapping; block order varies
    assert launched == ["foreach_dense<add_operation, 4>"] * 3


def stepped(operator, groups, *numbers, **options):
    """A function that runs a step on tensors, grouped into lists, and returns the tensors of the lists."""

    def step(*tensors):
        copies, rest = [], list(tensors)
        for group in groups:
            copies.append(rest[: len(group)])
            rest = rest[len(group) :]
        scale, found = rest
        operator(*copies, *numbers, scale, found, **options)
        return [each for group in copies for each in group]

    return step


def parameters(dtype):
    """Tensors of many sizes and layouts."""
    large = gn.randn(foreach.CHUNK + 3, dtype=gn.float64, device="reference").to(dtype)
    matrix = numbers(6, 4, dtype=dtype)
    strided = numbers(8, 6, dtype=dtype)[::2, ::3]
    return [large, matrix, matrix.clone().t(), strided, numbers(7, dtype=dtype)[1:]]


def fresh(tensors):
    """New numbers of the same sizes; transposed matrices stay so, all others are row-major."""
    return [
        numbers(*each.shape[::-1], dtype=each.dtype).t()
        if each.stride()[0] == 1 and each.ndim == 2
        else numbers(*each.shape, dtype=each.dtype)
        for each in tensors
    ]


@pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
@pytest.mark.parametrize("scaled", [False, True])
def test_a_step_of_stochastic_gradient_descent(scaled, dtype):
    gn.manual_seed(6)
    params = parameters(dtype)
    grads, buffers = fresh(params), fresh(params)
    scale = gn.tensor(4.0, device="reference") if scaled else None
    found = gn.tensor(0.0, device="reference") if scaled else None
    for momentum, decay, nesterov, maximize, is_first in (
        (0.0, 0.0, False, False, False),
        (0.9, 0.1, False, True, False),
        (0.9, 0.0, True, False, False),
        (0.9, 0.1, True, False, True),
    ):
        groups = (params, grads, buffers if momentum else [])
        step = stepped(
            aten._fused_sgd_.default, groups, decay, momentum, 0.1, 0.2, nesterov, maximize, is_first
        )
        on_both(step, *[each for group in groups for each in group], scale, found)


@pytest.mark.parametrize("dtype", FLOATS, ids=name_of)
@pytest.mark.parametrize("name", ["_fused_adam_", "_fused_adamw_"])
def test_a_step_of_adam(name, dtype):
    gn.manual_seed(7)
    params = parameters(dtype)
    grads, means = fresh(params), fresh(params)
    squares, largest = [each * each for each in fresh(params)], [each * each for each in fresh(params)]
    counts = [gn.tensor(each, device="reference", dtype=gn.float32) for each in (1, 2, 3, 10, 1000)]
    for amsgrad, decay, scaled in ((False, 0.0, None), (True, 0.1, None), (False, 0.1, 2.0)):
        groups = (params, grads, means, squares, largest if amsgrad else [], counts)
        step = stepped(
            getattr(aten, name).default, groups, 0.01, 0.9, 0.99, decay, 1e-6, amsgrad, scaled is not None
        )
        scale = None if scaled is None else gn.tensor(scaled, device="reference")
        found = None if scaled is None else gn.tensor(0, device="reference")
        on_both(step, *[each for group in groups for each in group], scale, found)


def test_a_step_with_an_infinite_gradient_is_left_out():
    param, grad = numbers(5), numbers(5)
    one = gn.tensor(1.0, device="reference")

    def step(param, grad, found):
        kept = param.clone()
        aten._fused_sgd_.default(
            [kept], [grad.clone()], [], 0.0, 0.0, 0.1, 0.0, False, False, False, found, found
        )
        return kept

    (after,) = on_both(step, param, grad, one)
    assert after.tolist() == param.tolist()
