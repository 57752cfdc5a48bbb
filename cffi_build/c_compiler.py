"""The C compiler, and which flags it accepts; cached, since setuptools runs the build file several times."""

import functools
import os
import shlex
import subprocess
import sysconfig
import tempfile
from pathlib import Path


def is_set(variable):
    """Is an environment variable neither unset nor empty nor 0?"""
    return os.environ.get(variable, "0") not in ("", "0")


def find_compiler():
    """The command of the C compiler."""
    return tuple(shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"))


@functools.cache
def knows(compiler, flag):
    """Does a program compile and link with ``flag`` without a warning?"""
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory) / "probe.c"
        source.write_text("int main(void) { return 0; }\n")
        command = [*compiler, "-Werror", flag, str(source), "-o", str(Path(directory) / "probe")]
        try:
            return subprocess.run(command, capture_output=True, timeout=60).returncode == 0
        except OSError:
            return False
