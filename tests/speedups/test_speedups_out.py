"""Plans of repeated calls with out= behave as the readable path."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import gnomon as gn
from gnomon.backends.listing import backend_info
from gnomon.dispatch.record_function import DISPATCH, RecordFunctionCallback, observing
from gnomon.values.speedups import speedups

pytestmark = pytest.mark.both_tiers

aten = gn.ops.aten

CALLS: dict[str, tuple[Any, Callable[[gn.Tensor, gn.Tensor], tuple[Any, ...]]]] = {
    "add": (aten.add.out, lambda x, y: (x, y, 2)),
    "add of a row": (aten.add.out, lambda x, y: (x, y[0], 1)),
    "sub": (aten.sub.out, lambda x, y: (x, y.t().contiguous().t(), 1)),
    "mul": (aten.mul.out, lambda x, y: (x[::1], y)),
    "exp": (aten.exp.out, lambda x, y: (x,)),
    "neg, transposed": (aten.neg.out, lambda x, y: (x.t().contiguous().t(),)),
    "pow": (aten.pow.Tensor_Scalar_out, lambda x, y: (x, 2)),
    "sum": (aten.sum.IntList_out, lambda x, y: (x.expand(2, 3, 4), (0,), False, None)),
    "clamp": (aten.clamp.out, lambda x, y: (x, -0.5, 0.5)),
    "softmax": (aten._softmax.out, lambda x, y: (x, 1, False)),
    "mm": (aten.mm.out, lambda x, y: (x, y[:, :4].t().contiguous() @ y)),
    "cumsum": (aten.cumsum.out, lambda x, y: (x, 1, None)),
    "tril": (aten.tril.out, lambda x, y: (x, 0)),
}


def inputs(device: str) -> tuple[gn.Tensor, gn.Tensor]:
    x = gn.arange(12.0, device=device).reshape(3, 4) / 7 - 0.5
    return x, x * 3 + 1


def outputs(device: str) -> dict[str, gn.Tensor]:
    """Tensors of (3, 4): dense, transposed, with gaps, and a part of another tensor."""
    return {
        "dense": gn.zeros(3, 4, device=device),
        "transposed": gn.zeros(4, 3, device=device).t(),
        "gaps": gn.zeros(3, 8, device=device)[:, ::2],
        "offset": gn.zeros(4, 4, device=device)[1:],
    }


@pytest.mark.parametrize("layout", ["dense", "transposed", "gaps", "offset"])
@pytest.mark.parametrize("name", CALLS)
def test_results_lie_where_they_are_asked_for(name: str, layout: str, device: str) -> None:
    operator, arguments_of = CALLS[name]
    arguments = arguments_of(*inputs(device))
    expected = outputs(device)[layout]
    operator.dispatch(*arguments, expected)
    for _ in range(3):
        out = outputs(device)[layout]
        strides, version, address = out.stride(), out._version, out.data_ptr()
        assert operator(*arguments, out) is out
        assert gn.equal(out, expected)
        assert (out.stride(), out.data_ptr()) == (strides, address)
        assert out._version == version + 1
        if layout != "dense":  # elements outside the view were not written to
            assert gn.equal(out._base, expected._base)


SEVERAL: dict[str, tuple[Any, Callable[[gn.Tensor], tuple[Any, ...]]]] = {
    "max": (aten.max.dim_max, lambda x: (x, 1, False)),
    "min": (aten.min.dim_min, lambda x: (x, 1, False)),
    "kthvalue": (aten.kthvalue.values, lambda x: (x, 2, 1, False)),
    "median": (aten.median.dim_values, lambda x: (x, 1, False)),
    "nanmedian": (aten.nanmedian.dim_values, lambda x: (x, 1, False)),
    "mode": (aten.mode.values, lambda x: (x, 1, False)),
    "topk": (aten.topk.values, lambda x: (x, 2, 1, True, True)),
    "sort": (aten.sort.values_stable, lambda x: (x, True, 1, False)),
    "cummax": (aten.cummax.out, lambda x: (x, 1)),
    "cummin": (aten.cummin.out, lambda x: (x, 1)),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_several_outputs_come_back_in_order(name: str, device: str) -> None:
    operator, arguments_of = SEVERAL[name]
    arguments = arguments_of(inputs(device)[0])
    places = gn.empty(0, dtype=gn.int64, device=device)
    expected = operator.dispatch(*arguments, gn.empty(0, device=device), places)
    for _ in range(4):
        outs = [gn.full_like(each, 77) for each in expected]
        versions = [each._version for each in outs]
        returned = operator(*arguments, *outs)
        assert type(returned) is tuple and [*map(id, returned)] == [*map(id, outs)]
        assert [each.tolist() for each in outs] == [each.tolist() for each in expected]
        assert [each._version for each in outs] == [version + 1 for version in versions]


def test_an_output_of_other_sizes_or_dtype(device: str) -> None:
    x, y = inputs(device)
    for _ in range(3):
        out = gn.empty(0, device=device)
        assert gn.add(x, y, out=out) is out
        assert gn.equal(out, x + y)
        wide = gn.empty(3, 4, dtype=gn.float64, device=device)
        assert gn.add(x, y, out=wide) is wide
        assert gn.equal(wide, (x + y).to(gn.float64))
        with pytest.warns(UserWarning, match="resized"):
            gn.add(x, y, out=gn.empty(2, 2, device=device))
        with pytest.raises(RuntimeError, match="can't be cast"):
            gn.add(x, y, out=gn.empty(3, 4, dtype=gn.int64, device=device))
        total = gn.empty(3, dtype=gn.float64, device=device)  # accumulated in the output's dtype
        assert gn.equal(gn.sum(x, 1, out=total), x.sum(1, dtype=gn.float64))


def test_memory_that_is_shared(device: str) -> None:
    for _ in range(3):
        x, y = inputs(device)
        expected = x + y
        assert gn.add(x, y, out=x) is x
        assert gn.equal(x, expected)
        base = gn.arange(8.0, device=device)
        whole = gn.exp(base[:4], out=base[:4])
        assert gn.allclose(whole, gn.arange(4.0, device=device).exp())
        with pytest.raises(RuntimeError, match="single memory location"):
            gn.exp(base[:4], out=base[2:6])
        with pytest.raises(RuntimeError, match="single memory location"):
            gn.exp(gn.ones(2, 3, device=device), out=gn.ones(3, device=device).expand(2, 3))
        x, y = inputs(device)
        square = x[:, :3]
        expected = square @ square
        other = gn.empty(3, 3, device=device)
        assert gn.equal(gn.mm(square, square, out=other), expected)
        assert gn.equal(gn.mm(square, square, out=square), expected)


def square(device: str) -> gn.Tensor:
    """A symmetric positive definite matrix, of its own memory."""
    return gn.tensor([4.0, 1.0, 0.5, 1.0, 5.0, 0.25, 0.5, 0.25, 6.0], device=device).reshape(3, 3)


# Calls with several outputs, the first of which has the sizes of the input; the places of the others.
OVERLAPPING: dict[str, tuple[Any, tuple[Any, ...], list[tuple[tuple[int, ...], str]]]] = {
    "frexp": (aten.frexp.Tensor_out, (), [((3, 3), "int32")]),
    "sort": (aten.sort.values_stable, (True, 0, False), [((3, 3), "int64")]),
    "cummax": (aten.cummax.out, (0,), [((3, 3), "int64")]),
    "cummin": (aten.cummin.out, (1,), [((3, 3), "int64")]),
    "linalg_cholesky_ex": (aten.linalg_cholesky_ex.L, (False, False), [((), "int32")]),
    "linalg_inv_ex": (aten.linalg_inv_ex.inverse, (False,), [((), "int32")]),
    "linalg_lu_factor_ex": (aten.linalg_lu_factor_ex.out, (True, False), [((3,), "int32"), ((), "int32")]),
    "linalg_ldl_factor_ex": (aten.linalg_ldl_factor_ex.out, (False, False), [((3,), "int32"), ((), "int32")]),
}


@pytest.mark.parametrize("name", OVERLAPPING)
def test_each_of_several_outputs_is_compared_with_the_input(name: str, device: str) -> None:
    """After calls whose outputs have memory of their own, which leave a plan."""
    operator, options, places = OVERLAPPING[name]

    def others() -> list[gn.Tensor]:
        return [gn.empty(sizes, dtype=getattr(gn, kind), device=device) for sizes, kind in places]

    for _ in range(3):
        x = square(device)
        expected = operator(x, *options, gn.empty(3, 3, device=device), *others())
    for _ in range(2):
        whole = gn.cat([square(device).flatten(), gn.zeros(1, device=device)])
        before = whole.tolist()
        x, upon = whole[:9].view(3, 3), whole[1:].view(3, 3)
        for own, out in ((x, upon), (x, x.t())):
            with pytest.raises(RuntimeError, match="single memory location"):
                operator(own, *options, out, *others())
            assert whole.tolist() == before
        beside = gn.cat([square(device).flatten(), gn.zeros(9, device=device)])
        found = operator(beside[:9].view(3, 3), *options, beside[9:].view(3, 3), *others())
        assert [each.tolist() for each in found] == [each.tolist() for each in expected]


@pytest.mark.parametrize("name", ["kthvalue", "median", "mode", "max"])
def test_later_outputs_are_compared_with_the_input_too(name: str, device: str) -> None:
    """``indices`` lies upon a part of the input of integers."""
    operator, arguments_of = SEVERAL[name]

    def outs() -> list[gn.Tensor]:
        return [gn.empty(3, dtype=gn.int64, device=device) for _ in range(2)]

    for _ in range(3):
        operator(*arguments_of(gn.arange(12, device=device).reshape(3, 4)), *outs())
    for first in (False, True):
        x = gn.arange(12, device=device).reshape(3, 4)
        part = x.flatten()[2:5]
        written = (part, outs()[0]) if first else (outs()[0], part)
        with pytest.raises(RuntimeError, match="single memory location"):
            operator(*arguments_of(x), *written)
        assert x.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_autograd_has_its_say(device: str) -> None:
    x, y = inputs(device)
    for _ in range(3):
        leaf = gn.zeros(3, 4, device=device).requires_grad_()
        with pytest.raises(RuntimeError):
            gn.add(x, y, out=leaf)
        with pytest.raises(RuntimeError):
            gn.add(leaf, y, out=gn.zeros(3, 4, device=device))
        with gn.no_grad():
            assert gn.add(x, y, out=leaf) is leaf
        assert leaf.requires_grad and leaf.is_leaf and leaf._version == 1
        assert gn.equal(leaf.detach(), x + y)
        z = gn.ones(3, 4, device=device).requires_grad_()
        saved = gn.zeros(3, 4, device=device)
        product = z * saved
        gn.add(x, y, out=saved)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            product.sum().backward()


def test_outputs_of_inference_mode(device: str) -> None:
    x, y = inputs(device)
    gn.add(x, y, out=gn.empty(3, 4, device=device))
    with gn.inference_mode():
        out = gn.empty(3, 4, device=device)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="inference tensor outside InferenceMode"):
            gn.add(x, y, out=out)


def test_callbacks_hear_it(device: str) -> None:
    x, y = inputs(device)
    out = gn.empty(3, 4, device=device)
    for _ in range(2):
        gn.add(x, y, out=out)
    heard = []

    def listen(scope: Any, name: str, passed: Any) -> None:
        heard.append(name)

    with observing(RecordFunctionCallback(listen, scopes=(DISPATCH,))):
        gn.add(x, y, out=out)
    assert "add.out" in heard


def test_numbers_and_zeros_with_signs(device: str) -> None:
    x, _ = inputs(device)
    out = gn.empty(3, 4, device=device)
    zero = gn.zeros(3, 4, device=device)
    for _ in range(3):
        assert gn.equal(gn.add(x, 2, out=out), x + 2)
        assert gn.equal(gn.mul(x, 2.5, out=out), x * 2.5)
        for minimum in (0.0, -0.0):
            gn.clamp(zero - 1, minimum, 3.0, out=out)
            assert gn.equal(1 / out, 1 / gn.clamp(zero - 1, minimum, 3.0))


@pytest.mark.skipif(not backend_info("c").available or speedups is None, reason="needs the C speedups")
def test_it_runs_in_c(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = inputs("c")
    out = gn.empty(3, 4, device="c")
    calls = [(aten.add.out, (x, y, 1)), (aten.exp.out, (x,)), (aten.clamp.out, (x, 0.0, 1.0))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for operator, arguments in calls:
            operator(*arguments, out)
        results = [operator(*arguments, gn.empty(3, 4, device="c")) for operator, arguments in calls]
        monkeypatch.setattr("gnomon.dispatch.dispatcher.OpOverload.redispatch", None)
        monkeypatch.setattr("gnomon.dispatch.dispatcher.OpOverload.complete", None)
        again = [operator(*arguments, out).tolist() for operator, arguments in calls]
    assert again == [each.tolist() for each in results]
