"""Numbers go into tensors and out of them many at a time as they do one by one."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gnomon as gn
from gnomon.memory.accessor import TensorAccessor

needs_c = pytest.mark.skipif(not gn.backends()["c"].available, reason="needs the C backend")
devices = pytest.mark.parametrize("device", ["reference", pytest.param("c", marks=needs_c)])

DTYPES = [
    gn.bool, gn.uint8, gn.int8, gn.int16, gn.int32, gn.int64, gn.float16, gn.bfloat16, gn.float32, gn.float64,
    gn.complex64, gn.complex128,
]  # fmt: skip


def one_by_one(x: Any) -> list[Any]:
    accessor = TensorAccessor(x)
    return [accessor.read(offset) for offset in accessor.offsets()]


def flattened(nested: Any) -> list[Any]:
    return [each for part in nested for each in flattened(part)] if isinstance(nested, list) else [nested]


@devices
@pytest.mark.parametrize("dtype", DTYPES)
def test_lists_have_what_is_read_one_by_one(dtype: Any, device: str) -> None:
    x = gn.tensor([[[1.5, -2.0, 0.0], [100.0, 3.0, -1.0]]] * 2, device=device).to(dtype)
    views = [
        x,
        x[1],
        x[:, 1],
        x[1, 1, 1:],
        x.transpose(0, 2),
        x[0, 0, 2],
        x[:, :, ::2],
        x[:0],
        x[0, 1][None].expand(2, 3),
    ]
    for each in views:
        made = each.tolist()
        assert flattened(made) == one_by_one(each)
        assert [type(number) for number in flattened(made)] == [type(number) for number in one_by_one(each)]
    assert x[:0].tolist() == [] and x[:, :0].tolist() == [[], []] and x[0, 0, 2].tolist() == x[0, 0, 2].item()
    assert [len(part) for part in x.tolist()[0]] == [3, 3]


@pytest.mark.parametrize("dtype", DTYPES)
@given(
    values=st.lists(
        st.one_of(
            st.integers(-(2**70), 2**70), st.floats(), st.booleans(), st.integers(-200, 200),
            st.complex_numbers(max_magnitude=1e5),
        ),
        max_size=6,
    )
)  # fmt: skip
def test_bytes_are_those_of_numbers_written_one_by_one(dtype: Any, values: list[Any]) -> None:
    def outcome(write: Any) -> Any:
        try:
            return bytes(write())
        except (ValueError, OverflowError, TypeError) as error:
            return type(error)

    def singly() -> bytearray:
        data = bytearray(len(values) * dtype.itemsize)
        store = dtype.writer(memoryview(data))
        for index, value in enumerate(values):
            store(index, value)
        return data

    assert outcome(lambda: dtype.packed(values)) == outcome(singly)


@devices
def test_what_lists_become(device: str) -> None:
    def facts(data: Any, **options: Any) -> Any:
        made = gn.tensor(data, device=device, **options)
        return made.tolist(), made.dtype, tuple(made.shape)

    assert facts(1.5) == (1.5, gn.float32, ()) and facts(True) == (True, gn.bool, ())
    assert facts(3, dtype=gn.uint8) == (3, gn.uint8, ()) and facts(2j) == (2j, gn.complex64, ())
    assert facts([1, 2.5]) == ([1.0, 2.5], gn.float32, (2,)) and facts([True, 2]) == ([1, 2], gn.int64, (2,))
    assert facts([[True], [False]]) == ([[True], [False]], gn.bool, (2, 1))
    assert facts([[1], [2j]]) == ([[1 + 0j], [2j]], gn.complex64, (2, 1))
    assert facts([1e300]) == ([math.inf], gn.float32, (1,)) and facts(1e300) == (math.inf, gn.float32, ())
    assert facts([2.7, -2.7], dtype=gn.int8) == ([2, -2], gn.int8, (2,))
    assert facts([-1, 255], dtype=gn.uint8) == ([255, 255], gn.uint8, (2,))
    assert facts(range(3)) == ([0, 1, 2], gn.int64, (3,)) and facts((1, 2.0)) == (
        [1.0, 2.0],
        gn.float32,
        (2,),
    )
    assert facts([gn.tensor(2), 1.5]) == ([2.0, 1.5], gn.float32, (2,)) and facts([]) == (
        [],
        gn.float32,
        (0,),
    )
    for data, dtype, error in (
        ([256], gn.uint8, RuntimeError), ([-129, 0], gn.int8, RuntimeError), ([2**63], None, ValueError),
        ([1, 2j], gn.float32, TypeError), (2j, gn.int64, TypeError), ([1, "2"], None, TypeError),
        ([[1, 2], [3]], None, ValueError), ([1, [2]], None, TypeError), ([[1], 2], None, TypeError),
        ([math.nan], gn.int64, RuntimeError), ([300, 1], gn.int8, RuntimeError), (2**70, gn.float32, None),
    ):  # fmt: skip
        if error is None:
            assert facts(data, dtype=dtype)[0] == float(data)
            continue
        with pytest.raises(error):
            gn.tensor(data, dtype=dtype, device=device)


@devices
@pytest.mark.parametrize("dtype", [each for each in DTYPES if each is not gn.bfloat16])
def test_arrays_show_the_same_memory(dtype: Any, device: str) -> None:
    x = gn.arange(24.0, device=device).reshape(2, 3, 4).to(dtype)
    for view in (x, x[1], x[:, 1:, ::2], x.transpose(0, 2), x[1, 2, 3], x[:0], x[0, 0, :1].expand(3)):
        array = view.numpy()
        assert array.tolist() == view.tolist() and array.shape == tuple(view.shape)
        if view.numel():
            assert array.strides == tuple(each * dtype.itemsize for each in view.stride())
            assert array.ctypes.data == view.data_ptr() or device == "reference"
    x.numpy()[1, 2, 3] = 0
    assert x[1, 2, 3].item() == 0
    array = gn.ones(3, device=device).numpy()
    gn.ones(3, device=device)  # other memory: the array keeps its own alive
    assert array.tolist() == [1.0] * 3
