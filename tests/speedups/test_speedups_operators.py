"""Plans of operators with several outputs or absent tensors, and of CompositeImplicit operators."""

from __future__ import annotations

import math
from typing import Any

import pytest

import gnomon as gn
from gnomon.backends.listing import backend_info
from gnomon.values.speedups import speedups

pytestmark = pytest.mark.both_tiers


def test_several_outputs_are_the_same_every_time() -> None:
    scores = gn.tensor([[1.0, 2.0, 4.0], [0.5, 0.0, -1.0]], requires_grad=True)
    target = gn.tensor([2, 0])
    losses, gradients = [], []
    for _ in range(3):
        loss = gn.nn.functional.nll_loss(scores, target)
        (gradient,) = gn.autograd.grad(loss, scores)
        losses.append((loss.item(), type(loss.grad_fn).__name__))
        gradients.append(gradient.tolist())
    assert losses == [(-2.25, "NllLossBackward0")] * 3
    assert gradients == [[[0.0, 0.0, -0.5], [-0.5, 0.0, 0.0]]] * 3


def test_outputs_of_several_have_memory_of_their_own() -> None:
    x = gn.tensor([[3.0, 1.0], [2.0, 5.0]])
    results = [x.max(1) for _ in range(3)]
    results[0].values.zero_()
    for values, indices in results[1:]:
        assert values.tolist() == [3.0, 5.0] and indices.tolist() == [0, 1]
        assert not indices.requires_grad


def test_an_absent_tensor_is_not_one_that_is_there() -> None:
    scores, target = gn.tensor([[1.0, 2.0]]), gn.tensor([1])
    weight = gn.tensor([1.0, 3.0])
    for _ in range(2):
        assert gn.nn.functional.nll_loss(scores, target, reduction="sum").item() == -2
        assert gn.nn.functional.nll_loss(scores, target, weight, reduction="sum").item() == -6


@pytest.mark.parametrize("device", [name for name in ("reference", "c") if gn.backends()[name].available])
def test_one_output_of_tensors_of_which_some_are_absent(device: str) -> None:
    image = gn.arange(16.0, device=device).reshape(1, 1, 4, 4)
    weight = gn.tensor([[[[1.0, 2.0], [0.0, -1.0]]]], device=device, requires_grad=True)
    bias = gn.tensor([10.0], device=device, requires_grad=True)
    for _ in range(3):
        for given in (None, bias):
            result = gn.nn.functional.conv2d(image, weight, given, stride=2)
            more = 0 if given is None else 10
            assert result.tolist() == [[[[-3.0 + more, 1.0 + more], [13.0 + more, 17.0 + more]]]]
            assert type(result.grad_fn).__name__ == "ConvolutionBackward0"
            leaves = [weight] if given is None else [weight, bias]
            gradients = gn.autograd.grad(result.sum(), leaves)
            assert gradients[0].tolist() == [[[[20.0, 24.0], [36.0, 40.0]]]]
            assert [each.tolist() for each in gradients[1:]] == [[4.0]] * (len(leaves) - 1)
            with gn.no_grad():
                assert not gn.nn.functional.conv2d(image, weight, given, stride=2).requires_grad
        with pytest.raises(RuntimeError, match="expected input"):
            gn.nn.functional.conv2d(image.expand(1, 2, 4, 4), weight)


@pytest.mark.skipif(not backend_info("c").available, reason="the C extension is not built")
@pytest.mark.skipif(speedups is None, reason="the C speedups are not built")
def test_a_call_with_a_tensor_absent_goes_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    from gnomon.dispatch.dispatcher import OpOverload

    image, weight = gn.ones(1, 1, 4, 4, device="c"), gn.ones(1, 1, 2, 2, device="c")
    for _ in range(2):
        gn.nn.functional.conv2d(image, weight)
    seen = []
    redispatch = OpOverload.redispatch

    def noting(self: Any, keys: int, arguments: Any) -> Any:
        seen.append(self.name)
        return redispatch(self, keys, arguments)

    monkeypatch.setattr(OpOverload, "redispatch", noting)
    assert gn.nn.functional.conv2d(image, weight).tolist() == [[[[4.0] * 3] * 3]]
    assert not [name for name in seen if "conv" in name]


def test_bad_values_raise_every_time() -> None:
    scores = gn.tensor([[1.0, 2.0]])
    gn.nn.functional.nll_loss(scores, gn.tensor([1]))
    for _ in range(2):
        with pytest.raises((IndexError, RuntimeError), match=r"[Tt]arget"):
            gn.nn.functional.nll_loss(scores, gn.tensor([7]))
    assert gn.nn.functional.nll_loss(scores, gn.tensor([1])).item() == -2


def test_compositions_are_seen_by_modes() -> None:
    seen = []

    from gnomon.dispatch.python_dispatch import DispatchMode

    class Mode(DispatchMode):
        def __gnomon_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    x, w = gn.ones(2, 3), gn.ones(4, 3)
    gn.nn.functional.linear(x, w)
    with Mode():
        gn.nn.functional.linear(x, w)
    assert any("mm" in each for each in seen)


@pytest.mark.parametrize("device", [name for name in ("reference", "c") if gn.backends()[name].available])
@pytest.mark.parametrize("order", [(0.0, -0.0), (-0.0, 0.0)])
@pytest.mark.parametrize("other", [2.0, "tensor"])
def test_a_zero_with_a_sign_is_a_zero_of_its_own(device: str, order: Any, other: Any) -> None:
    count = int(order[0] == 0.0 and str(order[0]) == "0.0") + 2 * (other == "tensor")
    x = gn.full((3, 2 + count), -0.0, device=device)  # no other case has these sizes: there is no plan
    operand = gn.full_like(x, 2.0) if other == "tensor" else other
    for _ in range(3):
        for alpha in (order[0], *order, *order):
            result = gn.ops.aten.add.Tensor(x, operand, alpha)
            assert str(result[0, 0].item()) == str(alpha)


@pytest.mark.parametrize("device", [name for name in ("reference", "c") if gn.backends()[name].available])
@pytest.mark.parametrize("count", [1, 65, 510, 511, 512, 700])
def test_lists_of_many_tensors(device: str, count: int) -> None:
    tensors = [gn.tensor([float(number), -1.0], device=device) for number in range(count)]
    expected = [part for number in range(count) for part in (float(number), -1.0)]
    for _ in range(3):
        assert gn.cat(tensors).tolist() == expected
    leaf = tensors[0].requires_grad_()
    for _ in range(2):
        (gradient,) = gn.autograd.grad(gn.cat(tensors).sum(), leaf)
        assert gradient.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "float16"])
def test_a_number_in_a_tensor_s_place_is_refused_after_others_were_taken(device: str, dtype: str) -> None:
    """A plan is for a type of number; a number that the dtype can't hold is refused all the same."""
    x = gn.tensor([1, 2], dtype=getattr(gn, dtype))
    mask = gn.tensor([True, False])
    taken = [7, -100] if dtype != "uint8" else [7]
    refused = {"uint8": [2**8, 2**40], "int64": [2**63], "float32": [1e39, -1e39]}.get(dtype, [])
    if x.is_floating_point():
        taken = [0.5, math.inf, 2e38 if dtype == "float64" else 2.0, *taken]
    for _ in range(3):
        for number in taken:
            made = gn.where(mask, x, number)
            assert made.dtype is x.dtype and made.tolist() == [1, number]
        for number in refused:
            with pytest.raises((RuntimeError, OverflowError), match=r"overflow|too (large|big)"):
                gn.where(mask, x, number)
