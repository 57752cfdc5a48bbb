"""The archives of ``torch.save``: zip files whose records are uncompressed and aligned to 64 bytes.

The writer writes what PyTorch's writes, byte for byte, so that readers may compute where a record starts.
The reader trusts nothing: every size and offset of the file is checked before it is used.

Source: caffe2/serialize/inline_container.cc; .ZIP File Format Specification (APPNOTE.TXT) 6.3.10.
"""

from __future__ import annotations

import itertools
import os
import struct
import zlib
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

ALIGNMENT = 64
CHUNK_NBYTES = 1 << 24  # how much of a record is read at once

_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
_DIRECTORY_ENTRY = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_ZIP64_END = struct.Struct("<4sQ2H2I4Q")
_ZIP64_LOCATOR = struct.Struct("<4sIQI")
_LOCAL, _ENTRY, _DESCRIPTOR = b"PK\3\4", b"PK\1\2", b"PK\7\b"
_END_MARK, _ZIP64_END_MARK, _LOCATOR_MARK = b"PK\5\6", b"PK\6\6", b"PK\6\7"
_ZIP64_EXTRA, _PADDING_EXTRA = 1, struct.unpack("<H", b"FB")[0]

_UTF8, _HAS_DESCRIPTOR = 0x800, 0x8
_MAX_16, _MAX_32 = 2**16 - 1, 2**32 - 1  # these values mean: see the zip64 field
_MAX_COMMENT = 2**16 - 1


class ArchiveWriter:
    """Writes records to ``file``, an object with ``write``, as files in the folder ``name`` of a zip file."""

    def __init__(self, file: Any, name: str) -> None:
        self._file = file
        self._name = name
        self._position = 0
        self._directory: list[bytes] = []

    def write_record(self, name: str, data: Any) -> None:
        """Write the record ``name`` with the bytes of ``data``, an object with a contiguous buffer."""
        path = f"{self._name}/{name}".encode()
        view = memoryview(data).cast("B")
        start, nbytes, crc = self._position, view.nbytes, zlib.crc32(view)
        sizes = [nbytes, nbytes] if nbytes >= _MAX_32 else []
        offsets = [start] if start >= _MAX_32 else []
        zip64 = _zip64_extra([*sizes, *offsets])
        flags = _UTF8 | (_HAS_DESCRIPTOR if nbytes else 0)
        # The sizes follow the data, in a descriptor.
        unpadded = start + _LOCAL_HEADER.size + len(path) + len(zip64) + 4
        padding = -unpadded % ALIGNMENT
        extra = zip64 + struct.pack("<2H", _PADDING_EXTRA, padding) + b"Z" * padding
        self._write(_LOCAL_HEADER.pack(_LOCAL, 0, flags, 0, 0, 0, 0, 0, 0, len(path), len(extra)))
        self._write(path + extra)
        self._write(view)
        if nbytes:
            self._write(struct.pack("<4sI2Q" if zip64 else "<4s3I", _DESCRIPTOR, crc, nbytes, nbytes))
        fields = (
            0,
            0,
            flags,
            0,
            0,
            0,
            crc,
            min(nbytes, _MAX_32),
            min(nbytes, _MAX_32),
            len(path),
            len(zip64),
        )
        entry = _DIRECTORY_ENTRY.pack(_ENTRY, *fields, 0, 0, 0, 0, min(start, _MAX_32))
        self._directory.append(entry + path + zip64)

    def close(self) -> None:
        """Write the directory.  The file stays open."""
        start, count = self._position, len(self._directory)
        for entry in self._directory:
            self._write(entry)
        nbytes, end = self._position - start, self._position
        fields = (_ZIP64_END.size - 12, 0x31E, 45, 0, 0, count, count, nbytes, start)
        self._write(_ZIP64_END.pack(_ZIP64_END_MARK, *fields))
        self._write(_ZIP64_LOCATOR.pack(_LOCATOR_MARK, 0, end, 1))
        count = min(count, _MAX_16)
        self._write(_END.pack(_END_MARK, 0, 0, count, count, min(nbytes, _MAX_32), min(start, _MAX_32), 0))

    def _write(self, data: bytes | memoryview) -> None:
        left = memoryview(data)
        while left.nbytes:
            written = self._file.write(left)  # unbuffered files may write less; some files return None
            left = left[left.nbytes if written is None else written :]
        self._position += memoryview(data).nbytes


def _zip64_extra(numbers: list[int]) -> bytes:
    """The extra field for numbers that do not fit 32 bits; none if there are no numbers."""
    return struct.pack(f"<2H{len(numbers)}Q", _ZIP64_EXTRA, 8 * len(numbers), *numbers) if numbers else b""


class Record(NamedTuple):
    """Where a record is: its data starts at byte ``start`` of the archive."""

    path: str
    start: int
    nbytes: int
    crc: int


class ZipReader:
    """Reads the zip file that starts at the position of ``file`` and goes to its end.

    ``label`` names the file in errors.
    """

    def __init__(self, file: IO[bytes], label: str) -> None:
        self.label = label
        self._file = file
        self._origin = file.tell()
        self.nbytes = file.seek(0, os.SEEK_END) - self._origin

    def error(self, text: str) -> RuntimeError:
        """The error that the file is corrupt: ``text`` says where."""
        return RuntimeError(f"gnomon.load: {self.label}: the file is truncated or corrupt: {text}")

    def find_directory(self) -> tuple[int, int, int]:
        """The directory's start, its size in bytes, and its number of entries.

        Raises RuntimeError unless it ends where the file says that it ends.
        """
        tail_start = max(0, self.nbytes - _END.size - _MAX_COMMENT)
        tail = self._read(tail_start, self.nbytes - tail_start)
        at = tail.rfind(_END_MARK)
        while at >= 0 and (
            len(tail) < at + _END.size or at + _END.size + _END.unpack_from(tail, at)[-1] != len(tail)
        ):
            at = tail.rfind(_END_MARK, 0, at)
        if at < 0:
            raise self.error("there is no end of a zip file")
        end = tail_start + at
        _, *disks, here, count, nbytes, start, _ = _END.unpack_from(tail, at)
        if end >= _ZIP64_LOCATOR.size:
            locator = _ZIP64_LOCATOR.unpack(self._read(end - _ZIP64_LOCATOR.size, _ZIP64_LOCATOR.size))
            if locator[0] == _LOCATOR_MARK:
                fields = _ZIP64_END.unpack(self._read(locator[2], _ZIP64_END.size))
                if fields[0] != _ZIP64_END_MARK or locator[2] + _ZIP64_END.size + _ZIP64_LOCATOR.size != end:
                    raise self.error("the end of the directory is invalid")
                end = locator[2]
                given = (count, nbytes, start)
                disks, (here, count, nbytes, start) = list(fields[4:6]), fields[6:]
                limits = (_MAX_16, _MAX_32, _MAX_32)
                if any(short not in (limit, full) for short, limit, full in zip(given, limits, fields[7:])):
                    raise self.error("the two ends of the directory differ")
        if any(disks) or here != count:
            raise self.error("it is a part of a zip file in several parts")
        if start + nbytes != end:
            raise self.error(f"the directory should end at byte {end}, but ends at byte {start + nbytes}")
        return start, nbytes, count

    def _read(self, start: int, nbytes: int) -> bytes:
        if start < 0 or nbytes < 0 or start + nbytes > self.nbytes:
            raise self.error(
                f"bytes {start} to {start + nbytes} are asked for, but it has only {self.nbytes} bytes"
            )
        self._file.seek(self._origin + start)
        data = self._file.read(nbytes)
        while len(data) < nbytes:  # unbuffered files may read less
            more = self._file.read(nbytes - len(data))
            if not more:
                raise self.error(f"it ends at byte {start + len(data)} while it is read")
            data += more
        return data


class ArchiveReader(ZipReader):
    """Reads the records of the archive that starts at the position of ``file`` and goes to its end.

    ``label`` names the file in errors.  Raises RuntimeError for a file that is truncated or corrupt: with
    compressed, encrypted, overlapping or repeated records, or a directory that does not fit the file.
    """

    def __init__(self, file: IO[bytes], label: str) -> None:
        super().__init__(file, label)
        records = sorted(self._read_directory(), key=lambda record: record.start)
        if not records:
            raise self.error("the archive has no records")
        self._folder = records[0].path.partition("/")[0]
        self.records = {record.path: record for record in records}
        # torch.serialization.set_crc32_options(False) writes 0 in place of all checksums
        self._has_checksums = any(record.crc for record in records)

    def __contains__(self, name: str) -> bool:
        return f"{self._folder}/{name}" in self.records

    def record(self, name: str) -> Record:
        """The record ``name``.  Raises RuntimeError if there is none."""
        if name not in self:
            raise self.error(f"there is no record {name!r}")
        return self.records[f"{self._folder}/{name}"]

    def chunks(self, record: Record) -> Iterator[bytes]:
        """The bytes of a record, piece by piece.

        Raises RuntimeError at the end if they do not have the record's checksum.
        """
        crc = 0
        for at in range(0, record.nbytes, CHUNK_NBYTES):
            chunk = self._read(record.start + at, min(CHUNK_NBYTES, record.nbytes - at))
            crc = zlib.crc32(chunk, crc)
            yield chunk
        if self._has_checksums and crc != record.crc:
            raise self.error(f"the data of record {record.path!r} does not have its checksum")

    def read(self, name: str) -> bytes:
        """The bytes of the record ``name``.  Raises RuntimeError if there is none or the checksum differs."""
        return b"".join(self.chunks(self.record(name)))

    def _read_directory(self) -> list[Record]:
        start, nbytes, count = self.find_directory()
        directory = self._read(start, nbytes)
        records: list[Record] = []
        at = 0
        for number in range(count):
            if at + _DIRECTORY_ENTRY.size > nbytes:
                raise self.error(f"the directory ends in entry {number} of {count}")
            entry = _DIRECTORY_ENTRY.unpack_from(directory, at)
            mark, _, _, flags, method, _, _, crc, compressed, size, *lengths = entry[:13]
            at += _DIRECTORY_ENTRY.size
            path, extra = directory[at : at + lengths[0]], directory[at + lengths[0] : at + sum(lengths[:2])]
            at += sum(lengths)
            if mark != _ENTRY or at > nbytes:
                raise self.error(f"entry {number} of the directory is invalid")
            name = path.decode("utf-8", "backslashreplace")
            if method or flags & 1:
                kind = "compressed" if method else "encrypted"
                raise self.error(f"record {name!r} is {kind}; torch.save writes no such files")
            size, compressed, offset = self._full_numbers(name, [size, compressed, entry[-1]], extra)
            if size != compressed:
                raise self.error(
                    f"record {name!r} is not compressed, but has two sizes: {size}, {compressed}"
                )
            records.append(Record(name, self._find_data(name, path, offset, size, start), size, crc))
        if at != nbytes:
            raise self.error(f"the directory has {nbytes} bytes, but its {count} entries end at byte {at}")
        self._check_disjoint(records, start)
        return records

    def _check_disjoint(self, records: list[Record], directory: int) -> None:
        names = [record.path for record in records]
        repeated = (
            sorted(name for name in set(names) if names.count(name) > 1)
            if len(set(names)) < len(names)
            else []
        )
        if repeated:
            raise self.error(f"record {repeated[0]!r} is there more than once")
        ordered = sorted(records, key=lambda record: (record.start, record.nbytes))
        for record, following in itertools.pairwise(ordered):
            header = following.start - _LOCAL_HEADER.size - len(following.path.encode())
            if record.start + record.nbytes > header:
                raise self.error(f"records {record.path!r} and {following.path!r} overlap")

    def _full_numbers(self, name: str, numbers: list[int], extra: bytes) -> list[int]:
        """Numbers of a directory entry, where too large ones are replaced by those of the zip64 field."""
        missing = [place for place, number in enumerate(numbers) if number == _MAX_32]
        at = 0
        while missing and at + 4 <= len(extra):
            kind, length = struct.unpack_from("<2H", extra, at)
            if kind == _ZIP64_EXTRA and length >= 8 * len(missing) and at + 4 + length <= len(extra):
                full = struct.unpack_from(f"<{len(missing)}Q", extra, at + 4)
                for place, number in zip(missing, full):
                    numbers[place] = number
                return numbers
            at += 4 + length
        if missing:
            raise self.error(f"the directory has no sizes for record {name!r}")
        return numbers

    def _find_data(self, name: str, path: bytes, offset: int, nbytes: int, directory: int) -> int:
        """Where the data of a record starts whose local header is at ``offset``."""
        header = _LOCAL_HEADER.unpack(self._read(offset, _LOCAL_HEADER.size))
        if header[0] != _LOCAL or header[3] or header[9] != len(path):
            raise self.error(f"there is no record {name!r} at byte {offset}")
        if self._read(offset + _LOCAL_HEADER.size, len(path)) != path:
            raise self.error(f"the record at byte {offset} is not {name!r}, which the directory says")
        start = offset + _LOCAL_HEADER.size + header[9] + header[10]
        if start + nbytes > directory:
            raise self.error(
                f"record {name!r} should have {nbytes} bytes from byte {start} on, but the directory starts "
                f"at byte {directory}"
            )
        return start
