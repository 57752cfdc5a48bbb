"""Compiled images on disk: what makes a new entry, what is recompiled, and who may share a folder."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gnomon_cuda import cache, sources
from gnomon_cuda.cache import ImageCache, default_folder, key_of
from gnomon_cuda.compiler import Compiler, Image
from gnomon_cuda.errors import CompileError
from time_limits import LIMIT

SOURCE = '#include "first.h"\nkernel text'
KERNELS = ["add<float>", "add<double>"]


class Counting(Compiler):
    """A compiler that makes an image from its arguments and counts its calls."""

    name = "counting"
    version = "1"
    options = ("-O1",)

    def __init__(self, folder: Path) -> None:
        self.folders = (folder,)
        self.calls = 0

    def compile(self, source, kernels, architecture):
        self.calls += 1
        symbols = {expression: f"k{number}" for number, expression in enumerate(kernels)}
        return Image(bytes(range(256)) + architecture.encode(), symbols, "a warning: ü")


@pytest.fixture
def texts(tmp_path):
    """A folder with a header that includes another."""
    folder = tmp_path / "texts"
    (folder / "deep").mkdir(parents=True)
    (folder / "first.h").write_text('#include "deep/second.h"\n')
    (folder / "deep" / "second.h").write_text('#  include "beside.h"\n#include <elsewhere>\n')
    (folder / "deep" / "beside.h").write_text("int beside;\n")
    (folder / "unrelated.h").write_text("int unrelated;\n")
    return folder


@pytest.fixture
def compiler(texts):
    return Counting(texts)


def test_an_image_is_compiled_once_and_comes_back_whole(tmp_path, compiler):
    first = ImageCache(tmp_path / "kept")
    made = first.compile(compiler, SOURCE, KERNELS, "sm_90")
    found = ImageCache(tmp_path / "kept")  # as another process would
    again = found.compile(compiler, SOURCE, KERNELS, "sm_90")
    assert compiler.calls == 1
    assert (first.hits, first.misses, found.hits, found.misses) == (0, 1, 1, 0)
    assert again == made
    assert again.data == bytes(range(256)) + b"sm_90"
    assert again.symbols == {"add<float>": "k0", "add<double>": "k1"}
    assert again.log == "a warning: ü"


def test_included_files_are_found_through_files(texts):
    names = [path.name for path in sources.included_files(SOURCE, [texts])]
    assert names == ["beside.h", "second.h", "first.h"]


def test_an_include_by_a_macro_may_mean_any_file(texts):
    names = {path.name for path in sources.included_files("#include GN_TEMPLATE\n", [texts])}
    assert names == {"beside.h", "second.h", "first.h", "unrelated.h"}


def test_an_include_by_a_macro_means_what_the_texts_define_it_as(texts):
    (texts / "template.h").write_text("#include GN_TEMPLATE\n")
    source = '#define GN_TEMPLATE "unrelated.h"\n#include "template.h"\n#include "later.h"\n'
    (texts / "later.h").write_text('#define GN_TEMPLATE "deep/beside.h"\n')
    names = {path.name for path in sources.included_files(source, [texts])}
    assert names == {"template.h", "unrelated.h", "later.h", "beside.h"}


def change_text(compiler):
    (compiler.folders[0] / "deep" / "beside.h").write_text("int Beside;\n")


def change_version(compiler):
    compiler.version = "2"


def change_name(compiler):
    compiler.name = "another"


def change_options(compiler):
    compiler.options = ("-O2",)


@pytest.mark.parametrize("change", [change_text, change_version, change_name, change_options])
def test_what_changes_the_compiler_or_a_text_makes_another_entry(change, compiler):
    before = key_of(compiler, SOURCE, KERNELS, "sm_90")
    assert key_of(compiler, SOURCE, KERNELS, "sm_90") == before
    change(compiler)
    assert key_of(compiler, SOURCE, KERNELS, "sm_90") != before


@pytest.mark.parametrize(
    "arguments",
    [
        (SOURCE + " ", KERNELS, "sm_90"),
        (SOURCE, KERNELS[:1], "sm_90"),
        (SOURCE, KERNELS[::-1], "sm_90"),
        (SOURCE, ["add<float>, add<double>"], "sm_90"),
        (SOURCE, KERNELS, "sm_80"),
    ],
)
def test_what_changes_the_question_makes_another_entry(arguments, compiler):
    assert key_of(compiler, *arguments) != key_of(compiler, SOURCE, KERNELS, "sm_90")


def test_a_text_that_is_not_included_changes_nothing(compiler, texts):
    before = key_of(compiler, SOURCE, KERNELS, "sm_90")
    (texts / "unrelated.h").write_text("int Unrelated;\n")
    assert key_of(compiler, SOURCE, KERNELS, "sm_90") == before


def entry_of(folder: Path) -> Path:
    (entry,) = folder.rglob("*.image")
    return entry


def cut(content):
    return content[:-1]


def flip_first(content):
    return bytes([content[0] ^ 1]) + content[1:]


def flip_last(content):
    return content[:-1] + bytes([content[-1] ^ 1])


def empty(content):
    return b""


def flip_symbol(content):
    place = content.index(b'"k1"')
    return content[: place + 1] + b"j" + content[place + 2 :]


@pytest.mark.parametrize("damage", [cut, flip_first, flip_last, flip_symbol, empty])
def test_a_damaged_entry_is_compiled_again_and_replaced(damage, tmp_path, compiler):
    kept = ImageCache(tmp_path / "kept")
    made = kept.compile(compiler, SOURCE, KERNELS, "sm_90")
    entry = entry_of(tmp_path / "kept")
    whole = entry.read_bytes()
    entry.write_bytes(damage(whole))
    with pytest.warns(UserWarning, match=r"the kernel cache is not used: .*\.image is corrupted") as told:
        assert kept.compile(compiler, SOURCE, KERNELS, "sm_90") == made
        entry.write_bytes(damage(whole))
        kept.get(key_of(compiler, SOURCE, KERNELS, "sm_90"))
    assert len(told) == 1 and compiler.calls == 2
    assert kept.compile(compiler, SOURCE, KERNELS, "sm_90") == made
    assert compiler.calls == 3
    assert entry.read_bytes() == whole


def test_an_entry_of_another_key_is_compiled_again(tmp_path, compiler):
    kept = ImageCache(tmp_path / "kept")
    kept.compile(compiler, SOURCE, KERNELS, "sm_80")
    foreign = entry_of(tmp_path / "kept")
    key = key_of(compiler, SOURCE, KERNELS, "sm_90")
    place = tmp_path / "kept" / "cuda" / key[:2] / f"{key}.image"
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(foreign.read_bytes())
    with pytest.warns(UserWarning, match="is corrupted"):
        assert kept.get(key) is None
    assert kept.compile(compiler, SOURCE, KERNELS, "sm_90").data.endswith(b"sm_90")
    assert compiler.calls == 2


def own_everything_but(monkeypatch, *strangers):
    """Make files with one of these names belong to another user, and all others to this one."""
    stat, fstat = os.stat, os.fstat

    def changed(status, name):
        values = list(status)
        values[4] += name in strangers
        return os.stat_result(values)

    monkeypatch.setattr(
        cache.os, "stat", lambda path, **options: changed(stat(path, **options), Path(path).name)
    )
    monkeypatch.setattr(
        cache.os,
        "fstat",
        lambda handle: changed(fstat(handle), Path(os.readlink(f"/proc/self/fd/{handle}")).name),
    )


@pytest.mark.parametrize("which", ["kept", "cuda", "folder", "entry"])
@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777, "owner"])
def test_what_somebody_else_could_have_written_is_not_used(which, mode, tmp_path, compiler, monkeypatch):
    kept = ImageCache(tmp_path / "kept")
    made = kept.compile(compiler, SOURCE, KERNELS, "sm_90")
    entry = entry_of(tmp_path / "kept")
    place = {"kept": tmp_path / "kept", "cuda": kept.folder, "folder": entry.parent, "entry": entry}[which]
    if mode == "owner":
        own_everything_but(monkeypatch, place.name)
    else:
        place.chmod(mode)
    before = entry.read_bytes(), entry.stat().st_mtime_ns
    again = ImageCache(tmp_path / "kept")
    with pytest.warns(
        UserWarning, match=f"the kernel cache is not used: {place} (belongs to|is writable)"
    ) as told:
        assert again.compile(compiler, SOURCE, KERNELS, "sm_90") == made
        assert again.compile(compiler, SOURCE, KERNELS, "sm_90") == made
    # another user's entry in an own folder is replaced; in another user's folder nothing is written
    assert len(told) == 1 and again.hits == (which == "entry" and mode != "owner")
    assert which == "entry" or (entry.read_bytes(), entry.stat().st_mtime_ns) == before


def test_folders_are_made_for_their_owner_alone(tmp_path, compiler):
    before = os.umask(0)
    try:
        kept = ImageCache(tmp_path / "new" / "kept")
        kept.compile(compiler, SOURCE, KERNELS, "sm_90")
    finally:
        os.umask(before)
    entry = entry_of(tmp_path / "new" / "kept")
    folders = [tmp_path / "new" / "kept", kept.folder, entry.parent]
    assert [folder.stat().st_mode & 0o777 for folder in folders] == [0o700] * 3
    assert entry.stat().st_mode & 0o777 == 0o600 and not kept.problem


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_an_entry_that_is_no_file_is_not_followed(kind, tmp_path, compiler):
    kept = ImageCache(tmp_path / "kept")
    kept.compile(compiler, SOURCE, KERNELS, "sm_90")
    entry = entry_of(tmp_path / "kept")
    entry.rename(tmp_path / "elsewhere")
    if kind == "link":
        entry.symlink_to(tmp_path / "elsewhere")
    elif kind == "pipe":
        os.mkfifo(entry, 0o600)
    else:
        entry.mkdir(mode=0o700)
    key = key_of(compiler, SOURCE, KERNELS, "sm_90")
    if kind == "pipe":
        with pytest.warns(UserWarning, match=r"\.image is not a regular file"):
            assert kept.get(key) is None
    else:
        assert kept.get(key) is None


@pytest.mark.parametrize("facts", [b"[]", b"{}", b"not json", b'{"key": 1}', b'{"key": "%b"}'])
def test_an_entry_with_a_right_checksum_and_a_wrong_header_is_damaged(facts):
    header = facts.replace(b"%b", b"k")
    body = len(header).to_bytes(8, "little") + header + b"image"
    content = b"gnomon image 1\n" + hashlib.sha256(body).digest() + body
    assert cache.decode(content, "k") is None


def test_an_error_of_the_compiler_leaves_nothing(tmp_path, compiler):
    def refuse():
        raise CompileError("no", "gnomon.cu(1): error")

    kept = ImageCache(tmp_path / "kept")
    with pytest.raises(CompileError, match=r"gnomon.cu\(1\): error"):
        kept.find_or_make("0" * 64, refuse)
    assert not list((tmp_path / "kept").rglob("*.image"))


def test_where_nothing_can_be_written_images_are_made_and_not_kept(tmp_path, compiler):
    (tmp_path / "file").write_text("")  # a file can't contain a folder, even for root
    kept = ImageCache(tmp_path / "file")
    for calls in (1, 2):
        assert kept.compile(compiler, SOURCE, KERNELS, "sm_90").symbols["add<float>"] == "k0"
        assert compiler.calls == calls
    assert "file" in kept.problem


def test_a_write_that_fails_leaves_no_file(tmp_path, compiler, monkeypatch):
    def full(*arguments):
        raise OSError("No space left on device")

    monkeypatch.setattr(cache.os, "replace", full)
    kept = ImageCache(tmp_path / "kept")
    kept.compile(compiler, SOURCE, KERNELS, "sm_90")
    assert kept.problem == "No space left on device"
    assert [path for path in (tmp_path / "kept").rglob("*") if path.is_file()] == []


def test_the_folder_is_what_the_environment_names(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "shared"))
    monkeypatch.setenv("GNOMON_CACHE_DIR", str(tmp_path / "own"))
    assert default_folder() == tmp_path / "own"
    monkeypatch.setenv("GNOMON_CACHE_DIR", "")
    assert default_folder() == tmp_path / "shared" / "gnomon"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert default_folder() == tmp_path / "home" / ".cache" / "gnomon"


WRITER = """
import sys
from pathlib import Path
from gnomon_cuda.cache import ImageCache
from gnomon_cuda.compiler import Image
kept = ImageCache(Path(sys.argv[1]))
image = Image(bytes(range(256)) * 1024, {"add": "k0"}, "log")
for turn in range(20):
    kept.put("ab" * 32, image)
    found = kept.get("ab" * 32)
    assert found == image, found and len(found.data)
print("whole", kept.problem)
"""


def test_processes_that_write_the_same_entry_never_read_half_of_it(tmp_path):
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    paths = os.pathsep.join(["backends", "reference", os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths}
    root = Path(__file__).parents[2]
    writers = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=root)
        for _ in range(3)
    ]
    for writer in writers:
        said, _ = writer.communicate(timeout=LIMIT)
        assert (writer.returncode, said) == (0, "whole \n")
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1
