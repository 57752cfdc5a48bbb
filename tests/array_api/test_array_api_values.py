"""Values and dtypes of gnomon.array_api: where it differs from gnomon, and for dtypes that are rare."""

import array
import itertools
import math
import operator

import numpy as np
import pytest

import gnomon as gn
import gnomon.array_api as xp
from gnomon.array_api.data_types import KINDS

UNSIGNED = [gn.uint16, gn.uint32, gn.uint64]
pytestmark = pytest.mark.usefixtures("device")


def signed_zero(number):
    """Which zero it is."""
    return math.copysign(1, number)


# -- dtypes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((gn.uint8, gn.int8), gn.int16),
        ((gn.uint16, gn.uint8), gn.uint16),
        ((gn.uint16, gn.int8), gn.int32),
        ((gn.int64, gn.uint32), gn.int64),
        ((gn.uint64, gn.uint8), gn.uint64),
        ((gn.bool, gn.uint32), gn.uint32),
        ((gn.float32, gn.float64), gn.float64),
        ((gn.float64, gn.complex64), gn.complex128),
        ((gn.int8, 5), gn.int8),
        ((gn.uint64, 5), gn.uint64),
        ((gn.float64, 1.0), gn.float64),
        ((gn.float64, 1j), gn.complex128),
        ((gn.float32, 1j), gn.complex64),
        ((gn.bool, True), gn.bool),
        ((gn.bool, 1), gn.int64),
        ((gn.int8, 1.0), gn.float32),
        ((1, 2.0), gn.float32),
    ],
)
def test_result_type(given, expected):
    assert xp.result_type(*given) is expected and xp.result_type(*reversed(given)) is expected


def test_tensors_without_dimensions_promote_as_others():
    small, large = gn.tensor([1], dtype=gn.int8), gn.tensor(1, dtype=gn.int64)
    assert (small + large).dtype is gn.int8  # PyTorch's rule
    assert xp.add(small, large).dtype is gn.int64
    assert xp.where(gn.tensor([True]), small, large).dtype is gn.int64


def test_no_common_dtype():
    with pytest.raises(
        TypeError, match=r"no integer dtype holds the values of gnomon.uint64 and gnomon.int8"
    ):
        xp.result_type(gn.uint64, gn.int8)
    with pytest.raises(TypeError, match="at least one tensor, dtype or number, got none"):
        xp.result_type()
    with pytest.raises(TypeError, match="expected tensors, dtypes and numbers, got str"):
        xp.result_type("int8")


def test_can_cast_follows_promotion():
    assert xp.can_cast(gn.uint8, gn.int16) and xp.can_cast(gn.ones(1), gn.float64)
    assert not xp.can_cast(gn.int64, gn.int8) and not xp.can_cast(gn.uint64, gn.int64)


def test_isdtype():
    kinds = [kind for kind in KINDS if xp.isdtype(gn.uint32, kind)]
    assert kinds == ["unsigned integer", "integral", "numeric"]
    assert xp.isdtype(gn.bool, ("numeric", "bool")) and xp.isdtype(gn.int8, gn.int8)
    assert xp.isdtype(gn.bfloat16, "real floating")  # which the standard does not know
    with pytest.raises(ValueError, match=r"'kind': expected one of bool, .*, got 'float'"):
        xp.isdtype(gn.int8, "float")
    with pytest.raises(TypeError, match=r"'dtype': expected a gnomon\.dtype, got str"):
        xp.isdtype("int8", "integral")


def test_limits_have_dtypes():
    assert xp.finfo(gn.complex128).dtype is gn.float64 and xp.finfo(gn.ones(1)).bits == 32
    assert xp.iinfo(gn.uint64) == (64, 2**64 - 1, 0, gn.uint64)


def test_astype():
    x = gn.tensor([1.5])
    assert xp.astype(x, gn.float32, copy=False) is x and xp.astype(x, gn.float32) is not x
    assert xp.astype(x, gn.uint64).tolist() == [1]
    with pytest.raises(TypeError, match="would discard imaginary parts"):
        xp.astype(gn.tensor([1j]), gn.float32)


# -- unsigned integers --------------------------------------------------------------------------------------


def numbers_of(kind):
    top = 2**kind.bits
    return [0, 1, 2, 7, top // 2 - 1, top // 2, top // 2 + 3, top - 2, top - 1]


@pytest.mark.parametrize("kind", UNSIGNED)
@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("add", operator.add),
        ("subtract", operator.sub),
        ("multiply", operator.mul),
        ("floor_divide", operator.floordiv),
        ("remainder", operator.mod),
        ("pow", pow),
        ("bitwise_xor", operator.xor),
        ("less", operator.lt),
        ("less_equal", operator.le),
        ("greater", operator.gt),
        ("greater_equal", operator.ge),
        ("equal", operator.eq),
        ("maximum", max),
        ("minimum", min),
    ],
)
def test_arithmetic_of_unsigned_integers(kind, name, function):
    numbers, top = numbers_of(kind), 2**kind.bits
    pairs = [(a, b) for a in numbers for b in numbers if b or name not in ("floor_divide", "remainder")]
    first, second = (gn.tensor(each, dtype=kind) for each in map(list, zip(*pairs)))
    expected = [pow(a, b, top) if name == "pow" else function(a, b) for a, b in pairs]
    made = getattr(xp, name)(first, second)
    if made.dtype is gn.bool:
        assert made.tolist() == expected
    else:
        assert made.dtype is kind and made.tolist() == [each % top for each in expected]


@pytest.mark.parametrize("kind", UNSIGNED)
def test_shifts_of_unsigned_integers(kind):
    pairs = [(a, places) for a in numbers_of(kind) for places in (0, 1, 5, kind.bits - 1)]
    first, second = (gn.tensor(each, dtype=kind) for each in map(list, zip(*pairs)))
    assert xp.bitwise_right_shift(first, second).tolist() == [a >> places for a, places in pairs]
    shifted = [(a << places) % 2**kind.bits for a, places in pairs]
    assert xp.bitwise_left_shift(first, second).tolist() == shifted


@pytest.mark.parametrize("kind", UNSIGNED)
def test_other_functions_of_unsigned_integers(kind):
    top = 2**kind.bits
    numbers = [3, top - 1, 0, top // 2]
    x = gn.tensor(numbers, dtype=kind)
    assert xp.sort(x).tolist() == sorted(numbers) and xp.sort(x).dtype is kind
    assert xp.argsort(x, descending=True).tolist() == [1, 3, 0, 2]
    assert (xp.argmax(x).item(), xp.argmin(x).item()) == (1, 2)
    assert (xp.max(x).item(), xp.min(x).item()) == (top - 1, 0) and xp.max(x).dtype is kind
    assert xp.flip(x).tolist() == numbers[::-1]
    assert xp.negative(x).tolist() == [-each % top for each in numbers]
    assert xp.bitwise_invert(x).tolist() == [top - 1 - each for each in numbers]
    assert xp.sign(x).tolist() == [1, 1, 0, 1] and xp.abs(x).tolist() == numbers
    assert xp.clip(x, 2, top // 2).tolist() == [3, top // 2, 2, top // 2]
    assert xp.take_along_axis(x, gn.tensor([-1, 0])).tolist() == [top // 2, 3]
    assert xp.repeat(x, 2).tolist() == [each for each in numbers for _ in range(2)]
    assert xp.unique_values(x).tolist() == sorted(numbers)
    assert xp.searchsorted(xp.sort(x), gn.tensor([4, top - 1], dtype=kind)).tolist() == [2, 3]
    assert xp.diff(x).tolist() == [(b - a) % top for a, b in itertools.pairwise(numbers)]
    assert xp.tril(xp.reshape(x, (2, 2))).tolist() == [[3, 0], [0, top // 2]]
    assert xp.matmul(x, x).item() == sum(each * each for each in numbers) % top
    assert xp.count_nonzero(x).item() == 3
    assert xp.eye(2, dtype=kind).tolist() == [[1, 0], [0, 1]]
    assert xp.arange(2, 9, 3, dtype=kind).tolist() == [2, 5, 8]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (gn.int8, gn.int64),
        (gn.uint8, gn.uint64),
        (gn.uint16, gn.uint64),
        (gn.float32, gn.float32),
        (gn.complex64, gn.complex64),
    ],
)
def test_dtype_of_sums(given, expected):
    x = gn.tensor([[1, 2], [3, 4]]).to(given)
    for function, value in ((xp.sum, 10), (xp.prod, 24)):
        assert function(x).dtype is expected and function(x).item() == value
        assert function(x, axis=(), dtype=gn.uint8).dtype is gn.uint8 if given.category < 2 else True
    assert xp.cumulative_sum(x, axis=1, include_initial=True).tolist() == [[0, 1, 3], [0, 3, 7]]
    assert xp.cumulative_prod(x, axis=0).dtype is expected
    assert xp.sum(x.real if given.is_complex else x, dtype=gn.uint32).dtype is gn.uint32


# -- special cases ------------------------------------------------------------------------------------------


def test_special_cases_of_division():
    inf = math.inf
    made = xp.floor_divide(gn.tensor([inf, -inf, 1.0, -1.0, 7.0]), gn.tensor([2.0, 2.0, -inf, inf, 2.0]))
    assert made.tolist() == [inf, -inf, 0.0, 0.0, 3.0] and [*map(signed_zero, made.tolist()[2:4])] == [-1, -1]
    made = xp.remainder(gn.tensor([-0.0, 0.0, 7.0]), gn.tensor([2.0, -2.0, -4.0]))
    assert made.tolist() == [0, 0, -1] and [*map(signed_zero, made.tolist())] == [1, -1, -1]


def test_special_cases_of_one_operand():
    inf, nan = math.inf, math.nan
    assert math.isnan(xp.sign(gn.tensor(nan)).item()) and gn.sign(gn.tensor(nan)).item() == 0
    assert xp.expm1(gn.tensor(complex(inf, 0))).item() == complex(inf, 0)
    assert xp.expm1(gn.tensor(complex(-inf, nan))).item() == -1
    assert signed_zero(xp.expm1(gn.tensor(complex(-0.0, 0))).item().real) == 1
    assert xp.expm1(gn.tensor(1e-6j + 0)).item() == pytest.approx(1e-6j - 5e-13)
    made = xp.tanh(gn.tensor(complex(inf, 2.0))).item()
    assert made == 1 and signed_zero(made.imag) == 1
    assert xp.round(gn.tensor(1.5 + 2.5j)).item() == 2 + 2j
    assert xp.imag(gn.tensor(2.0)).item() == 0 and xp.floor(gn.tensor(3)).dtype is gn.int64


# -- other differences from PyTorch -------------------------------------------------------------------------


def test_unique_has_each_nan():
    nan = math.nan
    made = xp.unique_all(gn.tensor([[2.0, nan, 0.0], [nan, -0.0, 2.0]]))
    assert made.values.tolist()[:2] == [0, 2] and all(map(math.isnan, made.values.tolist()[2:]))
    assert made.indices.tolist() == [2, 0, 1, 3] and made.counts.tolist() == [2, 2, 1, 1]
    assert made.inverse_indices.tolist() == [[1, 2, 0], [3, 0, 1]]
    numbers = gn.tensor([1 + 2j, 1 + 1j, 0j, 1 + 2j])
    assert xp.unique_counts(numbers).values.tolist() == [0j, 1 + 1j, 1 + 2j]
    assert xp.unique_inverse(numbers).inverse_indices.tolist() == [2, 1, 0, 2]
    assert xp.unique_all(xp.empty((0,))).counts.tolist() == []


def test_isin():
    x = gn.tensor([[1, 2], [3, 4]])
    assert xp.isin(x, gn.tensor([4, 1], dtype=gn.int8)).tolist() == [[True, False], [False, True]]
    assert xp.isin(x, 2, invert=True).tolist() == [[True, False], [True, True]]


def test_solve_takes_matrices_where_pytorch_takes_vectors():
    matrices = gn.stack([gn.eye(2) * 2, gn.eye(2) * 4])
    right = gn.tensor([[4.0, 8.0], [12.0, 16.0]])  # for PyTorch one vector for each matrix
    assert gn.linalg.solve(matrices, right).tolist() == [[2, 4], [3, 4]]
    assert xp.linalg.solve(matrices, right).tolist() == [[[2, 4], [6, 8]], [[1, 2], [3, 4]]]
    assert xp.linalg.solve(matrices, gn.tensor([4.0, 8.0])).tolist() == [[2, 4], [1, 2]]
    with pytest.raises(ValueError, match="'x1': expected at least 2 dimensions, got 1"):
        xp.linalg.solve(gn.ones(1), gn.ones(1, 1, 1))
    with pytest.raises(RuntimeError):
        xp.linalg.solve(gn.ones(2, 1, 1), gn.ones(2))  # no vector of one element


@pytest.mark.parametrize("batch", [(), (1,), (2,), (1, 1), (2, 1)])
@pytest.mark.parametrize("n", [1, 2])
def test_solutions_have_the_shape_of_their_matrices(batch, n):
    matrices = gn.eye(n).expand(*batch, n, n) * 2
    assert xp.linalg.solve(matrices, gn.ones(n)).shape == (*batch, n)
    assert xp.linalg.solve(matrices, gn.ones(n, 3)).shape == (*batch, n, 3)
    assert xp.linalg.solve(matrices, gn.ones(n, 1)).tolist() == (gn.ones(*batch, n, 1) / 2).tolist()


def test_nothing_broadcasts_along_the_axes_of_tensordot():
    assert xp.tensordot(gn.ones(2, 3), gn.ones(3, 2), axes=1).shape == (2, 2)
    assert xp.tensordot(gn.ones(2, 3), gn.ones(2, 3), axes=([-1, 0], [1, 0])).item() == 6
    for axes in (1, ([1], [0]), ([-1], [-2])):
        with pytest.raises(ValueError, match=r"the same sizes along the axes, got \[1\] and \[3\]"):
            xp.tensordot(gn.ones(2, 1), gn.ones(3, 2), axes=axes)


def test_reductions_over_no_axes():
    x = gn.tensor([[1.0, 2.0]])
    for function in (xp.sum, xp.prod, xp.max, xp.min, xp.mean):
        assert function(x, axis=()).tolist() == [[1, 2]]
    assert xp.all(x, axis=()).tolist() == [[True, True]] and xp.var(x, axis=()).tolist() == [[0, 0]]
    assert xp.var(x).item() == 0.25 and xp.std(x, correction=1).item() == pytest.approx(0.5**0.5)


def test_empty_ranges():
    assert xp.arange(3, 1).tolist() == [] and xp.arange(1.0, 3.0, -1.0).tolist() == []
    assert xp.arange(0.5, 2.0).tolist() == [0.5, 1.5] and xp.arange(3).dtype is gn.int64
    assert xp.linspace(0, 1, 4, endpoint=False).tolist() == [0, 0.25, 0.5, 0.75]
    with pytest.raises(ValueError, match="'step': expected a number other than zero"):
        xp.arange(1, 3, 0)


def test_copies():
    x = gn.arange(6)
    assert xp.asarray(x) is x and xp.asarray(x, copy=True) is not x and xp.asarray(x, copy=False) is x
    assert xp.reshape(x, (2, 3), copy=False).data_ptr() == x.data_ptr()
    assert xp.reshape(x, (6,), copy=True).data_ptr() != x.data_ptr()
    with pytest.raises(ValueError, match="copy=False: no view of sizes"):
        xp.reshape(xp.reshape(x, (2, 3)).T, (6,), copy=False)
    with pytest.raises(ValueError, match="copy=False: a list has no memory"):
        xp.asarray([1], copy=False)
    with pytest.raises(ValueError, match=r"copy=False: gnomon\.int64 on .* without a copy"):
        xp.asarray(x, dtype=gn.int8, copy=False)


NUMBERS = np.arange(6.0).reshape(2, 3)


class ByDlpack:
    """An array of a library that has DLPack alone."""

    def __init__(self, held):
        self.held = held

    def __dlpack__(self, **options):
        return self.held.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.held.__dlpack_device__()

    def __array__(self, dtype=None, copy=None):
        raise TypeError("it has no such array")


UNLIKE_TENSORS = {
    "negative strides": NUMBERS[:, ::-1],
    "both negative": NUMBERS[::-1, ::-1],
    "within records": np.rec.fromarrays([NUMBERS.astype(np.int32), NUMBERS])["f1"],
    "other bytes": NUMBERS.astype(NUMBERS.dtype.newbyteorder()),
    "no dimensions": np.array(5.0).astype(NUMBERS.dtype.newbyteorder()),
    "by DLPack": ByDlpack(NUMBERS[:, ::-1]),
    "by the buffer protocol": memoryview(NUMBERS)[::-1],
}


@pytest.mark.parametrize("given", UNLIKE_TENSORS.values(), ids=UNLIKE_TENSORS)
def test_arrays_that_no_tensor_can_share_are_copied(given, device):
    expected = np.asarray(getattr(given, "held", given)).tolist()
    for copy in (None, True):
        made = xp.asarray(given, copy=copy)
        assert made.tolist() == expected and made.dtype is gn.float64 and made.device == gn.device(device)
        assert made.is_contiguous()
    assert xp.asarray(given, dtype=gn.int8).dtype is gn.int8
    with pytest.raises(ValueError, match=r"stride|byte order"):
        xp.asarray(given, copy=False)


def test_arrays_that_a_tensor_can_share_are_shared():
    for given in (NUMBERS, NUMBERS.T, array.array("d", [1.0, 2.0]), memoryview(NUMBERS)):
        made = xp.asarray(given)
        assert (
            made.data_ptr() == np.asarray(given).ctypes.data and made.tolist() == np.asarray(given).tolist()
        )
        assert (
            xp.asarray(given, copy=False).data_ptr()
            == made.data_ptr()
            != xp.asarray(given, copy=True).data_ptr()
        )
    with pytest.raises(ValueError, match="copy=False: asarray: can't alias NumPy scalars"):
        xp.asarray(np.float32(2), copy=False)


def test_indices():
    x = gn.tensor([[1, 2, 3], [4, 5, 6]])
    assert xp.take(x, gn.tensor([-1, 0], dtype=gn.int8), axis=1).tolist() == [[3, 1], [6, 4]]
    assert xp.take_along_axis(x, gn.tensor([[-1]]), axis=1).tolist() == [[3], [6]]
    assert xp.nonzero(x > 4)[1].tolist() == [1, 2]
    assert xp.vecdot(x, x, axis=0).tolist() == [17, 29, 45]
    assert xp.vecdot(gn.tensor([1j]), gn.tensor([1j])).item() == 1
    with pytest.raises(ValueError, match="'axis': required for a tensor of 2 dimensions"):
        xp.take(x, gn.tensor([0]))
    with pytest.raises(IndexError, match="axis 2 is out of range for 2 dimensions"):
        xp.flip(x, axis=2)
    with pytest.raises(ValueError, match="expected dimensions of size 1, got 2"):
        xp.squeeze(x, 0)
    with pytest.raises(ValueError, match="at least one dimension, got none"):
        xp.nonzero(gn.tensor(1))


def test_operands_that_are_no_tensors():
    with pytest.raises(TypeError, match="add: expected at least one tensor, got int, float"):
        xp.add(1, 2.0)
    with pytest.raises(TypeError, match="sin: argument 'x': expected a tensor, got list"):
        xp.sin([1.0])
