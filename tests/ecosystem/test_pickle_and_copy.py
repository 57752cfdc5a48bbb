"""pickle and copy of tensors: dtypes, views that share, gradients, subclasses.

With ``-m oracle`` the same with PyTorch's tensors.
"""

from __future__ import annotations

import copy
import io
import pickle
from types import ModuleType
from typing import Any

import pytest

import gnomon as gn

DTYPES = (
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128", "bool"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float8_e4m3fn", "float8_e5m2"),
)
# PyTorch pickles these, and can't read them.
NOT_PYTORCHS = ("uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2")


class Tagged(gn.Tensor):
    """A subclass with an attribute of its own."""

    tag: str


def through(value: Any, protocol: int = pickle.HIGHEST_PROTOCOL) -> Any:
    return pickle.loads(pickle.dumps(value, protocol))


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes(lib: ModuleType, name: str) -> None:
    x = lib.tensor([0, 1, 1]).to(getattr(lib, name))
    if lib is not gn and name in NOT_PYTORCHS:
        with pytest.raises(AttributeError, match="has no attribute 'dtype'"):
            through(x)
        return
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        y = through(x, protocol)
        assert y.dtype == x.dtype and y.data_ptr() != x.data_ptr()
        assert y.to(lib.float32 if not x.is_complex() else x.dtype).tolist() == [0, 1, 1]
    assert through(x.dtype) is x.dtype


def test_layouts(lib: ModuleType) -> None:
    x = lib.arange(6.0).reshape(2, 3).t()
    y = through(x)
    assert y.stride() == x.stride() == (1, 3) and y.tolist() == x.tolist()
    part = through(lib.arange(100.0)[10:12])
    assert part.tolist() == [10.0, 11.0] and part.storage_offset() == 10
    sparse = through(lib.eye(2).to_sparse())
    assert sparse.is_sparse and sparse.to_dense().tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert through(lib.ones(())).shape == () and through(lib.empty(0, 3)).shape == (0, 3)
    quantized = through(lib.quantize_per_tensor(lib.tensor([0.5, 1.0]), 0.5, 0, lib.qint8))
    assert quantized.int_repr().tolist() == [1, 2] and quantized.q_scale() == 0.5
    assert through(lib.empty(2, device="meta")).is_meta


def test_views_share_a_storage_only_if_saved_as_such(lib: ModuleType) -> None:
    base = lib.arange(4.0)
    whole, view = through([base, base[1:]])
    whole[1] = 50.0
    assert view.tolist() == [1.0, 2.0, 3.0]  # pickle writes each tensor's storage: gn.save keeps it shared
    file = io.BytesIO()
    lib.save([base, base[1:]], file)
    file.seek(0)
    whole, view = lib.load(file)
    whole[1] = 50.0
    assert view.tolist() == [50.0, 2.0, 3.0]
    same, again = through([base, base])
    assert same is again
    copied, of_view = copy.deepcopy([base, base[1:]])
    copied[1] = 7.0
    assert of_view.tolist() == [7.0, 2.0, 3.0]


def test_gradients(lib: ModuleType) -> None:
    x = lib.ones(2, requires_grad=True)
    x.grad = lib.tensor([3.0, 4.0])
    assert through(x).requires_grad and through(x).is_leaf
    parameter = through(lib.nn.Parameter(lib.ones(2), requires_grad=False))
    assert type(parameter) is lib.nn.Parameter and not parameter.requires_grad
    assert copy.deepcopy(x).grad.tolist() == [3.0, 4.0]
    assert copy.copy(x) is not x and copy.copy(x).data_ptr() == x.data_ptr()
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(x * 2)
    assert not through(x.detach() * 2).requires_grad


def test_modules_optimizers_and_generators(lib: ModuleType) -> None:
    model = lib.nn.Sequential(lib.nn.Linear(2, 2), lib.nn.BatchNorm1d(2))
    other = through(model)
    assert repr(other) == repr(model)
    for name, each in model.state_dict().items():
        assert lib.equal(other.state_dict()[name], each), name
    deep = copy.deepcopy(model)
    with lib.no_grad():
        deep[0].weight.zero_()
    assert model[0].weight.count_nonzero() > 0
    state = through(lib.optim.Adam(model.parameters(), lr=0.5).state_dict())
    assert state["param_groups"][0]["lr"] == 0.5
    assert through(lib.Size([2, 3])) == (2, 3) and type(through(lib.Size([2]))) is lib.Size
    assert through(lib.device("cpu")) == lib.device("cpu")


def test_subclasses_keep_their_class_and_attributes() -> None:
    x = gn.ones(2).as_subclass(Tagged)
    x.tag = "mine"
    for y in (through(x), copy.copy(x), copy.deepcopy(x)):
        assert type(y) is Tagged and y.tag == "mine" and y.tolist() == [1.0, 1.0]
