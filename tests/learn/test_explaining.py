"""learn/explaining.py and names.py: what explain is given, and what it refuses."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import gnomon as gn
from gnomon.learn.names import find_by_name
from time_limits import LIMIT


@pytest.mark.parametrize(
    ("thing", "title"),
    [
        ("add", "aten::add"),
        ("add.Tensor", "aten::add.Tensor"),
        ("aten::add", "aten::add"),
        ("aten::add.out", "aten::add.out"),
        ("aten.add.Tensor", "aten::add.Tensor"),
        ("add.default", None),
        ("t.default", "aten::t"),
        ("torch.add", "aten::add"),
        ("gn.nn.functional.relu", "aten::relu"),
        ("linalg.inv", "aten::linalg_inv"),
        (gn.add, "aten::add"),
        (gn.Tensor.add_, "aten::add_"),
        (gn.ones(2).mul, "aten::mul"),
        (gn.nn.functional.relu, "aten::relu"),
        (gn.nn.functional.kl_div, "aten::kl_div"),
        (gn.linalg.inv, "aten::linalg_inv"),
        (gn.fft.fft, "aten::fft_fft"),
        (gn.kl_div, "aten::kl_div"),
        (gn.ops.aten.add, "aten::add"),
        (gn.ops.aten.add.Tensor, "aten::add.Tensor"),
        (gn.lu_solve, "aten::lu_solve"),
    ],
)
def test_operators(thing: Any, title: str | None) -> None:
    if title is None:
        assert find_by_name(thing) is None
    else:
        assert gn.explain(thing).title == title


def test_what_it_refuses() -> None:
    with pytest.raises(ValueError, match=r"explain: there is no operator 'ad'; did you mean 'addr', |'add'"):
        gn.explain("ad")
    with pytest.raises(ValueError, match="there is no operator 'mine::none'"):
        gn.explain("mine::none")
    with pytest.raises(TypeError, match=r"argument 'thing' must be .*, a Tensor or an exception, not int"):
        gn.explain(3)
    with pytest.raises(TypeError, match=r"'f' is no operator, and can not be called without arguments"):

        def f(x: Any) -> Any:
            return x

        gn.explain(f)
    with pytest.raises(TypeError, match=r"'cross_entropy' is no operator.*gn.explain\(lambda: f\(x\)\)"):
        gn.explain(gn.nn.functional.cross_entropy)


def test_functions_without_arguments_are_calls() -> None:
    def f(factor: int = 2) -> Any:
        return gn.ones(2) * factor

    assert gn.explain(f).title == "2 calls, the last of aten::mul.Tensor"
    report = gn.explain(lambda: 5)
    assert report.result == 5 and report.sections == [] and report.title == "No operator was called"
    report = gn.explain(lambda: 1 / 0)
    assert report["Error"].fact("raised") == "ZeroDivisionError"


def test_explain_is_imported_when_it_is_used() -> None:
    program = (
        "import sys, gnomon; assert not any(each.startswith('gnomon.learn') for each in sys.modules); "
        "gnomon.explain; assert 'gnomon.learn' in sys.modules; assert 'rich' not in sys.modules; "
        "print(gnomon.explain('neg').title)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert (done.returncode, done.stdout) == (0, "aten::neg\n"), done.stderr
    assert "explain" in dir(gn)


def test_nothing_but_a_cuda_driver_is_missing() -> None:
    """A machine without a GPU: the kernels are listed, with the reason why they can not run."""
    rows = {row[0]: row for row in gn.explain("exp")["Kernels"].table().rows}
    if "cuda" in rows and not rows["cuda"][1]:
        assert rows["cuda"][2].startswith("csrc/")
        assert "cuda is not available here: " in str(gn.explain("exp")["Kernels"])
