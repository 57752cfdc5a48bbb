"""Recurrent layers on the emulated GPU, against the reference's."""

from __future__ import annotations

import pytest

import gnomon as gn
from cuda_calls import agree

pytestmark = pytest.mark.usefixtures("cuda")
aten = gn.ops.aten
TOLERANCES = {"float64": 1e-12, "float32": 2e-5, "float16": 2e-3, "bfloat16": 2e-2}
DTYPES = [gn.float32, gn.float64, gn.float16, gn.bfloat16]
GATES = (1, 1, 4, 3)
SAVED = (0, 0, 5, 4)
SIZES = (3, 3, 1)
ROWS = sum(SIZES)


def numbers(*sizes, dtype=gn.float64):
    return gn.randn(sizes, dtype=gn.float64, device="reference").to(dtype)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("mode", "proj_size"), [(0, 0), (1, 0), (2, 0), (2, 2), (3, 0)])
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda each: each.name)
def test_layers_and_their_gradients(dtype, mode, proj_size, reverse):
    gn.manual_seed(1)
    hidden, features, count, width = 3, 4, SIZES[0], proj_size or 3
    rows = GATES[mode] * hidden
    sizes = [(ROWS, features), (rows, features), (rows, width), (rows,), (rows,), (count, width)]
    sizes += [(count, hidden)] * (mode == 2) + [(width, hidden)] * (proj_size > 0)
    tensors = [numbers(*each, dtype=dtype) for each in sizes]
    tensors[1] = tensors[1].t().contiguous().t()

    def arguments(input, w_ih, w_hh, b_ih, b_hh, hx, cx=None, w_hr=None):
        return input, w_ih, w_hh, b_ih, b_hh, w_hr, hx, cx

    def forward(*given):
        return aten._rnn_layer(*arguments(*given), SIZES, mode, reverse, True)[: 3 if mode == 2 else 2]

    output, _, *_ = agree(forward, *tensors, tolerances=TOLERANCES)
    workspace = aten._rnn_layer(*arguments(*tensors), SIZES, mode, reverse, True)[3]
    assert workspace.shape == (ROWS, SAVED[mode] * hidden)
    wanted = [True] * 5 + [proj_size > 0, True, mode == 2]

    def backward(for_output, for_state, output, workspace, *given):
        grads = aten._rnn_layer_backward(
            *(for_output, for_state, None, *arguments(*given), output, workspace),
            *(SIZES, mode, reverse, wanted),
        )
        return tuple(each for each in grads if each is not None)

    given = (numbers(ROWS, width, dtype=dtype), numbers(count, width, dtype=dtype), output, workspace)
    agree(backward, *given, *tensors, tolerances=TOLERANCES)


def test_networks_are_trained():
    gn.manual_seed(2)
    module = gn.nn.LSTM(3, 4, 2, bidirectional=True, device="reference")
    same = gn.nn.LSTM(3, 4, 2, bidirectional=True, device="cuda")
    same.load_state_dict(module.state_dict())
    x = numbers(5, 2, 3, dtype=gn.float32)
    for each, given in ((module, x), (same, x.to("cuda"))):
        each(given)[0].square().sum().backward()
    for one, other in zip(module.parameters(), same.parameters()):
        assert other.grad.device.type == "cuda"
        assert gn.allclose(one.grad, other.grad.to("reference"), 1e-4, 1e-5)
