"""What pyproject.toml cannot say: the C extension, and that an install survives without it."""

import os

from setuptools import setup
from setuptools.command.build_ext import build_ext

NATIVE_BUILD = "cffi_build/gnomon_c_build.py:ffibuilder"


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

    def build_extension(self, ext):
        try:
            super().build_extension(ext)
        except (
            Exception
        ) as error:  # a missing compiler, a failing one, a missing header: each has a class of its own
            if requires_c():
                raise
            self._do_without(ext, error)

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


setup(cmdclass={"build_ext": OptionalBuildExt}, cffi_modules=[NATIVE_BUILD])
