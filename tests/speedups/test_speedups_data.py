"""csrc/speedups/data.c: tensors from lists, and lists from tensors, are those of the readable path."""

from __future__ import annotations

import gc
import math
import struct
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import gnomon as gn
from gnomon.backends.listing import backend_info
from gnomon.bindings import creation
from gnomon.memory.accessor import nested_list
from gnomon.values.speedups import speedups

pytestmark = pytest.mark.both_tiers

slow_tensor = getattr(creation.tensor, "__wrapped__", creation.tensor)
in_c = pytest.mark.skipif(not backend_info("c").available or speedups is None, reason="needs the C speedups")

DATA: list[Any] = [
    3.5, -0.0, 7, -7, True, False, math.inf, math.nan, 2**53 + 1, 2**62 + 1, -(2**63), 2**63, 2**64, 10**400,
    1e300, 5e-324, [1.0, 2.0], [1, 2], (1, 2), [True, False], [1, 2.5], [True, 2], [True, 2.5], [0.1, 255],
    [-1], [-128, 127], [-129], [1.5], [[1, 2], [3, 4]], [(1.0, 2), [3, 4]], [[[1], [2]], [[3], [4]]],
    [], [[]], [[], []], [[1], []], [[1, 2], [3]], [[1], 2], [1, [2]], [1j, 2], 1j, ["a"], "a", None, [None],
    [1 + 2**-9, 1 + 2**-8, 1 + 2**-9 + 2**-30, 3.4e38, 3.5e38, -1e39], range(4), bytearray(b"ab"),
    [[1, 2], (3, True)], [[1.0, 2.0], [3.0, "x"]], {1: 2}, object,
    numpy.float64(1.5), [[numpy.float64(1.5)], [2.0]], [numpy.float64(0.1), 3], [numpy.float64("nan"), True],
    [numpy.float32(1.5), 2.0], [numpy.int64(3), 2], [numpy.float64(300.0)], [numpy.bool_(True)],
]  # fmt: skip
DTYPES = [
    None, gn.bool, gn.uint8, gn.int8, gn.int16, gn.int32, gn.int64, gn.float16, gn.bfloat16, gn.float32,
    gn.float64, gn.complex64, float, int, bool, "float32",
]  # fmt: skip


def bits(tensor: gn.Tensor) -> bytes:
    return bytes(tensor.untyped_storage().copy_out()[: tensor._spec.nbytes])


def outcome(function: Callable[..., gn.Tensor], *args: Any, **kwargs: Any) -> Any:
    try:
        made = function(*args, **kwargs)
    except Exception as error:
        return type(error), str(error)
    facts = made.dtype, made.shape, made.stride(), made.device, made.requires_grad, made._is_view()
    return (*facts, made._version, made.is_leaf, bits(made))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_tensor_of_lists_is_what_the_readable_way_makes(dtype: Any, device: str) -> None:
    with gn.device(device):
        for data in DATA:
            expected = outcome(slow_tensor, data, dtype=dtype)
            for _ in range(3):  # the second call uses what the first cached
                assert outcome(gn.tensor, data, dtype=dtype) == expected, data
                assert outcome(gn.tensor, data, dtype=dtype, device=device) == expected, data
                assert outcome(gn.tensor, data, device=gn.device(device), dtype=dtype) == expected, data


def test_other_keywords_and_mistakes(device: str) -> None:
    assert gn.tensor([1.0], device=device, requires_grad=True).requires_grad
    for _ in range(2):
        for wrong in ({"device": "nowhere"}, {"device": []}, {"dtype": []}, {"shape": 3}, {"data": [1]}):
            assert outcome(gn.tensor, [1.0], **wrong) == outcome(slow_tensor, [1.0], **wrong)
        assert outcome(gn.tensor) == outcome(slow_tensor)
        assert outcome(gn.tensor, [1], gn.int64) == outcome(slow_tensor, [1], gn.int64)
    assert gn.tensor(data=[1, 2], device=device).tolist() == [1, 2]


def test_numbers_of_classes_of_their_own_are_asked(device: str) -> None:
    class Whole(int):
        pass

    class Row(list):
        def __getitem__(self, index: Any) -> Any:
            return 8

    for _ in range(2):
        assert gn.tensor([Whole(3), 4], device=device).tolist() == [3, 4]
        assert outcome(gn.tensor, Row([[1], 2]), device=device) == outcome(
            slow_tensor, Row([[1], 2]), device=device
        )
        assert gn.tensor([gn.tensor(2.5, device=device), 1], device=device).tolist() == [2.5, 1.0]


def test_the_default_dtype_and_device_are_those_of_the_call(device: str) -> None:
    try:
        for default in (gn.float32, gn.float64, gn.float32):
            gn.set_default_dtype(default)
            assert gn.tensor([1.5], device=device).dtype is default
            assert gn.tensor([1, 2.5], device=device).dtype is default
            assert gn.tensor([1], device=device).dtype is gn.int64
    finally:
        gn.set_default_dtype(gn.float32)
    for where in (device, "reference", "meta", device):
        with gn.device(where):
            assert gn.tensor([[1.0]]).device == gn.device(where)


def test_it_is_new_memory_each_time(device: str) -> None:
    data = [1.0, 2.0]
    first, second = (gn.tensor(data, device=device) for _ in range(2))
    first.fill_(5)
    assert second.tolist() == [1.0, 2.0]
    assert data == [1.0, 2.0]
    data[0] = 7.0
    assert gn.tensor(data, device=device).tolist() == [7.0, 2.0]
    assert first._version == 1 and second._version == 0


def test_modes_see_what_is_made(device: str) -> None:
    seen = []

    class Watch(gn.DispatchMode):
        def __gnomon_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    gn.tensor([1.0], device=device)
    with Watch():
        gn.tensor([1.0], device=device)
    assert seen == ["aten.lift_fresh.default"]
    with gn.inference_mode():
        assert gn.tensor([1.0], device=device).is_inference()


LISTED = [gn.bool, gn.uint8, gn.int8, gn.int16, gn.int32, gn.int64, gn.float32, gn.float64]


@pytest.mark.parametrize("dtype", [*LISTED, gn.float16, gn.bfloat16, gn.complex64], ids=str)
def test_lists_of_tensors(dtype: Any, device: str) -> None:
    numbers = [0, 1, 100, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    x = gn.tensor(numbers, device=device).to(dtype).reshape(3, 4)
    shown = [
        x,
        x.t(),
        x[1],
        x[1:, ::2],
        x[:, 1],
        x[1, 2],
        x[None],
        x.expand(2, 3, 4),
        x[:0],
        x[:, :0],
        x.reshape(-1),
    ]
    for each in shown:
        expected = nested_list(each)
        for _ in range(2):
            found = each.tolist()
            assert found == expected
            assert [type(number) for number in flat(found)] == [type(number) for number in flat(expected)]


def flat(nested: Any) -> list[Any]:
    return [number for each in nested for number in flat(each)] if isinstance(nested, list) else [nested]


@pytest.mark.parametrize("dtype", [gn.float16, gn.bfloat16], ids=str)
def test_all_numbers_of_sixteen_bits_are_read(dtype: Any, device: str) -> None:
    x = gn.arange(-(2**15), 2**15, device=device).to(gn.int16).view(dtype)
    x.tolist()  # makes a plan
    found, expected = x.tolist(), nested_list(x)
    for one, other in zip(found, expected):
        assert struct.pack("d", one) == struct.pack("d", other) or (one != one and other != other)


def test_lists_of_what_has_a_history_or_was_made_in_inference_mode(device: str) -> None:
    x = gn.ones(2, device=device).requires_grad_()
    with gn.inference_mode():
        y = gn.ones(2, device=device)
    for _ in range(2):
        assert (x * 2).tolist() == [2.0, 2.0]
        assert y.tolist() == [1.0, 1.0]
        with gn.no_grad():
            assert x.tolist() == [1.0, 1.0]
        with pytest.raises(RuntimeError, match="tolist"):
            gn.func.vmap(lambda each: each.tolist())(x)
    with pytest.raises(TypeError):
        x.tolist(1)


@in_c
def test_plans_are_found_and_numbers_written_in_c(monkeypatch: pytest.MonkeyPatch) -> None:
    cases: list[tuple[Any, Any]] = [
        (2.5, None), (3, None), (True, None), ([1.0, 2.0], None), ([[1, 2], [3, 4]], None),
        ([1, 2], gn.float64), ([1.5, 2.5], gn.bfloat16), ([1, 2], gn.uint8), ([0.5], gn.bool),
    ]  # fmt: skip
    made = [gn.tensor(data, dtype=dtype, device="c") for data, dtype in cases]
    lists = [each.tolist() for each in made]
    monkeypatch.setattr(creation, "_flatten", lambda *arguments: pytest.fail("went the readable way"))
    monkeypatch.setattr(creation, "_check_range", lambda *arguments: pytest.fail("went the readable way"))
    methods = sys.modules["gnomon.bindings.tensor_methods"]
    monkeypatch.setattr(methods, "nested_list", lambda *arguments: pytest.fail("read the slow way"))
    again = [gn.tensor(data, dtype=dtype, device="c") for data, dtype in cases]
    assert [each.tolist() for each in again] == lists
    assert all(gn.equal(one, other) for one, other in zip(made, again))


@in_c
def test_nothing_is_left_behind() -> None:
    data = [[float(k) for k in range(30)] for _ in range(10)]

    def work() -> None:
        for _ in range(50):
            gn.tensor(data, device="c").tolist()
            outcome(gn.tensor, [1, 300], dtype=gn.uint8, device="c")  # refused after memory was allocated

    work()
    gc.collect()
    before = gn.accelerator.memory_allocated("c")
    tracemalloc.start()
    growths: list[int] = []
    for _ in range(4):  # a cache may be filled once; a leak grows each time
        start = tracemalloc.get_traced_memory()[0]
        work()
        gc.collect()
        growths.append(tracemalloc.get_traced_memory()[0] - start)
    tracemalloc.stop()
    assert min(growths) < 2000
    assert gn.accelerator.memory_allocated("c") == before
