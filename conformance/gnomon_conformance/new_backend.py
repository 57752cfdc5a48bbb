"""``gnomon new-backend NAME``: write a distribution with a backend that passes the first tier.

The files are those of templates/, with the backend's name filled in.
"""

from __future__ import annotations

import argparse
import keyword
import pathlib
import shutil
import string
import tempfile
from collections.abc import Sequence
from importlib import resources

from gnomon.memory.backend import CONTRACT_VERSION, backend_names

# Template -> the path that it is written to.
FILES = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "gitignore": ".gitignore",
    "conform.yml": ".github/workflows/conform.yml",
    "backend.py": "$package/backend.py",
    "kernels.py": "$package/kernels.py",
    "expectations.txt": "$package/expectations.txt",
    "test_conformance.py": "tests/test_conformance.py",
}
EMPTY = ("$package/__init__.py", "$package/py.typed")


def check_name(name: str) -> None:
    """Raises ValueError for a name that cannot be a module, an entry point and a device type."""
    if not (name.isascii() and name.isidentifier() and name.islower()) or keyword.iskeyword(name):
        raise ValueError(f"{name!r} is not a valid name for a backend: use a-z, digits and underscores")
    if name in (*backend_names(), "cpu"):
        raise ValueError(f"backend {name!r} already exists")


def write(name: str, directory: pathlib.Path) -> pathlib.Path:
    """Write the distribution ``gnomon_NAME`` into ``directory``, completely or not at all; return its folder.

    Raises ValueError for an invalid name, FileExistsError if the folder exists.
    """
    check_name(name)
    package = f"gnomon_{name}"
    target = directory / package
    if target.exists():
        raise FileExistsError(f"{target} already exists")
    words = {"name": name, "package": package, "class_name": "".join(map(str.title, name.split("_")))}
    words["contract_version"] = str(CONTRACT_VERSION)
    directory.mkdir(parents=True, exist_ok=True)
    made = pathlib.Path(tempfile.mkdtemp(prefix=f".{package}.", dir=directory))
    try:
        templates = resources.files(__package__) / "templates"
        texts = {path: (templates / f"{each}.template").read_text("utf-8") for each, path in FILES.items()}
        for path, text in (texts | dict.fromkeys(EMPTY, "")).items():
            file = made / string.Template(path).substitute(words)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(string.Template(text).substitute(words), "utf-8")
        made.chmod(0o755)  # a temporary folder is accessible only to its owner
        made.rename(target)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return target


def main(arguments: Sequence[str]) -> int:
    """Run the command; return its exit status."""
    parser = argparse.ArgumentParser(
        prog="gnomon new-backend",
        description="Write a Python package with a new backend: memory, one kernel, its claims, a test, and "
        "a workflow for continuous integration.  It can be installed and passes the suite's first tier.",
    )
    parser.add_argument("name", metavar="NAME", help="the backend's name, in lowercase letters")
    here = "where to create the folder gnomon_NAME (default: the current folder)"
    parser.add_argument("--directory", default=".", metavar="DIR", help=here)
    options = parser.parse_args(arguments)
    try:
        folder = write(options.name, pathlib.Path(options.directory))
    except (ValueError, OSError) as error:
        parser.error(str(error))
    print(f"Wrote {folder}.  Next steps:\n")
    # a path, not a name for which an index might have another package
    path = folder if folder.is_absolute() else f"./{folder.as_posix()}"
    print(f"    pip install {path}\n    gnomon conform {options.name} --tier memory\n")
    print("Its README.md describes the further steps.")
    return 0
