"""What pyproject.toml cannot say: the C extensions, that an install survives without them, and the texts of
kernels."""

import glob
import os
import runpy
from multiprocessing.pool import ThreadPool

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

NATIVE_BUILD = "cffi_build/gnomon_c_build.py"
SPEEDUPS_BUILD = "cffi_build/speedups_build.py"


def requires_c():
    """Is an install without the C extension a failure?  GNOMON_REQUIRE_C=1 says so."""
    return os.environ.get("GNOMON_REQUIRE_C", "0") not in ("", "0")


class OptionalBuildExt(build_ext):
    """Builds the C extension where it can be built; elsewhere warns once, and the install goes on without it.

    cffi derives its own command from this one, which writes the C source and then calls ``run`` here.
    """

    def finalize_options(self):
        super().finalize_options()
        # The C files include tables and headers whose times the compile command does not look at.
        self.force = True

    def build_extensions(self):
        compile_all = self.compiler.compile

        def compile_at_once(sources, **options):
            """One file a core: the compilers are programs of their own, and the files many."""
            with ThreadPool(os.cpu_count()) as pool:
                objects = pool.map(lambda source: compile_all([source], **options), sources)
            return [each for made in objects for each in made]

        self.compiler.compile = compile_at_once
        super().build_extensions()

    def build_extension(self, ext):
        # The extensions are made of the same files with other flags.
        room, self.build_temp = self.build_temp, os.path.join(self.build_temp, ext.name)
        try:
            super().build_extension(ext)
        except (
            Exception
        ) as error:  # a missing compiler, a failing one, a missing header: each has a class of its own
            if requires_c():
                raise
            self._do_without(ext, error)
        finally:
            self.build_temp = room

    def _do_without(self, ext, error):
        # An optional extension that is not there is neither copied nor listed in the wheel.  One that an
        # earlier build left behind was made from other sources.
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
    """Puts the texts of the CUDA kernels, which are compiled where a GPU is, beside what reads them."""

    TEXTS = ("*.def", "*.h", "c/*.h", "cuda/**/*", "emulation/*")

    def run(self):
        super().run()
        if self.editable_mode:  # which reads those of the repository
            return
        for pattern in self.TEXTS:
            for source in glob.glob(f"csrc/{pattern}", recursive=True):
                if os.path.isfile(source):
                    target = os.path.join(self.build_lib, "gnomon_cuda", source)
                    self.mkpath(os.path.dirname(target))
                    self.copy_file(source, target)


native = runpy.run_path(NATIVE_BUILD)

setup(
    cmdclass={"build_ext": OptionalBuildExt, "build_py": BuildPyWithTexts},
    cffi_modules=[f"{NATIVE_BUILD}:{name}" for name in native["FFI_NAMES"]],
    ext_modules=[
        Extension(
            "gnomon_speedups._speedups",
            sorted(glob.glob("csrc/speedups/*.c")),
            depends=[*glob.glob("csrc/speedups/*.h"), SPEEDUPS_BUILD],
            include_dirs=[runpy.run_path(SPEEDUPS_BUILD)["write"]("build/speedups")],
            extra_compile_args=native["flags"]()[0],
        )
    ],
)
