"""Compilers: from the source text of kernels to an image that the driver loads.

``NvrtcCompiler`` is NVIDIA's, for GPUs; ``HostCompiler`` is the C++ compiler of this machine, for the
emulated driver.  Both take kernels as C++ expressions, such as ``add<float>``, and return the symbol of each.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gnomon.values.errors import BackendUnavailableError

from . import sources
from .errors import CompileError

TEXT_NAME = "gnomon.cu"  # the file name in messages, for a source without #line


class Image(NamedTuple):
    """The result of a compiler.

    data     the bytes that the driver loads
    symbols  expression -> the symbol of that kernel in the image
    log      the compiler's messages: warnings, and the GPU resources of each kernel
    """

    data: bytes
    symbols: dict[str, str]
    log: str


class Compiler:
    """The interface of compilers.

    name     of the compiler
    version  the part of its version that can change the image
    options  those of every compilation
    folders  the include folders
    """

    name: str = ""
    version: str = ""
    options: tuple[str, ...] = ()
    folders: tuple[Path, ...] = ()

    def whole_text(self, source: str, kernels: Sequence[str]) -> str:
        """The text that it compiles for ``kernels`` of ``source``, without the included files."""
        return source

    def compile(self, source: str, kernels: Sequence[str], architecture: str) -> Image:
        """Compiles ``source`` for ``architecture``, with the ``kernels`` instantiated.

        Raises CompileError, whose log has files and lines.
        """
        raise NotImplementedError


def _described(kernels: Sequence[str]) -> str:
    """The names of a few kernels, for a message."""
    shown = ", ".join(kernels[:3])
    return shown + (f" and {len(kernels) - 3} more" if len(kernels) > 3 else "")


# ---------------------------------------------------------------------------------------------------------
# NVRTC.

_NVRTC_DECLARATIONS = """
typedef struct gn_program *program;
int nvrtcVersion(int *major, int *minor);
const char *nvrtcGetErrorString(int status);
int nvrtcGetNumSupportedArchs(int *count);
int nvrtcGetSupportedArchs(int *numbers);
int nvrtcCreateProgram(program *made, const char *source, const char *name, int header_count,
                       const char *const *headers, const char *const *header_names);
int nvrtcDestroyProgram(program *made);
int nvrtcAddNameExpression(program made, const char *expression);
int nvrtcCompileProgram(program made, int option_count, const char *const *options);
int nvrtcGetProgramLogSize(program made, size_t *nbytes);
int nvrtcGetProgramLog(program made, char *log);
int nvrtcGetLoweredName(program made, const char *expression, const char **symbol);
int nvrtcGetCUBINSize(program made, size_t *nbytes);
int nvrtcGetCUBIN(program made, char *image);
int nvrtcGetPTXSize(program made, size_t *nbytes);
int nvrtcGetPTX(program made, char *image);
"""

_LIBRARY = re.compile(r"libnvrtc\.so\.(\d+)$")


def toolkit_folders() -> list[Path]:
    """The possible folders of a CUDA toolkit: those in environment variables, then the default one."""
    named = [os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH")]
    return [Path(each) for each in (*named, "/usr/local/cuda") if each]


def package_folders() -> list[Path]:
    """The folders of NVIDIA's packages from PyPI: one for each component, or one for each CUDA."""
    found = importlib.util.find_spec("nvidia")
    places = list(found.submodule_search_locations or ()) if found is not None else []
    return [each for place in places if Path(place).is_dir() for each in sorted(Path(place).iterdir())]


def find_nvrtc(newest_major: int | None = None) -> list[str]:
    """The candidates for NVRTC, the best first: only the file of ``GNOMON_NVRTC`` if that is set; else those
    of packages, of toolkits, and of the system's loader.

    ``newest_major`` excludes those of a later CUDA than the driver's, which would not load their images.
    """
    chosen = os.environ.get("GNOMON_NVRTC", "")
    if chosen:
        return [chosen]
    folders = [place / "lib" for place in package_folders()]
    for place in toolkit_folders():
        folders += [place / "lib64", place / "lib"]
    found: dict[str, int] = {}
    for place in folders:
        for path in sorted(place.glob("libnvrtc.so.*"), reverse=True):
            match = _LIBRARY.search(path.name)
            if match:
                found.setdefault(str(path), int(match.group(1)))
    for major in (13, 12):
        found.setdefault(f"libnvrtc.so.{major}", major)
    return [path for path, major in found.items() if newest_major is None or major <= newest_major]


_RUNTIME_VERSION = re.compile(r"^#define\s+CUDART_VERSION\s+(\d+)", re.MULTILINE)


def find_cuda_headers(major: int) -> tuple[Path, ...]:
    """The folders of the headers (``cuda_fp16.h`` and others) of CUDA ``major``; () if there are none."""
    places = package_folders() + toolkit_folders()
    for place in places:
        runtime = place / "include" / "cuda_runtime_api.h"
        if not (runtime.is_file() and (place / "include" / "cuda_fp16.h").is_file()):
            continue
        version = _RUNTIME_VERSION.search(runtime.read_text(encoding="utf-8", errors="replace"))
        if version is not None and int(version.group(1)) // 1000 == major:
            headers = [place / "include", place / "include" / "cccl"]
            # if each component is a separate package, so is CCCL
            headers += [other / "include" for other in places if other.name == "cuda_cccl"]
            return tuple(each for each in headers if each.is_dir())
    return ()


class NvrtcCompiler(Compiler):
    """NVRTC, opened by cffi.  Raises BackendUnavailableError if none of the libraries loads.

    newest_major  the driver's CUDA version: an NVRTC of a later one is not used
    usual         the options of every compilation
    """

    name = "nvrtc"
    usual = ("--std=c++20", "--device-as-default-execution-space", "--ptxas-options=-v")

    def __init__(
        self,
        folders: Sequence[Path] | None = None,
        options: Sequence[str] = (),
        newest_major: int | None = None,
    ) -> None:
        import cffi

        self._ffi = cffi.FFI()
        self._ffi.cdef(_NVRTC_DECLARATIONS)
        self._lib, self.path = self._open(find_nvrtc(newest_major))
        major, minor = self._ffi.new("int *"), self._ffi.new("int *")
        self._check(self._lib.nvrtcVersion(major, minor), "nvrtcVersion")
        self.version = f"{major[0]}.{minor[0]}"
        self.architectures = self._find_architectures()
        if folders is None:
            folders = (sources.folder(), *find_cuda_headers(major[0]))
        self.folders = tuple(folders)
        self.options = (*self.usual, *options)

    def _open(self, candidates: Sequence[str]) -> tuple[Any, str]:
        problems = []
        for path in candidates:
            try:
                library = self._ffi.dlopen(path)
                library.nvrtcVersion  # noqa: B018  (is it that library?)
                return library, path
            except (OSError, AttributeError) as error:
                problems.append(str(error).partition(".  ")[0])  # drop cffi's list of other locations
        raise BackendUnavailableError(
            f"NVRTC cannot be loaded (pip install 'gnomon[cuda]' installs it): {'; '.join(problems)}"
        )

    def _find_architectures(self) -> tuple[int, ...]:
        count = self._ffi.new("int *")
        self._check(self._lib.nvrtcGetNumSupportedArchs(count), "nvrtcGetNumSupportedArchs")
        numbers = self._ffi.new("int[]", count[0])
        self._check(self._lib.nvrtcGetSupportedArchs(numbers), "nvrtcGetSupportedArchs")
        return tuple(sorted(numbers))

    def _check(self, status: int, function: str) -> None:
        if status:
            words = self._ffi.string(self._lib.nvrtcGetErrorString(status)).decode()
            raise CompileError(f"{function}: {words}", "")

    def _target(self, architecture: str) -> tuple[str, bool]:
        """NVRTC's target for an architecture such as ``sm_90``, and whether it is for exactly that GPU.

        For a GPU that is newer than this NVRTC the image is PTX, which the driver translates.
        """
        number = int(architecture.removeprefix("sm_"))
        if number in self.architectures:
            return f"sm_{number}", True
        newest = self.architectures[-1]
        if number > newest:
            return f"compute_{newest}", False
        raise CompileError(
            f"NVRTC {self.version} does not support {architecture}; it supports "
            f"{', '.join(f'sm_{each}' for each in self.architectures)}",
            "",
        )

    def compile(self, source: str, kernels: Sequence[str], architecture: str) -> Image:
        ffi, lib = self._ffi, self._lib
        target, exact = self._target(architecture)
        made = ffi.new("program *")
        status = lib.nvrtcCreateProgram(made, source.encode(), TEXT_NAME.encode(), 0, ffi.NULL, ffi.NULL)
        self._check(status, "nvrtcCreateProgram")
        try:
            for expression in kernels:
                status = lib.nvrtcAddNameExpression(made[0], expression.encode())
                self._check(status, f"nvrtcAddNameExpression({expression})")
            options = [f"--gpu-architecture={target}", *self.options]
            options += [f"--include-path={place}" for place in self.folders]
            texts = [ffi.new("char[]", each.encode()) for each in options]
            status = lib.nvrtcCompileProgram(made[0], len(texts), ffi.new("char *[]", texts))
            log = self._bytes(made[0], "nvrtcGetProgramLog").rstrip(b"\0").decode(errors="replace").strip()
            if status:
                words = ffi.string(lib.nvrtcGetErrorString(status)).decode()
                raise CompileError(
                    f"NVRTC {self.version} failed to compile {_described(kernels)} for {target} ({words}):",
                    log,
                )
            symbols = {}
            for expression in kernels:
                symbol = ffi.new("char **")
                status = lib.nvrtcGetLoweredName(made[0], expression.encode(), symbol)
                self._check(status, f"nvrtcGetLoweredName({expression})")
                symbols[expression] = ffi.string(symbol[0]).decode()
            data = self._bytes(made[0], "nvrtcGetCUBIN" if exact else "nvrtcGetPTX")
            return Image(data, symbols, log)
        finally:
            lib.nvrtcDestroyProgram(made)

    def _bytes(self, program: Any, function: str) -> bytes:
        """The bytes that a pair of NVRTC's functions (size and content) returns."""
        nbytes = self._ffi.new("size_t *")
        self._check(getattr(self._lib, f"{function}Size")(program, nbytes), f"{function}Size")
        content = self._ffi.new("char[]", max(nbytes[0], 1))
        self._check(getattr(self._lib, function)(program, content), function)
        return bytes(self._ffi.buffer(content, nbytes[0]))


# ---------------------------------------------------------------------------------------------------------
# The host's compiler.


@functools.cache
def _version_of(command: tuple[str, ...]) -> str:
    """The version text of a C++ compiler.  Raises BackendUnavailableError if there is none."""
    try:
        answer = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BackendUnavailableError(
            f"the emulated GPU requires a C++ compiler, but {shlex.join(command)!r} does not work: {error} "
            "(set CXX to use another)"
        ) from None
    return answer.stdout.partition("\n")[0].strip()


class HostCompiler(Compiler):
    """The C++ compiler of this machine: ``CXX``, else ``c++``.  ``GNOMON_CUDA_CXXFLAGS`` adds options, such
    as ``-fsanitize=address``.

    ``checks``: each memory access of a kernel is checked, which is slow; the default is
    ``GNOMON_EMULATION_CHECKS``.  Raises BackendUnavailableError if there is no compiler.

    prefix  returns a header to include before each source, with a precompiled form beside it; or None
    """

    name = "host"

    def __init__(
        self,
        folders: Sequence[Path] | None = None,
        options: Sequence[str] = (),
        checks: bool | None = None,
    ) -> None:
        self.command = tuple(shlex.split(os.environ.get("CXX", ""))) or ("c++",)
        self.version = f"{shlex.join(self.command)}: {_version_of(self.command)}"
        if folders is None:
            folders = (sources.folder(), sources.folder() / "emulation")
        self.folders = tuple(folders)
        self.common_options = (
            "-std=c++20",
            "-O1",
            "-fwrapv",
            "-ffp-contract=off",  # results must not depend on the processor
            "-fPIC",
            "-fno-gnu-unique",  # images loaded together must not share static variables
            *options,
            *shlex.split(os.environ.get("GNOMON_CUDA_CXXFLAGS", "")),
        )
        if checks is None:
            checks = os.environ.get("GNOMON_EMULATION_CHECKS", "0") not in ("", "0")
        # emulation.h, not the sanitizer's library, implements the sanitizer's calls at each access.
        self.kernel_options = ("-fsanitize=thread",) if checks else ()
        self.options = (*self.common_options, *self.kernel_options)
        self.prefix: Callable[[], Path | None] = lambda: None

    def whole_text(self, source: str, kernels: Sequence[str]) -> str:
        lines = ['#include "emulation.h"', f'#line 1 "{TEXT_NAME}"', source]
        for symbol, expression in enumerate(kernels):
            lines += [f'#line 1 "the kernel {_escaped(expression)}"', _export(f"k{symbol}", expression)]
        return "\n".join(lines) + "\n"

    def compile(self, source: str, kernels: Sequence[str], architecture: str) -> Image:
        """Compiles an image for the emulated driver; it is the same for every ``architecture``."""
        texts = {"text.cpp": self.whole_text(source, kernels)}
        prefix = self.prefix()
        before = () if prefix is None else ("-include", str(prefix))
        data, log = self.build(texts, _described(kernels), (*self.kernel_options, *before))
        return Image(data, {expression: f"k{number}" for number, expression in enumerate(kernels)}, log)

    def precompile(self, header: str) -> Image:
        """Precompiles the text of a header, for this compiler and its options.

        Raises CompileError.
        """
        command = [*self.command, *self.options, *self._include_options, "-x", "c++-header"]
        with tempfile.TemporaryDirectory(prefix="gnomon-") as room:
            Path(room, "header.h").write_text(header, encoding="utf-8")
            log = self._run([*command, "header.h", "-o", "header.h.gch"], room, "a header")
            return Image(Path(room, "header.h.gch").read_bytes(), {}, log)

    @property
    def _include_options(self) -> list[str]:
        return [f"-I{place}" for place in self.folders]

    def _run(self, command: Sequence[str], room: str, what: str) -> str:
        """Runs the compiler and returns its messages.  Raises CompileError."""
        ran = subprocess.run(command, cwd=room, capture_output=True, text=True, errors="replace")
        log = "\n".join(filter(None, (ran.stderr.strip(), ran.stdout.strip())))
        if ran.returncode:
            raise CompileError(f"{shlex.join(self.command)} failed to compile {what}:", log)
        return log

    def build(
        self,
        texts: dict[str, str],
        what: str,
        compile_options: Sequence[str] = (),
        link_options: Sequence[str] = (),
    ) -> tuple[bytes, str]:
        """Builds a shared library from texts by file name; returns it with the compiler's messages.

        Raises CompileError, whose message calls the texts ``what``.
        """
        folders = self._include_options
        objects = [f"{Path(name).stem}.o" for name in texts]
        commands = (
            [*self.command, *self.common_options, *compile_options, *folders, "-c", *texts],
            [*self.command, *self.common_options, "-shared", *objects, "-o", "image.so", *link_options],
        )
        with tempfile.TemporaryDirectory(prefix="gnomon-") as room:
            for name, content in texts.items():
                Path(room, name).write_text(content, encoding="utf-8")
            logs = [self._run(command, room, what) for command in commands]
            return Path(room, "image.so").read_bytes(), "\n".join(filter(None, logs))


def _escaped(expression: str) -> str:
    return expression.replace("\\", "\\\\").replace('"', '\\"')


def _export(symbol: str, expression: str) -> str:
    """The line that exports a kernel from an emulated module."""
    return f"GN_EMULATED_KERNEL({symbol}, {expression})"
