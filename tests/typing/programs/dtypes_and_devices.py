"""Dtypes, promotion, limits, devices and defaults."""

from __future__ import annotations

from typing_extensions import assert_type

import gnomon as gn
from gnomon import Tensor


def to_everywhere(x: Tensor, dtype: gn.dtype, device: gn.device | str) -> Tensor:
    return x.to(device=device, dtype=dtype, non_blocking=False, copy=True)


ints = gn.tensor([1, 2, 3])
assert_type(ints.dtype, gn.dtype)
assert_type(ints.device, gn.device)
assert ints.dtype == gn.int64 and (ints + 0.5).dtype == gn.get_default_dtype()
assert (ints / 2).dtype is gn.float32 and (ints // 2).dtype is gn.int64
assert gn.promote_types(gn.int8, gn.uint8) == gn.int16
assert gn.result_type(gn.ones(2, dtype=gn.float16), 1.0) == gn.float16
assert gn.can_cast(gn.int32, gn.float32) and not gn.can_cast(gn.float32, gn.int32)
assert gn.float32.is_floating_point and not gn.complex64.is_floating_point and gn.int16.itemsize == 2

limits = gn.finfo(gn.bfloat16)
assert limits.bits == 16 and limits.eps == 0.0078125
assert gn.iinfo(gn.int8).max == 127

half = to_everywhere(ints, gn.float16, "cpu")
assert half.dtype == gn.half and half.device == ints.device and half.element_size() == 2
assert ints.bool().all() and ints.type(gn.float64).dtype == gn.double
assert ints.to("meta").is_meta and gn.empty(2, 3, device="meta").shape == (2, 3)
where = gn.device("cpu")
with where:
    assert gn.zeros(1).device == where
assert gn.zeros_like(half, dtype=gn.int32).dtype == gn.int32
assert half.new_full((2,), 7).tolist() == [7.0, 7.0]
bits = gn.tensor(1.0).view(gn.int32)
assert bits.item() == 0x3F800000

gn.set_default_dtype(gn.float64)
try:
    assert gn.tensor(1.0).dtype == gn.float64
finally:
    gn.set_default_dtype(gn.float32)

generator = gn.Generator(device="cpu")
generator.manual_seed(5)
one = gn.rand(3, generator=generator)
state = generator.get_state()
two = gn.rand(3, generator=generator)
generator.set_state(state)
assert gn.equal(gn.rand(3, generator=generator), two) and not gn.equal(one, two)
number: float = gn.tensor(2).item() + float(gn.tensor(0.5)) + int(gn.tensor(3))
assert number == 5.5
channels = gn.zeros(1, 2, 3, 3).contiguous(memory_format=gn.channels_last)
assert channels.is_contiguous(memory_format=gn.channels_last) and channels.stride() == (18, 1, 6, 2)
