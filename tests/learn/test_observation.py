"""learn/observation.py: the calls that a function made, with their keys and kernels."""

from __future__ import annotations

from typing import Any

import pytest

import gnomon as gn
from gnomon.dispatch.dispatcher import aten
from gnomon.learn.observation import dispatch_keys, observe
from gnomon.values.device import sparse_coo
from gnomon.values.dispatch_key import AUTOGRAD, DENSE, SPARSE_KEYS, TENSOR_KEYS, DispatchKey, mode_word

pytestmark = pytest.mark.both_tiers


def test_the_tree_of_calls(device: str) -> None:
    x = gn.rand(3, 4)
    calls, result, error = observe(lambda: x.t().contiguous())
    assert error is None and [each.name for each in calls] == ["t", "contiguous"]
    assert [each.name for each in calls[1].walk()] == ["contiguous", "clone", "empty_like"]
    (clone,) = calls[1].calls
    assert clone.result is result and clone.arguments[0] is calls[0].result
    assert [name for name, _ in clone.launches] == ["copy_"]
    assert calls[0].passed == [DispatchKey.ADInplaceOrView, DispatchKey.Dense]


def test_backward_is_one_call_with_those_in_it(device: str) -> None:
    x = gn.rand(3, requires_grad=True)
    loss = (x * 2).sum()
    (call,), _, _ = observe(loss.backward)
    assert call.operator is None and "mul.Tensor" in [each.name for each in call.walk()]


def test_what_a_tensor_was_when_the_call_began(device: str) -> None:
    x = gn.zeros(2)
    (call,), _, _ = observe(lambda: x.add_(1))
    assert call.seen[id(x)].version == 0 and x._version == 1
    y = gn.zeros(0)
    (call,), _, _ = observe(lambda: gn.add(x, 1, out=y))
    assert call.seen[id(y)].spec.sizes == (0,) and y.shape == (2,)


def test_an_error_is_kept_with_the_call_that_raised_it(device: str) -> None:
    x = gn.zeros(2)
    calls, result, error = observe(lambda: x.t().view(9))
    assert isinstance(error, RuntimeError) and result is None
    assert [each.is_done for each in calls] == [True, False]


def test_an_operator_of_a_user(device: str) -> None:
    @gn.library.custom_op("observed::plus", mutates_args=())
    def plus(x: gn.Tensor) -> gn.Tensor:
        return x + 1

    x = gn.zeros(2)
    (call,), result, _ = observe(lambda: plus(x))
    assert call.operator is gn.ops.observed.plus.default and call.result is result
    assert [each.name for each in call.calls] == ["add.Tensor"]


def test_keys() -> None:
    word = mode_word()
    x = gn.zeros(2, requires_grad=True)

    def keys(operator: Any, *arguments: Any) -> int:
        return dispatch_keys(operator, arguments, word)

    assert keys(aten.add.Tensor, x, 1, 1) == TENSOR_KEYS | AUTOGRAD
    assert keys(aten.zeros.default, (2,), None, None, None, None) == TENSOR_KEYS
    assert keys(aten.zeros.default, (2,), None, sparse_coo, None, None) == TENSOR_KEYS | SPARSE_KEYS
    with gn.inference_mode():
        word = mode_word()
    assert keys(aten.zeros.default, (2,), None, None, None, None) == DENSE
