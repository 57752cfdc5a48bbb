"""PyTorch's tensors, state dicts and functions beside gnomon's."""

from __future__ import annotations

import copy
import subprocess
import sys
from collections import OrderedDict
from typing import Any

import pytest

import gnomon as gn
from gnomon.interop.pytorch import as_gnomon_function, as_torch_function
from time_limits import LONG_LIMIT

WITHOUT = """
import sys
sys.modules["torch"] = None
import gnomon as gn
from gnomon.interop.pytorch import as_gnomon_function, as_torch_function
for call in (gn.from_torch, gn.to_torch, as_gnomon_function, as_torch_function):
    try:
        call(gn.ones(2))
    except ImportError as error:
        print(error)
"""


def test_without_pytorch_an_error_says_so() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, timeout=LONG_LIMIT, check=True
    )
    names = ["from_torch", "to_torch", "as_gnomon_function", "as_torch_function"]
    assert ran.stdout.splitlines() == [
        f"{each}: PyTorch is not installed: pip install torch" for each in names
    ]


@pytest.mark.oracle
class TestWithPyTorch:
    """What needs PyTorch."""

    def test_memory_is_shared(self, device: str) -> None:
        import torch

        x = torch.arange(6.0).reshape(2, 3).t()
        y = gn.from_torch(x)
        assert y.stride() == (1, 3) and y.data_ptr() == x.data_ptr() and y.dtype is gn.float32
        assert y.device == gn.device(device)
        z = gn.to_torch(y)
        z[0, 0] = 7
        assert x[0, 0] == 7 and y[0, 0].item() == 7 and z.data_ptr() == x.data_ptr()

    def test_lazily_conjugated_and_negated_tensors_have_the_right_values(self) -> None:
        import torch

        x = torch.tensor([1 + 2j])
        assert gn.from_torch(x.conj()).tolist() == [1 - 2j]
        assert gn.from_torch(x.conj().imag).tolist() == [-2.0]

    def test_containers(self) -> None:
        import torch

        state = OrderedDict(a=torch.ones(2), b=[torch.zeros(1), 3, ("x", torch.ones(()))])
        found = gn.from_torch(state)
        assert type(found) is OrderedDict and type(found["a"]) is gn.Tensor
        assert found["b"][0].tolist() == [0] and found["b"][1] == 3 and found["b"][2][1].item() == 1
        back = gn.to_torch(found)
        assert torch.equal(back["a"], state["a"]) and back["a"].data_ptr() == state["a"].data_ptr()
        pair = torch.max(torch.tensor([[1.0, 3.0]]), 1)
        assert [each.tolist() for each in gn.from_torch(tuple(pair))] == [[3.0], [1]]

    def test_state_dicts_of_models_and_optimizers(self) -> None:
        import torch

        def train(lib: Any, model: Any, optimizer: Any, x: Any) -> float:
            for _ in range(3):
                optimizer.zero_grad()
                loss = (model(x) ** 2).mean()
                loss.backward()
                optimizer.step()
            return float(loss.detach())

        torch.manual_seed(0)
        theirs = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))
        their_optimizer = torch.optim.Adam(theirs.parameters(), 0.1)
        x = torch.arange(15.0).reshape(5, 3) / 15
        train(torch, theirs, their_optimizer, x)
        ours = gn.nn.Sequential(gn.nn.Linear(3, 4), gn.nn.BatchNorm1d(4), gn.nn.Linear(4, 1))
        our_optimizer = gn.optim.Adam(ours.parameters(), 0.1)
        ours.load_state_dict(gn.from_torch(theirs.state_dict()))
        our_optimizer.load_state_dict(gn.from_torch(copy.deepcopy(their_optimizer.state_dict())))
        y = gn.from_torch(x)
        assert train(gn, ours, our_optimizer, y) == pytest.approx(train(torch, theirs, their_optimizer, x))
        theirs.load_state_dict(gn.to_torch(ours.state_dict()))
        their_optimizer.load_state_dict(gn.to_torch(copy.deepcopy(our_optimizer.state_dict())))
        assert train(gn, ours, our_optimizer, y) == pytest.approx(train(torch, theirs, their_optimizer, x))

    def test_errors(self) -> None:
        import torch

        with pytest.raises(RuntimeError, match="from_torch: the tensor requires grad"):
            gn.from_torch(torch.ones(2, requires_grad=True))
        with pytest.raises(RuntimeError, match="to_torch: the tensor requires grad"):
            gn.to_torch(gn.ones(2, requires_grad=True))
        with pytest.raises(TypeError, match=r"must be torch\.Tensor or a container, got int"):
            gn.from_torch(3)
        with pytest.raises(TypeError, match="must be Tensor or a container, got int"):
            gn.to_torch(3)
        with pytest.raises(BufferError, match=r"layout other than torch\.strided"):
            gn.from_torch(torch.eye(2).to_sparse())
        with pytest.raises(BufferError, match=r"layout other than gnomon\.strided"):
            gn.to_torch(gn.eye(2).to_sparse())

    def crossings(self) -> list[tuple[Any, Any, Any]]:
        import torch

        return [(gn, torch, as_gnomon_function), (torch, gn, as_torch_function)]

    def test_gradients_flow_through_both(self, device: str) -> None:
        for outer, inner, crossing in self.crossings():

            def computed(x: Any, y: Any, power: int, inner: Any = inner) -> Any:
                return (x**power * y).sum(1), inner.argmax(x, 1)

            x = outer.tensor([[1.0, 2.0], [4.0, 3.0]], requires_grad=True)
            y = outer.tensor([2.0, 5.0], requires_grad=True)
            total, position = crossing(computed)(x * 1, y, 3)
            assert total.tolist() == [42.0, 263.0] and position.tolist() == [1, 0]
            assert total.requires_grad and not position.requires_grad
            (total * outer.tensor([1.0, 10.0])).sum().backward()
            assert x.grad.tolist() == [[6.0, 60.0], [960.0, 1350.0]]
            assert y.grad.tolist() == [641.0, 278.0]

    def test_results_and_gradients_are_on_the_device_of_the_arguments(self, device: str) -> None:
        import torch

        for where in ("reference", device):
            x = gn.tensor([1.0, 2.0], device=where, requires_grad=True)
            y = gn.tensor([3.0, 4.0], device=where, requires_grad=True)
            leaf = torch.ones(2)  # one of the other objects
            found = as_gnomon_function(lambda x, other, y: {"product": x * y + other})(x, leaf, y)["product"]
            assert found.device == gn.device(where) and found.tolist() == [4.0, 9.0]
            (found * x).sum().backward()
            assert x.grad is not None and x.grad.device == gn.device(where) and x.grad.tolist() == [7, 17]
            assert y.grad is not None and y.grad.device == gn.device(where) and y.grad.tolist() == [1, 4]
            moved = torch.tensor([1.0, 2.0], requires_grad=True)
            as_torch_function(lambda x, where=where: x.to(where) * 3)(moved).sum().backward()
            assert moved.grad is not None and moved.grad.tolist() == [3, 3]

    def test_gradcheck_of_a_crossing(self) -> None:
        for outer, inner, crossing in self.crossings():
            x = outer.tensor([[0.3, -0.7], [1.1, 0.2]], dtype=outer.float64, requires_grad=True)
            through = crossing(lambda x, inner=inner: inner.tanh(x) @ x.t())
            assert outer.autograd.gradcheck(through, (x,))

    def test_modules_get_gradients_of_their_parameters(self) -> None:
        for outer, inner, crossing in self.crossings():
            layer = inner.nn.Linear(3, 2)
            x = outer.ones(4, 3)
            crossing(layer)(x).sum().backward()
            assert layer.bias.grad.tolist() == [4.0, 4.0] and layer.weight.grad.tolist() == [[4.0] * 3] * 2
            assert x.grad is None

    def test_grad_twice_and_other_gradients(self) -> None:
        for outer, _, crossing in self.crossings():
            x = outer.tensor([2.0, 3.0], requires_grad=True)
            y = crossing(lambda x: x * x)(x)
            for _ in range(2):
                (g,) = outer.autograd.grad(y.sum(), x, retain_graph=True)
                assert g.tolist() == [4.0, 6.0]
            assert x.grad is None
            with pytest.raises(RuntimeError, match="once_differentiable"):
                (g,) = outer.autograd.grad((y * x).sum(), x, create_graph=True)
                g.sum().backward()

    def test_inputs_that_changed_in_place_are_found(self) -> None:
        for outer, _, crossing in self.crossings():
            x = outer.ones(2, requires_grad=True) * 1
            y = crossing(lambda x: x * x)(x)
            x.add_(1)
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                y.sum().backward()

    def test_without_grad_mode_nothing_is_recorded(self) -> None:
        for outer, _, crossing in self.crossings():
            with outer.no_grad():
                assert not crossing(lambda x: x * x)(outer.ones(2, requires_grad=True)).requires_grad

    def test_what_is_no_function(self) -> None:
        for crossing in (as_gnomon_function, as_torch_function):
            with pytest.raises(
                TypeError, match="argument 'function' must be a function or a module, got int"
            ):
                crossing(3)

    def test_named_arguments_and_nested_results(self) -> None:
        for outer, inner, crossing in self.crossings():

            def function(x: Any, *, scale: Any, mode: str, inner: Any = inner) -> Any:
                assert isinstance(scale, inner.Tensor) and mode == "sum"
                return {"parts": [x * scale, None], "total": ((x * scale).sum(), 3)}

            x = outer.tensor([1.0, 2.0], requires_grad=True)
            scale = outer.tensor([3.0, 5.0], requires_grad=True)
            found = crossing(function)(x, mode="sum", scale=scale)
            assert found["parts"][0].tolist() == [3, 10] and found["parts"][1] is None
            assert found["total"][0].item() == 13 and found["total"][1] == 3
            (found["parts"][0][1] * 10 + found["total"][0]).backward()
            assert x.grad.tolist() == [3, 55] and scale.grad.tolist() == [1, 22]

    def test_modules_with_named_arguments_and_nested_results(self) -> None:
        import torch

        x = gn.ones(3, 1, 4, requires_grad=True)
        attention = as_gnomon_function(torch.nn.MultiheadAttention(4, 2))
        found, weights = attention(x, x, x, need_weights=False)
        assert type(found) is gn.Tensor and found.shape == (3, 1, 4) and weights is None
        output, (hidden, cell) = as_gnomon_function(torch.nn.LSTM(4, 2))(x)
        assert output.shape == (3, 1, 2) and hidden.shape == cell.shape == (1, 1, 2)
        (output.sum() + cell.sum()).backward()
        assert x.grad is not None and x.grad.abs().sum().item() > 0

    def test_functions_that_return_no_tensors(self) -> None:
        for outer, _, crossing in self.crossings():
            with pytest.raises(TypeError, match="the function must return tensors, got int"):
                crossing(lambda x: 3)(outer.ones(2))
