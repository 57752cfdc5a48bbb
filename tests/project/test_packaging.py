"""The distribution: wheels that work in a clean environment, with and without C; an install without a C
compiler; a source archive that is the same each time."""

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (
    "pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE",
    "reference", "backends", "benchmarks", "conformance", "csrc", "cffi_build",
)  # fmt: skip

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / "setup.py").exists(), reason="needs the source tree"),
]

SMOKE = """
import pathlib, sys
import gnomon as gn
assert sys.prefix in gn.__file__, gn.__file__
c = gn.backends()["c"]
assert c.available, c.reason
import gnomon_c._native
x = gn.tensor([1.0, 2.0], requires_grad=True, device="c")
(x * x).sum().backward()
assert x.grad.tolist() == [2.0, 4.0] and x.grad.device.type == "c"
assert len(gn.demo.load_digits("c").held_out_labels) == 360
assert gn.nn.Linear(2, 3)(gn.ones(1, 2)).shape == (1, 3)
print("smoke test passed")
"""

WITHOUT_C = """
import warnings
import gnomon as gn
assert gn.tensor([1.0, 2.0], device="reference").sum().item() == 3.0
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    first = gn.ones(2) + 1
    second = gn.ones(2, device="cpu")
assert first.tolist() == [2.0, 2.0]
assert first.device.type == second.device.type == "reference"
for warning in caught:
    print(warning.category.__name__, warning.message, sep=": ")
print("reason:", gn.backends()["c"].reason)
"""


def run(*command, cwd, fails=False, **environment):
    """The command's output.  Fails the test with all of it unless the command ends as expected."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("GNOMON_", "PYTHON"))}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        # this tests what is built, not its speed
        env={**clean, "GNOMON_CFLAGS": "-O0", "GNOMON_C_VARIANTS": "baseline,avx2", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=3000,  # in case a build hangs
    )
    assert (done.returncode != 0) == fails, f"{command} ended with {done.returncode}:\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the sources, so that builds leave nothing in the tree."""
    target = tmp_path_factory.mktemp("checkout")
    ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.pyc", "*.egg-info", "build", ".venv")
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=ignored)
        else:
            shutil.copy(source, target / name)
    return target


def make_environment(folder):
    """An environment with only the dependencies, NumPy and cffi; return its Python."""
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    ours = Path(sysconfig.get_path("platlib"))
    for pattern in ("numpy", "numpy.libs", "cffi", "pycparser", "_cffi_backend*"):
        for path in ours.glob(pattern):
            (packages_of(folder) / path.name).symlink_to(path)
    return python


def checked(python, folder):
    """What tools/wheels.py finds when it checks the wheel in an environment."""
    spec = importlib.util.spec_from_file_location("wheels_tool", ROOT / "tools" / "wheels.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool.check(python, folder)


def packages_of(folder):
    """The folder of the packages of the environment in ``folder``."""
    return Path(sysconfig.get_path("purelib", scheme="venv", vars={"base": str(folder)}))


PIP_INSTALL = ("-m", "pip", "install", "--verbose", "--no-build-isolation", "--no-deps", "--no-index")


def install_sources(checkout, folder, fails=False, **environment):
    """``pip install`` the sources into ``folder``'s environment, with the running Python; return the log."""
    target = ("--target", packages_of(folder), "--upgrade")
    return run(sys.executable, *PIP_INSTALL, *target, ".", cwd=checkout, fails=fails, **environment)


def test_wheel_is_complete_and_works_in_a_clean_environment(checkout, tmp_path):
    pytest.importorskip("build")
    if shutil.which(os.environ.get("CC", "cc")) is None:
        pytest.skip("needs a C compiler")
    run(
        sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, cwd=checkout,
        GNOMON_REQUIRE_C="1",
    )  # fmt: skip
    (wheel,) = tmp_path.glob("gnomon-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    for extension in ("_processor", "_native", *(["_native_avx2"] if platform.machine() == "x86_64" else [])):
        assert any(name.startswith(f"gnomon_c/{extension}.") and name.endswith(".so") for name in names)
    for name in (
        "gnomon/py.typed",
        "gnomon/nn/modules/module.py",
        "gnomon/demo/data/digits.csv.gz",
        "gnomon/demo/data/SOURCE.md",
        "gnomon/learn/view/page.html",
        "gnomon/learn/view/page.css",
        "gnomon/learn/view/interface.js",
        "gnomon_c/__init__.py",
        "gnomon_bench/__init__.py",
        "gnomon_bench/data/limits.c",
        "gnomon_conformance/data/programs/lstm.json",
        "gnomon_conformance/__init__.py",
        # the sources of the CUDA kernels, and all files that they include
        "gnomon_cuda/csrc/pointwise.def",
        "gnomon_cuda/csrc/gnomon.h",
        "gnomon_cuda/csrc/c/scalar.h",
        "gnomon_cuda/csrc/cuda/pointwise.cu",
        "gnomon_cuda/csrc/cuda/freestanding/stdint.h",
        "gnomon_cuda/csrc/emulation/driver.cpp",
    ):
        assert name in names, name
    packaged = ("gnomon", "gnomon_bench", "gnomon_c", "gnomon_conformance", "gnomon_cuda", "gnomon_speedups")
    for folder, room in (
        ("reference", "gnomon"),
        ("backends", "gnomon_c"),
        ("backends", "gnomon_cuda"),
        ("backends", "gnomon_speedups"),
        ("conformance", "gnomon_conformance"),
        ("benchmarks", "gnomon_bench"),
    ):
        for path in (ROOT / folder / room).rglob("*.py"):
            assert str(path.relative_to(ROOT / folder)) in names, f"{path} is missing from the wheel"
    tops = {name.split("/")[0] for name in names}
    assert tops == {*packaged, next(top for top in tops if top.endswith(".dist-info"))}, tops

    python = make_environment(tmp_path / "clean")
    run(sys.executable, "-m", "pip", "--python", python, *PIP_INSTALL[2:], wheel, cwd=tmp_path)
    assert "smoke test passed" in run(python, "-c", SMOKE, cwd=tmp_path)
    found = checked(python, tmp_path)
    assert found["c"] and found["speedups"] and not found["warnings"], found
    version = "".join(map(str, sys.version_info[:2]))  # the speedups are for one version of Python
    assert wheel.name.startswith(f"gnomon-0.1.0-cp{version}-cp{version}-"), wheel.name


def test_a_wheel_without_c_is_pure_python_and_says_once_what_is_missing(checkout, tmp_path):
    pytest.importorskip("build")
    command = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path)
    run(*command, cwd=checkout, GNOMON_WITHOUT_C="1", CC="/nonexistent/cc")
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == "gnomon-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        (description,) = [name for name in archive.namelist() if name.endswith("/WHEEL")]
        assert "Root-Is-Purelib: true" in archive.read(description).decode()
        assert not [name for name in archive.namelist() if name.endswith((".so", ".pyd", ".dylib"))]

    python = make_environment(tmp_path / "clean")
    run(sys.executable, "-m", "pip", "--python", python, *PIP_INSTALL[2:], wheel, cwd=tmp_path)
    found = checked(python, tmp_path)
    assert (found["c"], found["speedups"], found["default"]) == (False, False, "reference")
    assert len(found["warnings"]) == 1, found
    assert "gnomon_c._native is not built" in found["warnings"][0]
    assert "running on 'reference'" in found["warnings"][0]


def test_the_source_archive_is_the_same_each_time(checkout, tmp_path):
    pytest.importorskip("build")
    again = tmp_path / "again"
    shutil.copytree(checkout, again, ignore=shutil.ignore_patterns("build", "*.egg-info"))
    for path in again.rglob("*"):  # what differs from machine to machine
        os.utime(path, (1_600_000_000, 1_600_000_000))
        path.chmod(0o700 if path.is_dir() or path.stat().st_mode & 0o100 else 0o600)
    # a list that an earlier build has made from other files
    (again / "gnomon.egg-info").mkdir()
    (again / "note.txt").write_text("not a part of gnomon")
    (again / "gnomon.egg-info" / "SOURCES.txt").write_text("note.txt\n")

    def build(folder, target, date):
        command = (sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", tmp_path / target)
        run(*command, cwd=folder, GNOMON_WITHOUT_C="1", SOURCE_DATE_EPOCH=date)
        return (tmp_path / target / "gnomon-0.1.0.tar.gz").read_bytes()

    first = build(checkout, "first", "1700000000")
    assert build(again, "second", "1700000000") == first
    assert build(checkout, "third", "1700000000") == first
    assert build(checkout, "later", "1700000001") != first
    with tarfile.open(tmp_path / "first" / "gnomon-0.1.0.tar.gz") as archive:
        members = {member.name.partition("/")[2]: member for member in archive.getmembers()}
    assert {member.mtime for member in members.values()} == {1_700_000_000}
    assert {(member.uid, member.uname) for member in members.values()} == {(0, "")}
    for name in ("setup.py", "csrc/gnomon.h", "cffi_build/gnomon_c_build.py", "reference/gnomon/__init__.py"):
        assert name in members, name
    assert "note.txt" not in members


def test_what_has_changed_is_compiled_again_and_nothing_else(checkout, tmp_path):
    if shutil.which(os.environ.get("CC", "cc")) is None:
        pytest.skip("needs a C compiler")
    # a ccache that logs what it is asked to compile
    ccache, log = tmp_path / "ccache", tmp_path / "log"
    ccache.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec "$@"\n')
    ccache.chmod(0o755)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    extensions = 1 if platform.machine() != "x86_64" else 2

    def compiled(**environment):
        log.write_text("")
        command = (sys.executable, "setup.py", "--quiet", "build_ext")
        run(*command, cwd=checkout, GNOMON_REQUIRE_C="1", PATH=path, **environment)
        sources = [word for word in log.read_text().split() if word.endswith(".c")]
        return {Path(each).stem: sources.count(each) for each in sources}

    compiled()
    assert compiled() == {}
    (checkout / "csrc" / "c" / "sort.c").touch()
    assert compiled() == {"sort": extensions}
    (checkout / "csrc" / "c" / "order_key.h").touch()
    assert compiled() == {"sort": extensions, "select": extensions}
    (checkout / "csrc" / "speedups" / "speedups.h").touch()
    assert compiled() == {path.stem: 1 for path in (checkout / "csrc" / "speedups").glob("*.c")}
    for depfile in (checkout / "build").rglob("processor.d"):  # as if the compiler had been interrupted
        depfile.unlink()
    assert compiled() == {"processor": extensions + 1}
    assert compiled(GNOMON_WITHOUT_C="1", GNOMON_CFLAGS="-O1") == {}
    assert compiled(GNOMON_CFLAGS="-O0 -DOTHER")["sort"] == extensions


def test_install_without_a_c_compiler_succeeds_and_says_once_what_is_missing(checkout, tmp_path):
    python = make_environment(tmp_path / "clean")
    log = install_sources(checkout, tmp_path / "clean", CC="/nonexistent/cc")
    assert "the C extension gnomon_c._native could not be built" in log
    assert "Install a C compiler" in log

    text = run(python, "-c", WITHOUT_C, cwd=tmp_path)
    warned = [line for line in text.splitlines() if line.startswith("UserWarning")]
    assert len(warned) == 1, text
    assert "gnomon: backend 'c' is not available" in warned[0]
    assert "gnomon_c._native is not built (was there a C compiler at install time?)" in warned[0]
    assert "running on 'reference'" in warned[0]
    assert "reason: its C extension gnomon_c._native is not built" in text

    asked = run(
        python, "-c", "import gnomon as gn; print(gn.ones(2).device)", cwd=tmp_path, GNOMON_BACKEND="c"
    )
    assert asked.count("gnomon_c._native is not built") == 1 and asked.strip().endswith("reference")


def test_install_that_requires_c_fails_without_a_compiler(checkout, tmp_path):
    make_environment(tmp_path / "clean")
    log = install_sources(
        checkout, tmp_path / "clean", fails=True, CC="/nonexistent/cc", GNOMON_REQUIRE_C="1"
    )
    assert "/nonexistent/cc" in log
