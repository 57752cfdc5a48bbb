"""moved.py of the suite: old module names still work."""

import importlib
import subprocess
import sys

import pytest

from gnomon_conformance import moved
from time_limits import LIMIT


@pytest.mark.parametrize(("old", "new"), moved.MOVED.items())
def test_an_old_name_is_the_module(old: str, new: str) -> None:
    if old == "oracle":
        pytest.importorskip("torch")
    module = importlib.import_module(f"gnomon_conformance.{new}")
    assert importlib.import_module(f"gnomon_conformance.{old}") is module
    assert module.__spec__ is not None and module.__spec__.name == module.__name__
    assert module.__name__ == f"gnomon_conformance.{new}"


def test_old_names_work_in_a_program_that_begins_with_them() -> None:
    program = (
        "from gnomon_conformance.description import tensor\n"
        "import gnomon_conformance.tiers as tiers\n"
        "from gnomon_conformance import report\n"
        "print(tensor.__module__, tiers.__name__, report.__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=LIMIT
    )
    names = ["inputs.description", "collection.tiers", "reporting.report"]
    assert done.stdout.split() == [f"gnomon_conformance.{name}" for name in names]


def test_other_names_do_not_exist() -> None:
    for name in ("gnomon_conformance.nonsense", "gnomon_conformance.inputs.tiers"):
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module(name)
