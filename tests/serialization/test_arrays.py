"""NumPy's files, and those of safetensors."""

from __future__ import annotations

import io
import struct
import sys
import zipfile
from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.strategies as st
import pytest

import gnomon as gn
from gnomon.serialization import safetensors_files
from gnomon.serialization.arrays import read_npy, read_npz, write_npy, write_npz
from gnomon.values.dtype import ALL

NUMPY_DTYPES = [kind for kind in ALL if kind is not gn.bfloat16]


@pytest.mark.parametrize("kind", NUMPY_DTYPES, ids=lambda kind: kind.name)
@pytest.mark.parametrize("form", ["plain", "transposed", "part", "scalar", "empty"])
def test_npy_files_are_exchanged_with_numpy(kind: gn.dtype, form: str, tmp_path: Path, device: str) -> None:
    numpy = pytest.importorskip("numpy")
    x = gn.arange(6).to(kind).view(2, 3)
    x = {"plain": x, "transposed": x.t(), "part": x[:, 1:], "scalar": x[0, 1], "empty": x[:0]}[form]
    gn.save(x, tmp_path / "x.npy")
    theirs = numpy.load(tmp_path / "x.npy")
    assert theirs.dtype == kind.name and theirs.shape == x.shape and theirs.tolist() == x.tolist()
    assert theirs.flags.f_contiguous or form in ("plain", "part")
    numpy.save(tmp_path / "y.npy", theirs)
    found = gn.load(tmp_path / "y.npy")
    assert found.dtype is kind and found.shape == x.shape and found.tolist() == x.tolist()
    assert found.device == gn.device(device)


def test_npy_files_keep_fortran_order_and_the_device_may_be_chosen(tmp_path: Path) -> None:
    gn.save(gn.ones(2, 3, requires_grad=True).t(), tmp_path / "x.npy")
    found = gn.load(tmp_path / "x.npy", map_location="reference")
    assert found.stride() == (1, 3) and found.device == gn.device("reference") and not found.requires_grad
    with pytest.raises(RuntimeError, match=r"^Loading npy file with dict map_location is not supported."):
        gn.load(tmp_path / "x.npy", map_location={"cpu": "meta"})


def npy(header: str, data: bytes = b"", version: int = 1) -> io.BytesIO:
    text = header.encode("latin1")
    return io.BytesIO(
        b"\x93NUMPY"
        + bytes([version, 0])
        + len(text).to_bytes(2 if version == 1 else 4, "little")
        + text
        + data
    )


def test_npy_files_of_other_versions_and_byte_orders() -> None:
    header = "{'descr': '>i2', 'fortran_order': False, 'shape': (2,), }"
    for version in (1, 2, 3):
        assert read_npy(npy(header, b"\1\2\3\4", version), "x").tolist() == [258, 772]
    assert read_npy(npy(header.replace(">i2", "|u1"), b"\1\2"), "x").tolist() == [1, 2]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (
            npy("{'descr': '|O', 'fortran_order': False, 'shape': (2,)}"),
            "it has objects, which only a pickle",
        ),
        (npy("{'descr': '<M8', 'fortran_order': False, 'shape': (2,)}"), "it has elements of type '<M8'"),
        (npy("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': ()}"), "it has elements of type "),
        (
            npy("{'descr': '<i4', 'fortran_order': False, 'shape': (2,)}", b"1234567"),
            "announces 8 bytes, but 7 are",
        ),
        (npy("{'descr': '<i4', 'fortran_order': False, 'shape': (2**62,)}"), "its header is invalid"),
        (
            npy(f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({2**62}, 4)}}"),
            "there can be no tensor of",
        ),
        (npy("{'descr': '<i4', 'fortran_order': False, 'shape': (-1,)}"), "its header is invalid"),
        (npy("{'descr': '<i4', 'fortran_order': 0, 'shape': (1,)}"), "its header is invalid"),
        (npy("{'descr': '<i4', 'shape': (1,)}"), "its header is invalid"),
        (npy("__import__('os')"), "its header is invalid"),
        (npy("(" * 5000), "its header is invalid"),
        (npy(" " * 20000), "more than 10000 are not read"),
        (io.BytesIO(b"\x93NUMPY\1\0\xff"), "its header"),
        (io.BytesIO(b"\x93NUMPY\4\0"), "does not start as a .npy file of version 1, 2 or 3"),
        (io.BytesIO(b""), "does not start as a .npy file"),
    ],
)
def test_invalid_npy_files_are_refused(file: io.BytesIO, text: str) -> None:
    with pytest.raises(RuntimeError, match=r"^gnomon.load: x.npy: ") as caught:
        read_npy(file, "x.npy")
    assert text in str(caught.value)


def test_npz_files_are_exchanged_with_numpy(tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    tensors = {"a": gn.arange(3), "b/c": gn.ones(2, 2, dtype=gn.complex64).t()}
    gn.save(tensors, tmp_path / "x.npz")
    with numpy.load(tmp_path / "x.npz") as found:
        assert {name: array.tolist() for name, array in found.items()} == {
            "a": [0, 1, 2],
            "b/c": [[1, 1], [1, 1]],
        }
    for save in (numpy.savez, numpy.savez_compressed):
        save(tmp_path / "y.npz", q=numpy.arange(4, dtype=">i4"), w=numpy.array(3.5))
        loaded = gn.load(tmp_path / "y.npz")
        assert list(loaded) == ["q", "w"] and loaded["q"].tolist() == [0, 1, 2, 3]
        assert loaded["q"].dtype is gn.int32 and loaded["w"].shape == ()


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_invalid_npz_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    path.write_bytes(b"no zip")
    with pytest.raises(
        RuntimeError,
        match=f"^gnomon.load: {path}: the file is truncated or corrupt: there is no end",
    ):
        gn.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "1")
    with pytest.raises(RuntimeError, match=r"'a.txt' is not a .npy file"):
        gn.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        for _ in range(2):
            with archive.open("a.npy", "w") as member:
                write_npy(gn.ones(1), member)
    with pytest.raises(RuntimeError, match=f"^gnomon.load: {path}: 'a.npy' is there more than once"):
        gn.load(path)


@hypothesis.given(st.data())
def test_damaged_npz_files_give_the_right_answer_or_a_clear_error(data: Any) -> None:
    file = io.BytesIO()
    write_npz({"a": gn.arange(3), "b": gn.ones(2)}, file)
    damaged = bytearray(file.getvalue())
    if data.draw(st.booleans()):
        del damaged[data.draw(st.integers(0, len(damaged) - 1)) :]
    else:
        damaged[data.draw(st.integers(0, len(damaged) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    try:
        found = read_npz(io.BytesIO(damaged), "x.npz")
    except RuntimeError as error:
        assert str(error).startswith("gnomon.load: x.npz")
    else:
        assert {name: each.tolist() for name, each in found.items()} == {"a": [0, 1, 2], "b": [1.0, 1.0]}


def test_a_directory_that_ends_too_early_is_not_read_in_part() -> None:
    file = io.BytesIO()
    write_npz({"a": gn.arange(3), "b": gn.ones(2)}, file)
    with zipfile.ZipFile(file) as archive:
        entry = 46 + len(archive.infolist()[-1].filename)
    whole = bytearray(file.getvalue())
    (nbytes,) = struct.unpack_from("<I", whole, len(whole) - 10)
    struct.pack_into("<I", whole, len(whole) - 10, nbytes - entry)
    with pytest.raises(RuntimeError, match=r"x.npz: the file is truncated or corrupt: the directory should"):
        read_npz(io.BytesIO(whole), "x.npz")


def test_what_the_formats_cannot_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"x.npy can hold only one Tensor, got dict"):
        gn.save({"a": gn.ones(1)}, tmp_path / "x.npy")
    with pytest.raises(TypeError, match=r"NumPy's format has no gnomon.bfloat16"):
        gn.save(gn.ones(1, dtype=gn.bfloat16), tmp_path / "x.npy")
    with pytest.raises(TypeError, match=r"x.npz can hold only a dict of Tensors, got Tensor"):
        gn.save(gn.ones(1), tmp_path / "x.npz")
    with pytest.raises(TypeError, match=r"x.npz can hold only a dict of Tensors by names, got 1: Tensor"):
        gn.save({1: gn.ones(1)}, tmp_path / "x.npz")
    with pytest.raises(TypeError, match=r"got 'a': int"):
        gn.save({"a": 1}, tmp_path / "x.safetensors")
    assert list(tmp_path.iterdir()) == []


def test_safetensors_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "safetensors", None)
    with pytest.raises(
        RuntimeError, match=r"^Attempting to save a safetensors file but safetensors is not installed."
    ):
        gn.save({"a": gn.ones(1)}, tmp_path / "x.safetensors")
    (tmp_path / "x.safetensors").write_bytes(b"")
    with pytest.raises(
        RuntimeError, match=r"^Attempting to load a safetensors file but safetensors is not installed."
    ):
        gn.load(tmp_path / "x.safetensors")


def test_safetensors_files(tmp_path: Path, device: str) -> None:
    pytest.importorskip("safetensors")
    kinds = list(safetensors_files.NAMES.values())
    tensors = {kind.name: gn.arange(6).to(kind).view(2, 3).t()[1:] for kind in kinds} | {
        "empty": gn.empty(0, 2)
    }
    gn.save(tensors, tmp_path / "x.safetensors")
    found = gn.load(tmp_path / "x.safetensors")
    assert set(found) == set(tensors)
    for name, x in tensors.items():
        assert (
            found[name].dtype is x.dtype
            and found[name].shape == x.shape
            and found[name].tolist() == x.tolist()
        )
        assert found[name].device == gn.device(device) and found[name].is_contiguous()
    with pytest.raises(TypeError, match=r"'a': safetensors has no gnomon.complex128"):
        gn.save({"a": gn.ones(1, dtype=gn.complex128)}, tmp_path / "x.safetensors")
    path = tmp_path / "y.safetensors"
    path.write_bytes((tmp_path / "x.safetensors").read_bytes()[:-1])
    with pytest.raises(RuntimeError, match=f"^gnomon.load: {path}: the file is truncated or corrupt: "):
        gn.load(path)
