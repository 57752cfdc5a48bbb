"""kit/__init__.py: old module names still work."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys

import pytest

import gnomon as gn
from gnomon import kit
from time_limits import LIMIT


@pytest.mark.parametrize(("old", "new"), kit._MOVED.items())
def test_an_old_name_is_the_module(old: str, new: str) -> None:
    module = importlib.import_module(f"gnomon.{new}")
    assert importlib.import_module(f"gnomon.kit.{old}") is module is getattr(kit, old)


def test_old_names_work_in_a_program_that_begins_with_them() -> None:
    program = (
        "from gnomon.kit.iterator import TensorIterator\n"
        "import gnomon.kit.loops as loops\n"
        "from gnomon.kit import rules, numbers\n"
        "from gnomon.memory.spec import register_free\n"
        "from gnomon.memory import prepared\n"
        "print(TensorIterator.__module__, loops.__name__, rules.__name__, numbers.__name__)\n"
        "assert register_free is prepared.register_free\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=LIMIT
    )
    names = ["calls.iterator", "numerics.loops", "calls.meta_functions", "values.scalar"]
    assert done.stdout.split() == [f"gnomon.{name}" for name in names]


def test_pickles_of_generators_from_before_are_read() -> None:
    """They refer to ``gnomon.kit.generator``."""
    generator = gn.Generator().manual_seed(5)
    expected = gn.rand(3, generator=generator).tolist()
    text = pickle.dumps(gn.Generator().manual_seed(5), 0)
    assert b"gnomon.numerics.generator" in text
    again = pickle.loads(text.replace(b"gnomon.numerics.generator", b"gnomon.kit.generator"))
    assert gn.rand(3, generator=again).tolist() == expected


def test_files_of_operators_have_their_old_names() -> None:
    program = (
        "from gnomon.ops.copy import copy_\n"
        "import gnomon.ops.reduce as reduce\n"
        "from gnomon.ops import convolution\n"
        "print(reduce.__name__, convolution.__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=LIMIT
    )
    assert done.stdout.split() == ["gnomon.ops.reductions.reduce", "gnomon.ops.nn.convolution"]
    with pytest.raises(AttributeError, match="there is no namespace of operators 'nonsense'"):
        gn.ops.nonsense  # noqa: B018
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("gnomon.ops.nonsense")
