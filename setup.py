"""The part of the build that pyproject.toml can not describe: optional C extensions, incremental compilation,
the source texts of CUDA kernels, and a source archive that is the same, byte by byte, from the same files.

``GNOMON_REQUIRE_C=1`` makes an install fail without the C extensions; ``GNOMON_WITHOUT_C=1`` builds none, and
a wheel built so is tagged as pure Python.  docs/packages.md describes the packages.
cffi_build/gnomon_c_build.py documents the variables that control how they are built.
"""

import glob
import gzip
import os
import re
import runpy
import shutil
import sysconfig
import tarfile
from multiprocessing.pool import ThreadPool
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

NATIVE_BUILD = "cffi_build/gnomon_c_build.py"
SPEEDUPS_BUILD = "cffi_build/speedups_build.py"
EARLIEST = 315532800  # 1980-01-01, the first date that a wheel, which is a zip file, can hold


def is_set(variable):
    return os.environ.get(variable, "0") not in ("", "0")


def dependencies(depfile):
    """The source files and headers of an object file, from the compiler's dependency file (option -MMD)."""
    _, _, names = Path(depfile).read_text().replace("\\\n", " ").partition(": ")
    return [each.replace("\\ ", " ") for each in re.split(r"(?<!\\)\s+", names.strip())]


def is_current(target, command):
    """Was this object file made by this command, from files that have not changed since?"""
    depfile, record = target.with_suffix(".d"), target.with_suffix(".command")
    try:
        if record.read_text() != command:
            return False
        made = target.stat().st_mtime_ns
        return all(os.stat(each).st_mtime_ns <= made for each in dependencies(depfile))
    except OSError:  # the object does not exist yet, or one of its files is gone
        return False


class OptionalBuildExt(build_ext):
    """Builds the C extensions if possible; otherwise warns once, and the install continues without them.

    cffi derives its own command from this class, which writes the C source and then calls ``run`` here.
    """

    def finalize_options(self):
        if self.build_temp is None:  # one folder for all kinds of install, so that they share object files
            tag = f"{sysconfig.get_platform()}-{sysconfig.get_config_var('SOABI') or 'python'}"
            debug = ".debug" if is_set("GNOMON_DEBUG") else ""
            self.build_temp = os.path.join("build", f"temp.{tag}{debug}")
        super().finalize_options()
        self.force = True  # setuptools does not check headers; is_current does

    def build_extensions(self):
        if self.compiler.compiler_type == "unix":
            self._compile_what_has_changed()
        super().build_extensions()

    def _compile_what_has_changed(self):
        """Compiles files in parallel, with ccache if it is installed, and skips those that are current."""
        compile_all = self.compiler.compile
        compiler = list(self.compiler.compiler_so)
        if shutil.which("ccache") and "ccache" not in os.path.basename(compiler[0]):
            self.compiler.set_executable("compiler_so", ["ccache", *compiler])

        def compile_at_once(sources, output_dir=None, extra_postargs=None, **options):
            arguments = [*(extra_postargs or []), "-MMD"]
            command = repr((compiler, arguments, sorted(options.items(), key=str)))

            def compile_one(source):
                (name,) = self.compiler.object_filenames([source], output_dir=output_dir)
                if not is_current(Path(name), command):
                    Path(name).with_suffix(".command").unlink(missing_ok=True)
                    compile_all([source], output_dir=output_dir, extra_postargs=arguments, **options)
                    Path(name).with_suffix(".command").write_text(command)
                return name

            with ThreadPool(os.cpu_count()) as pool:
                return pool.map(compile_one, sources, chunksize=1)

        self.compiler.compile = compile_at_once

    def build_extension(self, ext):
        # The extensions compile the same files with different flags.
        room, self.build_temp = self.build_temp, os.path.join(self.build_temp, ext.name)
        try:
            super().build_extension(ext)
        except (
            Exception
        ) as error:  # a missing or failing compiler, a missing header: each raises another class
            if is_set("GNOMON_REQUIRE_C"):
                raise
            self._do_without(ext, error)
        finally:
            self.build_temp = room

    def _do_without(self, ext, error):
        # A missing optional extension is neither copied nor listed in the wheel.  A file left from an earlier
        # build was made from other sources, so it is removed.
        ext.optional = True
        leftover = self.get_ext_fullpath(ext.name)
        if os.path.exists(leftover):
            os.remove(leftover)
        self.warn(
            f"the C extension {ext.name} could not be built ({type(error).__name__}: {error}); gnomon is "
            "installed without it and runs on 'reference'. Install a C compiler and install again, or set "
            "GNOMON_REQUIRE_C=1 to make this an error."
        )


class BuildPyWithTexts(build_py):
    """Copies the source texts of the CUDA kernels, which are compiled at run time, into the package."""

    TEXTS = ("*.def", "*.h", "c/*.h", "cuda/**/*", "emulation/*")

    def run(self):
        super().run()
        if self.editable_mode:  # an editable install reads the repository's files
            return
        for pattern in self.TEXTS:
            for source in glob.glob(f"csrc/{pattern}", recursive=True):
                if os.path.isfile(source):
                    target = os.path.join(self.build_lib, "gnomon_cuda", source)
                    self.mkpath(os.path.dirname(target))
                    self.copy_file(source, target)


class ReproducibleSdist(sdist):
    """Writes an archive that depends on the files' names, contents and executable bits alone.

    All files have the date ``SOURCE_DATE_EPOCH``, in seconds since 1970; without it, 1980-01-01.
    """

    def run(self):
        # setuptools adds the files of an earlier list, which may have been made from other sources.
        listed = os.path.join(self.get_finalized_command("egg_info").egg_info, "SOURCES.txt")
        Path(listed).unlink(missing_ok=True)
        super().run()

    def make_archive(self, base_name, format, root_dir=None, base_dir=None, owner=None, group=None):
        if format != "gztar":
            return super().make_archive(base_name, format, root_dir, base_dir, owner, group)
        date = int(os.environ.get("SOURCE_DATE_EPOCH", EARLIEST))
        name = f"{base_name}.tar.gz"
        self.mkpath(os.path.dirname(name))
        with (
            open(name, "wb") as file,
            gzip.GzipFile("", "wb", mtime=date, fileobj=file) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            for path in sorted(each for each in Path(base_dir).rglob("*") if each.is_file()):
                member = tarfile.TarInfo(path.as_posix())
                member.mtime, member.size = date, path.stat().st_size
                member.mode = 0o755 if path.stat().st_mode & 0o100 else 0o644
                with open(path, "rb") as content:
                    archive.addfile(member, content)
        return name


def extensions():
    """What describes the C extensions to setuptools: nothing, if none is wanted.

    Without them setuptools tags a wheel as pure Python, and keeps its files apart from those of other builds.
    """
    if is_set("GNOMON_WITHOUT_C"):
        return {}
    native = runpy.run_path(NATIVE_BUILD)
    speedups = Extension(
        "gnomon_speedups._speedups",
        sorted(glob.glob("csrc/speedups/*.c")),
        include_dirs=[runpy.run_path(SPEEDUPS_BUILD)["write"]("build/speedups")],
        extra_compile_args=native["flags"]()[0],
    )
    return {
        "cffi_modules": [f"{NATIVE_BUILD}:{name}" for name in native["FFI_NAMES"]],
        "ext_modules": [speedups],
    }


setup(
    cmdclass={"build_ext": OptionalBuildExt, "build_py": BuildPyWithTexts, "sdist": ReproducibleSdist},
    **extensions(),
)
