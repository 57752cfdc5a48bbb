"""Recurrent modules: state, texts, sizes, packed inputs, dropout, errors."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import gnomon as gn
from gnomon import nn
from gnomon.nn.utils import rnn

KINDS = {"RNN": nn.RNN, "GRU": nn.GRU, "LSTM": nn.LSTM}


def first(hidden: Any) -> Any:
    """The states, without an LSTM's cells."""
    return hidden[0] if isinstance(hidden, tuple) else hidden


def test_parameters_and_texts() -> None:
    module = nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2, dropout=0.5, batch_first=True)
    sizes = {name: tuple(each.shape) for name, each in module.state_dict().items()}
    layer = {"weight_ih_l0": (16, 3), "weight_hh_l0": (16, 2), "bias_ih_l0": (16,), "bias_hh_l0": (16,)}
    layer["weight_hr_l0"] = (2, 4)
    assert list(sizes)[:10] == [*layer, *(f"{name}_reverse" for name in layer)]
    assert {name: sizes[name] for name in layer} == layer
    assert sizes["weight_ih_l1_reverse"] == (16, 4)
    assert repr(module) == (
        "LSTM(3, 4, proj_size=2, num_layers=2, batch_first=True, dropout=0.5, bidirectional=True)"
    )
    assert repr(nn.RNN(3, 4, 1, "relu", False)) == "RNN(3, 4, bias=False)"
    assert repr(nn.RNNCell(3, 4, False, "relu")) == "RNNCell(3, 4, bias=False, nonlinearity=relu)"
    assert list(nn.GRUCell(3, 4, False).state_dict()) == ["weight_ih", "weight_hh"]
    assert nn.GRUCell(3, 4, False).bias_ih is None


def test_first_values_lie_in_the_bound() -> None:
    gn.manual_seed(1)
    for parameter in nn.GRU(3, 16).parameters():
        assert parameter.abs().max().item() <= 0.25 and parameter.std().item() > 0.05


@pytest.mark.parametrize("kind", KINDS)
def test_sizes_and_strides(device: str, kind: str) -> None:
    module = KINDS[kind](3, 4, 2, bidirectional=True)
    output, hidden = module(gn.ones(5, 2, 3))
    assert output.shape == (5, 2, 8) and first(hidden).shape == (4, 2, 4)
    output, hidden = module(gn.ones(5, 3))
    assert output.shape == (5, 8) and first(hidden).shape == (4, 4)
    output, hidden = module(gn.ones(5, 0, 3))
    assert output.shape == (5, 0, 8) and first(hidden).shape == (4, 0, 4)
    module.batch_first = True
    output, hidden = module(gn.ones(2, 5, 3))
    assert output.shape == (2, 5, 8) and output.stride() == (8, 16, 1) and first(hidden).shape == (4, 2, 4)
    assert module(gn.ones(2, 5, 3), hidden)[0].shape == (2, 5, 8)


@pytest.mark.parametrize("kind", KINDS)
def test_packed_sequences_are_computed_like_each_alone(device: str, kind: str) -> None:
    gn.manual_seed(2)
    module = KINDS[kind](3, 4, 2, bidirectional=True, dtype=gn.float64)
    sequences = [gn.randn(length, 3, dtype=gn.float64) for length in (2, 4, 1)]
    output, hidden = module(rnn.pack_sequence(sequences, enforce_sorted=False))
    assert type(output) is rnn.PackedSequence and output.batch_sizes.tolist() == [3, 2, 1, 1]
    for number, (found, given) in enumerate(zip(rnn.unpack_sequence(output), sequences)):
        alone, last = module(given)
        assert gn.allclose(found, alone) and gn.allclose(first(hidden)[:, number], first(last))
    again, _ = module(rnn.pack_sequence(sequences, enforce_sorted=False), hidden)
    assert gn.allclose(rnn.unpack_sequence(again)[1], module(sequences[1], nn_state(hidden, 1))[0])


def nn_state(hidden: Any, number: int) -> Any:
    """The states of one sequence."""
    return tuple(each[:, number] for each in hidden) if isinstance(hidden, tuple) else hidden[:, number]


def test_a_network_is_its_cells(device: str) -> None:
    gn.manual_seed(3)
    for module, cell in (
        (nn.RNN(3, 4, nonlinearity="relu"), nn.RNNCell(3, 4, nonlinearity="relu")),
        (nn.RNN(3, 4), nn.RNNCell(3, 4)),
        (nn.GRU(3, 4), nn.GRUCell(3, 4)),
        (nn.LSTM(3, 4), nn.LSTMCell(3, 4)),
    ):
        cell.load_state_dict({name[:-3]: value for name, value in module.state_dict().items()})
        x, state = gn.randn(5, 2, 3), None
        for step, wanted in zip(x, module(x)[0]):
            state = cell(step, state)
            assert gn.allclose(first(state), wanted, 1e-5, 1e-6)
        one = cell(x[0, 0])  # without a batch
        assert first(one).shape == (4,) and gn.allclose(first(one), module(x)[0][0, 0], 1e-5, 1e-6)


def test_an_elman_cell_takes_a_batch_of_more_dimensions(device: str) -> None:
    gn.manual_seed(3)
    x, state, weight = gn.randn(2, 3, 3), gn.randn(2, 3, 3, requires_grad=True), gn.randn(3, 3)
    for cell in (gn.rnn_relu_cell, gn.rnn_tanh_cell):
        made = cell(x, state, weight, weight)
        assert made.shape == (2, 3, 3) and made.stride() == (9, 3, 1)
        for number in range(2):
            assert gn.equal(made[number], cell(x[number], state[number], weight, weight))
        (found,) = gn.autograd.grad(made.sum(), state)
        (wanted,) = gn.autograd.grad(cell(x[1], state[1], weight, weight).sum(), state)
        assert gn.equal(found[1], wanted[1]) and found[0].any().item() and not wanted[0].any().item()
    with pytest.raises(RuntimeError, match="input has inconsistent input_size: got 2 expected 3"):
        gn.rnn_tanh_cell(x[:, :2], state[:, :2], weight, weight)
    with pytest.raises(RuntimeError, match="Expected 2-dimensional tensor, but got 3-dimensional"):
        gn.gru_cell(x, state, gn.ones(9, 3), gn.ones(9, 3))


def test_dropout_is_between_layers_while_training(device: str) -> None:
    module = nn.GRU(3, 4, 2, dropout=1.0)
    x = gn.randn(5, 2, 3)
    silent = nn.GRU(4, 4)
    silent.load_state_dict({f"{n[:-1]}0": v for n, v in module.state_dict().items() if n.endswith("1")})
    assert gn.allclose(module(x)[0], silent(gn.zeros(5, 2, 4))[0])
    assert not gn.allclose(module.eval()(x)[0], silent(gn.zeros(5, 2, 4))[0])
    with pytest.warns(
        UserWarning, match="non-zero dropout expects num_layers greater than 1, but got dropout=0.5"
    ):
        nn.GRU(3, 4, dropout=0.5)


def test_copies_and_old_states() -> None:
    module = nn.LSTM(2, 3)
    for same in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert same.all_weights[0][0] is same.weight_ih_l0
        assert gn.equal(same(gn.ones(4, 1, 2))[0], module(gn.ones(4, 1, 2))[0])
    old = module.__dict__.copy()
    del old["proj_size"]
    old["all_weights"] = [list(module.parameters())]
    made = nn.LSTM.__new__(nn.LSTM)
    made.__setstate__(old)
    assert made.proj_size == 0 and made._all_weights == [
        ["weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"]
    ]
    assert module.flatten_parameters() is None


def test_a_replaced_parameter_is_used() -> None:
    module = nn.RNN(2, 3, bias=False)
    module.weight_ih_l0 = nn.Parameter(gn.zeros(3, 2))
    assert module(gn.ones(4, 1, 2))[0].tolist() == gn.zeros(4, 1, 3).tolist()


@pytest.mark.parametrize(
    ("kind", "arguments", "options", "error", "text"),
    [
        ("GRU", (0, 2), {}, ValueError, "input_size must be greater than zero"),
        ("GRU", (2, 0), {}, ValueError, "hidden_size must be greater than zero"),
        ("GRU", (2, 2, 0), {}, ValueError, "num_layers must be greater than zero"),
        ("GRU", (2.0, 2), {}, TypeError, "input_size should be of type int, got: float"),
        ("GRU", (2, "2"), {}, TypeError, "hidden_size should be of type int, got: str"),
        ("GRU", (2, 2), {"bias": 1}, TypeError, "bias should be of type bool, got: int"),
        ("GRU", (2, 2), {"batch_first": 0}, TypeError, "batch_first should be of type bool, got: int"),
        ("GRU", (2, 2), {"dropout": 2}, ValueError, r"dropout should be a number in range \[0, 1\]"),
        ("GRU", (2, 2), {"proj_size": 1}, ValueError, "proj_size argument is only supported for LSTM"),
        ("LSTM", (2, 2), {"proj_size": 2}, ValueError, "proj_size has to be smaller than hidden_size"),
        ("LSTM", (2, 2), {"proj_size": -1}, ValueError, "proj_size should be a positive integer or zero"),
        ("RNN", (2, 2), {"nonlinearity": "x"}, ValueError, "Unknown nonlinearity 'x'. Select from 'tanh' or"),
    ],
)
def test_refused_arguments(kind: str, arguments: Any, options: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        KINDS[kind](*arguments, **options)
    with pytest.raises(ValueError, match="Unrecognized RNN mode: X"):
        nn.RNNBase("X", 2, 2)


def test_refused_inputs() -> None:
    module, lstm = nn.GRU(3, 4), nn.LSTM(3, 4)
    with pytest.raises(ValueError, match="GRU: Expected input to be 2D or 3D, got 1D instead"):
        module(gn.ones(3))
    with pytest.raises(ValueError, match="RNN: Expected input to be 2D or 3D, got 4D tensor instead"):
        nn.RNN(3, 4)(gn.ones(1, 1, 1, 3))
    with pytest.raises(
        RuntimeError, match=r"input.size\(-1\) must be equal to input_size. Expected 3, got 2"
    ):
        module(gn.ones(5, 1, 2))
    with pytest.raises(ValueError, match=r"RNN input dtype \(gnomon.float64\) does not match weight dtype"):
        module(gn.ones(5, 1, 3, dtype=gn.float64))
    with pytest.raises(RuntimeError, match=r"Expected hidden size \(1, 2, 4\), got \[1, 3, 4\]"):
        module(gn.ones(5, 2, 3), gn.ones(1, 3, 4))
    with pytest.raises(RuntimeError, match="For batched 3-D input, hx should also be 3-D but got 2-D tensor"):
        module(gn.ones(5, 2, 3), gn.ones(2, 4))
    with pytest.raises(
        RuntimeError, match="For unbatched 2-D input, hx should also be 2-D but got 3-D tensor"
    ):
        module(gn.ones(5, 3), gn.ones(1, 2, 4))
    with pytest.raises(RuntimeError, match=r"hx and cx should also be 3-D but got \(3-D, 2-D\) tensors"):
        lstm(gn.ones(5, 2, 3), (gn.ones(1, 2, 4), gn.ones(2, 4)))
    with pytest.raises(RuntimeError, match=r"Expected hidden\[1\] size \(1, 2, 4\), got \[1, 2, 5\]"):
        lstm(gn.ones(5, 2, 3), (gn.ones(1, 2, 4), gn.ones(1, 2, 5)))
    with pytest.raises(ValueError, match="GRUCell: Expected input to be 1D or 2D, got 3D instead"):
        nn.GRUCell(3, 4)(gn.ones(1, 1, 3))
    with pytest.raises(ValueError, match=r"LSTMCell: Expected hx\[1\] to be 1D or 2D, got 3D instead"):
        nn.LSTMCell(3, 4)(gn.ones(1, 3), (gn.ones(1, 4), gn.ones(1, 1, 4)))
    with pytest.raises(RuntimeError, match="input has inconsistent input_size: got 2 expected 3"):
        nn.GRUCell(3, 4)(gn.ones(1, 2))


def test_an_lstm_cell_says_what_state_it_takes() -> None:
    cell, x = nn.LSTMCell(3, 4), gn.ones(2, 3)
    with pytest.raises(TypeError, match=r"argument 'hx' \(position 2\) must be tuple of Tensors, not Tensor"):
        cell(x, gn.ones(2, 4))
    with pytest.raises(ValueError, match=r"Expected hx\[0\] to be 1D or 2D, got 0D instead"):
        cell(x, gn.ones(4))
