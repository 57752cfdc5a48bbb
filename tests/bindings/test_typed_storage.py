"""TypedStorage, Tensor.storage() and storage_type(); with ``-m oracle``, PyTorch runs the same tests."""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import pytest

import gnomon as gn

pytestmark = pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")


def test_elements_are_read_and_written(lib: ModuleType) -> None:
    x = lib.tensor([[1.0, 2.0], [3.0, 4.0]])
    storage: Any = x[1].storage()
    assert (len(storage), storage.size(), storage.nbytes(), storage.element_size()) == (4, 4, 16, 4)
    assert storage.dtype is lib.float32 and storage.device == x.device and not storage.is_cuda
    assert storage.tolist() == [1, 2, 3, 4] == list(storage) and storage[-1] == 4
    storage[0] = 9
    storage[1:3] = 7
    assert x.tolist() == [[9, 7], [7, 4]] and storage.data_ptr() == x.data_ptr()
    assert storage.fill_(2) is storage and x.sum().item() == 8
    assert storage.untyped().tolist()[:4] == [0, 0, 0, 64]
    with pytest.raises(IndexError, match="index 4 out of range for storage of size 4"):
        storage[4]
    with pytest.raises(RuntimeError, match="slices are only supported in UntypedStorage"):
        storage[1:]
    with pytest.raises(RuntimeError, match="can't index a"):
        storage["x"]


def test_storages_are_made_and_converted(lib: ModuleType) -> None:
    storage = lib.FloatStorage([1, 2.5])
    assert isinstance(storage, lib.TypedStorage) and storage.dtype is lib.float32
    assert storage.long().tolist() == [1, 2] and storage.long().dtype is lib.int64
    assert lib.DoubleStorage(3).size() == 3 and lib.TypedStorage([1], dtype=lib.int16).element_size() == 2
    copied = lib.FloatStorage(2).copy_(storage)
    assert copied.tolist() == [1, 2.5] and storage.clone().tolist() == [1, 2.5]
    assert storage.clone() != storage and storage == storage
    wrapped = lib.TypedStorage(wrap_storage=lib.ones(4).untyped_storage(), dtype=lib.float64)
    assert len(wrapped) == 2
    copied.resize_(1)
    assert copied.size() == 1
    assert not storage.is_shared() and storage.share_memory_() is storage and storage.is_shared()
    assert not storage.is_pinned()
    assert lib.is_storage(storage) and lib.is_storage(storage.untyped()) and not lib.is_storage([1])
    with pytest.raises(TypeError):
        lib.FloatStorage(object())


def test_the_type_of_storages(lib: ModuleType) -> None:
    assert lib.ones(2).storage_type() is lib.FloatStorage
    assert lib.ones(2, dtype=lib.bool).storage_type() is lib.BoolStorage
    assert lib.ones(2, device="meta").storage_type() is None


def test_texts(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = gn.tensor([1, 2]).storage()
    kind = f"(dtype=gnomon.int64, device={device})"
    assert repr(storage) == f" 1\n 2\n[gnomon.storage.TypedStorage{kind} of size 2]"
    assert repr(gn.storage.UntypedStorage) == repr(gn.UntypedStorage)
    with pytest.raises(TypeError, match="Argument 'wrap_storage' must be UntypedStorage, but got list"):
        gn.TypedStorage(wrap_storage=[1])  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="size mismatch: expected 2 elements, got 1"):
        storage.copy_(gn.LongStorage([1]))
    from gnomon.values import errors

    monkeypatch.setattr(errors, "_said", set())
    with pytest.warns(UserWarning, match=r"^TypedStorage is deprecated\. It will be removed in the future"):
        gn.ones(1).storage()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gn.ones(1).storage()
