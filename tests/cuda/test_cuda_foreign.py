"""DLPack and __cuda_array_interface__ of tensors on the emulated GPU: memory, devices, and the order of
streams.
"""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import gnomon as gn
from gnomon.interop import dlpack_layout as layout

pytestmark = pytest.mark.usefixtures("cuda")


def structure(capsule):
    versioned, address = layout.structure_in(capsule)
    return layout.MANAGED[versioned].from_address(address)


def test_memory_is_shared():
    x = gn.arange(6, device="cuda").reshape(2, 3).t()
    y = gn.from_dlpack(x)
    assert y.device == x.device and y.stride() == (1, 3) and y.data_ptr() == x.data_ptr()
    y[0, 0] = 9
    assert x.tolist() == [[9, 3], [1, 4], [2, 5]] and (y + y).tolist() == (x + x).tolist()


def test_the_device_is_in_the_structure():
    x = gn.ones(2, device="cuda")
    assert x.__dlpack_device__() == (gn.utils.dlpack.DLDeviceType.kDLCUDA, 0)
    made = structure(capsule := x.__dlpack__(max_version=(1, 1)))
    assert (made.dl_tensor.device.device_type, made.dl_tensor.device.device_id) == (2, 0)
    assert made.dl_tensor.data == x.data_ptr()
    del capsule


def test_a_consumer_on_the_host_gets_a_copy():
    x = gn.arange(3, device="cuda")
    made = structure(capsule := x.__dlpack__(dl_device=(1, 0), max_version=(1, 0)))
    assert made.flags == layout.IS_COPIED and made.dl_tensor.device.device_type == 1
    assert gn.from_dlpack(capsule).tolist() == [0, 1, 2]
    assert gn.from_dlpack(x, device="cpu").device == gn.device("cpu")
    assert np.from_dlpack(x, device="cpu").tolist() == [0, 1, 2]
    with pytest.raises(BufferError, match="needs a copy, got copy=False"):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(BufferError):
        gn.from_dlpack(np.ones(2), device="cuda")  # NumPy has no other device


def test_foreign_memory_keeps_its_owner():
    x = gn.ones(3, device="cuda")
    storage = weakref.ref(x.untyped_storage())
    y = gn.from_dlpack(x)[1:]
    del x
    gc.collect()
    assert storage() is not None and y.tolist() == [1, 1]
    y.record_stream(gn.cuda.Stream())
    del y
    gc.collect()
    assert storage() is None


class Producer:
    """An array that remembers for which stream it was wanted."""

    def __init__(self, tensor):
        self.tensor, self.given = tensor, {}

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, **given):
        self.given = given
        return self.tensor.__dlpack__(**given)


def test_the_producer_is_told_the_current_stream():
    producer = Producer(gn.ones(2, device="cuda"))
    gn.from_dlpack(producer)
    assert producer.given["stream"] == 1  # the legacy default stream
    stream = gn.cuda.Stream()
    with gn.cuda.stream(stream):
        gn.from_dlpack(producer)
    assert producer.given["stream"] == stream.cuda_stream


def test_the_consumers_stream_waits_for_the_producers_work():
    stream = gn.cuda.Stream()
    x = gn.zeros(1 << 12, device="cuda")
    gn.cuda.synchronize()
    x.add_(1)  # queued in the default stream
    capsule = x.__dlpack__(stream=stream.cuda_stream)
    y = gn.from_dlpack(capsule)
    with gn.cuda.stream(stream):
        z = y * 2
    stream.synchronize()
    assert z.tolist() == [2.0] * (1 << 12)


def test_ambiguous_streams_are_refused():
    x = gn.ones(2, device="cuda")
    for stream, text in ((0, "must not be 0"), (2, "per-thread default stream")):
        with pytest.raises(BufferError, match=text):
            x.__dlpack__(stream=stream)
    for stream in (None, 1, -1):
        assert gn.from_dlpack(x.__dlpack__(stream=stream)).tolist() == [1, 1]


def test_cuda_array_interface():
    x = gn.arange(6, dtype=gn.float32, device="cuda").reshape(2, 3)
    assert x.__cuda_array_interface__ == {
        "typestr": "<f4",
        "shape": (2, 3),
        "strides": None,
        "data": (x.data_ptr(), False),
        "version": 2,
    }
    assert x.t().__cuda_array_interface__["strides"] == (4, 12)
    assert x[:, 1:].__cuda_array_interface__["data"] == (x.data_ptr() + 4, False)
    assert gn.ones(0, device="cuda").__cuda_array_interface__["data"] == (0, False)
    with pytest.raises(RuntimeError, match="on Variable that requires grad"):
        _ = x.clone().requires_grad_().__cuda_array_interface__
    with pytest.raises(AttributeError, match="can't convert cuda"):
        _ = x.__array_interface__
    with pytest.raises(TypeError, match="bfloat16"):
        _ = x.bfloat16().__cuda_array_interface__
