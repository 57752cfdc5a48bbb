"""gn.save and gn.load: what is kept, which formats there are, and what an interrupted save leaves behind."""

from __future__ import annotations

import copy
import io
import os
import pickle
import signal
import stat
import subprocess
import sys
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
from gnomon.serialization.archive import ArchiveWriter
from gnomon.values.dtype import ALL
from time_limits import LIMIT

WRITTEN_BY_TORCH = Path(__file__).parent / "data" / "torch_2_13.pt"


def saved(obj: object, **options: Any) -> io.BytesIO:
    """A file that contains ``obj``, at its beginning."""
    file = io.BytesIO()
    gn.save(obj, file, **options)
    file.seek(0)
    return file


def again(obj: Any, **options: Any) -> Any:
    """``obj`` after it was saved and loaded."""
    return gn.load(saved(obj), **options)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.name)
def test_tensors_of_all_dtypes_keep_their_numbers_and_strides(kind: gn.dtype, device: str) -> None:
    x = gn.tensor([[0, 1, 2], [3, 4, 5]]).to(kind).t()
    found = again(x)
    assert type(found) is gn.Tensor and found.dtype is kind and found.device == gn.device(device)
    assert found.shape == (3, 2) and found.stride() == (1, 3)
    assert found.tolist() == x.tolist()


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_python_objects_and_containers_come_back(protocol: int) -> None:
    first = [1, -(2**40), 2**100, True, None, 1.5, "ü", b"\xff", bytearray(b"\xfe"), 1 + 2j, {1, 2}, ()]
    obj = {"list": first, "same": first, 3: (1, (2, [3])), "o": OrderedDict(b=1, a=2), "long": "x" * 70_000}
    found = gn.load(saved(obj, pickle_protocol=protocol))
    assert found == obj
    assert found["same"] is found["list"] and type(found["list"][8]) is bytearray
    assert list(found["o"]) == ["b", "a"] and type(found["o"]) is OrderedDict


def test_values_of_gnomon_come_back() -> None:
    obj = [gn.Size([2, 3]), gn.float32, gn.bool, gn.device("cpu"), gn.device("meta"), gn.strided]
    found = again(obj)
    assert found == obj and type(found[0]) is gn.Size and found[5] is gn.strided


def test_tensors_that_share_a_storage_share_it_again(device: str) -> None:
    x = gn.arange(12.0)
    found = again({"all": x, "part": x[4:].view(2, 4)[:, ::2], "other": gn.arange(12.0)})
    assert found["part"].tolist() == [[4.0, 6.0], [8.0, 10.0]]
    assert found["part"].storage_offset() == 4 and found["part"].stride() == (4, 2)
    found["all"].zero_()
    assert found["part"].sum().item() == 0 and found["other"].sum().item() == 66


def test_of_a_view_the_whole_storage_is_saved() -> None:
    assert again(gn.arange(100.0)[3:5]).untyped_storage().nbytes() == 400


def test_requires_grad_parameters_and_attributes_are_kept_and_history_is_not() -> None:
    leaf = gn.ones(2, requires_grad=True)
    leaf.note = "mine"
    leaf.grad = gn.ones(2)
    parameter = gn.nn.Parameter(gn.ones(2), requires_grad=False)
    parameter.note = [1]
    found_leaf, found_result, found_parameter, plain = again(
        [leaf, leaf * 2, parameter, gn.nn.Parameter(leaf.data)]
    )
    assert found_leaf.requires_grad and found_leaf.note == "mine" and found_leaf.grad is None
    assert found_result.requires_grad and found_result.is_leaf and found_result.tolist() == [2.0, 2.0]
    assert type(found_parameter) is gn.nn.Parameter and not found_parameter.requires_grad
    assert found_parameter.note == [1]
    assert type(plain) is gn.nn.Parameter and plain.requires_grad


@pytest.mark.parametrize(
    "x",
    [gn.tensor(3.5), gn.empty(0), gn.empty(2, 0, 3), gn.ones(1).expand(5), gn.empty(2, 3, device="meta").t()],
    ids=["0-dim", "empty", "empty3", "expanded", "meta"],
)
def test_unusual_tensors_keep_sizes_and_strides(x: gn.Tensor) -> None:
    found = again(x)
    assert found.shape == x.shape and found.stride() == x.stride() and found.device == x.device
    assert x.is_meta or found.tolist() == x.tolist()


def test_a_storage_comes_back() -> None:
    x = gn.arange(3, dtype=gn.uint8)
    storage, tensor = again([x.untyped_storage(), x])
    assert storage.tolist() == [0, 1, 2]
    assert tensor.untyped_storage() is storage


def test_dtypes_that_share_a_storage_are_refused_as_in_pytorch() -> None:
    x = gn.ones(2)
    with pytest.raises(
        RuntimeError, match=r"^Cannot save multiple tensors or storages that view the same data as"
    ):
        gn.save([x, x.view(gn.int32)], io.BytesIO())


def test_the_state_of_a_model_and_its_optimizer_trains_on_as_before() -> None:
    def step(net: Any, optimizer: Any) -> None:
        optimizer.zero_grad()
        net(gn.arange(3.0)).square().sum().backward()
        optimizer.step()

    nets = [gn.nn.Linear(3, 2) for _ in range(2)]
    optimizers = [gn.optim.Adam(net.parameters(), lr=0.1) for net in nets]
    step(nets[0], optimizers[0])
    state = again({"net": nets[0].state_dict(), "optimizer": optimizers[0].state_dict()})
    nets[1].load_state_dict(state["net"])
    optimizers[1].load_state_dict(state["optimizer"])
    for net, optimizer in zip(nets, optimizers):
        step(net, optimizer)
    assert nets[1].weight.tolist() == nets[0].weight.tolist()


class Tagged(gn.Tensor):
    """A subclass of Tensor with a slot."""

    __slots__ = ("tag",)


class Point:
    """A user's class."""

    def __init__(self, x: gn.Tensor) -> None:
        self.x = x


def test_a_whole_module_needs_weights_only_false() -> None:
    file = saved(gn.nn.Sequential(gn.nn.Linear(2, 1)))
    with pytest.raises(pickle.UnpicklingError, match=r"Unsupported global: GLOBAL gnomon.nn"):
        gn.load(file)
    file.seek(0)
    net = gn.load(file, weights_only=False)
    assert net(gn.ones(2)).shape == (1,)


def test_a_users_classes_are_loaded_if_they_are_allowed() -> None:
    x = gn.ones(2)
    tagged = gn.Tensor._make_subclass(Tagged, x, True)
    tagged.tag = "t"  # type: ignore[attr-defined]
    file = saved([tagged, Point(x)])
    with pytest.raises(pickle.UnpicklingError, match=r"add_safe_globals\(\[.*Tagged\]\)"):
        gn.load(file)
    file.seek(0)
    with gn.serialization.safe_globals([Tagged, Point]):
        made, point = gn.load(file)
    assert gn.serialization.get_safe_globals() == []
    assert type(made) is Tagged and made.tag == "t" and made.requires_grad
    assert type(point) is Point and point.x.untyped_storage() is made.untyped_storage()


def test_a_wrapper_subclass_must_say_how_it_is_saved() -> None:
    class Wrapper(gn.Tensor):
        @classmethod
        def __gnomon_dispatch__(cls, *arguments: Any) -> Any: ...

    x = gn.Tensor._make_wrapper_subclass(Wrapper, (2,))
    with pytest.raises(RuntimeError, match=r"Wrapper is a wrapper subclass.*must define __reduce_ex__"):
        gn.save(x, io.BytesIO())


def test_pickle_keeps_offsets_but_not_sharing(device: str) -> None:
    x = gn.arange(6.0)
    found, part = pickle.loads(pickle.dumps([x, x[2:4]]))
    assert part.storage_offset() == 2 and part.untyped_storage().nbytes() == 24
    found.zero_()
    assert part.tolist() == [2.0, 3.0] and found.device == gn.device(device)


# -- devices -------------------------------------------------------------------------------------------------


def test_map_location_says_where_tensors_are_to_be() -> None:
    file = saved(gn.arange(3.0))

    def loaded(map_location: Any) -> gn.Tensor:
        file.seek(0)
        return gn.load(file, map_location=map_location)

    for map_location in ("reference", gn.device("reference"), {"cpu": "reference"}):
        found = loaded(map_location)
        assert found.device == gn.device("reference") and found.tolist() == [0.0, 1.0, 2.0]
    assert loaded({"cuda:0": "meta"}).device == gn.get_default_device()
    assert loaded("meta").is_meta and loaded(gn.device("meta")).shape == (3,)
    asked = []
    found = loaded(lambda storage, location: asked.append((storage.nbytes(), location)))
    assert asked == [(12, "cpu")] and found.tolist() == [0.0, 1.0, 2.0]
    other = gn.ones(3).untyped_storage()
    assert loaded(lambda storage, location: other).untyped_storage() is other
    with pytest.raises(TypeError, match="map_location must return a storage or None, got str"):
        loaded(lambda storage, location: "cpu")
    with pytest.raises(TypeError, match="'int' object is not callable"):
        loaded(5)
    with pytest.raises(
        RuntimeError,
        match=r"^don't know how to restore data location of gnomon.storage.UntypedStorage \(tagged with xyz",
    ):
        loaded("xyz")


def test_a_storage_returned_by_map_location_must_hold_the_tensor() -> None:
    small = gn.ones(2).untyped_storage()
    with pytest.raises(
        RuntimeError, match=r"requiring a storage size of 12 are out of bounds for storage of size 8"
    ):
        again(gn.arange(3.0), map_location=lambda storage, location: small)


# -- mmap ----------------------------------------------------------------------------------------------------


def test_mapped_tensors_are_read_from_the_file_and_never_written_to_it(tmp_path: Path, device: str) -> None:
    path = tmp_path / "x.pt"
    gn.save({"x": gn.arange(1000.0), "y": gn.empty(0), "z": gn.arange(3, dtype=gn.uint8)}, path)
    before = path.read_bytes()
    found = gn.load(path, mmap=True)
    assert found["x"].device == gn.device(device) and found["x"].sum().item() == 499500
    assert found["y"].shape == (0,) and found["z"].tolist() == [0, 1, 2]
    path.unlink()
    assert found["x"].add_(1).sum().item() == 500500
    path.write_bytes(before)
    assert gn.load(path)["x"].sum().item() == 499500
    with pytest.raises(ValueError, match=r"^f must be a file path in order to use the mmap argument$"):
        gn.load(io.BytesIO(before), mmap=True)


# -- paths and files -----------------------------------------------------------------------------------------


def test_a_file_may_contain_several_archives_one_after_the_other_only_at_its_end() -> None:
    file = io.BytesIO(b"12345")
    file.seek(5)
    gn.save(gn.ones(2), file)
    file.seek(5)
    assert gn.load(file).tolist() == [1.0, 1.0]


def test_files_that_write_and_read_little_at_once(tmp_path: Path) -> None:
    class Slow(io.FileIO):
        def write(self, data: Any) -> int:
            return super().write(memoryview(data)[:7])

        def read(self, size: int = -1) -> bytes:
            return super().read(min(size, 100) if size >= 0 else size)

    with Slow(tmp_path / "x", "w+") as file:
        gn.save(gn.arange(100.0), file)
        file.seek(0)
        assert gn.load(file).sum().item() == 4950


def test_a_path_is_replaced_as_a_whole_with_its_mode_and_through_links(tmp_path: Path) -> None:
    path, link = tmp_path / "x.pt", tmp_path / "link.pt"
    gn.save(1, path)
    path.chmod(0o640)
    link.symlink_to(path)
    gn.save(2, link)
    assert link.is_symlink() and gn.load(path) == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.pt", "x.pt"]
    assert zipfile.ZipFile(path).namelist()[0] == "link/data.pkl"


def test_an_error_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    gn.save("old", path)
    with pytest.raises((AttributeError, pickle.PicklingError)):
        gn.save(lambda: 0, path)
    assert gn.load(path) == "old" and [each.name for each in tmp_path.iterdir()] == ["x.pt"]


def test_a_process_killed_while_it_saves_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    gn.save("old", path)
    program = f"""
import os, signal
import gnomon as gn
from gnomon.serialization.archive import ArchiveWriter
write_record = ArchiveWriter.write_record
def killed(self, name, data):
    if name == "data/1":
        self._file.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    write_record(self, name, data)
ArchiveWriter.write_record = killed
gn.save([gn.ones(1000), gn.ones(1000)], {str(path)!r})
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=LIMIT)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    assert gn.load(path) == "old"


def test_devices_such_as_dev_null_are_written_to_directly() -> None:
    gn.save(gn.ones(2), os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_paths_and_files_that_do_not_fit(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=f"^Parent directory {tmp_path}/none does not exist.$"):
        gn.save(1, tmp_path / "none" / "x.pt")
    with pytest.raises(IsADirectoryError):
        gn.save(1, tmp_path)
    with pytest.raises(FileNotFoundError):
        gn.load(tmp_path / "none.pt")
    with pytest.raises(
        AttributeError, match=r"^expected 'f' to be string, path, or a file-like object with a 'write'"
    ):
        gn.save(1, 5)  # type: ignore[arg-type]
    with pytest.raises(
        AttributeError, match=r"'int' object has no attribute 'seek'. You can only gnomon.load from a"
    ):
        gn.load(5)  # type: ignore[arg-type]
    with pytest.raises(
        RuntimeError, match=r"^Can not safely load weights when explicit pickle_module is specified$"
    ):
        gn.load(saved(1), pickle_module=pickle)
    with pytest.warns(UserWarning, match="^pickle_load_args only works if `weights_only=False`.$"):
        assert gn.load(saved(1), encoding="latin1") == 1
    with pytest.raises(TypeError, match="pickle_module 'fake' must have a Pickler that is a subclass"):
        gn.save(1, io.BytesIO(), pickle_module=type("fake", (), {"Pickler": object}))


# -- files of PyTorch ----------------------------------------------------------------------------------------


def test_a_file_that_pytorch_wrote_is_read() -> None:
    """The file was written by the function ``write_for_gnomon`` below, with PyTorch 2.13."""
    found = gn.load(WRITTEN_BY_TORCH)
    assert found["part"].tolist() == [[1.0, 3.0], [5.0, 7.0]] and found["part"].stride() == (4, 2)
    assert found["part"].untyped_storage() is found["all"].untyped_storage()
    assert type(found["parameter"]) is gn.nn.Parameter and found["parameter"].requires_grad
    assert found["leaf"].requires_grad and found["leaf"].note == "mine"
    assert found["conj"].tolist() == [1 - 2j] and found["neg"].tolist() == [-2.0]
    assert found["meta"].is_meta and found["size"] == gn.Size([1, 2]) and found["device"] == gn.device("cpu")
    assert found["dtype"] is gn.float16 and found["layout"] is gn.strided
    assert type(found["ordered"]) is OrderedDict and found["ordered"]._metadata == {"version": 1}
    for kind in ALL:
        assert found["dtypes"][kind.name].dtype is kind
        assert found["dtypes"][kind.name].tolist() == gn.tensor([0, 1, 2]).to(kind).tolist()
    assert found["optimizer"]["param_groups"][0]["lr"] == 0.5
    assert found["optimizer"]["state"][0]["momentum_buffer"].tolist() == [1.0, 1.0]


def write_for_gnomon() -> dict[str, Any]:
    """What the stored file contains, made in PyTorch."""
    torch = pytest.importorskip("torch")
    x = torch.arange(8.0)
    leaf = torch.ones(2, requires_grad=True)
    leaf.note = "mine"
    ordered = OrderedDict(a=1)
    ordered._metadata = {"version": 1}  # type: ignore[attr-defined]
    parameter = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([parameter], lr=0.5, momentum=0.9)
    parameter.sum().backward()
    optimizer.step()
    return {
        "all": x,
        "part": x[1:].as_strided((2, 2), (4, 2), 1),
        "parameter": parameter,
        "leaf": leaf,
        "conj": torch.tensor([1 + 2j]).conj(),
        "neg": torch._neg_view(torch.tensor([2.0])),
        "meta": torch.empty(2, device="meta"),
        "size": torch.Size([1, 2]),
        "device": torch.device("cpu"),
        "dtype": torch.float16,
        "layout": torch.strided,
        "ordered": ordered,
        "dtypes": {kind.name: torch.tensor([0, 1, 2]).to(getattr(torch, kind.name)) for kind in ALL},
        "optimizer": optimizer.state_dict(),
    }


@pytest.mark.oracle
def test_pytorch_still_writes_what_the_stored_file_contains() -> None:
    torch = pytest.importorskip("torch")
    file = io.BytesIO()
    torch.save(write_for_gnomon(), file)
    file.seek(0)
    stored, fresh = gn.load(WRITTEN_BY_TORCH), gn.load(file)
    assert repr(stored) == repr(fresh)


@pytest.mark.oracle
def test_pytorch_reads_what_gnomon_wrote() -> None:
    torch = pytest.importorskip("torch")
    wanted = write_for_gnomon()
    del wanted["device"], wanted["layout"], wanted["conj"], wanted["neg"]
    first = io.BytesIO()
    torch.save(wanted, first)
    first.seek(0)
    second = saved(gn.load(first))
    found = torch.load(second, weights_only=True)
    assert repr(found) == repr(wanted)
    assert found["part"].untyped_storage().data_ptr() == found["all"].untyped_storage().data_ptr()
    assert type(found["parameter"]) is torch.nn.Parameter and found["leaf"].note == "mine"
    assert found["ordered"]._metadata == {"version": 1} and found["dtype"] is torch.float16


@pytest.mark.oracle
def test_files_are_those_of_pytorch_to_the_byte() -> None:
    torch = pytest.importorskip("torch")

    def objects(lib: Any) -> list[Any]:
        x = lib.arange(300.0)
        parameter = lib.nn.Parameter(lib.ones(2))
        return [
            x,
            {"a": parameter, "b": x[30:50]},
            [x.view(3, 100).t(), lib.empty(0)],
            5,
            lib.Size([1]),
            lib.float32,
        ]

    for ours, theirs in zip(objects(gn), objects(torch)):
        file = io.BytesIO()
        torch.save(theirs, file)
        # PyTorch adds one record, with a hash of the others
        size = zipfile.ZipFile(file).getinfo("archive/.data/serialization_id").header_offset
        assert saved(ours).getvalue()[:size] == file.getvalue()[:size]


@pytest.mark.oracle
def test_pytorch_maps_a_file_of_gnomon(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    gn.save({"x": gn.arange(1000.0)}, tmp_path / "x.pt")
    assert torch.load(tmp_path / "x.pt", mmap=True)["x"].sum().item() == 499500


@pytest.mark.oracle
def test_files_of_pytorch_without_checksums_are_read() -> None:
    torch = pytest.importorskip("torch")
    file = io.BytesIO()
    torch.serialization.set_crc32_options(False)
    try:
        torch.save(torch.arange(3), file)
    finally:
        torch.serialization.set_crc32_options(True)
    file.seek(0)
    assert gn.load(file).tolist() == [0, 1, 2]


@pytest.mark.oracle
def test_dtypes_and_formats_that_gnomon_does_not_have_are_refused() -> None:
    torch = pytest.importorskip("torch")
    obj = torch.zeros(2, dtype=torch.uint8).view(torch.float8_e8m0fnu)
    for weights_only in (True, False):
        file = io.BytesIO()
        torch.save(obj, file)
        file.seek(0)
        with pytest.raises(pickle.UnpicklingError, match=r"torch\.float8_e8m0fnu"):
            gn.load(file, weights_only=weights_only)
    file = io.BytesIO()
    torch.save(torch.ones(2), file, _use_new_zipfile_serialization=False)
    file.seek(0)
    with pytest.raises(RuntimeError, match="this BytesIO is in PyTorch's legacy format"):
        gn.load(file)


def test_numbers_in_the_other_byte_order_are_swapped(tmp_path: Path) -> None:
    other = "big" if sys.byteorder == "little" else "little"
    for x, width in (
        (gn.tensor([1, 258]), 8),
        (gn.tensor([1 + 2j]), 4),
        (gn.tensor([1.5], dtype=gn.bfloat16), 2),
    ):
        archive = zipfile.ZipFile(saved(x))
        records = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
        data = records["data/0"]
        parts = [data[at : at + width][::-1] for at in range(0, len(data), width)]
        records |= {"byteorder": other.encode(), "data/0": b"".join(parts)}
        with open(tmp_path / "x.pt", "wb") as file:
            writer = ArchiveWriter(file, "archive")
            for name, content in records.items():
                writer.write_record(name, content)
            writer.close()
        assert gn.load(tmp_path / "x.pt").tolist() == x.tolist()
        with pytest.raises(
            RuntimeError, match=f"has {other}-endian numbers, so that mmap=True cannot use them"
        ):
            gn.load(tmp_path / "x.pt", mmap=True)


if __name__ == "__main__":  # python tests/serialization/test_files.py writes the stored file anew
    import torch

    torch.save(write_for_gnomon(), WRITTEN_BY_TORCH)


def whole_modules(lib: Any) -> list[tuple[Any, tuple[Any, ...]]]:
    """Modules to be pickled whole, each with arguments for it."""
    nn = lib.nn
    x = lib.arange(24.0).reshape(2, 3, 4).sin()
    modules = [
        nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.BatchNorm1d(3), nn.Dropout(0.1)),
        nn.LSTM(4, 3, 2, bidirectional=True, proj_size=2),
        nn.GRU(4, 3),
        nn.TransformerEncoderLayer(4, 2, 8, 0.0),
        nn.Conv1d(3, 6, 3, padding="same", groups=3),
        nn.PReLU(),
        nn.InstanceNorm1d(3, affine=True, track_running_stats=True),
        nn.Upsample(scale_factor=2),
    ]
    return [
        *((module, (x,)) for module in modules),
        (nn.MultiheadAttention(4, 2), (x, x, x)),
        (nn.GRUCell(4, 3), (x[0],)),
        (nn.EmbeddingBag(5, 3, mode="max"), (lib.tensor([[1, 2], [0, 4]]),)),
        (nn.CrossEntropyLoss(weight=lib.ones(4)), (x[0], lib.tensor([0, 1, 2]))),
        (nn.Bilinear(4, 4, 2), (x, x)),
    ]


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore:.*nested tensor")
def test_modules_that_pytorch_pickled_whole_are_gnomons() -> None:
    torch = pytest.importorskip("torch")
    for (theirs, inputs), (own, own_inputs) in zip(whole_modules(torch), whole_modules(gn)):
        file = io.BytesIO()
        torch.save(theirs.eval(), file)
        file.seek(0)
        found = gn.load(file, weights_only=False)
        assert type(found) is type(own) and repr(found) == repr(theirs)
        assert list(found.state_dict()) == list(own.state_dict()) == list(theirs.state_dict())
        results, wanted = found(*own_inputs), theirs(*inputs)
        for one, other in zip(flat(results), flat(wanted)):
            assert one.shape == other.shape
            gn.testing.assert_close(one.detach(), gn.tensor(other.tolist()), rtol=1e-5, atol=1e-6)
        copy.deepcopy(found)
        file.seek(0)
        with pytest.raises(pickle.UnpicklingError, match=r"Unsupported global: GLOBAL torch\.nn"):
            gn.load(file)


def flat(results: Any) -> list[Any]:
    """All tensors of nested tuples."""
    if isinstance(results, tuple):
        return [each for result in results for each in flat(result)]
    return [results]


def test_safetensors_has_a_name_that_no_tensor_can_have(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    path = tmp_path / "x.safetensors"
    with pytest.raises(ValueError, match="safetensors reserves the name '__metadata__'"):
        gn.save({"__metadata__": gn.ones(1)}, path)
    assert not path.exists()
