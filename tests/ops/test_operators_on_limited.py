"""Operators on the dtypes of LIMITED (values/dtype.py): what PyTorch's CPU kernels take, and nothing else."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from typing import Any

import pytest

import gnomon as gn
from gnomon.calls import launch
from gnomon.dispatch.dispatcher import aten
from gnomon.values.dtype import ALL, FLOAT8, LIMITED, UNSIGNED

NAMES = [each.name for each in LIMITED]
# Numbers of every magnitude, of which some fit each dtype.
NUMBERS = [0, 1, -1, 2.5, -3.7, 17, 19, 300, 448, 449, 6e4, 1e5, 61439.0, 61440.0, 2.0**31, 2.0**32 + 5]
NUMBERS += [2.0**63, 2.0**63 * 1.5, -(2.0**62), 5e9, -5e9, 1e30, math.inf, -math.inf, math.nan, -0.0]
NUMBERS += [2.0**-9, 2.0**-10, 2.0**-16, 2.0**-17, 1.5 * 2.0**-17, 0.1]


@pytest.fixture
def own_kernels() -> Any:
    """Fails a test whose calls fall back to the reference's kernels."""
    launch.set_fallback_policy("error")
    yield
    launch.set_fallback_policy(None)


def bits(tensor: gn.Tensor) -> Any:
    """What two tensors have in common if they have the same numbers, and the same NaN."""
    return str(tensor.tolist())


@pytest.mark.usefixtures("own_kernels")
@pytest.mark.parametrize("name", NAMES)
def test_copies_convert_from_and_to_every_dtype(name: str, device: str) -> None:
    kind = getattr(gn, name)
    wide = gn.tensor(NUMBERS, dtype=gn.float64, device="reference")
    for other in (*ALL, *LIMITED):
        for source, target in ((kind, other), (other, kind)):
            given = wide.to(source)
            expected = [target.cast(number) for number in given.tolist()]
            found = given.to(device).to(target)
            assert found.dtype is target and bits(found) == str(expected), (source, target)
            strided = found.as_strided((5, 3), (1, 5)).contiguous()
            assert bits(strided[:, 1]) == str(expected[5:10])


@pytest.mark.usefixtures("own_kernels")
@pytest.mark.parametrize("name", NAMES)
def test_creation_fills_and_moves(name: str, device: str) -> None:
    kind = getattr(gn, name)
    x = gn.tensor([[0, 1, 2], [3, 4, 7]], device=device).to(kind)
    assert x.t().contiguous().tolist() == [[0, 3], [1, 4], [2, 7]]
    assert x.clone().zero_().tolist() == [[0, 0, 0]] * 2
    assert gn.full((2,), 6, dtype=kind, device=device).tolist() == [6, 6]
    assert gn.ones_like(x).sum(dtype=gn.float32).item() == 6
    assert gn.cat([x, x[:1]]).tolist() == [[0, 1, 2], [3, 4, 7], [0, 1, 2]]
    assert gn.stack([x[0], x[1]]).tolist() == x.tolist() and x.roll(1, 1).tolist() == [[2, 0, 1], [7, 3, 4]]
    assert x[gn.tensor([1, 1], device=device)].tolist() == [[3, 4, 7]] * 2
    assert x[x == 4].tolist() == [4]
    assert gn.where(x == 4, x, gn.zeros_like(x)).tolist() == [[0, 0, 0], [0, 4, 0]]
    assert gn.nn.functional.embedding(gn.tensor([1], device=device), x).tolist() == [[3, 4, 7]]
    x[0, 1] = 5
    assert x[0].tolist() == [0, 5, 2] and x[0, 1].item() == 5
    assert gn.equal(x, x.clone()) and x.view(gn.uint8).shape == (2, 3 * kind.itemsize)


@pytest.mark.usefixtures("own_kernels")
@pytest.mark.parametrize("name", NAMES)
def test_comparisons_of_equality(name: str, device: str) -> None:
    kind = getattr(gn, name)
    x = gn.tensor([0, 1, 2, 3], device=device).to(kind)
    y = gn.tensor([0, 1, 4, 3], device=device).to(kind)
    assert (x == y).tolist() == [True, True, False, True] and (x != y).tolist() == [False, False, True, False]
    assert (x == 3).tolist() == [False] * 3 + [True] and (x == gn.tensor(3, device=device)).any().item()
    if kind in FLOAT8:
        special = gn.tensor([math.nan, 0.0, -0.0], device=device).to(kind)
        assert (special == special).tolist() == [False, True, True] and (special != 0).tolist()[1:] == [
            False
        ] * 2


@pytest.mark.usefixtures("own_kernels")
@pytest.mark.parametrize("kind", UNSIGNED, ids=str)
def test_arithmetic_of_unsigned_integers_wraps_around(kind: gn.dtype, device: str) -> None:
    most = 2**kind.bits - 1
    x = gn.tensor([most, most - 1, 3], dtype=kind, device=device)
    assert (x * x).tolist() == [1, 4, 9] and (x * 2).tolist() == [most - 1, most - 3, 6]
    assert (x & 5).tolist() == [5, 4, 1] and (x | 1).tolist() == [most, most, 3]
    assert (x ^ x).tolist() == [0, 0, 0] and x.floor().tolist() == x.tolist()
    assert x.any().item() is True and x.fill_(most).tolist() == [most] * 3
    assert (x == most).tolist() == [True] * 3
    if kind is not gn.uint64:  # the sum is an int64
        assert x.sum().item() == 3 * most and x.sum().dtype is gn.int64
    # with floats, they compute as floats
    assert (gn.ones(2, dtype=kind, device=device) * 2.5).dtype is gn.float32
    assert (gn.ones(2, dtype=kind, device=device) / 2).tolist() == [0.5, 0.5]
    y = gn.ones(2, device=device) + gn.full((2,), 3, dtype=kind, device=device)
    assert y.dtype is gn.float32 and y.tolist() == [4, 4]
    assert gn.full((1,), 4, dtype=kind, device=device).sqrt().tolist() == [2]


def test_a_fill_repeats_for_all_uint64(device: str) -> None:
    x = gn.empty(3, dtype=gn.uint64, device=device)
    for value in (1.0, 2.0, 7.0, 1e19, 2.0**63, 3, 2**64 - 1, -1, 5):
        assert x.fill_(value).tolist() == [int(value) % 2**64] * 3


ONES: dict[str, Callable[[gn.Tensor], Any]] = {
    "x + x": lambda x: x + x,
    "x + 1": lambda x: x + 1,
    "x - x": lambda x: x - x,
    "x // 2": lambda x: x // 2,
    "-x": lambda x: -x,
    "x < x": lambda x: x < x,
    "bitwise_not": lambda x: x.bitwise_not(),
    "x << 1": lambda x: x << 1,
    "max": lambda x: x.max(),
    "argmax": lambda x: x.argmax(),
    "amax": lambda x: x.amax(),
    "clamp": lambda x: x.clamp(0, 1),
    "pow": lambda x: x.pow(2),
    "tril": lambda x: x.view(2, 2).tril(),
    "flip": lambda x: x.flip(0),
    "gather": lambda x: x.gather(0, gn.zeros(1, dtype=gn.int64, device=x.device)),
    "scatter": lambda x: x.scatter(0, gn.zeros(1, dtype=gn.int64, device=x.device), 2),
    "masked_fill": lambda x: x.masked_fill(x == 1, 3),
    "nonzero": lambda x: x.nonzero(),
    "topk": lambda x: x.topk(1),
    "logical_not": lambda x: x.logical_not(),
    "maximum": lambda x: gn.maximum(x, x),
    "mm": lambda x: gn.mm(x.view(2, 2), x.view(2, 2)),
    "bernoulli_": lambda x: x.bernoulli_(0.5),
    "random_": lambda x: x.random_(),
    "arange": lambda x: gn.arange(3, dtype=x.dtype, device=x.device),
    "randperm": lambda x: gn.randperm(3, dtype=x.dtype, device=x.device),
    "pixel_shuffle": lambda x: gn.nn.functional.pixel_shuffle(x.view(4, 1, 1), 2),
    "x += 1": lambda x: x.add_(1),
}
OF_FLOAT8 = {
    "x * x": lambda x: x * x,
    "x & x": lambda x: x & x,
    "sum": lambda x: x.sum(),
    "cumsum": lambda x: x.cumsum(0),
    "exp": lambda x: x.exp(),
    "sort": lambda x: x.sort(),
    "floor": lambda x: x.floor(),
    "unique": lambda x: x.unique(),
    "normal_": lambda x: x.normal_(),
}
OF_UNSIGNED = {
    "abs": lambda x: x.abs(),
    "index_select": lambda x: x.index_select(0, gn.zeros(1, dtype=gn.int64, device=x.device)),
    "index_put": lambda x: x.index_put_((gn.zeros(1, dtype=gn.int64, device=x.device),), x[:1]),
    "eye": lambda x: gn.eye(2, dtype=x.dtype, device=x.device),
}


@pytest.mark.parametrize("name", ["uint16", "uint64", "float8_e4m3fn"])
def test_what_pytorch_refuses_is_refused(name: str, device: str) -> None:
    kind = getattr(gn, name)
    for text, call in {**ONES, **(OF_FLOAT8 if kind in FLOAT8 else OF_UNSIGNED)}.items():
        x = gn.ones(4, dtype=kind, device=device)
        with pytest.raises(NotImplementedError, match=f"not implemented for dtype {name}"):
            pytest.fail(f"{text} is {call(x)}")


@pytest.mark.usefixtures("own_kernels")
@pytest.mark.parametrize("name", NAMES)
def test_slices_and_runs_are_moved_and_single_numbers_are_not(name: str, device: str) -> None:
    kind = getattr(gn, name)
    x = gn.tensor([[0, 1, 2], [3, 4, 7]], device=device).to(kind)
    at = gn.tensor([1, 0, 1], device=device)
    assert x.index_select(0, at).tolist() == [[3, 4, 7], [0, 1, 2], [3, 4, 7]]
    assert x.t().index_select(1, at).tolist() == [[3, 0, 3], [4, 1, 4], [7, 2, 7]]
    assert x.flip(0).tolist() == [[3, 4, 7], [0, 1, 2]] and x[:, :1].flip(1).tolist() == [[0], [3]]
    assert (
        x.view(1, 2, 3).flip(1, 0).tolist() == [[[3, 4, 7], [0, 1, 2]]] and x.flip(()).tolist() == x.tolist()
    )
    assert x.t().flip(1).tolist() == [[3, 0], [4, 1], [7, 2]] and x.t().flip(1).stride() == (1, 3)
    for alone in (x[0], x[0, 0]) if kind in UNSIGNED else ():
        with pytest.raises(NotImplementedError, match=f"index_select: not implemented for dtype {name}"):
            alone.index_select(0, at[1:2])
    for turned, dim in ((x, 1), (x.t(), 0), (x[:, ::2], 0), (x[0], 0)):
        with pytest.raises(NotImplementedError, match=f"flip: not implemented for dtype {name}"):
            turned.flip(dim)


@pytest.mark.parametrize("name", NAMES)
def test_isin_is_refused_however_many_test_elements_there_are(name: str, device: str) -> None:
    x = gn.ones(2, 30, device=device).to(getattr(gn, name))
    with pytest.raises(NotImplementedError, match=f"isin: not implemented for dtype {name}"):
        gn.isin(x[:, 0], x)
    with pytest.raises(NotImplementedError, match=f"isin: not implemented for dtype {name}"):
        gn.isin(x, x[0])


def test_the_refusal_names_the_operator_and_how_to_convert() -> None:
    with pytest.raises(NotImplementedError) as raised:
        gn.ones(2, dtype=gn.uint32) + 1
    assert str(raised.value) == "add: not implemented for dtype uint32; x.to(gnomon.int64) converts it"
    with pytest.raises(NotImplementedError) as raised:
        gn.ones(2, dtype=gn.float8_e5m2, device="meta").exp()
    assert str(raised.value) == "exp: not implemented for dtype float8_e5m2; x.to(gnomon.float32) converts it"


def test_records_take_only_what_they_name() -> None:
    named = {
        operator.name
        for packet in aten
        for operator in packet.overloads.values()
        if operator.record is not None and operator.record.base is None and operator.record.limited
    }
    assert named == {
        *("_conj_physical", "_count_nonzero", "add.Tensor", "addcmul", "complex", "convolution", "index_add"),
        *("embedding_dense_backward", "index_copy", "index_fill.int_Scalar", "index_fill.int_Tensor", "neg"),
        *(
            "linalg_vector_norm",
            "nonzero_static",
            "rsub.Tensor",
            "sgn",
            "std.correction",
            "sub.Tensor",
            "tril",
        ),
        *("triu", "var.correction"),
        *(
            "_index",
            "_index_put",
            "_masked_select",
            "abs",
            "all.dims",
            "any.dims",
            "bitwise_and.Tensor",
            "flip",
        ),
        *("bitwise_or.Tensor", "bitwise_xor.Tensor", "cat", "ceil", "embedding", "eq.Tensor", "floor"),
        *("hash_tensor", "index_select", "isinf", "isnan", "isneginf", "isposinf", "mul.Tensor"),
        *("nan_to_num", "ne.Tensor", "round", "signbit", "sort.stable", "trunc", "where.self"),
    }


def test_hash_tensor(device: str) -> None:
    x = gn.tensor([[1.5, -2.0, 3.0], [0.1, 0.0, 5.0]], device=device)
    found = gn.hash_tensor(x)
    assert found.dtype is gn.uint64 and found.item() == 13861404113209655296
    assert x.hash_tensor([1]).tolist() == [13830554455654793216, 9200178498881191936]
    kept = gn.hash_tensor(x, 0, keepdim=True)
    assert kept.tolist() == [[18464758579593216, 13835058055282163712, 7881299347898368]]
    assert gn.hash_tensor(gn.tensor([1, -2, 3, 5], dtype=gn.int8, device=device)).item() == 2**64 - 7
    assert gn.hash_tensor(x.to(gn.float64).requires_grad_()).requires_grad is False
    with pytest.raises(RuntimeError, match="hash_tensor: Unknown hash_tensor mode: 1"):
        gn.hash_tensor(x, mode=1)
    with pytest.raises(RuntimeError, match="hash_tensor: Expected out tensor to have dtype uint64"):
        gn.hash_tensor(x, out=gn.empty(0, dtype=gn.int64, device=device))
    for kind in (gn.uint16, gn.uint64, gn.float8_e5m2, gn.complex64):
        with pytest.raises(NotImplementedError, match=f"hash_tensor: not implemented for dtype {kind.name}"):
            gn.hash_tensor(gn.ones(2, dtype=kind, device=device))


def test_float8_operators(device: str) -> None:
    x = gn.tensor([-1.5, math.nan, 448.0], device=device).to(gn.float8_e4m3fn)
    assert x.abs()[0].item() == 1.5 and x.isnan().tolist() == [False, True, False]
    assert x.isfinite().tolist() == [True, False, True]
    assert x.index_select(0, gn.tensor([2], device=device)).tolist() == [448]
    x[gn.tensor([0], device=device)] = 2.0
    assert x[0].item() == 2
    assert gn.where(gn.tensor([True, False], device=device), x[:2], 1e9)[1].item() == 448  # saturates


def test_unsigned_numbers_beyond_int64(device: str) -> None:
    x = gn.tensor([2**64 - 1, 2**63], dtype=gn.uint64, device=device)
    assert x.tolist() == [2**64 - 1, 2**63] and x.sort()[0].tolist() == [2**63, 2**64 - 1]
    assert x.to(gn.float32).tolist() == [2.0**64, 2.0**63] and x.to(gn.int64).tolist() == [-1, -(2**63)]
    assert not x.signbit().any().item()
    with pytest.raises(OverflowError, match="can't convert negative int to unsigned: -1"):
        gn.tensor([-1], dtype=gn.uint64)
    with pytest.raises(OverflowError, match=f"int too big to convert: {2**64}"):
        gn.tensor([2**64], dtype=gn.uint64)
    with pytest.raises(TypeError, match=r"an integer is required for uint64, got 1\.5"):
        gn.tensor([1.5], dtype=gn.uint64)
    with pytest.raises(
        RuntimeError, match="value cannot be converted to type uint16 without overflow: 65536"
    ):
        gn.tensor([65536], dtype=gn.uint16)


def test_printing_and_types() -> None:
    x = gn.tensor([1.5, -2.0, math.nan, 448.0]).to(gn.float8_e4m3fn)
    assert repr(x) == "tensor([  1.5000,  -2.0000,      nan, 448.0000], dtype=gnomon.float8_e4m3fn)"
    assert (
        repr(gn.tensor([2**64 - 1], dtype=gn.uint64)) == "tensor([18446744073709551615], dtype=gnomon.uint64)"
    )
    assert gn.ones(1, dtype=gn.uint16).type() == "gnomon.UInt16Tensor"
    assert gn.ones(1, dtype=gn.float8_e5m2).element_size() == 1


@pytest.mark.parametrize("name", NAMES)
def test_files_keep_them(name: str) -> None:
    kind = getattr(gn, name)
    x = gn.tensor([[0, 1], [2, 3]]).to(kind).t()
    file = io.BytesIO()
    gn.save({"x": x, "dtype": kind}, file)
    file.seek(0)
    read = gn.load(file)
    assert read["dtype"] is kind and read["x"].dtype is kind
    assert read["x"].tolist() == [[0, 2], [1, 3]] and read["x"].stride() == (1, 2)


def test_numpy_has_the_unsigned_ones() -> None:
    import numpy

    for kind in UNSIGNED:
        array = numpy.array([1, 2**kind.bits - 1], dtype=kind.name)
        x = gn.from_numpy(array)
        assert x.dtype is kind and x.tolist() == array.tolist()
        assert x.numpy().dtype == array.dtype and gn.tensor(array).dtype is kind
        x[0] = 7
        assert array[0] == 7
    with pytest.raises(TypeError, match="Got unsupported ScalarType float8_e5m2"):
        gn.ones(2, dtype=gn.float8_e5m2).numpy()


@pytest.mark.oracle
def test_files_are_pytorchs() -> None:
    import torch

    for kind in LIMITED:
        numbers = [0, 1, 2, 4]
        file = io.BytesIO()
        gn.save(gn.tensor(numbers).to(kind), file)
        file.seek(0)
        read = torch.load(file)
        assert read.dtype is getattr(torch, kind.name) and read.tolist() == numbers
        file = io.BytesIO()
        torch.save(read[1:], file)
        file.seek(0)
        assert gn.load(file).dtype is kind
        file.seek(0)
        assert gn.load(file).tolist() == numbers[1:]
