"""Recurrent layers: the operator against its decomposition and PyTorch's networks, gradients, refusals."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import gnomon as gn
from gnomon.autograd import gradcheck, gradgradcheck

aten = gn.ops.aten
GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}
MODES = {"rnn_relu": 0, "rnn_tanh": 1, "lstm": 2, "gru": 3}
SIZES = (3, 3, 1)


def numbers(*sizes: int, dtype: Any = gn.float64) -> Any:
    return gn.randn(sizes, dtype=gn.float64).to(dtype).requires_grad_()


def layer(
    mode: str, hidden: int = 2, features: int = 2, proj_size: int = 0, sizes: Any = SIZES, **kind: Any
) -> Any:
    """The tensors of _rnn_layer."""
    rows, width, count = GATES[mode] * hidden, proj_size or hidden, sizes[0]
    return [
        numbers(sum(sizes), features, **kind),
        numbers(rows, features, **kind),
        numbers(rows, width, **kind),
        numbers(rows, **kind),
        numbers(rows, **kind),
        numbers(proj_size, hidden, **kind) if proj_size else None,
        numbers(count, width, **kind),
        numbers(count, hidden, **kind) if mode == "lstm" else None,
    ]


def run(mode: str, tensors: Any, sizes: Any = SIZES, reverse: bool = False, train: bool = True) -> Any:
    made = aten._rnn_layer(*tensors, sizes, MODES[mode], reverse, train)
    return made[: 3 if mode == "lstm" else 2]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("mode", "proj_size"), [*((mode, 0) for mode in MODES), ("lstm", 1)])
def test_first_and_second_derivatives(device: str, mode: str, proj_size: int, reverse: bool) -> None:
    gn.manual_seed(1)
    sizes = (2, 1)
    tensors = layer(mode, proj_size=proj_size, sizes=sizes)

    def function(*given: Any) -> Any:
        return run(mode, given, sizes, reverse)

    assert gradcheck(function, tensors, check_forward_ad=device != "reference")
    if device != "reference":  # on the reference it takes a minute
        assert gradgradcheck(function, tensors)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("reverse", [False, True])
def test_the_backward_operator_agrees_with_ordinary_operators(device: str, mode: str, reverse: bool) -> None:
    """Without ``train`` and with ``create_graph``, gradients are computed by ordinary operators."""
    gn.manual_seed(2)
    tensors = layer(mode, 3, 4)
    given = [each for each in tensors if each is not None]
    found = []
    for train, create_graph in ((True, False), (True, True), (False, False)):
        outputs = run(mode, tensors, SIZES, reverse, train)
        weights = [
            gn.linspace(0.5, 1.5, each.numel(), dtype=gn.float64).reshape(each.shape) for each in outputs
        ]
        found.append(gn.autograd.grad(outputs, given, weights, create_graph=create_graph))
    for one, other, third in zip(*found):
        assert one.grad_fn is None and other.grad_fn is not None
        assert gn.allclose(one, other, 1e-10, 1e-12) and gn.allclose(one, third, 1e-10, 1e-12)


def test_many_sequences_and_lengths(device: str) -> None:
    """More sequences than a task of the C kernel has, of all lengths, agree with each sequence alone."""
    gn.manual_seed(3)
    sizes = (37, 20, 16, 15, 1)
    for mode in MODES:
        tensors = [None if each is None else each.detach() for each in layer(mode, 5, 3, sizes=sizes)]
        for reverse in (False, True):
            made = run(mode, tensors, sizes, reverse)
            for number in (0, 1, 15, 16, 19, 36):
                length = sum(size > number for size in sizes)
                rows = [sum(sizes[:step]) + number for step in range(length)]
                alone = [tensors[0][rows], *tensors[1:6]]
                alone += [None if each is None else each[number : number + 1] for each in tensors[6:]]
                own = run(mode, alone, (1,) * length, reverse)
                assert gn.allclose(made[0][rows], own[0], 1e-12, 1e-14)
                for state, one in zip(made[1:], own[1:]):
                    assert gn.allclose(state[number : number + 1], one, 1e-12, 1e-14)


@pytest.mark.parametrize("dtype", [gn.float16, gn.bfloat16], ids=lambda each: each.name)
def test_lower_dtypes_are_rounded_once(device: str, dtype: Any) -> None:
    gn.manual_seed(4)
    tensors = layer("gru", 3, 4, dtype=dtype)
    made = aten._rnn_layer(*tensors, SIZES, 3, False, True)
    assert [each.dtype for each in made] == [dtype, dtype, dtype, gn.float32]
    wide = run("gru", [None if each is None else each.double() for each in tensors])
    assert gn.allclose(made[0].double(), wide[0], 2**-8 if dtype is gn.bfloat16 else 2**-10, 1e-6)
    made[0].sum().backward()
    assert tensors[1].grad.dtype is dtype and tensors[1].grad.shape == tensors[1].shape


def test_the_workspace_is_kept_for_gradients_only(device: str) -> None:
    tensors = layer("lstm")
    assert aten._rnn_layer(*tensors, SIZES, 2, False, True)[3].shape == (7, 10)
    assert aten._rnn_layer(*tensors, SIZES, 2, False, False)[3].shape == (7, 0)
    assert aten._rnn_layer(*layer("gru"), SIZES, 3, False, True)[3].shape == (7, 8)
    assert aten._rnn_layer(*layer("gru"), SIZES, 3, False, True)[2].shape == (0,)


def test_no_sequences(device: str) -> None:
    tensors = layer("gru", sizes=(0, 0))
    output, state = run("gru", tensors, (0, 0))
    assert output.shape == (0, 2) and state.shape == (0, 2)
    output.sum().backward()
    assert tensors[1].grad.tolist() == [[0.0] * 2] * 6


NO_ELEMENTS = [
    {"hidden": 0},
    {"width": 0},
    {"width": 2, "hidden": 0},
    {"width": 0, "hidden": 0},
    {"features": 0},
    {"width": 2, "features": 0},
    {"width": 1, "sizes": (0,)},
    {"width": 0, "sizes": (0, 0)},
]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("change", NO_ELEMENTS, ids=str)
def test_sizes_of_zero(device: str, change: dict[str, Any], reverse: bool) -> None:
    """A tensor without elements is not an absent one, and what depends on nothing is zero."""
    given = {"hidden": 3, "features": 2, "width": None, "sizes": SIZES, **change}
    hidden, features, width, sizes = (given[name] for name in ("hidden", "features", "width", "sizes"))
    gn.manual_seed(5)
    tensors = layer("lstm", hidden, features, 0, sizes)
    if width is not None:
        tensors[2], tensors[5] = numbers(4 * hidden, width), numbers(width, hidden)
        tensors[6] = numbers(sizes[0], width)
    output, hy, cy = run("lstm", tensors, sizes, reverse)
    alone = [each.detach().to("reference") if each is not None else None for each in tensors]
    expected = run("lstm", alone, sizes, reverse)
    for one, other in zip((output, hy, cy), expected):
        assert gn.allclose(one.to("reference"), other, 1e-12, 1e-14)
    if hidden == 0:
        assert not output.any() and not hy.any()
    made = [each for each in tensors if each is not None]
    weights = [gn.rand_like(each) for each in (output, hy, cy)]
    gradients = gn.autograd.grad((output, hy, cy), made, weights, retain_graph=True)
    again = gn.autograd.grad((output, hy, cy), made, weights, create_graph=True)  # by ordinary operators
    for one, other, tensor in zip(gradients, again, made):
        assert one.shape == tensor.shape and gn.allclose(one, other, 1e-10, 1e-12)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"mode": 4}, "Expected mode to be 0 .relu., 1 .tanh., 2 .LSTM. or 3 .GRU., but got 4"),
        ({"mode": 2}, "Expected cx for an LSTM, and for no other mode"),
        ({"sizes": (3, 3)}, r"Expected batch_sizes to sum to the 7 rows of input, but got \[3, 3\]"),
        ({"sizes": (1, 3, 3)}, r"Expected batch_sizes not to increase, but got \[1, 3, 3\]"),
        ({"hx": (2, 2)}, "hx"),
        ({"w_hh": (6, 3)}, "w_hh"),
        ({"b_ih": (5,)}, "b_ih"),
    ],
)
def test_refusals(device: str, change: dict[str, Any], text: str) -> None:
    tensors = layer("gru")
    for place, name in ((2, "w_hh"), (3, "b_ih"), (6, "hx")):
        if name in change:
            tensors[place] = numbers(*change[name])
    with pytest.raises(RuntimeError, match=text):
        aten._rnn_layer(*tensors, change.get("sizes", SIZES), change.get("mode", 3), False, True)


def test_networks_refuse_what_does_not_fit(device: str) -> None:
    rows, states = numbers(4, 2, 3), numbers(1, 2, 2)
    weights = [numbers(6, 3), numbers(6, 2), numbers(6), numbers(6)]
    options = (0.0, False, False, False)
    for given, layers, text in (
        (weights[:3], 1, "^gru: got an incorrect number of RNN parameters"),
        (weights * 2, 1, "^gru: Expected more weights in stacked_rnn"),
        (weights, 2, "^gru: Expected more hidden states in stacked_rnn"),
    ):
        with pytest.raises(RuntimeError, match=text):
            gn.gru(rows, states, given, True, layers, *options)
    with pytest.raises(RuntimeError, match="Odd number of params or hiddens given to a bidirectional RNN"):
        gn.gru(rows, states, weights, True, 1, 0.0, False, True, False)
    with pytest.raises(RuntimeError, match="Expected sequence length to be larger than 0 in RNN"):
        gn.gru(numbers(0, 2, 3), states, weights, True, 1, *options)
    with pytest.raises(RuntimeError, match="lstm expects two hidden states"):
        gn.lstm(rows, [states], weights, True, 1, *options)


@pytest.mark.oracle
@pytest.mark.parametrize("mode", MODES)
def test_networks_agree_with_pytorch(device: str, mode: str) -> None:
    """Outputs, last states and all gradients of layers, directions, biases, projections, padded and
    packed."""
    torch = pytest.importorskip("torch")
    gn.manual_seed(5)
    choices = itertools.product((1, 2), (False, True), (True, False), (False, True), (0, 2))
    for layers, both, biases, batch_first, proj_size in choices:
        if proj_size and mode != "lstm":
            continue
        width, params = proj_size or 3, []
        for place in range(layers * (1 + both)):
            features = 4 if place < 1 + both else width * (1 + both)
            params += [numbers(GATES[mode] * 3, features), numbers(GATES[mode] * 3, width)]
            params += [numbers(GATES[mode] * 3), numbers(GATES[mode] * 3)] if biases else []
            params += [numbers(proj_size, 3)] if proj_size else []
        states = [numbers(layers * (1 + both), 2, each) for each in ((width, 3) if mode == "lstm" else (3,))]
        options = (biases, layers, 0.0, True, both)
        for padded in (True, False):
            data = numbers(*((2, 5, 4) if batch_first else (5, 2, 4))) if padded else numbers(8, 4)
            leaves = [data, *states, *params]
            theirs = [torch.tensor(each.tolist(), dtype=torch.float64, requires_grad=True) for each in leaves]
            outputs = []
            for library, given in ((gn, leaves), (torch, theirs)):
                hx = given[1:3] if mode == "lstm" else given[1]
                rest = given[1 + len(states) :]
                call = getattr(library, mode)
                if padded:
                    outputs.append(call(given[0], hx, rest, *options, batch_first))
                else:
                    outputs.append(call(given[0], library.tensor([2, 2, 2, 1, 1]), hx, rest, *options))
            for one, other in zip(*outputs, strict=True):
                assert one.stride() == other.stride()
                torch.testing.assert_close(torch.tensor(one.tolist(), dtype=torch.float64), other.detach())
            sum(each.square().sum() for each in outputs[0]).backward()
            sum(each.square().sum() for each in outputs[1]).backward()
            for one, other in zip(leaves, theirs):
                torch.testing.assert_close(torch.tensor(one.grad.tolist(), dtype=torch.float64), other.grad)
                one.grad = None


@pytest.mark.parametrize("mode", ["RNN", "LSTM", "GRU"])
def test_forward_over_reverse_without_create_graph(mode, device: str) -> None:
    """Inside a dual level, the gradients have tangents: the Hessian times a vector."""
    gn.manual_seed(0)
    net = getattr(gn.nn, mode)(2, 3, dtype=gn.float64, device=device)
    x = gn.randn(3, 2, 2, dtype=gn.float64, device=device)
    v = gn.randn(3, 2, 2, dtype=gn.float64, device=device)
    leaf = x.clone().requires_grad_()
    (grad,) = gn.autograd.grad(net(leaf)[0].square().sum(), leaf, create_graph=True)
    (expected,) = gn.autograd.grad((grad * v).sum(), leaf)
    forward_ad = gn.autograd.forward_ad
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x.clone().requires_grad_(), v)
        (grad,) = gn.autograd.grad(net(dual)[0].square().sum(), dual)
        found = forward_ad.unpack_dual(grad).tangent
    assert found is not None and gn.allclose(found, expected, rtol=1e-9, atol=1e-12)
