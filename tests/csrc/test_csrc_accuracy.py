"""The accuracy of the C library's elementary functions, on a sample that is dense enough to find a wrong
coefficient and small enough to be quick; tools/measure_accuracy.py tests all floats.
"""

import importlib.util
import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytest.importorskip("cffi")
if shutil.which("cc") is None:
    pytest.skip("there is no C compiler", allow_module_level=True)

_spec = importlib.util.spec_from_file_location("measure_accuracy", ROOT / "tools" / "measure_accuracy.py")
tool = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tool)

FUNCTIONS = re.findall(r"^ *EACH\((\w+),", (ROOT / "tools" / "measure_accuracy.c").read_text(), re.MULTILINE)
BOUNDED_BY_INPUT = "gelu"  # far below zero its result is small, as the difference of large terms
BOUNDED_BY_RESULT = [each for each in FUNCTIONS if each != BOUNDED_BY_INPUT]
# Most of PyTorch's have an error of 1 ulp (SLEEF's u10), or are composed of such functions.
DOUBLE = {"acosh": 2.5, "erfc": 4.0, "erfinv": 4.0, "lgamma": 5.0, "tan": 2.5, "tanh": 1.5}
# These use reflection near poles.
UNBOUNDED = {"digamma"}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    return tool.compile_programs(tmp_path_factory.mktemp("accuracy"))


@pytest.fixture(params=["plain", "fused"])
def program(request, programs):
    for each in programs:
        if each.parent.name == request.param:
            return each
    assert request.param == "fused", "the plain program was not compiled"
    pytest.skip("the compiler or this processor has no fused products")


@pytest.mark.parametrize("function", BOUNDED_BY_RESULT)
def test_float32(program, function):
    worst = tool.measure(program, function, "float32", 40009)
    assert worst.error <= 2.0, worst


@pytest.mark.parametrize("function", [each for each in BOUNDED_BY_RESULT if each not in UNBOUNDED])
def test_float64(program, function):
    worst = tool.measure(program, function, "float64", 40009)
    assert worst.error <= DOUBLE.get(function, 2.0), worst


@pytest.mark.parametrize("dtype", tool.DTYPES)
def test_gelu_errs_by_units_of_its_input(program, dtype):
    worst = tool.measure(program, BOUNDED_BY_INPUT, dtype, 40009)
    assert worst.error <= 3.0, worst


def test_every_function_is_tested(program):
    assert tool.functions(program) == FUNCTIONS
