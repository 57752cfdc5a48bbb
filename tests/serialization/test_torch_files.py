"""Files that are damaged or made to harm: the right answer or a clear error, and no code of their authors."""

from __future__ import annotations

import io
import pickle
import struct
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import hypothesis
import hypothesis.strategies as st
import pytest

import gnomon as gn
from gnomon.serialization.archive import ArchiveReader, ArchiveWriter
from gnomon.serialization.torch_names import FUNCTIONS
from gnomon.serialization.weights_only import WeightsUnpickler


def written(records: dict[str, bytes]) -> io.BytesIO:
    """An archive with these records."""
    file = io.BytesIO()
    writer = ArchiveWriter(file, "archive")
    for name, data in records.items():
        writer.write_record(name, data)
    writer.close()
    file.seek(0)
    return file


X = {"x": gn.arange(5.0), "y": [gn.ones(2, 3).t(), "text", 1.5]}


def valid_file() -> bytes:
    file = io.BytesIO()
    gn.save(X, file)
    return file.getvalue()


VALID = valid_file()


def outcome(data: bytes) -> str:
    """What loading gives: the object's text, or "refused"."""
    try:
        return repr(gn.load(io.BytesIO(data)))
    except (RuntimeError, pickle.UnpicklingError) as error:
        text = str(error)
        assert "this BytesIO" in text or "restore data location" in text, text
        return "refused"


# -- archives ------------------------------------------------------------------------------------------------


@hypothesis.given(st.integers(0, len(VALID) - 1))
def test_a_truncated_file_is_refused(length: int) -> None:
    assert outcome(VALID[:length]) == "refused"


@hypothesis.given(st.lists(st.integers(0, 8 * len(VALID) - 1), min_size=1, max_size=3))
def test_flipped_bits_give_the_right_answer_or_a_clear_error(bits: list[int]) -> None:
    damaged = bytearray(VALID)
    for bit in bits:
        damaged[bit // 8] ^= 1 << bit % 8
    assert outcome(bytes(damaged)) in ("refused", repr(X))


@hypothesis.given(st.integers(0, len(VALID)), st.binary(min_size=1, max_size=40))
def test_inserted_bytes_give_the_right_answer_or_a_clear_error(at: int, more: bytes) -> None:
    assert outcome(VALID[:at] + more + VALID[at:]) in ("refused", repr(X))


def fields(data: bytes, mark: bytes, number: int) -> int:
    """Where the header number ``number`` with this mark is."""
    at = -1
    for _ in range(number + 1):
        at = data.index(mark, at + 1)
    return at


def patched(mark: bytes, number: int, offset: int, content: bytes) -> bytes:
    """The valid file, with ``content`` at an offset in a header."""
    at = fields(VALID, mark, number) + offset
    return VALID[:at] + content + VALID[at + len(content) :]


ENTRY, LOCAL, END64, END = b"PK\1\2", b"PK\3\4", b"PK\6\6", b"PK\5\6"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (patched(ENTRY, 4, 10, b"\x08\0"), "record 'archive/data/0' is compressed; torch.save writes no suc"),
        (patched(ENTRY, 4, 8, b"\1\0"), "record 'archive/data/0' is encrypted"),
        (patched(ENTRY, 4, 24, struct.pack("<I", 2**31)), "record 'archive/data/0' is not compressed, but h"),
        (patched(ENTRY, 4, 20, struct.pack("<2I", 2**31, 2**31)), "should have 2147483648 bytes from byte"),
        (patched(ENTRY, 4, 24, b"\xff" * 4), "the directory has no sizes for record 'archive/data/0'"),
        (patched(ENTRY, 4, 42, b"\0" * 4), "the record at byte 0 is not 'archive/data/0'|no record 'archive"),
        (patched(ENTRY, 4, 42, b"\xf0\xff\xff\0"), "are asked for, but it has only"),
        (patched(ENTRY, 4, 46, b"archive/data/1"), "is not 'archive/data/1', which the directory says"),
        (patched(ENTRY, 4, 16, b"\1\2\3\4"), "the data of record 'archive/data/0' does not have its checksu"),
        (patched(LOCAL, 4, 0, b"XX"), "there is no record 'archive/data/0' at byte"),
        (patched(ENTRY, 0, 46, b"Archive"), "is not 'Archive/data.pkl', which the directory says"),
        (patched(END64, 0, 32, b"\xff"), "the two ends of the directory differ"),
        (patched(END64, 0, 16, b"\1"), "it is a part of a zip file in several parts"),
        (patched(END64, 0, 0, b"XX"), "the end of the directory is invalid"),
        (patched(END, 0, 12, b"\0\1"), "the two ends of the directory differ"),
        (patched(END, 0, 20, b"\1"), "there is no end of a zip file"),
        (VALID + b"1", "there is no end of a zip file"),
        (b"PK\3\4", "there is no end of a zip file"),
        (b"1" + VALID, "is no file that gnomon.save or torch.save has written"),
        (b"", "is no file that gnomon.save or torch.save has written"),
    ],
)  # fmt: skip
def test_every_damage_is_named(data: bytes, text: str) -> None:
    with pytest.raises(RuntimeError, match=r"^gnomon.load: this BytesIO") as caught:
        gn.load(io.BytesIO(data))
    assert any(each in str(caught.value) for each in text.split("|")), caught.value


def test_records_that_overlap_or_repeat_are_refused() -> None:
    file = written({"data.pkl": b"1", "data/0": b"12345678"})
    data = file.getvalue()
    inner = data.index(LOCAL, 1)
    start = data.index(b"12345678")
    # the first record becomes so long that it contains the second one
    at = fields(data, ENTRY, 0) + 20
    overlapping = data[:at] + struct.pack("<2I", start - 64, start - 64) + data[at + 8 :]
    with pytest.raises(RuntimeError, match=r"records 'archive/data.pkl' and 'archive/data/0' overlap"):
        ArchiveReader(io.BytesIO(overlapping), "x")
    assert inner < start
    with pytest.raises(
        RuntimeError, match=r"^gnomon.load: x: .* record 'archive/a' is there more than once$"
    ):
        twice = io.BytesIO()
        writer = ArchiveWriter(twice, "archive")
        writer.write_record("a", b"1")
        writer.write_record("a", b"2")
        writer.close()
        twice.seek(0)
        ArchiveReader(twice, "x")


def test_an_archive_is_a_zip_file_with_aligned_records() -> None:
    content = {"a": b"", "b": bytes(100), "data/0": b"x" * 1000}
    file = written(content)
    archive = zipfile.ZipFile(file)
    assert archive.testzip() is None
    assert {name: archive.read(f"archive/{name}") for name in content} == content
    file.seek(0)
    reader = ArchiveReader(file, "x")
    assert {name: reader.read(name) for name in content} == content
    assert all(record.start % 64 == 0 for record in reader.records.values())
    with pytest.raises(RuntimeError, match="there is no record 'none'"):
        reader.read("none")


def test_zip_files_of_other_programs_are_read_if_nothing_is_compressed() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(VALID)) as source, zipfile.ZipFile(file, "w") as target:
        target.comment = b"a comment"
        for name in source.namelist():
            target.writestr(name, source.read(name))
    assert outcome(file.getvalue()) == repr(X)


@pytest.mark.slow
def test_archives_of_more_than_4_gigabytes(tmp_path: Any) -> None:
    torch = pytest.importorskip("torch")
    big = gn.zeros(2**32 + 8, dtype=gn.uint8)
    big[-1] = 7
    gn.save([big, gn.arange(3)], tmp_path / "x.pt")
    for load in (gn.load, torch.load):
        found = load(tmp_path / "x.pt", mmap=True)
        assert found[0].numel() == 2**32 + 8 and found[0][-1].item() == 7 and found[1].tolist() == [0, 1, 2]


def test_zip64_fields_are_read_where_numbers_do_not_fit() -> None:
    """The directory of a small file, written as if its numbers needed 64 bits."""
    file = written({"data.pkl": b"12345"})
    data = file.getvalue()
    at = fields(data, ENTRY, 0)
    extra = struct.pack("<2H3Q", 1, 24, 5, 5, 0)
    entry = bytearray(data[at : at + 46 + len("archive/data.pkl")])
    entry[20:28] = entry[42:46] * 0 + b"\xff" * 8
    entry[30:32] = struct.pack("<H", len(extra))
    entry[42:46] = b"\xff" * 4
    nbytes = len(entry) + len(extra)
    end = data[data.index(END64) :]
    end = bytearray(end)
    end[40:48] = struct.pack("<Q", nbytes)
    locator = end.index(b"PK\6\7")
    end[locator + 8 : locator + 16] = struct.pack("<Q", at + nbytes)
    last = end.index(END)
    end[last + 12 : last + 16] = struct.pack("<I", nbytes)
    reader = ArchiveReader(io.BytesIO(data[:at] + bytes(entry) + extra + bytes(end)), "x")
    assert reader.read("data.pkl") == b"12345"


# -- pickles -------------------------------------------------------------------------------------------------


def no_storage(saved_id: Any) -> Any:
    raise AssertionError


def unpickled(data: bytes) -> Any:
    return WeightsUnpickler(data, no_storage).load()


def as_file(data: bytes) -> io.BytesIO:
    return written({"data.pkl": data, "data/0": struct.pack("<4f", 1, 2, 3, 4)})


class Calls:
    """Pickled as a call of a function."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.call = (function, arguments)

    def __reduce__(self) -> Any:
        return self.call


@pytest.mark.parametrize("protocol", [2, 4])
@pytest.mark.parametrize(
    ("call", "name"),
    [
        (Calls(eval, "1"), "eval"),
        (Calls(print, "x"), "print"),
        (Calls(getattr, gn.Size, "numel"), "getattr"),
        (Calls(OrderedDict.fromkeys, "ab"), "getattr"),
        (Calls(gn.save, 1, "x"), "gnomon.serialization.files.save"),
        (Calls(pickle.loads, b""), "pickle.loads"),
    ],
)
def test_functions_that_are_not_allowed_are_named_and_not_called(
    call: Calls, name: str, protocol: int
) -> None:
    if name == "pickle.loads" and protocol == 4:
        name = "_pickle.loads"
    file = as_file(pickle.dumps(call, protocol))
    with pytest.raises(pickle.UnpicklingError) as caught:
        gn.load(file)
    assert f"Unsupported global: GLOBAL {name} was not an allowed global by default. Please use" in str(
        caught.value
    )
    assert f"`gnomon.serialization.add_safe_globals([{name}])`" in str(caught.value)


def test_modules_that_reach_the_system_are_blocked_even_if_allowed() -> None:
    import os

    data = pickle.dumps(Calls(os.system, "true"), 2)
    with gn.serialization.safe_globals([os.system]):
        with pytest.raises(
            pickle.UnpicklingError, match=r"unsupported GLOBAL posix.system whose module posix is blocked"
        ):
            unpickled(data)


class Mine:
    """A user's class."""


class MySubclass(gn.Tensor):
    """A user's subclass of Tensor."""


def test_an_allowed_subclass_of_tensor_is_made_only_by_functions_that_rebuild() -> None:
    for data in (
        pickle.dumps(Calls(MySubclass), 2),
        b"\x80\x02c" + f"{__name__}\nMySubclass\n".encode() + b")\x81.",
    ):
        with gn.serialization.safe_globals([MySubclass]):
            with pytest.raises(
                pickle.UnpicklingError, match="A tensor is made only by the functions that rebuild"
            ):
                unpickled(data)


def tensor_of(arguments: str) -> bytes:
    """A pickle of a tensor with four floats, where ``arguments`` are opcodes for offset, size and strides."""
    storage = b"(X\x07\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0000X\3\0\0\0cpuK\4tQ"
    return (
        b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" + storage + arguments.encode("latin1") + b"\x89NtR."
    )


def test_a_tensor_by_its_opcodes() -> None:
    assert gn.load(as_file(tensor_of("K\1K\3\x85K\1\x85"))).tolist() == [2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ("K\2K\3\x85K\1\x85", RuntimeError, "requiring a storage size of 20 are out of bounds for storage o"),
        ("K\0K\3\x85K\2\x85", RuntimeError, "requiring a storage size of 20 are out of bounds for storage o"),
        ("J\xff\xff\xff\xffK\3\x85K\1\x85", RuntimeError, "storage_offset must be from 0 to"),
        ("K\0J\xff\xff\xff\xff\x85K\1\x85", RuntimeError, "sizes must be from 0 to 2"),
        ("K\0K\3\x85J\xff\xff\xff\xff\x85", RuntimeError, "strides must be from 0 to 2"),
        ("K\0K\3\x85)", RuntimeError, r"unequal size length (1) and stride length (0)"),
        ("K\0\x8a\x08\0\0\0\0\0\0\0\x40K\x08\x86K\0K\0\x86", RuntimeError, "numel: integer multiplication o"),
        ("K\0G\x3f\xf0\0\0\0\0\0\0\x85K\1\x85", pickle.UnpicklingError, "sizes must be ints"),
        ("NK\3\x85K\1\x85", pickle.UnpicklingError, "storage_offset must be ints"),
        ("K\0K\3K\1\x85", pickle.UnpicklingError, "sizes must be ints"),
    ],
)  # fmt: skip
def test_tensors_that_do_not_fit_their_storage_are_refused(arguments: str, kind: Any, text: str) -> None:
    with pytest.raises(kind) as caught:
        gn.load(as_file(tensor_of(arguments)))
    assert text in str(caught.value) and "this BytesIO" in str(caught.value)
    assert "of the pickle)" in str(caught.value)


@pytest.mark.parametrize(
    ("saved_id", "text"),
    [
        (b"K\1", "Only persistent_load of storage is allowed, but got 1"),
        (b"(X\6\0\0\0moduleNNNNt", "Only persistent_load of storage is allowed"),
        (b"(X\7\0\0\0storageNX\1\0\0\0000X\3\0\0\0cpuK\4t", "The id of a storage is invalid"),
        (b"(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0000X\3\0\0\0cpuNt", "The id of a storage is inva"),
        (b"(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0001X\3\0\0\0cpuK\4t", "there is no record 'data/"),
        (b"(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0000X\3\0\0\0cpuK\5t", "has 16 bytes, but its sto"),
        (b"(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0000X\3\0\0\0cpuK\3t", "has 16 bytes, but its sto"),
    ],
)  # fmt: skip
def test_invalid_ids_of_storages_are_refused(saved_id: bytes, text: str) -> None:
    with pytest.raises((RuntimeError, pickle.UnpicklingError)) as caught:
        gn.load(as_file(b"\x80\x02" + saved_id + b"Q."))
    assert text in str(caught.value) and "this BytesIO" in str(caught.value)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x80\x02K\1\x85K\2\x85a.", "Can only extend lists, but got <class 'tuple'>"),
        (b"\x80\x02]K\1K\2s.", "Can only SETITEMS for dict, collections.OrderedDict, collections.Counter, b"),
        (b"\x80\x02}(K\1u.", "there is a key without a value"),
        (b"\x80\x02}]K\1s.", "unhashable type: 'list'"),
        (b"\x80\x02K\1)R.", "Trying to call reduce for unrecognized function 1"),
        (b"\x80\x02ctorch\nTensor\n)R.", "Trying to call reduce for unrecognized function <class"),
        (b"\x80\x02ctorch\nTensor\n)\x81.", "Can only create new object for nn.Parameter or classes allowli"),
        (b"\x80\x02]}b.", "Can only build Tensor, Parameter, OrderedDict or types allowlisted"),
        (b"\x80\x02h\0.", "KeyError: 0"),
        (b"\x80\x020.", "pop from empty list"),
        (b"\x80\x02t.", "pop from empty list"),
        (b"\x80\x02K\1\x86.", "pop from empty list"),
        (b"\x80\x02.", "pop from empty list"),
        (b"\x80\x02", "pickle exhausted before seeing STOP"),
        (b"\x80\x02X\xff\xff\xff\x7fabc.", "expected 2147483647 bytes in a unicodestring4, but only 4 remai"),
        (b"\x80\x05\x8e\0\0\0\0\0\0\0\x10a.", "bytes8"),
        (b"\x80\x02P1\n.", "Unsupported operand PERSID"),
        (b"\x80\x02(i__main__\nx\n.", "Unsupported operand INST"),
        (b"\x80\x02\x82\1.", "Unsupported operand EXT1"),
        (b"\x80\x02c_codecs\nencode\nX\1\0\0\0aX\5\0\0\0rot13\x86R.", "expected a str and 'latin1'"),
        (b"\x80\x02c__builtin__\nbytearray\nJ\0\0\0\x7f\x85R.", "bytearray: expected bytes, got int"),
        (b"\x80\x02ctorch\nSize\nX\1\0\0\0a\x85\x85R.", "torch.Size: expected a tuple of ints, got ('a',)"),
        (b"\x80\x02ctorch.serialization\n_get_layout\nX\1\0\0\0a\x85R.", "gnomon has no layout 'a'"),
        (b"\x80\x02" + b")" + b"\x85" * 100_000 + b".", "Tuples are nested more than 1000 deep"),
        (b"\x80\x02cnone\n\xff\n.", "UnicodeDecodeError"),
    ],
)  # fmt: skip
def test_invalid_pickles_are_refused_with_the_place(data: bytes, text: str) -> None:
    with pytest.raises(pickle.UnpicklingError, match=r"\(byte \d+ of the pickle\)$") as caught:
        unpickled(data)
    assert text in str(caught.value)


def test_attributes_of_a_tensor_never_replace_what_says_where_its_memory_is() -> None:
    x = gn.ones(2)
    rebuild = FUNCTIONS["torch._utils._rebuild_parameter"]
    for state in ((None, {"_storage": x.untyped_storage()}), ({}, {"_spec": 1}), ({}, {"__dict__": {}})):
        with pytest.raises(RuntimeError, match="has no slot '"):
            FUNCTIONS["torch._tensor._rebuild_from_type_v2"](rebuild, gn.nn.Parameter, (x, True, None), state)
    for state in (1, [1], {1: 2}, (1, 2)):
        with pytest.raises(TypeError, match="its attributes must be a dict"):
            FUNCTIONS["torch._utils._rebuild_parameter_with_state"](x, True, None, state)
    with pytest.raises(TypeError, match="is not a function that rebuilds tensors"):
        FUNCTIONS["torch._tensor._rebuild_from_type_v2"](len, gn.Tensor, (), None)
    made = FUNCTIONS["torch._utils._rebuild_parameter_with_state"](x, True, None, {"_storage": 1, "note": 2})
    assert made.untyped_storage() is x.untyped_storage() and made.note == 2


OPCODES = st.sampled_from(b"()}]N\x88\x89\x85\x86\x87tRbsuaeQ021h\0q\0K\1\x81\x93\x94\x8f\x90\x91")


@hypothesis.given(st.lists(st.one_of(st.integers(0, 255), OPCODES), max_size=60), st.integers(0, 200))
def test_random_pickles_are_refused_or_give_plain_values(opcodes: list[int], keep: int) -> None:
    whole = tensor_of("K\1K\3\x85K\1\x85")
    outcome(as_file(whole[:keep][:-1] + bytes(opcodes) + b".").getvalue())


@hypothesis.given(st.data())
def test_a_damaged_pickle_with_the_right_checksum_is_refused_or_gives_a_value(data: Any) -> None:
    file = io.BytesIO(VALID)
    archive = zipfile.ZipFile(file)
    records = {name.removeprefix("archive/"): archive.read(name) for name in archive.namelist()}
    damaged = bytearray(records["data.pkl"])
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    outcome(written(records | {"data.pkl": bytes(damaged)}).getvalue())


def test_safe_globals_are_added_listed_and_cleared() -> None:
    gn.serialization.add_safe_globals([Mine, (Mine, "other.Name")])
    try:
        gn.serialization.add_safe_globals([Mine])
        assert gn.serialization.get_safe_globals() == [Mine, (Mine, "other.Name")]
        assert type(unpickled(b"\x80\x02cother\nName\n)\x81.")) is Mine
        assert type(unpickled(pickle.dumps(Mine(), 4))) is Mine
    finally:
        gn.serialization.clear_safe_globals()
    assert gn.serialization.get_safe_globals() == []
    with pytest.raises(ValueError, match=r"^Expected tuple of length 2 .*, but got tuple of length: 1$"):
        gn.serialization.add_safe_globals([(Mine,)])  # type: ignore[list-item]
    with pytest.raises(
        TypeError, match=r"^Expected second item in tuple to be str of callable full path, but got: <"
    ):
        gn.serialization.add_safe_globals([(Mine, 1)])  # type: ignore[list-item]
    with pytest.raises(pickle.UnpicklingError, match="Mine was not an allowed global"):
        unpickled(pickle.dumps(Mine(), 2))


def test_the_state_of_an_allowed_class_is_set_as_pickle_does() -> None:
    made = Mine()
    made.a = [1]  # type: ignore[attr-defined]
    with gn.serialization.safe_globals([Mine]):
        assert unpickled(pickle.dumps(made, 2)).a == [1]
