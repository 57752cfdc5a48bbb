"""Copying, pickling and saving sparse tensors, and parameters that are sparse."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import gnomon as gn
from gnomon.sparse.copying import rebuild_sparse
from gnomon.sparse.tensor import SparseTensor


def coalesced() -> gn.Tensor:
    return gn.tensor([[1.0, 0.0], [2.0, 3.0]]).to_sparse()


def uncoalesced() -> gn.Tensor:
    return gn.sparse_coo_tensor([[1, 1]], [[1.0, 2.0], [3.0, 4.0]], (3, 2))


def rows() -> gn.Tensor:
    return gn.tensor([[1.0, 0.0], [2.0, 3.0]], dtype=gn.float64).to_sparse_csr()


def columns() -> gn.Tensor:
    return gn.tensor([[1.0, 0.0], [2.0, 3.0]]).to_sparse_csc()


def blocks() -> gn.Tensor:
    return gn.eye(4).to_sparse_bsr((2, 2))


def by_pickle(tensor: Any) -> Any:
    return pickle.loads(pickle.dumps(tensor))


def by_file(tensor: Any) -> Any:
    file = io.BytesIO()
    gn.save(tensor, file)
    file.seek(0)
    return gn.load(file, weights_only=True)


def parts(tensor: gn.Tensor) -> list[Any]:
    if tensor.layout is gn.sparse_coo:
        return [tensor._indices().tolist(), tensor._values().tolist(), tensor.is_coalesced()]
    names = ("ccol", "row") if tensor.layout is gn.sparse_csc else ("crow", "col")
    return [*(getattr(tensor, f"{each}_indices")().tolist() for each in names), tensor.values().tolist()]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, by_pickle, by_file])
@pytest.mark.parametrize("make", [coalesced, uncoalesced, rows, columns, blocks])
def test_a_copy_has_the_same_parts(make: Callable[[], gn.Tensor], copied: Callable[[Any], Any]) -> None:
    tensor: Any = make()
    tensor.note = ["kept"]
    made = copied(tensor)
    assert (made.layout, made.dtype, made.shape) == (tensor.layout, tensor.dtype, tensor.shape)
    assert parts(made) == parts(tensor)
    assert made.note == ["kept"]
    assert not made.requires_grad
    values = (
        (lambda each: each._values()) if make in (coalesced, uncoalesced) else (lambda each: each.values())
    )
    values(made).zero_()
    assert (values(tensor).count_nonzero() == 0) == (copied is copy.copy)  # only it shares memory


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, by_pickle, by_file])
@pytest.mark.parametrize("make", [coalesced, rows])
def test_a_parameter_stays_one(make: Callable[[], gn.Tensor], copied: Callable[[Any], Any]) -> None:
    parameter = gn.nn.Parameter(make())
    assert isinstance(parameter, gn.nn.Parameter) and parameter.requires_grad
    made = copied(parameter)
    assert isinstance(made, gn.nn.Parameter) and made.requires_grad and made.is_leaf
    assert parts(made) == parts(parameter)
    assert repr(made).startswith("Parameter containing:\ntensor(")
    assert not isinstance(make(), gn.nn.Parameter)


def test_deepcopy_copies_the_gradient_and_keeps_what_is_shared() -> None:
    tensor = coalesced().requires_grad_()
    tensor.sum().backward()
    first, second = copy.deepcopy([tensor, tensor])
    assert first is second
    assert tensor.grad is not None and first.grad is not None and first.grad is not tensor.grad
    assert first.grad.to_dense().tolist() == tensor.grad.to_dense().tolist()
    with pytest.raises(RuntimeError, match="graph leaves"):
        copy.deepcopy(tensor * 2)


def test_a_module_with_sparse_weights() -> None:
    module = gn.nn.Linear(2, 2, bias=False)
    module.weight = gn.nn.Parameter(rows().to(gn.float32))
    assert module(gn.tensor([[1.0, 10.0]])).tolist() == [[1.0, 32.0]]
    other = copy.deepcopy(module).to(gn.float64)
    assert other.weight.dtype is gn.float64 and other.weight.layout is gn.sparse_csr
    assert other(gn.tensor([[1.0, 10.0]], dtype=gn.float64)).tolist() == [[1.0, 32.0]]
    module.weight.data = (rows() * 2).to(gn.float32)
    module.load_state_dict(by_file(other.to(gn.float32).state_dict()))
    assert module.weight.to_dense().tolist() == [[1.0, 0.0], [2.0, 3.0]]


def test_data_takes_only_the_same_layout() -> None:
    tensor = coalesced()
    tensor.data = uncoalesced()
    assert tensor.shape == (3, 2) and not tensor.is_coalesced()
    for given in (gn.ones(2), rows()):
        with pytest.raises(RuntimeError, match="incompatible tensor type"):
            tensor.data = given
    strided = gn.ones(2)
    with pytest.raises(RuntimeError, match="incompatible tensor type"):
        strided.data = coalesced()
    assert strided.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("layout", "given", "error", "text"),
    [
        ("sparse_coo", (gn.tensor([[5]]), gn.ones(1), (2,), True), RuntimeError, "size is inconsistent"),
        ("sparse_coo", (gn.tensor([[-1]]), gn.ones(1), (2,), True), RuntimeError, "negative index"),
        ("sparse_coo", (gn.tensor([[0]]), [1.0], (2,), True), TypeError, "must be tensors, got list"),
        ("sparse_coo", (gn.tensor([[0]]), gn.ones(1), "2", True), TypeError, "sizes must be ints"),
        ("sparse_coo", (gn.tensor([[0]]), gn.ones(1)), TypeError, "expected four parts of sparse_coo, got 2"),
        ("strided", (gn.tensor([0]), gn.ones(1), gn.ones(1), (2,)), RuntimeError, "layout"),
        ("sparse_csr", (gn.tensor([0, 9]), gn.tensor([0]), gn.ones(1), (1, 1)), RuntimeError, "crow_indices"),
        ("sparse_csr", (gn.tensor([0, 1]), gn.tensor([7]), gn.ones(1), (1, 1)), RuntimeError, "col_indices"),
    ],
)
def test_parts_from_a_file_are_checked(layout: str, given: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        rebuild_sparse(getattr(gn, layout), given)


def test_what_is_no_layout_is_refused() -> None:
    with pytest.raises(TypeError, match=r"expected a gnomon\.layout, got str"):
        rebuild_sparse("sparse_coo", ())  # type: ignore[arg-type]


def test_older_files_do_not_say_whether_a_tensor_is_coalesced() -> None:
    made = rebuild_sparse(gn.sparse_coo, (gn.tensor([[1, 0]]), gn.tensor([2.0, 1.0]), (2,)))
    assert isinstance(made, SparseTensor) and not made.is_coalesced()
    assert made.to_dense().tolist() == [1.0, 2.0]


@pytest.mark.oracle
@pytest.mark.parametrize("make", [coalesced, uncoalesced, rows, columns, blocks])
def test_files_are_read_by_each_other(make: Callable[[], gn.Tensor]) -> None:
    torch = pytest.importorskip("torch")
    tensor = make()
    file = io.BytesIO()
    gn.save([tensor, gn.nn.Parameter(make())], file)
    file.seek(0)
    theirs, parameter = torch.load(file)
    assert isinstance(parameter, torch.nn.Parameter) and parameter.requires_grad
    assert repr(theirs.layout) == f"torch.{tensor.layout.name}"
    assert parts_of_torch(theirs) == parts(tensor)
    file = io.BytesIO()
    torch.save([theirs, parameter], file)
    file.seek(0)
    back, parameter = gn.load(file)
    assert isinstance(parameter, gn.nn.Parameter) and parameter.requires_grad
    assert back.layout is tensor.layout and parts(back) == parts(tensor)


def parts_of_torch(tensor: Any) -> list[Any]:
    name = repr(tensor.layout)
    if name == "torch.sparse_coo":
        return [tensor._indices().tolist(), tensor._values().tolist(), tensor.is_coalesced()]
    names = ("ccol", "row") if name == "torch.sparse_csc" else ("crow", "col")
    return [*(getattr(tensor, f"{each}_indices")().tolist() for each in names), tensor.values().tolist()]
