"""The accuracy of the C library's elementary functions, on a sample that is dense enough to find a wrong
coefficient and small enough to be quick; tools/measure_accuracy.py looks at all floats.
"""

import importlib.util
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

SINGLE = (
    "exp exp2 expm1 log log2 log10 log1p rsqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
    "pow atan2 sigmoid silu erf erfc erfinv lgamma digamma"
).split()
# PyTorch's are 1 ulp for most (SLEEF's u10), or made of such.
DOUBLE = {"acosh": 2.5, "erfc": 3.5, "erfinv": 4.0, "tan": 2.5, "tanh": 1.5}
# Reflected near poles, or the C library's own.
UNBOUNDED = {"digamma", "lgamma"}


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


@pytest.mark.parametrize("function", SINGLE)
def test_float32(program, function):
    worst = tool.measure(program, function, "float32", 40009)
    assert worst.error <= 2.0, worst


@pytest.mark.parametrize("function", [each for each in SINGLE if each not in UNBOUNDED])
def test_float64(program, function):
    worst = tool.measure(program, function, "float64", 40009)
    assert worst.error <= DOUBLE.get(function, 2.0), worst


@pytest.mark.parametrize("dtype", tool.DTYPES)
def test_gelu_errs_by_units_of_its_input(program, dtype):
    worst = tool.measure(program, "gelu", dtype, 40009)
    assert worst.error <= 3.0, worst


def test_every_function_is_tested(program):
    assert set(tool.functions(program)) == {*SINGLE, "gelu"}
